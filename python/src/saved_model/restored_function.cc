#include "python/src/saved_model/restored_function.h"

#include <algorithm>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "function/func_graph.h"
#include "function/argument_names.h"
#include "python/src/binding/bound_values.h"
#include "python/src/binding/text_caster.h"
#include "python/src/binding/throw_status.h"
#include "python/src/function/concrete_function.h"
#include "python/src/function/function_object.h"
#include "python/src/function/function_trace_type.h"
#include "python/src/function/literal_key.h"
#include "python/src/function/told_function.h"
#include "python/src/function/traced_values.h"
#include "python/src/function/typed_values.h"
#include "python/src/nest/nest_node.h"
#include "python/src/saved_model/saved_model.h"
#include "python/src/saved_model/structured_value.h"
#include "python/src/tensors/converted.h"
#include "python/src/tensors/tensor_spec_type.h"
#include "saved_model/restored_function.h"

namespace nb = nanobind;

namespace gk::py {
namespace {

using Parameter = FunctionSignature::Parameter;

// A call: positional arguments, then those by name.
struct TypedCall {
  Ref<FunctionType> type;
  TensorVector tensors;
};

// Of specs, what stands for their tensors is left out.
TypedCall TypeOfCall(const nb::tuple& args, const nb::dict& kwargs,
                     bool with_tensors) {
  CallVariables variables;
  std::vector<FunctionParameter> parameters;
  std::vector<int> seen;
  std::vector<PyRef> inputs;
  const auto add = [&](std::string name, ParameterKind kind, nb::handle value) {
    StatusOr<TraceTypeRef> type = TraceTypeOf(value.ptr(), &variables);
    if (!type.ok()) Throw(type.status());
    if (with_tensors && !FlattenInputs(**type, value.ptr(), &seen, &inputs)) {
      throw nb::python_error();
    }
    parameters.push_back({std::move(name), kind, false, *std::move(type)});
  };
  for (size_t i = 0; i < args.size(); ++i) {
    add(Format("args_{}", i), ParameterKind::kPositionalOrKeyword, args[i]);
  }
  for (const auto& [name, value] : kwargs) {
    add(nb::cast<std::string>(name), ParameterKind::kKeywordOnly, value);
  }
  TypedCall call;
  call.type = MakeRef<FunctionType>(std::move(parameters));
  if (!ToInputs(inputs, &call.tensors)) throw nb::python_error();
  return call;
}

std::string CallText(const nb::tuple& args, const nb::dict& kwargs) {
  const nb::object shown = nb::module_::import_("pprint").attr("pformat");
  std::string by_position;
  for (nb::handle value : args) {
    if (!by_position.empty()) by_position += "\n    * ";
    by_position += nb::cast<std::string>(shown(value));
  }
  return Format(
      "Positional arguments ({} total):\n    * {}\n  Keyword arguments: {}",
      args.size(), by_position, ReprOf(kwargs));
}

bool IsSpec(nb::handle value) {
  return PyObject_TypeCheck(value.ptr(), TypeSpecType);
}

// The parts of a call as the core counts them.
class CallParts {
 public:
  CallParts(const FunctionType& type, const nb::tuple& args,
            const nb::dict& kwargs)
      : type_(type), args_(args), kwargs_(kwargs) {}

  // One as a tensor of this type; null if it becomes none.
  Tensor AsTensor(size_t part, DataType dtype) {
    if (parts_.empty()) Find();
    if (part >= parts_.size() || parts_[part].is_none()) return {};
    StatusOr<Tensor> made = ToTensor(parts_[part].ptr(), dtype);
    if (made.ok()) return *std::move(made);
    if (!IsConversionFailure(made.status())) Throw(made.status());
    PyErr_Clear();
    return {};
  }

 private:
  void Find() {
    auto p = type_.parameters().begin();
    for (nb::handle value : args_) Add(*(p++)->type, value);
    for (const auto& [name, value] : kwargs_) Add(*(p++)->type, value);
  }
  void Add(const TraceType& type, nb::handle value) {
    parts_.push_back(nb::borrow(value));
    if (!type.is_container()) return;
    const bool whole =
        ForEachPart(type, value.ptr(), [&](const TraceType& t, PyObject* part) {
          Add(t, part);
          return true;
        });
    if (!whole) throw nb::python_error();
  }

  const FunctionType& type_;
  const nb::tuple args_;
  const nb::dict kwargs_;
  std::vector<nb::object> parts_;
};

// How a trace of the file is called and what it gives, in Python's values.
struct SavedCall {
  nb::tuple args;
  nb::dict kwargs;
  nb::object shown_output;    // with specs of what is in it
  StructureRef output;        // of what the tensors are packed into
  std::vector<PyRef> leaves;  // specs, and None
};

SavedCall CallOf(const LoadedModel& model, const std::string& name) {
  const proto::SavedConcreteFunction* saved = model.FindSaved(name);
  if (saved == nullptr) {
    Throw(
        DataLoss("The SavedModel at {} does not say how its function '{}' is "
                 "called",
                 model.folder(), name));
  }
  SavedCall trace;
  if (!IsNone(*saved->canonicalized_input_signature)) {
    const nb::object both =
        ValueOfMessage(*saved->canonicalized_input_signature);
    if (!PyTuple_Check(both.ptr()) || nb::len(both) != 2 ||
        !PyTuple_Check(nb::object(both[0]).ptr()) ||
        !PyDict_Check(nb::object(both[1]).ptr())) {
      Throw(
          DataLoss("The SavedModel at {} has no signature of its function "
                   "'{}'",
                   model.folder(), name));
    }
    trace.args = nb::borrow<nb::tuple>(nb::object(both[0]));
    trace.kwargs = nb::borrow<nb::dict>(nb::object(both[1]));
  }
  trace.shown_output = ValueOfMessage(*saved->output_signature);
  trace.output = StructureOf(trace.shown_output.ptr(), NestRules::kExpanded,
                             &trace.leaves);
  if (!trace.output) throw nb::python_error();
  return trace;
}

// What is called of a function while it is traced, or runs eagerly.
class RestoredBody final : public ToldFunction {
 public:
  RestoredBody(std::shared_ptr<LoadedModel> model, int object)
      : model_(std::move(model)),
        saved_(model_->objects().at(object)),
        function_(ValueOrThrow(RestoredFunction::Of(
            model_.get(), object,
            [this](const std::string& name) { return Read(name); }))) {
    if (traces_.empty()) return;
    FindOwnNames();
    const std::string& name = function_.traces()[0].function->name();
    std::string plain = PlainFunctionName(name);
    if (!plain.empty() && plain != name) name_ = std::move(plain);
  }

  const std::string& name() const { return name_; }
  const std::vector<SavedCall>& traces() const { return traces_; }
  bool is_pruned() const { return is_pruned_; }

  std::vector<Parameter> Parameters() const override {
    if (saved_.bare_concrete_function.has()) return ParametersOfBare();
    return ParametersOfSpec();
  }

  nb::object Call(const nb::args& given, const nb::kwargs& named) const {
    const auto [args, kwargs] = own_names_.empty()
                                    ? WithDefaults(given, named)
                                    : WithOwnNames(given, named);
    const TypedCall call = TypeOfCall(args, kwargs, /*with_tensors=*/true);
    ForgetComparisonError();
    CallParts parts(*call.type, args, kwargs);
    const auto to_tensor = [&](size_t part, const TraceType&, DataType dtype) {
      return parts.AsTensor(part, dtype);
    };
    const auto served =
        function_.Find(*call.type, call.tensors,
                       {RestoredFunction::Containers::kSame, to_tensor}, only_);
    if (RaiseComparisonError()) throw nb::python_error();
    if (!served) {
      std::vector<std::string> shown;
      for (const SavedCall& trace : traces_) {
        shown.push_back(CallText(trace.args, trace.kwargs));
      }
      Throw(RestoredFunction::NoMatch(CallText(args, kwargs), shown));
    }
    TensorVector outputs;
    ThrowIfError(served->trace->function->Call(served->inputs, &outputs));
    return Results(traces_[served->trace - function_.traces().data()], outputs);
  }

  // Makes a Function of this body have the traces, each of what it was saved
  // for, and gives them. They show what the file says of their results.
  nb::list Adopt(nb::handle made) {
    nb::list adopted;
    for (size_t i = 0; i < traces_.size(); ++i) {
      only_ = &function_.traces()[i];
      try {
        const nb::object trace = made.attr("get_concrete_function")(
            *traces_[i].args, **traces_[i].kwargs);
        trace.attr(kSavedOutputs) = traces_[i].shown_output;
        const bool named = HasOwnNames(*only_->function);
        if (named) UseBody(ConcreteFunctionOf(trace.ptr()), *only_->function);
        if (!own_names_.empty()) {
          // Of TensorFlow 1, those of the file.
          nb::dict shown = named ? nb::dict() : traces_[i].kwargs;
          for (const auto& [own, name] : own_names_) {
            if (named) shown[own.c_str()] = traces_[i].kwargs[name];
          }
          trace.attr(kSavedInputs) = nb::make_tuple(nb::tuple(), shown);
        }
        adopted.append(trace);
      } catch (...) {
        only_ = nullptr;
        throw;
      }
    }
    only_ = nullptr;
    return adopted;
  }

 private:
  // The inputs of signatures have any names; those of TensorFlow 1 are taken in
  // the order of these, too.
  void FindOwnNames() {
    const SavedCall& trace = traces_[0];
    if (!saved_.bare_concrete_function.has() || trace.args.size() > 0) return;
    nb::list names;
    for (const auto& [name, spec] : trace.kwargs) names.append(name);
    if (model_->graph()) names.attr("sort")();
    const nb::tuple all(names);
    PyRef shown_names = SanitizedNames(all.ptr());
    if (!shown_names) throw nb::python_error();
    const nb::object shown = Owned(shown_names.Release());
    for (size_t i = 0; i < nb::len(all); ++i) {
      own_names_.emplace_back(nb::cast<std::string>(shown[i]), all[i]);
    }
  }

  // Do the arguments have the names of the signature's inputs? Those of what is
  // cut out of a graph of TensorFlow 1 have not.
  bool HasOwnNames(const ConcreteFunction& body) const {
    const std::vector<std::string> names = FlatNames(body);
    return std::ranges::all_of(own_names_, [&](const auto& pair) {
      const auto name = nb::cast<std::string>(pair.second);
      return std::ranges::find(names, name) != names.end();
    });
  }

  std::pair<nb::tuple, nb::dict> WithOwnNames(const nb::args& given,
                                              const nb::kwargs& named) const {
    nb::dict kwargs;
    for (size_t i = 0; i < own_names_.size(); ++i) {
      const auto& [shown, name] = own_names_[i];
      if (i < given.size()) {
        kwargs[name] = given[i];
      } else if (named.contains(shown.c_str())) {
        kwargs[name] = nb::object(named[shown.c_str()]);
      }
    }
    return {nb::tuple(), kwargs};
  }

  // Of a call that was not bound to the parameters, as eager ones are not.
  std::pair<nb::tuple, nb::dict> WithDefaults(const nb::args& given,
                                              const nb::kwargs& named) const {
    const std::vector<Parameter> parameters = Parameters();
    if (given.size() + named.size() >= parameters.size()) return {given, named};
    nb::list args(given);
    nb::dict kwargs;
    kwargs.update(named);
    size_t next = 0;
    for (const Parameter& p : parameters) {
      const nb::str name(p.name.c_str(), p.name.size());
      const bool in_order = p.is_positional() && next == nb::len(args);
      if (p.is_positional() && next < nb::len(args)) {
        ++next;
      } else if (kwargs.contains(name)) {
        if (!in_order) continue;
        args.append(nb::object(kwargs[name]));
        nb::del(kwargs[name]);
        ++next;
      } else if (in_order && p.default_value.get() != nullptr) {
        args.append(nb::borrow(p.default_value.get()));
        ++next;
      } else if (p.kind == ParameterKind::kKeywordOnly &&
                 p.default_value.get() != nullptr) {
        kwargs[name] = nb::borrow(p.default_value.get());
      }
    }
    return {nb::tuple(args), kwargs};
  }

  StatusOr<TracedSignature> Read(const std::string& name) {
    SavedCall trace = CallOf(*model_, name);
    TracedSignature signature;
    is_pruned_ =
        IsNone(*model_->FindSaved(name)->canonicalized_input_signature);
    if (is_pruned_) {
      GK_ASSIGN_OR_RETURN(signature, model_->SignatureOf(name));
      if (!signature.type) return signature;
      nb::list specs;
      for (const FunctionParameter& p : signature.type->parameters()) {
        const nb::object argument = TextOfFile(p.name);
        specs.append(Owned(
            WrapTensorSpec(p.type->shape(), p.type->dtype(), argument.ptr())));
      }
      trace.args = nb::tuple(specs);
    } else {
      // Literals have values of Python's in it, which those of the core lack.
      signature.type =
          TypeOfCall(trace.args, trace.kwargs, /*with_tensors=*/false).type;
    }
    traces_.push_back(std::move(trace));
    return signature;
  }

  std::vector<Parameter> ParametersOfSpec() const {
    const SavedParameters& saved = function_.parameters();
    std::vector<Parameter> made;
    const auto add = [&](const std::string& name, ParameterKind kind,
                         const proto::StructuredValue* value = nullptr) {
      PyRef shown;
      if (value != nullptr) {
        shown = PyRef::Steal(ValueOfMessage(*value).release().ptr());
      }
      made.push_back({name, kind, std::move(shown)});
    };
    for (size_t i = 0; i < saved.names.size(); ++i) {
      add(saved.names[i], ParameterKind::kPositionalOrKeyword,
          saved.DefaultOf(saved.names[i], static_cast<int>(i)));
    }
    if (!saved.varargs.empty()) {
      add(saved.varargs, ParameterKind::kVarPositional);
    }
    for (const std::string& name : saved.keyword_names) {
      add(name, ParameterKind::kKeywordOnly, saved.DefaultOf(name, -1));
    }
    if (!saved.varkw.empty()) add(saved.varkw, ParameterKind::kVarKeyword);
    return made;
  }

  std::vector<Parameter> ParametersOfBare() const {
    const proto::SavedBareConcreteFunction& bare =
        *saved_.bare_concrete_function;
    const SavedCall& trace = traces_.at(0);
    if (bare.function_spec.has() && nb::len(trace.kwargs) == 0) {
      return ParametersOfSpec();
    }
    std::vector<Parameter> made;
    for (const auto& [shown, name] : own_names_) {
      made.push_back({shown,
                      model_->graph() ? ParameterKind::kPositionalOrKeyword
                                      : ParameterKind::kKeywordOnly,
                      PyRef()});
    }
    if (!made.empty()) return made;
    const bool named = bare.argument_keywords.size() == trace.args.size();
    for (size_t i = 0; i < trace.args.size(); ++i) {
      made.push_back({named ? bare.argument_keywords[i] : Format("arg{}", i),
                      ParameterKind::kPositionalOrKeyword, PyRef()});
    }
    for (const auto& [name, spec] : trace.kwargs) {
      made.push_back(
          {nb::cast<std::string>(name), ParameterKind::kKeywordOnly, PyRef()});
    }
    return made;
  }

  nb::object Results(const SavedCall& trace,
                     const TensorVector& outputs) const {
    std::vector<PyRef> leaves;
    size_t next = 0;
    for (const PyRef& leaf : trace.leaves) {
      if (!IsSpec(leaf.get())) {
        leaves.push_back(leaf);
        continue;
      }
      if (next == outputs.size()) {
        Throw(
            DataLoss("The function '{}' of the SavedModel at {} gives fewer "
                     "tensors than the file says",
                     name_, model_->folder()));
      }
      nb::object value = Wrapped(outputs[next++]);
      if (IsTensorSpec(leaf.get())) {
        value.attr("set_shape")(nb::handle(leaf.get()).attr("shape"));
      }
      leaves.push_back(PyRef::Steal(value.release().ptr()));
    }
    return Owned(PackValue(*trace.output, leaves));
  }

  const std::shared_ptr<LoadedModel> model_;
  const proto::SavedObject& saved_;
  // As parameters are called, and in the file.
  std::vector<std::pair<std::string, nb::object>> own_names_;
  std::vector<SavedCall> traces_;
  bool is_pruned_ = false;
  std::string name_ = "function";
  const RestoredFunction function_;  // after what its making fills
  // While it is made: the one that is adopted.
  const RestoredFunction::SavedTrace* only_ = nullptr;
};

}  // namespace

nb::object RestoredFunctionOf(const std::shared_ptr<LoadedModel>& model,
                              int object) {
  const proto::SavedObject& saved = model->objects().at(object);
  auto* const body = new RestoredBody(model, object);
  const nb::object function = nb::cast(body, nb::rv_policy::take_ownership);
  function.attr("__name__") = body->name();
  nb::dict options;
  options["autograph"] = false;
  const bool bare = saved.bare_concrete_function.has();
  // With the names of the arguments.
  if (!bare && !IsNone(*saved.function->function_spec->input_signature) &&
      body->traces().size() == 1 && nb::len(body->traces()[0].kwargs) == 0) {
    options["input_signature"] = body->traces()[0].args;
  }
  if (!bare) {
    using Spec = proto::FunctionSpec;
    const auto compile = saved.function->function_spec->jit_compile;
    if (compile == Spec::JitCompile::ON) options["jit_compile"] = true;
    if (compile == Spec::JitCompile::OFF) options["jit_compile"] = false;
  }
  const nb::object made =
      NewFunction(PythonFunction(function, options, nb::none()));
  const nb::list traces = body->Adopt(made);
  if (!bare) {
    made.attr("concrete_functions") = traces;
    return made;
  }
  const nb::object concrete = traces[traces.size() - 1];
  PyConcreteFunction* const own = ConcreteFunctionOf(concrete.ptr());
  own->is_pruned = body->is_pruned();
  if (own->is_pruned || nb::len(body->traces()[0].kwargs) > 0) {
    concrete.attr("_num_positional_args") =
        saved.bare_concrete_function->allowed_positional_arguments;
  }
  return concrete;
}

void AddRestoredFunction(nb::module_& m) {
  nb::class_<RestoredBody, ToldFunction>(m, "_RestoredBody", nb::dynamic_attr())
      .def("__call__", &RestoredBody::Call);
}

}  // namespace gk::py
