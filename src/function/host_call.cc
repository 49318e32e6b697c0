#include "function/host_call.h"

#include <algorithm>
#include <memory>
#include <utility>

#include "framework/device_spec.h"
#include "framework/grad_context.h"
#include "function/derivatives.h"
#include "function/device_scope.h"
#include "function/func_graph.h"
#include "function/ragged/integer_arithmetic.h"
#include "function/trace_latch.h"
#include "ops/fn/EagerPyFunc.h"
#include "ops/fn/PyFunc.h"
#include "ops/fn/PyFuncStateless.h"

namespace gk {
namespace {

bool IsDifferentiable(DataType t) { return IsFloating(t) || IsComplex(t); }

// While it lives, a tape records.
class Recording {
 public:
  explicit Recording(UserTape& tape) : tape_(tape) { tape_.Push(); }
  ~Recording() { tape_.Pop(); }
  Recording(const Recording&) = delete;

 private:
  UserTape& tape_;
};

// One call: its inputs and outputs, and the tapes that saw it. The inner one
// gives the gradient; the outer one sees that too, and gives the gradient of
// the gradient.
class CallRecord final : public VariantObject {
 public:
  std::string_view type_name() const override { return "graphkiln::HostCall"; }
  // What stands for a gradient of it; nobody asks for that.
  StatusOr<Ref<VariantObject>> ZerosLike() const override {
    return Ref<VariantObject>(MakeRef<CallRecord>());
  }
  StatusOr<Ref<VariantObject>> Add(const VariantObject&) const override {
    return ZerosLike();
  }

  // One thread at a time has the tapes.
  Status Lock(ThreadLatch::Hold* hold) const {
    return hold->Take(
        *turn,
        "The gradient of a call of a function of the program cannot be had in "
        "a process forked while another thread was computing it");
  }

  TensorVector inputs, outputs;
  std::shared_ptr<UserTape> inner, outer;
  std::shared_ptr<ThreadLatch> turn = std::make_shared<ThreadLatch>();
};

std::unique_ptr<UserTape> TapeOf(std::span<const Tensor> values) {
  auto tape = std::make_unique<UserTape>(/*persistent=*/true,
                                         /*watch_accessed_variables=*/false);
  for (const Tensor& t : values) {
    if (IsDifferentiable(t.dtype())) tape->Watch(t);
  }
  return tape;
}

TensorVector Differentiable(std::span<const Tensor> values) {
  TensorVector found;
  for (const Tensor& t : values) {
    if (IsDifferentiable(t.dtype())) found.push_back(t);
  }
  return found;
}

// The memory may be a plan's, while the function may keep the tensor.
StatusOr<Tensor> OwnValue(const Tensor& t) {
  if (t.dtype() == DataType::kVariant) return t.Alias();
  return t.Copy();
}
StatusOr<TensorVector> OwnValues(std::span<const Tensor* const> inputs) {
  TensorVector values;
  for (const Tensor* t : inputs) {
    GK_ASSIGN_OR_RETURN(Tensor own, OwnValue(*t));
    values.push_back(std::move(own));
  }
  return values;
}

Tensor AsTensor(Ref<CallRecord> record) {
  return Tensor::Scalar(Variant(Ref<VariantObject>(std::move(record))));
}

HostCall Plain(HostBody body) {
  return [body = std::move(body)](const std::string& token,
                                  std::span<const Tensor* const> inputs,
                                  const std::vector<DataType>& types,
                                  std::span<Tensor> outputs) -> Status {
    GK_ASSIGN_OR_RETURN(TensorVector values, OwnValues(inputs));
    TensorVector results = body(token, values, types);
    CheckHostResults(token, results, types);
    std::move(results.begin(), results.end(), outputs.begin());
    return OkStatus();
  };
}

// The record of the call becomes the last output.
HostCall Recorded(HostBody body) {
  return [body = std::move(body)](const std::string& token,
                                  std::span<const Tensor* const> inputs,
                                  const std::vector<DataType>& all,
                                  std::span<Tensor> outputs) -> Status {
    if (all.empty() || all.back() != DataType::kVariant) {
      return InvalidArgument("{} gives a record of its call, too", token);
    }
    const std::vector<DataType> types(all.begin(), all.end() - 1);
    auto record = MakeRef<CallRecord>();
    GK_ASSIGN_OR_RETURN(record->inputs, OwnValues(inputs));
    record->outer = TapeOf(record->inputs);
    record->inner = TapeOf(record->inputs);
    {
      const Recording outer(*record->outer), inner(*record->inner);
      record->outputs = body(token, record->inputs, types);
    }
    CheckHostResults(token, record->outputs, types);
    std::copy(record->outputs.begin(), record->outputs.end(), outputs.begin());
    outputs.back() = AsTensor(std::move(record));
    return OkStatus();
  };
}

// What the inner tape of a record says for gradients of its outputs.
TensorVector GradientsOf(const CallRecord& record,
                         std::span<const Tensor> given) {
  const TensorVector targets = Differentiable(record.outputs);
  std::vector<Gradient> weights;
  for (const Tensor& t : given) weights.push_back({.dense = t});
  TensorVector found;
  for (const Gradient& g :
       record.inner->Gradients(targets, Differentiable(record.inputs), weights,
                               UnconnectedGradients::kZero)) {
    found.push_back(Densify(g));
  }
  return found;
}

StatusOr<const CallRecord*> RecordIn(std::span<const Tensor* const> inputs) {
  const CallRecord* record = nullptr;
  if (!inputs.empty() && inputs[0]->dtype() == DataType::kVariant &&
      inputs[0]->shape().IsScalar()) {
    record = inputs[0]->scalar<Variant>().As<CallRecord>();
  }
  if (record == nullptr) {
    return InvalidArgument("The gradient of a call lacks the record of it");
  }
  return record;
}

// Results of a node; a graph that was read may want others.
Status Give(TensorVector results, std::span<Tensor> outputs) {
  if (results.size() != outputs.size()) {
    return InvalidArgument(
        "The gradient of a call has {} results, but {} are expected",
        results.size(), outputs.size());
  }
  std::move(results.begin(), results.end(), outputs.begin());
  return OkStatus();
}

// The gradient of a recorded call: of (record, gradients of the outputs,
// inputs) those of the inputs, and a record of this. The inputs take no part,
// but the gradient depends on them.
Status CallGradient(const std::string&, std::span<const Tensor* const> inputs,
                    const std::vector<DataType>&, std::span<Tensor> outputs) {
  GK_ASSIGN_OR_RETURN(const CallRecord* record, RecordIn(inputs));
  GK_ASSIGN_OR_RETURN(TensorVector given, OwnValues(inputs.subspan(1)));
  const size_t wanted = Differentiable(record->outputs).size();
  if (record->outer == nullptr || given.size() < wanted) {
    return InvalidArgument("The gradient of a call has other inputs than it");
  }
  given.resize(wanted);
  auto made = MakeRef<CallRecord>();
  made->turn = record->turn;
  made->inner = record->outer;
  {
    ThreadLatch::Hold hold;
    GK_RETURN_IF_ERROR(record->Lock(&hold));
    for (const Tensor& t : given) record->outer->Watch(t);
    const Recording outer(*record->outer);
    made->outputs = GradientsOf(*record, given);
  }
  made->inputs = std::move(given);
  const TensorVector sources = Differentiable(record->inputs);
  made->inputs.insert(made->inputs.end(), sources.begin(), sources.end());
  TensorVector results = made->outputs;
  results.push_back(AsTensor(std::move(made)));
  return Give(std::move(results), outputs);
}

Status CallSecondGradient(const std::string&,
                          std::span<const Tensor* const> inputs,
                          const std::vector<DataType>&,
                          std::span<Tensor> outputs) {
  GK_ASSIGN_OR_RETURN(const CallRecord* record, RecordIn(inputs));
  GK_ASSIGN_OR_RETURN(const TensorVector given, OwnValues(inputs.subspan(1)));
  ThreadLatch::Hold hold;
  GK_RETURN_IF_ERROR(record->Lock(&hold));
  return Give(GradientsOf(*record, given), outputs);
}

}  // namespace

HostResults::HostResults(std::vector<TypeSpec> specs)
    : specs_(std::move(specs)) {
  for (const TypeSpec& spec : specs_) {
    for (const TypeSpec& part : spec.Tensors()) types_.push_back(part.dtype);
  }
}

void HostResults::Check(size_t i, const TypeSpec& given,
                        const std::string& text,
                        const HostResultWords& words) const {
  constexpr auto kTensor = TypeSpec::Kind::kTensor;
  std::string reason;
  if (spec(i).kind == kTensor) {
    if (given.kind != kTensor) reason = "is not a Tensor.";
  } else if (!spec(i).IsCompatibleWith(given)) {
    reason = Format("is not compatible with {}.", spec(i).Text());
  }
  if (reason.empty()) return;
  throw Error(
      ValueError("py_function: func={} returned {}, which did not match "
                 "Tout={}.\nIn particular, {} {}",
                 words.function, words.results, words.wanted, text, reason));
}

std::vector<TensorVector> HostResults::Apart(
    const TensorVector& tensors) const {
  std::vector<TensorVector> all;
  size_t next = 0;
  for (const TypeSpec& spec : specs_) {
    TensorVector& parts = all.emplace_back();
    for (const TypeSpec& part : spec.Tensors()) {
      const Tensor& t = parts.emplace_back(tensors.at(next++));
      integers::Refine(t, part.shape);
    }
  }
  return all;
}

void CheckHostResults(const std::string& token, std::span<const Tensor> results,
                      const std::vector<DataType>& types) {
  if (results.size() != types.size()) {
    throw Error(
        InvalidArgument("{} returns {} values, but expects to see {} values.",
                        token, results.size(), types.size()));
  }
  for (size_t i = 0; i < types.size(); ++i) {
    if (results[i] && !results[i].is_symbolic() &&
        results[i].dtype() == types[i]) {
      continue;
    }
    throw Error(InvalidArgument(
        "{}-th value returned by {} is {}, but expects {}", i, token,
        !results[i]                ? std::string_view("none")
        : results[i].is_symbolic() ? std::string_view("a tensor of a graph")
                                   : DataTypeString(results[i].dtype()),
        DataTypeString(types[i])));
  }
}

namespace {

// The device of what is made while it lives, whatever scopes around ask for.
class InThisProcess {
 public:
  InThisProcess() { scope_.Enter(); }
  ~InThisProcess() { (void)scope_.Exit(); }  // of this thread: never fails

 private:
  DeviceScope scope_{*DeviceSpec::Parse("/job:localhost/replica:0/task:0")};
};

}  // namespace

HostCallNode AddHostCall(HostBody body, std::span<const Tensor> inputs,
                         const std::vector<DataType>& types, HostCallKind kind,
                         std::string_view name) {
  const InThisProcess here;
  if (kind != HostCallKind::kDifferentiable) {
    auto function = MakeRef<HostFunction>(Plain(std::move(body)));
    const auto& token = function->token();
    TensorVector results =
        kind == HostCallKind::kPlain
            ? ops::PyFunc(OpName(name), inputs, token, types)
            : ops::PyFuncStateless(OpName(name), inputs, token, types);
    return {std::move(results), std::move(function)};
  }
  const bool records =
      std::any_of(inputs.begin(), inputs.end(),
                  [](const Tensor& t) { return IsDifferentiable(t.dtype()); });
  auto function = MakeRef<HostFunction>(records ? Recorded(std::move(body))
                                                : Plain(std::move(body)));
  std::vector<DataType> all = types;
  if (records) all.push_back(DataType::kVariant);
  TensorVector results =
      ops::EagerPyFunc(OpName(name), inputs, function->token(), std::move(all));
  results.resize(types.size());
  return {std::move(results), std::move(function)};
}

TensorVector CallOnHost(HostBody body, std::span<const Tensor> inputs,
                        const std::vector<DataType>& types, HostCallKind kind,
                        std::string_view name) {
  FuncGraph* const graph = FuncGraph::Current();
  if (graph == nullptr) {
    constexpr char kName[] = "the function";
    TensorVector results =
        body(kName, TensorVector(inputs.begin(), inputs.end()), types);
    CheckHostResults(kName, results, types);
    return results;
  }
  HostCallNode made = AddHostCall(std::move(body), inputs, types, kind, name);
  graph->graph()->nodes().back()->mutable_attrs().Set(
      kHeldHostFunction,
      Tensor::Scalar(Variant(Ref<VariantObject>(std::move(made.function)))));
  return std::move(made.results);
}

void InitHostCalls() {
  // They live as long as the process, where leak checkers see who holds them.
  [[gnu::used]] static HostFunction* const kept[] = {
      MakeRef<HostFunction>(CallGradient, kHostGradient).Release(),
      MakeRef<HostFunction>(CallSecondGradient, kSecondHostGradient).Release()};
}

}  // namespace gk
