// Stacks: what loops of graphs of version 1 keep for their gradients.
#include <atomic>
#include <mutex>

#include "base/process_mutex.h"
#include "framework/op_registry.h"
#include "framework/resource.h"
#include "framework/resource_manager.h"
#include "ops/element_moves.h"
#include "ops/list/list_access.h"

namespace gk {
namespace {

// The container of stacks, which live as long as their handles.
constexpr char kStacks[] = "_stacks";

// Thread-safe.
class StackResource final : public NamedResource {
 public:
  StackResource(DataType dtype, int64_t most, std::string name)
      : dtype_(dtype), most_(most), name_(std::move(name)) {}

  std::string_view kind() const override { return "Stack"; }
  std::string_view type_name() const override { return "tensorflow::Stack"; }

  static StatusOr<Ref<StackResource>> Of(const Tensor& handle) {
    if (handle.dtype() == DataType::kResource && handle.shape().IsScalar()) {
      const auto& given = handle.scalar<ResourceHandle>();
      if (auto* found = given.As<StackResource>()) {
        if (found->is_erased()) return MissingResource(given);
        return Ref<StackResource>(found);
      }
    }
    return InvalidArgument("Expected the handle of a stack, got {}",
                           handle.DebugString(1));
  }

  Status Push(const Tensor& x) {
    if (x.dtype() != dtype_) {
      return InvalidArgument("Must have type {} but got {}",
                             DataTypeString(dtype_), DataTypeString(x.dtype()));
    }
    // The memory of `x` may be used again.
    GK_ASSIGN_OR_RETURN(Tensor copy, CopyPart(x, 0, x.shape()));
    std::lock_guard lock(mutex_);
    if (is_closed_) return Closed();
    if (most_ >= 0 && static_cast<int64_t>(items_.size()) >= most_) {
      return InvalidArgument("Stack[{}] overflowed its max_size ({})", name_,
                             most_);
    }
    items_.push_back(std::move(copy));
    return OkStatus();
  }

  Status Pop(DataType dtype, Tensor* x) {
    if (dtype != dtype_) {
      return InvalidArgument("Must have type {} but got {}",
                             DataTypeString(dtype_), DataTypeString(dtype));
    }
    std::lock_guard lock(mutex_);
    if (is_closed_) return Closed();
    if (items_.empty()) {
      return InvalidArgument("Stack[{}] is empty when calling Pop().", name_);
    }
    *x = std::move(items_.back());
    items_.pop_back();
    return OkStatus();
  }

  void Close() {
    TensorVector dropped;  // when nothing is locked
    std::lock_guard lock(mutex_);
    items_.swap(dropped);
    is_closed_ = true;
  }

 private:
  Status Closed() const {
    return InvalidArgument("Stack[{}] has already been closed.", name_);
  }

  const DataType dtype_;
  const int64_t most_;  // negative: no limit
  const std::string name_;
  ProcessMutex& mutex_ = ProcessMutex::Of(this);
  bool is_closed_ = false;
  TensorVector items_;
};

Status ComputeStackNew(KernelContext& c) {
  int64_t most = 0;
  GK_RETURN_IF_ERROR(IntegerValue(c.input(0), "max_size", &most));
  static std::atomic<int64_t> made{0};
  std::string name = c.attr<std::string>("stack_name");
  if (name.empty()) name = "StackV2";
  name = Format("{}_{}", name, made.fetch_add(1, std::memory_order_relaxed));
  auto stack =
      MakeRef<StackResource>(c.attr<DataType>("elem_type"), most, name);
  c.set_output(0, Tensor::Scalar(ResourceHandle(std::move(stack),
                                                std::move(name), {}, kStacks)));
  return OkStatus();
}

Status ComputeStackPush(KernelContext& c) {
  GK_ASSIGN_OR_RETURN(const Ref<StackResource> stack,
                      StackResource::Of(c.input(0)));
  GK_RETURN_IF_ERROR(stack->Push(c.input(1)));
  c.set_output(0, c.input(1));
  return OkStatus();
}

Status ComputeStackPop(KernelContext& c) {
  GK_ASSIGN_OR_RETURN(const Ref<StackResource> stack,
                      StackResource::Of(c.input(0)));
  Tensor x;
  GK_RETURN_IF_ERROR(stack->Pop(c.attr<DataType>("elem_type"), &x));
  c.set_output(0, std::move(x));
  return OkStatus();
}

Status ComputeStackClose(KernelContext& c) {
  GK_ASSIGN_OR_RETURN(const Ref<StackResource> stack,
                      StackResource::Of(c.input(0)));
  stack->Close();
  return OkStatus();
}

Status PushShape(InferenceContext& c) {
  c.set_output(0, c.input(1));
  return OkStatus();
}

const OpRecord kRecords[] = {
    {.name = "StackV2",
     .inputs = "max_size: int32",
     .outputs = "handle: resource",
     .attrs = "elem_type: type; stack_name: string = ''",
     .traits = kStateful | kNoGradient,
     .shape = shape_fn::Scalar,
     .kernel = {.compute = ComputeStackNew},
     .doc = "A stack of tensors, of at most `max_size` unless that is "
            "negative."},

    {.name = "StackPushV2",
     .inputs = "handle: resource; elem: T",
     .outputs = "output: T",
     .attrs = "T: type; swap_memory: bool = false",
     .traits = kStateful,
     .shape = PushShape,
     .kernel = {.compute = ComputeStackPush},
     .doc = "Puts `elem` on a stack and gives it back."},

    {.name = "StackPopV2",
     .inputs = "handle: resource",
     .outputs = "elem: elem_type",
     .attrs = "elem_type: type",
     .traits = kStateful,
     .shape = shape_fn::Unknown,
     .kernel = {.compute = ComputeStackPop},
     .doc = "Takes the element off a stack that was put there last."},

    {.name = "StackCloseV2",
     .inputs = "handle: resource",
     .outputs = "",
     .attrs = "",
     .traits = kStateful | kNoGradient,
     .shape = shape_fn::NoOutputs,
     .kernel = {.compute = ComputeStackClose},
     .doc = "Frees what a stack holds."},
};

}  // namespace

GK_REGISTER_OPS(list_stack_v2)

}  // namespace gk
