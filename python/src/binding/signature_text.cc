#include "python/src/binding/signature_text.h"

#include <algorithm>
#include <string>

#include "python/src/binding/bound_values.h"
#include "python/src/binding/signature_parts.h"
#include "python/src/binding/throw_error.h"
#include "python/src/tensors/dtype_type.h"

namespace gk::py {
namespace {

namespace nb = nanobind;

std::string_view Trimmed(std::string_view text) {
  constexpr std::string_view kBlank = " \n";
  const size_t first = text.find_first_not_of(kBlank);
  if (first == std::string_view::npos) return {};
  return text.substr(first, text.find_last_not_of(kBlank) + 1 - first);
}

nb::object Literal(std::string_view text) {
  if (text == "None") return nb::none();
  if (text == "()") return nb::tuple();
  if (text == "True" || text == "False") return nb::bool_(text == "True");
  if (text.front() == '\'') {
    return nb::str(text.data() + 1, text.size() - 2);
  }
  if (text.starts_with("tf.")) {
    return nb::borrow(DTypeObject(*DataTypeFromName(text.substr(3))));
  }
  const std::string number(text);
  if (text.find('.') != text.npos) return nb::float_(std::stod(number));
  return nb::int_(std::stoll(number));
}

constexpr std::string_view kType = "=tf.";

}  // namespace

std::string ReadableSignature(std::string_view documentation) {
  std::string text(documentation);
  for (size_t at = text.find(kType); at < text.find("\n--\n");
       at = text.find(kType, at + 1)) {
    const size_t end = text.find_first_of(",)", at);
    text.insert(end, "'");
    text.replace(at, kType.size(), "='");
  }
  return text;
}

const char* ReadableSignature(const char* documentation) {
  if (documentation == nullptr) return nullptr;
  const std::string_view text = documentation;
  if (text.find(kType) >= text.find("\n--\n")) return documentation;
  return (new std::string(ReadableSignature(text)))->c_str();
}

SignatureParameters::SignatureParameters(std::string_view signature) {
  std::string_view left = Trimmed(signature);
  while (!left.empty()) {
    const std::string_view one = Trimmed(TakeParameter(&left));
    const size_t stars = std::min(one.find_first_not_of('*'), one.size());
    const size_t equal = one.find('=');
    const std::string name(one.substr(stars, equal - stars));
    if (stars > 0) {
      by_position_ = std::min(by_position_, size());
      (stars == 1 ? rest_ : named_) = size();
    }
    parameters_.push_back(
        {Owned(PyUnicode_InternFromString(name.c_str())).release().ptr(),
         equal == one.npos
             ? nullptr
             : Literal(Trimmed(one.substr(equal + 1))).release().ptr()});
  }
  by_position_ = std::min(by_position_, size());
}

const char* SignatureParameters::name(size_t i) const {
  return StringView(parameters_[i].name).data();
}

size_t SignatureParameters::Find(std::string_view name) const {
  size_t i = 0;
  while (StringView(parameters_[i].name) != name) ++i;
  return i;
}

void SignatureParameters::Bind(std::string_view function, size_t selves,
                               PyObject* args, PyObject* kwargs,
                               nb::object* out) const {
  std::vector<PyObject*> all(
      PySequence_Fast_ITEMS(args),
      PySequence_Fast_ITEMS(args) + PyTuple_GET_SIZE(args));
  const size_t given = all.size();
  nb::object names;
  if (kwargs != nullptr && PyDict_GET_SIZE(kwargs) > 0) {
    names = Owned(PyTuple_New(PyDict_GET_SIZE(kwargs)));
    PyObject *key, *value;
    Py_ssize_t i = 0;
    for (Py_ssize_t at = 0; PyDict_Next(kwargs, &at, &key, &value);) {
      PyTuple_SET_ITEM(names.ptr(), i++, Py_NewRef(key));
      all.push_back(value);
    }
  }
  Bind(function, selves, all.data(), given, names.ptr(), out);
}

void SignatureParameters::Bind(std::string_view function, size_t selves,
                               PyObject* const* args, size_t given,
                               PyObject* names, nb::object* out) const {
  if (given > by_position_ && rest_ == kNone) {
    Throw(TypeError("{}() takes {} positional arguments but {} were given",
                    function, by_position_ + selves, given + selves));
  }
  const size_t placed = std::min(given, by_position_);
  for (size_t i = 0; i < placed; ++i) out[i] = nb::borrow(args[i]);
  if (rest_ != kNone) {
    const nb::object rest =
        Owned(PyTuple_New(static_cast<Py_ssize_t>(given - placed)));
    for (size_t i = placed; i < given; ++i) {
      PyTuple_SET_ITEM(rest.ptr(), static_cast<Py_ssize_t>(i - placed),
                       Py_NewRef(args[i]));
    }
    out[rest_] = rest;
  }
  if (named_ != kNone) out[named_] = nb::dict();
  const Py_ssize_t count = names == nullptr ? 0 : PyTuple_GET_SIZE(names);
  for (Py_ssize_t i = 0; i < count; ++i) {
    BindNamed(function, PyTuple_GET_ITEM(names, i),
              args[given + static_cast<size_t>(i)], out);
  }
  for (size_t i = 0; i < size(); ++i) {
    if (out[i].is_valid()) continue;
    out[i] = nb::borrow(parameters_[i].otherwise);
    if (!out[i].is_valid()) {
      Throw(
          TypeError("{}() missing required argument: '{}'", function, name(i)));
    }
  }
}

void SignatureParameters::BindNamed(std::string_view function, PyObject* key,
                                    PyObject* value, nb::object* out) const {
  if (!PyUnicode_Check(key)) Throw(TypeError("keywords must be strings"));
  size_t i = 0;
  for (; i < size(); ++i) {
    if (i == rest_ || i == named_) continue;
    if (parameters_[i].name == key ||
        PyUnicode_Compare(parameters_[i].name, key) == 0) {
      break;
    }
  }
  if (i == size() && named_ == kNone) {
    Throw(TypeError("{}() got an unexpected keyword argument '{}'", function,
                    StringView(key)));
  }
  if (i == size()) {
    out[named_][nb::handle(key)] = nb::handle(value);
  } else if (out[i].is_valid()) {
    Throw(TypeError("{}() got multiple values for argument '{}'", function,
                    name(i)));
  } else {
    out[i] = nb::borrow(value);
  }
}

}  // namespace gk::py
