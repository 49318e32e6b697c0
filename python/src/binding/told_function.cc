#include "python/src/binding/told_function.h"

#include "base/format.h"
#include "python/src/binding/throw_error.h"

namespace gk::py {

namespace nb = nanobind;

Parameters::Parameters(const char* text) {
  const std::string_view all = text;
  const size_t open = all.find('('), close = all.find(")\n");
  function_ = all.substr(0, open);
  std::string told;
  for (SignatureParameter& one :
       ParametersIn(all.substr(open + 1, close - open - 1))) {
    if (!told.empty()) told += ", ";
    if (one.name == "self") {
      is_method_ = true;
      told += "$self";
    } else {
      told += one.text;
      parameters_.push_back(std::move(one));
    }
  }
  documentation_ =
      Format("{}({})\n--\n\n{}", function_, told, all.substr(close + 2));
}

size_t Parameters::Find(std::string_view name) const {
  size_t i = 0;
  while (parameters_[i].name != name) ++i;
  return i;
}

std::vector<nb::handle> Parameters::Bind(nb::handle args,
                                         nb::handle kwargs) const {
  const size_t given = PyTuple_GET_SIZE(args.ptr());
  if (given > parameters_.size()) {
    Throw(TypeError("{}() takes {} positional arguments but {} were given",
                    function_, parameters_.size() + is_method_,
                    given + is_method_));
  }
  std::vector<nb::handle> values(parameters_.size());
  for (size_t i = 0; i < given; ++i) {
    values[i] = PyTuple_GET_ITEM(args.ptr(), i);
  }
  if (kwargs.ptr() != nullptr) {
    PyObject *key, *value;
    for (Py_ssize_t at = 0; PyDict_Next(kwargs.ptr(), &at, &key, &value);) {
      const std::string_view name = StringView(key);
      size_t i = 0;
      while (i < parameters_.size() && parameters_[i].name != name) ++i;
      if (i == parameters_.size()) {
        Throw(TypeError("{}() got an unexpected keyword argument '{}'",
                        function_, name));
      }
      if (values[i].ptr() != nullptr) {
        Throw(TypeError("{}() got multiple values for argument '{}'", function_,
                        name));
      }
      values[i] = value;
    }
  }
  for (size_t i = 0; i < values.size(); ++i) {
    if (values[i].ptr() != nullptr) continue;
    values[i] = parameters_[i].otherwise;
    if (values[i].ptr() == nullptr) {
      Throw(TypeError("{}() missing required argument: '{}'", function_,
                      parameters_[i].name));
    }
  }
  return values;
}

bool Arguments::flag(std::string_view name) const {
  const int is = PyObject_IsTrue((*this)[name].ptr());
  if (is < 0) throw nb::python_error();
  return is == 1;
}

}  // namespace gk::py
