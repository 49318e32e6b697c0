#include "function/concrete_function.h"

#include <algorithm>
#include <cstring>
#include <unordered_set>

#include "eager/absent_device.h"
#include "framework/called_functions.h"
#include "framework/logical_device.h"
#include "framework/op_registry.h"
#include "framework/placement_log.h"
#include "function/collected_graphs.h"
#include "function/differentiable_node.h"
#include "function/graph_edit.h"
#include "graph/out_of_scope.h"
#include "runtime/executor.h"

namespace gk {
namespace {

// Arguments and captures as one span without counting references: the
// handles are copied as bytes and never destroyed.
class BorrowedInputs {
 public:
  BorrowedInputs(std::span<const Tensor> a, std::span<const Tensor> b)
      : size_(a.size() + b.size()) {
    std::byte* to = inline_;
    if (size_ > kInline) {
      heap_ = std::make_unique<std::byte[]>(size_ * sizeof(Tensor));
      to = heap_.get();
    }
    data_ = to;
    if (!a.empty()) {
      std::memcpy(to, static_cast<const void*>(a.data()), a.size_bytes());
    }
    if (!b.empty()) {
      std::memcpy(to + a.size_bytes(), static_cast<const void*>(b.data()),
                  b.size_bytes());
    }
  }
  std::span<const Tensor> span() const {
    return {reinterpret_cast<const Tensor*>(data_), size_};
  }

 private:
  static constexpr size_t kInline = 32;
  size_t size_;
  std::byte* data_;
  alignas(Tensor) std::byte inline_[kInline * sizeof(Tensor)];
  std::unique_ptr<std::byte[]> heap_;
};

// Does a device's name leave open or name this process?
bool IsHere(std::string_view device) {
  constexpr std::string_view kParts[][2] = {
      {"/job:", "localhost"}, {"/replica:", "0"}, {"/task:", "0"}};
  for (const auto& [part, own] : kParts) {
    const size_t at = device.find(part);
    if (at == std::string_view::npos) continue;
    const std::string_view rest = device.substr(at + part.size());
    if (rest.substr(0, rest.find('/')) != own) return false;
  }
  return true;
}

// Does a device's name leave open or name a device of this process?
bool IsThere(std::string_view device) {
  constexpr std::string_view kDevice = "/device:", kCpu = "CPU:";
  const size_t at = device.find(kDevice);
  if (at == std::string_view::npos) return true;
  const std::string_view name = device.substr(at + kDevice.size());
  if (!name.starts_with(kCpu)) return false;
  const std::string_view index = name.substr(kCpu.size());
  return index.starts_with('0') || index.starts_with('*') ||
         FindDevice(device) > 0;
}

// Looks for nodes that ask for devices which are not there, in a function and
// those that it calls.
class Placement {
 public:
  void Look(const GraphFunction& function) {
    if (!seen_.insert(&function).second) return;
    for (const auto& node : function.graph().nodes()) {
      const std::string& device = node->device();
      if (!device.empty() && !node->op().Has(kConstant)) {
        if (!elsewhere_ && !IsHere(device)) elsewhere_ = node.get();
        if (!absent_ && !IsThere(device)) absent_ = node.get();
      }
      ForEachCalled(*node, [&](const GraphFunction& f) { Look(f); });
    }
  }
  const Node* elsewhere() const { return elsewhere_; }
  const Node* absent() const { return absent_; }

 private:
  std::unordered_set<const GraphFunction*> seen_;
  const Node* elsewhere_ = nullptr;  // in another process
  const Node* absent_ = nullptr;
};

// Results that are arguments, constants or values of variables: they come
// from the device of the call.
void PlaceResults(const GraphFunction& f, TensorVector* outputs) {
  if (!MindsDevices()) return;
  if (LogsPlacement()) LogExecution(f.name(), CurrentDevice());
  for (Tensor& t : *outputs) t = OnDevice(t, CurrentDevice());
}

// Does `function` give what a call of `body` gives, whose first inputs are its
// first arguments, and nothing is known of its results that `body` does not
// know?
bool OnlyCalls(const GraphFunction& function, const GraphFunction& body,
               size_t num_arguments) {
  const auto shape_of = [](const Output& o) -> const PartialTensorShape& {
    return o.node->output(o.index).shape;
  };
  Node* call = nullptr;
  for (const auto& node : function.graph().nodes()) {
    ForEachCalled(*node, [&](const GraphFunction& f) {
      if (&f == &body) call = node.get();
    });
  }
  if (call == nullptr || call->op().control != Control::kCall ||
      function.results().size() != body.results().size()) {
    return false;
  }
  for (size_t i = 0; i < num_arguments; ++i) {
    if (call->inputs()[i] != Output{function.arguments()[i], 0}) return false;
  }
  for (size_t i = 0; i < function.results().size(); ++i) {
    Output result = function.results()[i];
    if (shape_of(result) != shape_of(body.results()[i])) return false;
    while (result.node->op().Has(kIdentity)) result = result.node->inputs()[0];
    if (result != Output{call, static_cast<int>(i)}) return false;
  }
  return true;
}

}  // namespace

ConcreteFunction::ConcreteFunction(Ref<GraphFunction> function,
                                   std::vector<ArgumentSpec> arguments,
                                   std::vector<FunctionCapture> captures)
    : function_(std::move(function)),
      arguments_(std::move(arguments)),
      captures_(std::move(captures)) {
  for (const FunctionCapture& c : captures_) {
    has_deferred_ |= c.value != nullptr;
  }
  Placement placement;
  placement.Look(*function_);
  misplaced_ = placement.elsewhere();
  absent_ = placement.absent();
  if (!has_deferred_) {
    for (const FunctionCapture& c : captures_) captured_.push_back(c.external);
  }
}

ConcreteFunction::~ConcreteFunction() = default;

TracedSignature SignatureOfTensors(std::span<const ArgumentSpec> arguments,
                                   size_t num_results) {
  std::vector<FunctionParameter> parameters;
  for (const ArgumentSpec& a : arguments) {
    parameters.push_back({a.name, ParameterKind::kPositionalOrKeyword, false,
                          TraceType::Tensor(a.dtype, a.shape)});
  }
  return {MakeRef<FunctionType>(std::move(parameters)),
          num_results == 1
              ? Structure::Leaf()
              : Structure::Tuple({num_results, Structure::Leaf()})};
}

StatusOr<Ref<ConcreteFunction>> ConcreteFunction::FromFuncGraph(
    FuncGraph& graph, std::span<const Tensor> results, AttrMap attrs) {
  GK_ASSIGN_OR_RETURN(Ref<GraphFunction> function,
                      graph.Finish(results, {}, std::move(attrs)));
  std::vector<ArgumentSpec> arguments;
  for (const Node* a : graph.inputs().arguments()) {
    arguments.push_back({a->name(), a->output(0).dtype, a->output(0).shape});
  }
  auto made = MakeRef<ConcreteFunction>(
      std::move(function), std::move(arguments), graph.inputs().captures());
  for (const GraphInputs::CapturedArgument& c :
       graph.inputs().captured_arguments()) {
    const auto& all = graph.inputs().arguments();
    const auto at = std::find(all.begin(), all.end(), c.argument);
    made->captured_arguments_.emplace_back(at - all.begin(), c.value);
  }
  made->differentiated_ = graph.differentiated();
  made->signature_ = graph.signature();
  return made;
}

Ref<ConcreteFunction> ConcreteFunction::FromFunction(
    Ref<GraphFunction> function) {
  std::vector<ArgumentSpec> arguments;
  for (const Node* a : function->arguments()) {
    arguments.push_back({a->name(), a->output(0).dtype, a->output(0).shape});
  }
  TracedSignature signature =
      SignatureOfTensors(arguments, function->results().size());
  auto made =
      MakeRef<ConcreteFunction>(std::move(function), std::move(arguments),
                                std::vector<FunctionCapture>());
  made->signature_ = std::move(signature);
  return made;
}

Ref<ConcreteFunction> ConcreteFunction::WithBody(
    const ConcreteFunction& body) const {
  if (!captured_arguments_.empty() ||
      arguments_.size() != body.arguments().size() ||
      !OnlyCalls(*function_, *body.function(), arguments_.size())) {
    return nullptr;
  }
  auto made = MakeRef<ConcreteFunction>(body.function(), arguments_,
                                        body.captures());
  made->differentiated_ = differentiated_;
  made->signature_ = signature_;
  return made;
}

Status ConcreteFunction::CheckArguments(
    std::span<const Tensor> arguments) const {
  if (arguments.size() != arguments_.size()) {
    return TypeError("{} takes {} positional arguments, got {}.", name(),
                     arguments_.size(), arguments.size());
  }
  for (size_t i = 0; i < arguments.size(); ++i) {
    const Tensor& t = arguments[i];
    const ArgumentSpec& spec = arguments_[i];
    if (!t) {
      return ValueError("Argument {} of {} has no value: nothing has set it.",
                        i, name());
    }
    if (t.dtype() != spec.dtype) {
      return InvalidArgument(
          "cannot compute {} as input #{}(zero-based) was expected to be a {} "
          "tensor but is a {} tensor [Op:{}]",
          name(), i, DataTypeString(spec.dtype), DataTypeString(t.dtype()),
          name());
    }
    if (spec.shape.unknown_rank()) continue;
    const bool fits =
        t.is_symbolic() ? spec.shape.IsCompatibleWith(t.partial_shape()) : [&] {
          const TensorShape& shape = t.shape();
          if (shape.rank() != spec.shape.rank()) return false;
          for (int d = 0; d < shape.rank(); ++d) {
            const int64_t want = spec.shape.dim(d);
            if (want >= 0 && want != shape.dim(d)) {
              return false;
            }
          }
          return true;
        }();
    if (!fits) {
      return InvalidArgument(
          "{}: argument '{}' (input #{}) was expected to have shape {} but has "
          "shape {} [Op:{}]",
          name(), spec.name, i, spec.shape.PythonString(),
          t.partial_shape().PythonString(), name());
    }
  }
  return captured_arguments_.empty() ? OkStatus()
                                     : CheckCapturedArguments(arguments);
}

Status ConcreteFunction::CheckCapturedArguments(
    std::span<const Tensor> arguments) const {
  for (const auto& [i, value] : captured_arguments_) {
    const void* given = ResourceKey(arguments[i]);
    if (given == ResourceKey(value)) continue;
    return InvalidArgument(
        "{}: argument '{}' was traced as a variable that the function also "
        "captures, but is another one. Call the tf.function, which keeps both "
        "apart, or get a concrete function for this variable.",
        name(), arguments_[i].name);
  }
  return OkStatus();
}

TensorVector ConcreteFunction::TellingCaptures() const {
  TensorVector found;
  if (!differentiated_ && captured_arguments_.empty()) return found;
  for (const auto& [i, value] : captured_arguments_) found.push_back(value);
  for (const FunctionCapture& c : captures_) {
    if (c.external && c.external.dtype() == DataType::kResource) {
      found.push_back(c.external);
    }
  }
  return found;
}

StatusOr<TensorVector> ConcreteFunction::CaptureValues() const {
  if (!has_deferred_) return captured_;
  TensorVector values;
  FuncGraph* graph = FuncGraph::Current();
  for (size_t i = 0; i < captures_.size(); ++i) {
    const FunctionCapture& c = captures_[i];
    if (!c.value) {
      values.push_back(c.external);
      continue;
    }
    if (graph != nullptr) {
      const Node::OutputInfo& info = c.placeholder->output(0);
      GK_ASSIGN_OR_RETURN(
          Tensor t, graph->inputs().CaptureDeferred(
                        c.value, info.dtype, info.shape, c.placeholder->name(),
                        info.handle_data));
      values.push_back(std::move(t));
      continue;
    }
    GK_ASSIGN_OR_RETURN(Tensor t, c.value());
    GK_RETURN_IF_ERROR(CheckCapture(i, t));
    values.push_back(std::move(t));
  }
  return values;
}

Status ConcreteFunction::CheckCapture(size_t i, const Tensor& t) const {
  const Node& placeholder = *captures_[i].placeholder;
  const Node::OutputInfo& wanted = placeholder.output(0);
  if (!t || t.dtype() != wanted.dtype) {
    return InvalidArgument(
        "cannot compute {} as input #{}(zero-based) was expected to be a {} "
        "tensor but is a {} tensor [Op:{}]",
        name(), arguments_.size() + i, DataTypeString(wanted.dtype),
        t ? DataTypeString(t.dtype()) : "null", name());
  }
  if (!wanted.shape.IsCompatibleWith(t.partial_shape())) {
    return InvalidArgument(
        "{}: the value captured for '{}' was expected to have shape {} but "
        "has shape {} [Op:{}]",
        name(), placeholder.name(), wanted.shape.PythonString(),
        t.partial_shape().PythonString(), name());
  }
  const HandleData held = HandleDataOf(t);
  if (wanted.handle_data.empty() || held.empty()) return OkStatus();
  bool same = wanted.handle_data.size() == held.size();
  for (size_t k = 0; same && k < held.size(); ++k) {
    const HandleShape& w = wanted.handle_data[k];
    same = w.dtype == held[k].dtype && w.shape.IsCompatibleWith(held[k].shape);
  }
  if (same) return OkStatus();
  return InvalidArgument(
      "{}: the resource captured for '{}' holds values of another dtype or "
      "shape [Op:{}]",
      name(), placeholder.name(), name());
}

StatusOr<Ref<ConcreteFunction>> ConcreteFunction::WithCaptures(
    std::vector<FunctionCapture> captures) const {
  if (captures.size() != captures_.size()) {
    return InvalidArgument("{} captures {} values, got {}", name(),
                           captures_.size(), captures.size());
  }
  for (size_t i = 0; i < captures.size(); ++i) {
    captures[i].placeholder = captures_[i].placeholder;
    if (!captures[i].value) {
      GK_RETURN_IF_ERROR(CheckCapture(i, captures[i].external));
    }
  }
  auto made =
      MakeRef<ConcreteFunction>(function_, arguments_, std::move(captures));
  made->signature_ = signature_;
  return made;
}

Status ConcreteFunction::Call(std::span<const Tensor> arguments,
                              TensorVector* outputs,
                              const CancellationToken* cancellation) const {
  GK_RETURN_IF_ERROR(CheckArguments(arguments));
  return CallMatched(arguments, outputs, cancellation);
}

Status ConcreteFunction::CallMatched(std::span<const Tensor> arguments,
                                     TensorVector* outputs,
                                     const CancellationToken* cancellation,
                                     OpBuilder* builder) const {
  const bool observed = CurrentObservers().active();
  const bool in_graph = builder != nullptr && builder->builds_graph();
  if (!in_graph) {
    if (misplaced_ != nullptr) [[unlikely]]
      return Misplaced(*misplaced_);
    if (absent_ != nullptr && !SoftPlacement()) [[unlikely]] {
      return Misplaced(*absent_);
    }
    if (builder != OpBuilder::Eager()) [[unlikely]] {
      Status refused = AbsentDevice::Refusal();
      if (!refused.ok()) {
        return InvalidArgument("{} [Op:{}]", refused.message(), name());
      }
    }
    if (CollectedGraphs::collecting()) [[unlikely]] {
      CollectedGraphs::Note(*function_);
    }
  }
  if (!observed && !in_graph && !has_deferred_) {
    return Run(arguments, outputs, cancellation);
  }
  GK_ASSIGN_OR_RETURN(TensorVector captured, CaptureValues());
  if (FuncGraph* graph = in_graph ? FuncGraph::Current() : nullptr) {
    // What is traced here depends on which variables are one, too.
    GraphBuilder* const outer = GraphBuilder::Current();
    if (differentiated_ && outer != nullptr) outer->NoteDifferentiation();
    for (const auto& [i, value] : captured_arguments_) {
      GK_RETURN_IF_ERROR(graph->inputs().Capture(value).status());
    }
  }
  if (observed && (ObserversWant(arguments) || ObserversWant(captured))) {
    TensorVector inputs(arguments.begin(), arguments.end());
    inputs.insert(inputs.end(), captured.begin(), captured.end());
    return CallRecorded(std::move(inputs), outputs, cancellation);
  }
  BorrowedInputs inputs(arguments, captured);
  if (in_graph) return CallInGraph(builder, *function_, inputs.span(), outputs);
  GK_RETURN_IF_ERROR(ExplainedRun(
      RunFunction(*function_, inputs.span(), outputs, cancellation),
      inputs.span()));
  PlaceResults(*function_, outputs);
  return OkStatus();
}

Status ConcreteFunction::Misplaced(const Node& asking) const {
  if (!SoftPlacement()) {
    for (const Output& result : function_->results()) {
      const Node* node = result.node;
      if (node->op().Has(kIdentity) && node->device().empty()) {
        node = node->input(0).node;
      }
      if (node == &asking) {
        return InvalidArgument("Unable to find any devices for spec {} [Op:{}]",
                               asking.device(), name());
      }
    }
  }
  std::string available;
  for (int i = 0; i < NumLogicalDevices(); ++i) {
    available += (i > 0 ? ", " : "") + DeviceName(i);
  }
  const std::string& node = asking.name();
  return InvalidArgument(
      "Cannot assign a device for operation {}: {{{{node {}}}}} was explicitly "
      "assigned to {} but available devices are [ {} ]. Make sure the device "
      "specification refers to a valid device.\n\t [[{}]] [Op:{}]",
      node, node, asking.device(), available, node, name());
}

Status ConcreteFunction::Run(std::span<const Tensor> arguments,
                             TensorVector* outputs,
                             const CancellationToken* cancellation) const {
  if (captured_.empty()) {
    GK_RETURN_IF_ERROR(ExplainedRun(
        RunFunction(*function_, arguments, outputs, cancellation), arguments));
  } else {
    BorrowedInputs inputs(arguments, captured_);
    GK_RETURN_IF_ERROR(ExplainedRun(
        RunFunction(*function_, inputs.span(), outputs, cancellation,
                    static_cast<int>(captured_.size())),
        inputs.span()));
  }
  PlaceResults(*function_, outputs);
  return OkStatus();
}

Status CallInGraph(OpBuilder* builder, const GraphFunction& function,
                   std::span<const Tensor> inputs, TensorVector* outputs) {
  const OpRecord& record =
      OpRegistry::Get().Of(Control::kCall, function.is_stateful());
  AttrMap attrs{{"Tin", function.input_types()},
                {"Tout", function.output_types()},
                {"f", AttrOf(function)}};
  GK_ASSIGN_OR_RETURN(*outputs,
                      builder->Apply(record, inputs, std::move(attrs), {}));
  return OkStatus();
}

}  // namespace gk
