#include <algorithm>
#include <cctype>
#include <exception>
#include <map>

#include "api/concrete_rep.h"
#include "api/inner.h"
#include "api/retraces.h"
#include "api/retracing_warning.h"
#include "api/structure_rep.h"
#include "api/trace_words.h"
#include "api/variable_facts.h"
#include "api/words.h"
#include "function/concrete_function.h"
#include "function/eager_functions.h"
#include "function/func_graph.h"
#include "function/function_attributes.h"
#include "function/function_options.h"
#include "function/initialization_function.h"
#include "function/signature_rules.h"
#include "function/trace_function.h"
#include "function/user_scopes.h"
#include "graphkiln/function.h"

namespace gk::api::detail {
namespace {

class ApiTrace final : public Trace {
 public:
  ApiTrace(Ref<FunctionType> type, Ref<::gk::ConcreteFunction> concrete,
           Form form)
      : Trace(std::move(type)),
        concrete_(std::move(concrete)),
        form_(std::make_shared<const Form>(std::move(form))) {}
  const Ref<::gk::ConcreteFunction>& concrete() const { return concrete_; }
  const std::shared_ptr<const Form>& form() const { return form_; }

 private:
  Ref<::gk::ConcreteFunction> concrete_;
  std::shared_ptr<const Form> form_;
};

// '_' where a node's name may not have a character.
std::string NodeName(std::string name) {
  for (char& c : name) {
    if (!std::isalnum(static_cast<unsigned char>(c)) && c != '_') c = '_';
  }
  const bool starts_well =
      !name.empty() && std::isalnum(static_cast<unsigned char>(name[0]));
  return starts_well ? name : "arg" + name;
}

// What stands for the arguments of a lambda while it is traced.
class LambdaArguments final : public ArgumentFace {
 public:
  LambdaArguments(FuncGraph* graph, Placeholders* out)
      : ArgumentFace(graph), out_(out) {}

  Names NamesOf(const TraceType&, const std::string& parameter,
                const std::string& path) override {
    return {NodeName(parameter), path};
  }
  Status Tensor(const InnerTensor& placeholder) override {
    out_->tensors.push_back(Outer(placeholder));
    return OkStatus();
  }
  Status Variable(const TraceType& type, const InnerTensor& handle,
                  const std::string& parameter) override {
    const auto [known, is_new] =
        by_alias_.try_emplace(type.alias(), api::Variable::Of(nullptr));
    if (is_new) {
      known->second = api::Variable::Of(
          std::make_shared<const api::Variable::Facts>(api::Variable::Facts{
              NodeName(parameter), Outer(handle), Outer(type.dtype()),
              Outer(type.shape()), type.trainable()}));
    }
    out_->variables.push_back(known->second);
    return OkStatus();
  }

 private:
  Placeholders* out_;
  std::map<int, api::Variable> by_alias_;
};

// The attributes of the function in graphs.
AttrMap AttributesOf(const FunctionOptions& options) {
  AttrMap attributes;
  for (const auto& [name, value] : options.experimental_attributes) {
    ThrowIfError(CheckFunctionAttribute(name));
    std::visit(
        [&]<class T>(const T& v) {
          if constexpr (std::is_same_v<T, double>) {
            attributes.Set(name, static_cast<float>(v));
          } else {
            attributes.Set(name, v);
          }
        },
        value);
  }
  if (!options.experimental_implements.empty()) {
    attributes.Set(kImplements, options.experimental_implements);
  }
  return attributes;
}

StatusOr<PolymorphicFunctionOptions> Settled(const FunctionOptions& options) {
  return SettleOptions(
      options.name,
      [&](const OptionRecord&, std::string_view name) -> GivenOption {
        if (name == "reduce_retracing") return {options.reduce_retracing, {}};
        if (name == "max_traces" && options.max_traces != 0) {
          return {static_cast<int64_t>(options.max_traces),
                  std::to_string(options.max_traces)};
        }
        return {};
      });
}

// An input signature for calls of one list of C++ types.
Ref<FunctionType> AsCalled(const FunctionType& signature,
                           const FunctionType& call) {
  return MakeRef<FunctionType>(signature.parameters(),
                               std::vector<FunctionType::Capture>(), nullptr,
                               call.host_signature());
}

TensorVector HandlesOf(std::span<const Variable> variables) {
  TensorVector handles;
  for (const Variable& v : variables) handles.push_back(Inner(v.handle()));
  return handles;
}

}  // namespace

struct FunctionState::Rep {
  FunctionOptions options;
  AttrMap attributes;
  PolymorphicFunction function{kCppWords};

  TraceCache& cache() { return function.cache(); }
  Ref<FunctionType> Requested(const CallWords& call) const;
  // What the lambda is called with where nothing is traced.
  Placeholders ValuesOf(const CallWords& call) const;
  // The words of a call, with what tells apart calls that look the same.
  std::vector<uint64_t> KeyOf(const CallWords& call) const;
  TraceRequest RequestOf(const CallWords& call) const;
  PolymorphicFunction::Found FindOrTrace(const CallWords& call,
                                         const Body& body, const Place& where);
};

// The type to look up or trace: that of the call, or that of an input signature
// which the call fits.
Ref<FunctionType> FunctionState::Rep::Requested(const CallWords& call) const {
  Ref<FunctionType> type = TypeOfWords(call.words(), options.argument_names);
  if (!options.input_signature) return type;
  const InputSignature& signature = *options.input_signature;
  std::vector<TraceTypeRef> tensors;
  for (const TensorSpec& spec : signature.tensors()) {
    tensors.push_back(TraceType::Tensor(Inner(spec.dtype), Inner(spec.shape)));
  }
  Ref<FunctionType> wanted =
      signature.arguments()
          ? AsCalled(*TypeOfWords(signature.arguments()->words(),
                                  options.argument_names),
                     *type)
          : WithTensors(*type, tensors);
  std::string misfit = "another number of tensors";
  if (wanted) {
    misfit = TypesMisfit(*type, *wanted);
    if (misfit.empty()) return wanted;
  } else {
    wanted = MakeRef<FunctionType>(std::vector<FunctionParameter>{
        {"tensors", ParameterKind::kVarPositional, false,
         TraceType::Sequence(TraceType::Kind::kTuple, std::move(tensors))}});
  }
  throw ::gk::Error(TypeError(
      "{}", MisfitText(kCppWords, misfit, type->Text(), "{}", *wanted)));
}

namespace {

// One for each place of a variable, as the lambda takes them.
void AddVariables(const TraceType& type, const std::vector<Variable>& known,
                  std::vector<Variable>* out) {
  if (type.kind() == TraceType::Kind::kVariable) {
    out->push_back(known[type.alias()]);
  }
  for (const TraceTypeRef& child : type.children()) {
    AddVariables(*child, known, out);
  }
}

}  // namespace

Placeholders FunctionState::Rep::ValuesOf(const CallWords& call) const {
  return Guarded([&] {
    EnsureReady();
    Placeholders values;
    for (const Tensor& t : call.inputs()) {
      if (Inner(t).dtype() != InnerType::kResource) values.tensors.push_back(t);
    }
    const Ref<FunctionType> type = Requested(call);
    for (const FunctionParameter& p : type->parameters()) {
      if (p.type) AddVariables(*p.type, call.variables(), &values.variables);
    }
    return values;
  });
}

std::vector<uint64_t> FunctionState::Rep::KeyOf(const CallWords& call) const {
  std::vector<uint64_t> words = call.words();
  const CapturedVariables& captured = function.cache().captured();
  for (int number : captured.NumbersOf(HandlesOf(call.variables()))) {
    words.push_back(number);
  }
  return words;
}

namespace {

// A lambda gets its arguments by value: it has none of the caller's to change.
class LambdaTrace final : public TracedBody {
 public:
  LambdaTrace(FuncGraph* graph, const FunctionState::Body& body)
      : body_(body), arguments_(graph, &placeholders_) {}

  ArgumentFace* arguments() override { return &arguments_; }
  Status Call() override {
    body_(placeholders_, &results_);
    return OkStatus();
  }
  StatusOr<StructureRef> Results(AddResult add) override {
    for (const Tensor& t : results_.tensors) GK_RETURN_IF_ERROR(add(Inner(t)));
    return Inner(results_.form.structure);
  }
  Form TakeForm() { return std::move(results_.form); }

 private:
  const FunctionState::Body& body_;
  Placeholders placeholders_;
  LambdaArguments arguments_;
  detail::Results results_;
};

// Calls the lambda. What it throws passes through the library as it came.
class LambdaTracer final : public Tracer {
 public:
  LambdaTracer(const FunctionOptions& options, const AttrMap& attributes,
               const CallWords& call, const FunctionState::Body& body,
               const Place& where)
      : options_(options),
        attributes_(attributes),
        call_(call),
        body_(body),
        where_(where) {}

  StatusOr<Ref<Trace>> MakeTrace(const Ref<FunctionType>& type) override {
    try {
      return Run(type);
    } catch (const ::gk::Error& e) {
      return e.status();
    } catch (...) {
      thrown_ = std::current_exception();
      return Internal("the traced function threw");
    }
  }
  StatusOr<TensorVector> Inputs() override {
    return call_.has_specs() ? TensorVector() : Inner(call_.inputs());
  }
  CallSite Site() override {
    if (where_.line() == 0) return {};
    return {where_.file_name(), where_.function_name(),
            static_cast<int>(where_.line())};
  }
  void Rethrow() const {
    if (thrown_) std::rethrow_exception(thrown_);
  }

 private:
  StatusOr<Ref<Trace>> Run(const Ref<FunctionType>& type) {
    auto graph = MakeRef<FuncGraph>(NodeName(options_.name));
    LambdaTrace traced(graph.get(), body_);
    const TensorVector variables = HandlesOf(call_.variables());
    GK_ASSIGN_OR_RETURN(
        Ref<::gk::ConcreteFunction> concrete,
        TraceFunction(graph.get(),
                      {options_.name, type, variables, attributes_}, &traced));
    TensorVector captured = concrete->TellingCaptures();
    auto made = MakeRef<ApiTrace>(type, std::move(concrete), traced.TakeForm());
    made->captured = std::move(captured);
    return Ref<Trace>(std::move(made));
  }

  const FunctionOptions& options_;
  const AttrMap& attributes_;
  const CallWords& call_;
  const FunctionState::Body& body_;
  const Place& where_;
  std::exception_ptr thrown_;
};

}  // namespace

TraceRequest FunctionState::Rep::RequestOf(const CallWords& call) const {
  return {Requested(call), HandlesOf(call.variables())};
}

PolymorphicFunction::Found FunctionState::Rep::FindOrTrace(
    const CallWords& call, const Body& body, const Place& where) {
  EnsureReady();
  LambdaTracer tracer(options, attributes, call, body, where);
  StatusOr<PolymorphicFunction::Found> found =
      function.FindOrTrace(RequestOf(call), &tracer);
  tracer.Rethrow();
  PolymorphicFunction::Found result = ValueOrThrow(std::move(found));
  if (!call.has_specs() && TracePlace() == 0) {
    cache().Remember(MakeRef<KnownCall>(KeyOf(call), result.trace));
  }
  return result;
}

FunctionState::FunctionState(FunctionOptions options, const Place& made)
    : rep_(std::make_unique<Rep>()) {
  rep_->attributes = Guarded([&] { return AttributesOf(options); });
  rep_->options = std::move(options);
  rep_->function.Configure(
      Guarded([&] { return ValueOrThrow(Settled(rep_->options)); }),
      DetectorAt(made));
}
FunctionState::~FunctionState() = default;

std::vector<Tensor> FunctionState::Call(const CallWords& call, const Body& body,
                                        const Place& where,
                                        std::shared_ptr<const Form>* form) {
  if (FunctionsRunEagerly() && !call.has_specs()) {
    Placeholders values = rep_->ValuesOf(call);
    Results results;
    body(values, &results);
    *form = std::make_shared<const Form>(std::move(results.form));
    return std::move(results.tensors);
  }
  return Guarded([&] {
    if (call.has_specs()) {
      throw ::gk::Error(TypeError("A TensorSpec is no argument of a call"));
    }
    const TensorVector inputs = Inner(call.inputs());
    const bool plain =
        call.variables().empty() || rep_->cache().captured().empty();
    Ref<KnownCall> known;
    if (TracePlace() == 0) {
      known = rep_->cache().FindCall(plain ? call.words() : rep_->KeyOf(call));
    }
    const PolymorphicFunction::Found found =
        known ? PolymorphicFunction::Found{known->trace()}
              : rep_->FindOrTrace(call, body, where);
    const auto& trace = static_cast<const ApiTrace&>(*found.trace);
    *form = trace.form();
    TensorVector outputs;
    ThrowIfError(trace.concrete()->CallMatched(inputs, &outputs));
    const auto warning = rep_->function.FinishCall(found.made, [this] {
      return Format("{}, made at {},", rep_->options.name,
                    rep_->function.detector().place());
    });
    if (warning) WarnOfRetracing(*warning);
    return Outer(outputs);
  });
}

namespace {

ConcreteFunction PublicOf(const Trace& trace) {
  return ConcreteFunction(std::make_shared<const ConcreteFunction::Rep>(
      ConcreteFunction::Rep{static_cast<const ApiTrace&>(trace).concrete(),
                            trace.type_ref()}));
}

}  // namespace

ConcreteFunction FunctionState::Concrete(const CallWords& call,
                                         const Body& body, const Place& where) {
  return Guarded(
      [&] { return PublicOf(*rep_->FindOrTrace(call, body, where).trace); });
}

std::vector<ConcreteFunction> FunctionState::ConcreteFunctions() const {
  std::vector<ConcreteFunction> all;
  for (const Ref<Trace>& trace : rep_->cache().traces()) {
    all.push_back(PublicOf(*trace));
  }
  return all;
}

ConcreteFunction FunctionState::Latest() const {
  const auto traces = rep_->cache().traces();
  if (traces.empty()) {
    ThrowPublic(ValueError("function {} has not been traced: call it first",
                           rep_->options.name));
  }
  return PublicOf(*traces.back());
}

ConcreteFunction FunctionState::Initialization(const CallWords& call,
                                               const Body& body,
                                               const Place& where) {
  return Guarded([&] {
    EnsureReady();
    LambdaTracer tracer(rep_->options, rep_->attributes, call, body, where);
    StatusOr<TensorVector> made =
        rep_->function.MakeVariables(rep_->RequestOf(call), &tracer);
    tracer.Rethrow();
    const auto graph = MakeRef<FuncGraph>("initialize");
    Ref<::gk::ConcreteFunction> function =
        InitializationFunction(graph.get(), ValueOrThrow(std::move(made)));
    const Ref<FunctionType> type = function->signature().type;
    return ConcreteFunction(std::make_shared<const ConcreteFunction::Rep>(
        ConcreteFunction::Rep{std::move(function), type}));
  });
}

int FunctionState::tracing_count() const {
  return rep_->function.tracing_count();
}

CacheInfo FunctionState::cache_info() const {
  const TraceCacheInfo info = rep_->cache().info();
  return {info.hits, info.misses, info.evictions, info.max_traces, info.size};
}

RetraceExplanation FunctionState::explain_retraces() const {
  return Outer(rep_->function.Explain());
}

void FunctionState::clear_traces() { rep_->cache().Clear(); }

}  // namespace gk::api::detail
