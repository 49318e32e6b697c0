#include "eager/eager_context.h"

#include <algorithm>
#include <mutex>
#include <optional>

#include "base/hash.h"
#include "base/inlined_vector.h"
#include "base/per_thread.h"
#include "eager/op_events.h"
#include "framework/arguments_text.h"
#include "framework/logical_device.h"
#include "framework/op_registry.h"
#include "framework/placement_log.h"
#include "framework/run_kernel.h"
#include "graph/out_of_scope.h"
#include "runtime/executor.h"

namespace gk {
namespace {

// What ResolveAttrs found for (op, input dtypes, given attrs).
struct ResolvedCall {
  const OpRecord* record = nullptr;
  std::vector<DataType> types;
  AttrMap given;
  AttrMap attrs;
  int num_outputs = 0;
  int running = 0;  // kernels that look at `attrs`
};

bool SameAttrs(const AttrMap& a, const AttrMap& b) {
  if (a.size() != b.size()) return false;
  for (auto x = a.begin(), y = b.begin(); x != a.end(); ++x, ++y) {
    if (x->first != y->first || !AttrEquals(x->second, y->second)) {
      return false;
    }
  }
  return true;
}

constexpr int kSlots = 256;
struct ResolvedCalls {
  std::vector<ResolvedCall> slots{kSlots};
};

// Gives what the thread keeps of such calls, or `own`: what a kernel runs,
// functions and handlers of signals among it, may call ops that would need
// the kernel's own place.
StatusOr<ResolvedCall*> Resolve(const OpRecord& record,
                                std::span<const Tensor> inputs,
                                const AttrMap& attrs,
                                std::optional<ResolvedCall>* own) {
  std::vector<ResolvedCall>& slots =
      PerThread<ResolvedCalls, ResolvedCalls>::Get().slots;
  size_t h = record.id;
  for (const Tensor& t : inputs) {
    h = HashCombine(h, static_cast<size_t>(t.dtype()));
  }
  for (const auto& [name, value] : attrs) h = HashCombine(h, AttrHash(value));
  ResolvedCall& slot = slots[h % kSlots];
  if (slot.record == &record && slot.types.size() == inputs.size() &&
      std::equal(inputs.begin(), inputs.end(), slot.types.begin(),
                 [](const Tensor& t, DataType d) { return t.dtype() == d; }) &&
      SameAttrs(slot.given, attrs)) {
    return &slot;
  }
  ResolvedCall call;
  call.record = &record;
  for (const Tensor& t : inputs) call.types.push_back(t.dtype());
  call.given = attrs;
  call.attrs = attrs;
  GK_RETURN_IF_ERROR(ResolveAttrs(record, call.types, false, &call.attrs));
  std::vector<DataType> outputs;
  GK_RETURN_IF_ERROR(OutputTypes(*record.def, call.attrs, &outputs));
  call.num_outputs = static_cast<int>(outputs.size());
  if (slot.running > 0) return &own->emplace(std::move(call));
  slot = std::move(call);
  return &slot;
}

class RunningCall {
 public:
  explicit RunningCall(ResolvedCall* call) : call_(call) { ++call->running; }
  ~RunningCall() { --call_->running; }
  RunningCall(const RunningCall&) = delete;
  RunningCall& operator=(const RunningCall&) = delete;

 private:
  ResolvedCall* const call_;
};

Status CheckValues(const OpRecord& record, std::span<const Tensor> inputs) {
  for (const Tensor& t : inputs) {
    if (!t) return InvalidArgument("An input of op {} is missing", record.name);
    if (t.is_symbolic()) {
      return OutOfScopeError(t, {});
    }
  }
  return OkStatus();
}

// An op runs where its resource is, else where its thread wants it.
int DeviceFor(std::span<const Tensor> inputs) {
  for (const Tensor& t : inputs) {
    if (t.dtype() == DataType::kResource) return DeviceOf(t);
  }
  return CurrentDevice();
}

// The error of an op as the user sees it, who may have named the op.
Status WithOp(const Status& status, const OpRecord& record,
              const AttrMap& attrs, std::span<const Tensor* const> inputs,
              std::string_view name) {
  if (status.code() == Code::kPythonException) return status;
  if (status.code() > Code::kUnauthenticated) {
    return WithArguments(status, record, attrs, inputs);
  }
  return WithArguments(
      status.Append(Format(" [Op:{}] name: {}", record.name, name)), record,
      attrs, inputs);
}

// What a kernel hands on becomes a tensor of its own: tapes tell an op's output
// from its input by that.
Status OwnOutputs(const OpRecord& record, std::span<const Tensor* const> inputs,
                  std::span<Tensor> outputs) {
  for (Tensor& t : outputs) {
    if (!t) return Internal("op {} left an output unset", record.name);
    const auto is_it = [&t](const Tensor* given) {
      return given->impl() == t.impl();
    };
    if (std::any_of(inputs.begin(), inputs.end(), is_it)) t = t.Alias();
  }
  return OkStatus();
}

StatusOr<TensorVector> Run(const OpRecord& record,
                           std::span<const Tensor> inputs,
                           const AttrMap& attrs) {
  std::optional<ResolvedCall> own;
  GK_ASSIGN_OR_RETURN(ResolvedCall * call,
                      Resolve(record, inputs, attrs, &own));
  if (!record.kernel.compute) {
    return Unimplemented("Op {} has no kernel for CPU", record.name);
  }
  InlinedVector<const Tensor*, 8> in;
  for (const Tensor& t : inputs) in.push_back(&t);
  TensorVector outputs(call->num_outputs);
  const RunningCall running(call);
  KernelContext ctx(record, call->attrs, in, outputs);
  const OpStart began = OpBegins();
  Status status;
  if (MindsDevices()) {
    const int device = DeviceFor(inputs);
    if (LogsPlacement()) LogExecution(record.name, device);
    DeviceGuard guard(device);
    status = RunKernel(ctx);
    // A kernel may hand on what it was given.
    for (Tensor& t : outputs) t = OnDevice(t, device);
  } else {
    status = RunKernel(ctx);
  }
  if (!status.ok()) return status;
  if (began.time != 0) [[unlikely]] {
    RecordOp(record, call->attrs, in, outputs, began);
  }
  GK_RETURN_IF_ERROR(OwnOutputs(record, in, outputs));
  return outputs;
}

}  // namespace

StatusOr<Ref<CheckedCall>> CheckedCall::Make(const OpRecord& record,
                                             std::span<const Tensor> inputs,
                                             AttrMap attrs) {
  auto call = Ref<CheckedCall>::Adopt(new CheckedCall(record));
  for (const Tensor& t : inputs) call->types_.push_back(t.dtype());
  call->given_ = attrs;
  call->attrs_ = std::move(attrs);
  GK_RETURN_IF_ERROR(ResolveAttrs(record, call->types_, false, &call->attrs_));
  std::vector<DataType> outputs;
  GK_RETURN_IF_ERROR(OutputTypes(*record.def, call->attrs_, &outputs));
  call->num_outputs_ = outputs.size();
  if (!record.kernel.compute) {
    return Unimplemented("Op {} has no kernel for CPU", record.name);
  }
  return call;
}

Status CheckedCall::Run(std::span<const Tensor> inputs, std::string_view name,
                        std::span<Tensor> outputs) {
  InlinedVector<const Tensor*, 8> in;
  for (const Tensor& t : inputs) in.push_back(&t);
  KernelContext ctx(record_, attrs_, in, outputs);
  // A stateful op may go on in its state, where TensorFlow's starts anew.
  const bool keeps = !record_.Has(kStateful);
  std::unique_ptr<KernelState> state;
  if (keeps) {
    if (state_.load(std::memory_order_relaxed) != nullptr) {
      state.reset(state_.exchange(nullptr, std::memory_order_acq_rel));
    }
    ctx.set_state_slot(&state);
  }
  const OpStart began = OpBegins();
  Status status = RunKernel(ctx);
  if (began.time != 0 && status.ok()) [[unlikely]] {
    RecordOp(record_, attrs_, in, outputs, began);
  }
  if (state) {
    state.reset(state_.exchange(state.release(), std::memory_order_acq_rel));
  }
  if (status.ok()) status = OwnOutputs(record_, in, outputs);
  if (!status.ok()) return WithOp(status, record_, given_, in, name);
  ObserverList& observers = CurrentObservers();
  if (!observers.active()) return OkStatus();
  for (OpObserver* o : observers.observers) {
    o->OnOp(record_, inputs, outputs, attrs_);
  }
  return OkStatus();
}

EagerContext& EagerContext::Get() {
  static EagerContext* context = new EagerContext;
  return *context;
}

StatusOr<TensorVector> EagerContext::Apply(const OpRecord& record,
                                           std::span<const Tensor> inputs,
                                           AttrMap attrs,
                                           std::string_view name) {
  GK_RETURN_IF_ERROR(CheckValues(record, inputs));
  StatusOr<TensorVector> outputs = Run(record, inputs, attrs);
  if (outputs.ok()) return outputs;
  std::vector<const Tensor*> in;
  for (const Tensor& t : inputs) in.push_back(&t);
  return WithOp(outputs.status(), record, attrs, in, name);
}

bool EagerContext::RunElementwise(const OpRecord& record,
                                  std::span<const Tensor* const> inputs,
                                  std::string_view name, Tensor* output,
                                  Status* status) {
  const DataType type = inputs[0]->dtype();
  for (const Tensor* t : inputs) {
    if (t->is_symbolic() || t->dtype() != type) return false;
  }
  static const AttrMap none;
  const TileKernel* kernel = record.kernel.tile(type, none);
  if (!kernel || kernel->prepare || kernel->num_inputs != inputs.size()) {
    return false;
  }
  if (std::all_of(inputs.begin() + 1, inputs.end(), [&](const Tensor* t) {
        return t->shape() == inputs[0]->shape();
      })) {
    const TensorShape& shape = inputs[0]->shape();
    const int64_t n = shape.num_elements();
    if (n <= 256) {
      StatusOr<Tensor> out = Tensor::Allocate(kernel->out, shape);
      if (!out.ok()) {
        *status = WithOp(out.status(), record, none, inputs, name);
        return true;
      }
      const void* in[3];
      for (size_t i = 0; i < inputs.size(); ++i) {
        in[i] = inputs[i]->raw_data();
      }
      const OpStart began = OpBegins();
      if (kernel->fn(out->raw_data(), in, n, nullptr) != 0) return false;
      *output = std::move(*out);
      if (began.time != 0) [[unlikely]] {
        RecordOp(record, none, inputs, {output, 1}, began);
      }
      return true;
    }
  }
  KernelContext ctx(record, none, inputs, std::span(output, 1));
  const OpStart began = OpBegins();
  *status = RunKernel(ctx);
  if (began.time != 0 && status->ok()) [[unlikely]] {
    RecordOp(record, none, inputs, {output, 1}, began);
  }
  if (!status->ok()) *status = WithOp(*status, record, none, inputs, name);
  return true;
}

void InitEager() {
  static std::once_flag once;
  std::call_once(once, [] {
    RegisterAllOps();
    OpBuilder::SetEager(&EagerContext::Get());
    InitRuntime();
  });
}

}  // namespace gk
