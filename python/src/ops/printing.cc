#include "python/src/ops/printing.h"

#include <algorithm>
#include <span>
#include <string>
#include <vector>

#include "framework/op_builder.h"
#include "function/ragged/ragged.h"
#include "ops/fn/PrintV2.h"
#include "ops/text_pieces.h"
#include "python/src/binding/text_caster.h"
#include "python/src/control_flow/staged_values.h"
#include "python/src/host/log_functions.h"
#include "python/src/nest/nest_host.h"
#include "python/src/ops/op_function.h"
#include "python/src/ragged/ragged_arguments.h"
#include "python/src/variables/variable_type.h"

namespace gk::py {
namespace {

namespace nb = nanobind;

// What stands in a structure for what has a text of its own.
struct Shown {
  std::string text;
};
// For a value, and for a text that stands for itself: no text of a program
// holds them.
constexpr std::string_view kValue = "\x01{}\x02";
constexpr std::string_view kText("\0raw\0", 5);

nb::object Python(const char* module, const char* name) {
  return nb::module_::import_(module).attr(name);
}

// Takes inputs apart: structures are printed as Python's `pprint` does, with
// marks where values stand.
class Printer {
 public:
  explicit Printer(int64_t summarize) : summarize_(summarize) {}

  void AddText(const std::string& text) { pieces_.push_back({text, {}}); }

  void Add(nb::handle value) {
    if (nb::isinstance<nb::str>(value)) {
      AddText(nb::cast<std::string>(value));
      return;
    }
    const nb::object shown = Python("pprint", "pformat")(Outline(value));
    std::string_view rest = StringView(shown.ptr());
    for (TextPiece& piece : values_) {
      const size_t at = std::min(rest.find(kValue), rest.find(kText));
      if (at == std::string_view::npos) break;
      AddText(std::string(rest.substr(0, at)));
      rest.remove_prefix(
          at + (rest[at] == kValue[0] ? kValue.size() : kText.size()));
      pieces_.push_back(std::move(piece));
    }
    values_.clear();
    AddText(std::string(rest));
  }

  Tensor Text(const std::string& name) const {
    return TextOf(pieces_, summarize_, name);
  }

 private:
  static nb::object Marked(std::string_view text) {
    return nb::cast(Shown{std::string(text)});
  }
  nb::object Value(const Tensor& t) {
    values_.push_back({"", t});
    return Marked(kValue);
  }

  // A value that is made of tensors; null for others.
  nb::object Composite(nb::handle value) {
    if (IsRagged(value)) {
      const CallScope scope(nb::none(), "RaggedToString");
      values_.push_back({"", RaggedText(AsRagged(value), summarize_), true});
      return Marked(kText);
    }
    const std::string_view kind = Py_TYPE(value.ptr())->tp_name;
    if (!nb::hasattr(value, "_type_spec")) return {};
    if (kind == "IndexedSlices") return Value(Converted(value));
    if (kind != "SparseTensor") return {};
    const SparseValue sparse = AsSparse(value);
    for (const Tensor& t :
         {sparse.indices, sparse.values, sparse.dense_shape}) {
      values_.push_back({"", t});
    }
    // TensorFlow prints this text as a value: in quotes.
    return Marked(
        Format("'SparseTensor(indices={0}, values={0}, shape={0})'", kValue));
  }

  // The value with what shows its leaves in their places, of types that pprint
  // knows.
  nb::object Outline(nb::handle value) {
    OutlineHost host;
    PyRef made =
        MapNest(host, PyRef::Share(value.ptr()), [&](const PyRef& leaf) {
          return PyRef::Steal(Leaf(leaf.get()).release().ptr());
        });
    return Owned(made.Release());
  }
  nb::object Leaf(nb::handle value) {
    if (IsTensor(value.ptr()) || IsVariable(value.ptr())) {
      return Value(Converted(value));
    }
    if (nb::object composite = Composite(value)) return composite;
    if (PyRange_Check(value.ptr())) return nb::list(nb::borrow(value));
    if (nb::isinstance<nb::str>(value)) return nb::borrow(value);
    // As Python shows it on one line, however long.
    return Marked(ReprOf(value));
  }

  class OutlineHost : public PyNestHost {
   public:
    OutlineHost() : PyNestHost(NestRules::kNest, " in print") {}
    int Open(const PyRef& value, std::vector<PyRef>* parts, NestNode* node) {
      PyObject* const o = value.get();
      if (IsTensor(o) || IsVariable(o) || PyRange_Check(o)) return 0;
      return PyNestHost::Open(value, parts, node);
    }
    PyRef Close(const NestNode& node, std::span<const PyRef> parts,
                const PyRef& like) {
      return PyRef::Steal(Closed(node, parts, like.get()).release().ptr());
    }

   private:
    static nb::object Closed(const NestNode& node, std::span<const PyRef> all,
                             nb::handle value) {
      if (node.kind == Structure::Kind::kDict) {
        return Mapping(nb::handle(node.sorted.get()), all, value);
      }
      nb::list parts;
      for (const PyRef& part : all) parts.append(nb::handle(part.get()));
      if (nb::isinstance<nb::tuple>(value)) {
        return nb::hasattr(value, "_fields") ? value.type()(*parts)
                                             : nb::object(nb::tuple(parts));
      }
      const nb::object deque = Python("collections", "deque");
      if (nb::isinstance(value, deque)) {
        return deque(parts, value.attr("maxlen"));
      }
      if (nb::isinstance(value, Python("collections.abc", "Collection"))) {
        return parts;
      }
      std::string text = nb::cast<std::string>(value.type().attr("__name__"));
      text += "(";
      for (size_t i = 0; i < all.size(); ++i) {
        text += (i > 0 ? ", " : "") + ReprOf(nb::handle(all[i].get()));
      }
      return Marked(text + ")");
    }
    static nb::object Mapping(nb::handle keys, std::span<const PyRef> all,
                              nb::handle value) {
      nb::dict parts, ordered;
      size_t next = 0;
      for (nb::handle key : keys) parts[key] = nb::handle(all[next++].get());
      for (nb::handle key : value) ordered[key] = parts[key];
      if (value.type().is(Python("collections", "OrderedDict"))) {
        return value.type()(ordered);
      }
      if (value.type().is(Python("collections", "defaultdict"))) {
        return value.type()(value.attr("default_factory"), ordered);
      }
      return ordered;
    }
  };

  int64_t summarize_;
  std::vector<TextPiece> pieces_;
  std::vector<TextPiece> values_;  // of the input that is taken apart
};

std::string StreamName(nb::handle stream) {
  for (const char* name : {"stdout", "stderr"}) {
    for (const std::string& known :
         {std::string(name), Format("__{}__", name)}) {
      if (Python("sys", known.c_str()).equal(stream)) return name;
    }
  }
  for (std::string_view name : {"info", "warning", "error"}) {
    if (LogFunctionName(stream.ptr()) == name) return Format("log({})", name);
  }
  if (nb::isinstance<nb::str>(stream)) {
    std::string text = nb::cast<std::string>(stream);
    if (text.starts_with("file://")) return text;
  }
  Throw(ValueError(
      "Unsupported output stream, logging level, or file.{}. Supported streams "
      "are sys.stdout, sys.stderr, tf.logging.info, tf.logging.warning, "
      "tf.logging.error. File needs to be in the form of "
      "'file://<filepath>'.",
      nb::str(stream).c_str()));
}

// An option that is taken out of the keywords.
nb::object Taken(nb::dict& options, const char* name, nb::object otherwise) {
  return nb::object(options.attr("pop")(name, otherwise));
}

// The value of an option, or a TypeError.
template <class T>
T Option(nb::handle value, const char* name, const char* wanted) {
  T result{};
  if (!nb::try_cast<T>(value, result)) {
    Throw(TypeError("Expected {} for argument '{}' not {}.", wanted, name,
                    nb::repr(value).c_str()));
  }
  return result;
}

std::string NameIn(nb::handle name) {
  return name.is_none() ? std::string()
                        : Option<std::string>(name, "name", "string");
}

bool IsTextScalar(nb::handle value) {
  return IsTensor(value.ptr()) &&
         TensorOf(value.ptr()).dtype() == DataType::kString &&
         TensorOf(value.ptr()).partial_shape().rank() == 0;
}

}  // namespace

PyObject* PrintValues(PyObject*, PyObject* args, PyObject* kwargs) {
  nb::dict options;
  if (kwargs != nullptr) options.update(nb::borrow<nb::dict>(kwargs));
  const nb::object output =
      Taken(options, "output_stream", Python("sys", "stderr"));
  const std::string name = NameIn(Taken(options, "name", nb::none()));
  const nb::object summarize = Taken(options, "summarize", nb::int_(3));
  const nb::object sep = Taken(options, "sep", nb::str(" "));
  const nb::object end = Taken(options, "end", nb::str("\n"));
  if (nb::len(options) > 0) {
    Throw(ValueError("Unrecognized keyword arguments for tf.print: {}",
                     nb::str(options).c_str()));
  }
  const std::string stream = StreamName(output);
  // As Python's own `sep.join` fails.
  nb::object join = sep.attr("join");
  const nb::tuple inputs = nb::borrow<nb::tuple>(args);
  Tensor text;
  if (nb::len(inputs) == 1 && IsTextScalar(inputs[0])) {
    text = TensorOf(nb::object(inputs[0]).ptr());
  } else {
    Printer printer(Option<int64_t>(summarize, "summarize", "int"));
    for (size_t i = 0; i < nb::len(inputs); ++i) {
      // Between inputs only.
      if (i > 0) printer.AddText(Option<std::string>(sep, "sep", "string"));
      printer.Add(inputs[i]);
    }
    text = printer.Text(name.empty() ? name : name + "_format");
  }
  ops::PrintV2(OpName(name), text, stream,
               Option<std::string>(end, "end", "string"));
  if (OpBuilder::Current()->builds_graph()) return MadeOperation();
  // Output of ops and Python's own stay in order.
  if (stream == "stdout" || stream == "stderr") {
    Python("sys", stream.c_str()).attr("flush")();
  }
  Py_RETURN_NONE;
}

PyObject* FormatValues(PyObject*, PyObject* args, PyObject* kwargs) {
  static const char* names[] = {"template",  "inputs", "placeholder",
                                "summarize", "name",   nullptr};
  const char *format, *placeholder = "{}";
  long long summarize = 3;
  PyObject *given, *name = Py_None;
  if (!PyArg_ParseTupleAndKeywords(args, kwargs, "sO|sLO",
                                   const_cast<char**>(names), &format, &given,
                                   &placeholder, &summarize, &name)) {
    return nullptr;
  }
  std::vector<nb::object> values;
  if (IsListOrTuple(given)) {
    for (nb::handle value : nb::handle(given))
      values.push_back(nb::borrow(value));
  } else {
    values.push_back(nb::borrow(given));
  }
  if (std::any_of(values.begin(), values.end(), IsRagged)) {
    std::vector<RaggedValue> ragged;
    for (nb::handle value : values) ragged.push_back(AsRagged(value));
    return WrapTensor(RaggedFormat(format, ragged, placeholder, summarize));
  }
  TensorVector tensors;
  for (nb::handle value : values) tensors.push_back(Converted(value));
  return WrapTensor(
      FormattedText(format, tensors, placeholder, summarize, NameIn(name)));
}

void AddShown(nb::module_& m) {
  nb::class_<Shown>(m, "_Shown", "The text of a part of a structure.")
      .def("__repr__", [](const Shown& s) { return s.text; });
}

}  // namespace gk::py
