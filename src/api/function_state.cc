#include <algorithm>
#include <atomic>
#include <cctype>
#include <exception>
#include <map>

#include "api/concrete_rep.h"
#include "api/explain.h"
#include "api/inner.h"
#include "api/retracing_detector.h"
#include "api/trace_words.h"
#include "api/tracing.h"
#include "api/variable_facts.h"
#include "function/concrete_function.h"
#include "function/func_graph.h"
#include "function/trace_cache.h"
#include "graphkiln/function.h"

namespace gk::api::detail {
namespace {

// A function that traces itself deeper than this never ends.
constexpr int kMaxTracingDepth = 64;
thread_local int tracing_depth = 0;
// Retraces that a warning tells of.
constexpr size_t kMostExplained = 3;

class ApiTrace final : public Trace {
 public:
  ApiTrace(Ref<FunctionType> type, Ref<::gk::ConcreteFunction> concrete,
           ResultShape shape)
      : Trace(std::move(type)),
        concrete_(std::move(concrete)),
        shape_(std::make_shared<const ResultShape>(std::move(shape))) {}
  const Ref<::gk::ConcreteFunction>& concrete() const { return concrete_; }
  const std::shared_ptr<const ResultShape>& shape() const { return shape_; }

 private:
  Ref<::gk::ConcreteFunction> concrete_;
  std::shared_ptr<const ResultShape> shape_;
};

// Placeholders in `graph` for the tensors and variables of a type.
class PlaceholderMaker {
 public:
  // `given`: the variables of the call, by alias.
  PlaceholderMaker(FuncGraph* graph, std::span<const Variable> given,
                   Placeholders* out)
      : graph_(graph), given_(given), out_(out) {}

  void Make(const TraceType& type, const std::string& name,
            const std::string& path) {
    switch (type.kind()) {
      case TraceType::Kind::kTensor:
        out_->tensors.push_back(Outer(ValueOrThrow(
            graph_->AddArgument(name, type.dtype(), type.shape(), path))));
        break;
      case TraceType::Kind::kVariable:
        out_->variables.push_back(VariableFor(type, name, path));
        break;
      default:
        for (size_t i = 0; i < type.children().size(); ++i) {
          Make(*type.children()[i], name,
               Format("{}_{}", path, PartName(type, i)));
        }
    }
  }

 private:
  static std::string PartName(const TraceType& type, size_t i) {
    // Keys of maps are literals: a letter for their kind, then the text.
    if (type.kind() == TraceType::Kind::kDict) return type.keys()[i].substr(1);
    return type.keys().empty() ? Format("{}", i) : type.keys()[i];
  }

  Variable VariableFor(const TraceType& type, const std::string& name,
                       const std::string& path) {
    const auto known = by_alias_.find(type.alias());
    if (known != by_alias_.end()) return known->second;
    const InnerTensor handle = ValueOrThrow(
        graph_->AddArgument(name, InnerType::kResource, TensorShape(), path,
                            {HandleShape{type.dtype(), type.shape()}}));
    const size_t alias = type.alias();
    graph_->SetArgumentVariable(
        handle, type.trainable(),
        alias < given_.size() ? Inner(given_[alias].handle()) : InnerTensor());
    Variable v = Variable::Of(std::make_shared<const Variable::Facts>(
        Variable::Facts{name, Outer(handle), Outer(type.dtype()),
                        Outer(type.shape()), type.trainable()}));
    by_alias_.emplace(type.alias(), v);
    return v;
  }

  FuncGraph* graph_;
  std::span<const Variable> given_;
  Placeholders* out_;
  std::map<int, Variable> by_alias_;
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

TensorVector HandlesOf(std::span<const Variable> variables) {
  TensorVector handles;
  for (const Variable& v : variables) handles.push_back(Inner(v.handle()));
  return handles;
}

class DepthScope {
 public:
  DepthScope() {
    if (tracing_depth >= kMaxTracingDepth) {
      throw ::gk::Error(::gk::RuntimeError(
          "maximum recursion depth exceeded: a function calls itself while it "
          "is traced"));
    }
    ++tracing_depth;
  }
  ~DepthScope() { --tracing_depth; }
  DepthScope(const DepthScope&) = delete;
};

}  // namespace

struct FunctionState::Rep {
  FunctionOptions options;
  std::atomic<int> tracings{0};
  TraceCache cache;

  Ref<FunctionType> Requested(const CallWords& call) const;
  StatusOr<Ref<Trace>> MakeTrace(const Ref<FunctionType>& type,
                                 std::span<const Variable> variables,
                                 const Body& body);
  // The words of a call, with what tells apart calls that look the same.
  std::vector<uint64_t> KeyOf(const CallWords& call) const;
  // `traced`: was it made by this call?
  Ref<Trace> FindOrTrace(const CallWords& call, const Body& body,
                         const Place& where, bool* traced);
  // Counts the calls that were served since the last one that was traced.
  int64_t TakeCachedCalls();
  void NoteTracedCall();

  RetracingDetector* detector = nullptr;
  std::atomic<int64_t> calls_counted{0};
};

// The type to look up or trace: that of the call, or with the types of an
// input signature, which the call must match, for its tensors.
Ref<FunctionType> FunctionState::Rep::Requested(const CallWords& call) const {
  Ref<FunctionType> type = TypeOfWords(call.words(), options.argument_names);
  if (!options.input_signature) return type;
  std::vector<TraceTypeRef> specs;
  for (const TensorSpec& spec : *options.input_signature) {
    specs.push_back(TraceType::Tensor(Inner(spec.dtype), Inner(spec.shape)));
  }
  if (const Ref<FunctionType> signature = WithTensors(*type, specs)) {
    if (type->IsSubtypeOf(*signature)) return signature;
  }
  std::string wanted;
  for (const TraceTypeRef& spec : specs) {
    wanted += (wanted.empty() ? "" : ", ") + spec->Text();
  }
  throw ::gk::Error(TypeError(
      "Binding inputs to `{}` failed: the arguments {} are not compatible "
      "with the input signature ({})",
      options.name, type->Text(), wanted));
}

std::vector<uint64_t> FunctionState::Rep::KeyOf(const CallWords& call) const {
  std::vector<uint64_t> words = call.words();
  for (int number : cache.captured().NumbersOf(HandlesOf(call.variables()))) {
    words.push_back(number);
  }
  return words;
}

StatusOr<Ref<Trace>> FunctionState::Rep::MakeTrace(
    const Ref<FunctionType>& type, std::span<const Variable> variables,
    const Body& body) {
  DepthScope depth;
  const bool first = tracings.load() == 0;
  auto graph = MakeRef<FuncGraph>(NodeName(options.name));
  Placeholders placeholders;
  Results results;
  TensorVector tensors;
  {
    FuncGraph::Building building(graph.get());
    PlaceholderMaker maker(graph.get(), variables, &placeholders);
    for (const FunctionParameter& p : type->parameters()) {
      maker.Make(*p.type, NodeName(p.name), p.name);
    }
    VariableCreation creation(first);
    body(placeholders, &results);
    tensors = Inner(results.tensors);
  }
  GK_ASSIGN_OR_RETURN(
      Ref<::gk::ConcreteFunction> concrete,
      ::gk::ConcreteFunction::FromFuncGraph(*graph, tensors));
  tracings.fetch_add(1);
  TensorVector captured = concrete->TellingCaptures();
  auto made = MakeRef<ApiTrace>(type, std::move(concrete),
                                std::move(results.shape));
  made->captured = std::move(captured);
  return Ref<Trace>(std::move(made));
}

Ref<Trace> FunctionState::Rep::FindOrTrace(const CallWords& call,
                                           const Body& body,
                                           const Place& where,
                                           bool* traced) {
  EnsureReady();
  // What the lambda throws passes through the cache as it came.
  std::exception_ptr thrown;
  const auto trace =
      [&](const Ref<FunctionType>& type) -> StatusOr<Ref<Trace>> {
    try {
      StatusOr<Ref<Trace>> made = MakeTrace(type, call.variables(), body);
      if (made.ok()) {
        *traced = true;
        if (where.line() != 0) {
          (*made)->site = {where.file_name(), where.function_name(),
                           static_cast<int>(where.line())};
        }
      }
      return made;
    } catch (const ::gk::Error& e) {
      return e.status();
    } catch (...) {
      thrown = std::current_exception();
      return Internal("the traced function threw");
    }
  };
  StatusOr<Ref<Trace>> found =
      cache.FindOrTrace(Requested(call), options.reduce_retracing,
                        /*alone=*/tracings.load() == 0, trace,
                        HandlesOf(call.variables()));
  if (thrown) std::rethrow_exception(thrown);
  Ref<Trace> result = ValueOrThrow(std::move(found));
  if (!call.has_specs()) {
    cache.Remember(MakeRef<KnownCall>(KeyOf(call), result));
  }
  return result;
}

int64_t FunctionState::Rep::TakeCachedCalls() {
  const int64_t hits = cache.info().hits;
  return std::max<int64_t>(hits - calls_counted.exchange(hits), 0);
}

void FunctionState::Rep::NoteTracedCall() {
  detector->CalledWithTracing(TakeCachedCalls(), options.name, [this] {
    RetraceExplanation why = Explain(cache.history(), options.name);
    const size_t extra = why.retraces.size() - std::min(why.retraces.size(),
                                                        kMostExplained);
    why.retraces.erase(why.retraces.begin(), why.retraces.begin() + extra);
    return why.to_string();
  });
}

FunctionState::FunctionState(FunctionOptions options,
                             const Place& made)
    : rep_(std::make_unique<Rep>()) {
  rep_->detector = RetracingDetector::At(made);
  rep_->options = std::move(options);
  rep_->cache.SetMaxTraces(rep_->options.max_traces);
}
FunctionState::~FunctionState() = default;

std::vector<Tensor> FunctionState::Call(
    const CallWords& call, const Body& body, const Place& where,
    std::shared_ptr<const ResultShape>* shape) {
  return Guarded([&] {
    if (call.has_specs()) {
      throw ::gk::Error(TypeError("A TensorSpec is no argument of a call"));
    }
    const TensorVector inputs = Inner(call.inputs());
    const bool plain =
        call.variables().empty() || rep_->cache.captured().empty();
    const Ref<KnownCall> known =
        rep_->cache.FindCall(plain ? call.words() : rep_->KeyOf(call));
    bool traced = false;
    const Ref<Trace> trace =
        known ? known->trace() : rep_->FindOrTrace(call, body, where, &traced);
    const auto& api_trace = static_cast<const ApiTrace&>(*trace);
    *shape = api_trace.shape();
    TensorVector outputs;
    ThrowIfError(api_trace.concrete()->CallMatched(inputs, &outputs));
    // Calls that are part of a trace are made once for it.
    if (traced && FuncGraph::Current() == nullptr) rep_->NoteTracedCall();
    return Outer(outputs);
  });
}

ConcreteFunction FunctionState::Concrete(const CallWords& call,
                                         const Body& body,
                                         const Place& where) {
  return Guarded([&] {
    bool traced = false;
    const Ref<Trace> trace = rep_->FindOrTrace(call, body, where, &traced);
    return ConcreteFunction(
        std::make_shared<const ConcreteFunction::Rep>(ConcreteFunction::Rep{
            static_cast<const ApiTrace&>(*trace).concrete(),
            trace->type_ref()}));
  });
}

int FunctionState::tracing_count() const { return rep_->tracings.load(); }

CacheInfo FunctionState::cache_info() const {
  const TraceCacheInfo info = rep_->cache.info();
  return {info.hits, info.misses, info.evictions, info.max_traces, info.size};
}

RetraceExplanation FunctionState::explain_retraces() const {
  return Explain(rep_->cache.history(), rep_->options.name);
}

void FunctionState::clear_traces() { rep_->cache.Clear(); }

}  // namespace gk::api::detail
