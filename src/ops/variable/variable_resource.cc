// Variables: making, reading and assigning them.
#include "ops/fn/variable_resource.h"

#include <limits>

#include "framework/grad_context.h"
#include "framework/logical_device.h"
#include "framework/op_registry.h"
#include "framework/placement_log.h"
#include "framework/shared_variables.h"
#include "framework/variable.h"
#include "kernels/elementwise.h"
#include "ops/variable/eager_variable.h"

namespace gk {
namespace {

Status VarHandleShape(InferenceContext& c) {
  c.set_output(0, PartialTensorShape(TensorShape()));
  c.set_output_handle(0, {HandleShape{c.attr<DataType>("dtype"),
                                      c.attr<PartialTensorShape>("shape")}});
  return OkStatus();
}

Status ComputeVarHandle(KernelContext& c) {
  const std::string& shared_name = c.attr<std::string>("shared_name");
  const DataType dtype = c.attr<DataType>("dtype");
  const auto& shape = c.attr<PartialTensorShape>("shape");
  if (shared_name == kAnonymousName) {
    c.set_output(0, NewVariableHandle(c.attr<std::string>("debug_name"), dtype,
                                      shape, /*trainable=*/true));
    return OkStatus();
  }
  // Those that name none have one name, the empty one.
  c.set_output(0, SharedVariableHandle(c.attr<std::string>("container"),
                                       shared_name, dtype, shape));
  return OkStatus();
}

Status ReadShape(InferenceContext& c) {
  const HandleData* h = c.input_handle(0);
  if (!h || h->empty()) return OkStatus();
  const DataType dtype = c.attr<DataType>("dtype");
  if ((*h)[0].dtype != dtype && (*h)[0].dtype != DataType::kInvalid) {
    return InvalidArgument(
        "Trying to read variable with wrong dtype. Expected {} got {}",
        DataTypeString((*h)[0].dtype), DataTypeString(dtype));
  }
  c.set_output(0, (*h)[0].shape);
  return OkStatus();
}

Status ComputeRead(KernelContext& c) {
  GK_ASSIGN_OR_RETURN(VariableResource * v, VariableOf(c.input(0)));
  GK_ASSIGN_OR_RETURN(Tensor value, v->Read());
  const DataType dtype = c.attr<DataType>("dtype");
  if (value.dtype() != dtype) {
    return InvalidArgument(
        "Trying to read variable with wrong dtype. Expected {} got {}",
        DataTypeString(dtype), DataTypeString(value.dtype()));
  }
  c.set_output(0, value.Alias());
  return OkStatus();
}

Status CheckAssignShape(InferenceContext& c) {
  const HandleData* h = c.input_handle(0);
  if (!h || h->empty()) return OkStatus();
  if ((*h)[0].dtype != c.input_type(1)) {
    return InvalidArgument(
        "Trying to read variable with wrong dtype. Expected {} got {}",
        DataTypeString((*h)[0].dtype), DataTypeString(c.input_type(1)));
  }
  if (!(*h)[0].shape.IsCompatibleWith(c.input(1))) {
    return InvalidArgument("Shapes must be equal: variable {}, value {}",
                           (*h)[0].shape.DebugString(),
                           c.input(1).DebugString());
  }
  return OkStatus();
}

Status ComputeAssign(KernelContext& c) {
  GK_ASSIGN_OR_RETURN(VariableResource * v, VariableOf(c.input(0)));
  return v->Assign(c.input(1).Alias());
}

// value op= delta, in place where nobody else holds the value.
template <bool kSubtract>
struct AccumulateBody {
  template <class T>
  struct Of {
    static GK_INLINE void Run(void* value, const void* delta, int64_t n) {
      T* v = static_cast<T*>(value);
      const T* d = static_cast<const T*>(delta);
#pragma GCC ivdep
      for (int64_t i = 0; i < n; ++i) {
        using C = ComputeType<T>;
        const C a = Convert<C>(v[i]), b = Convert<C>(d[i]);
        v[i] = Convert<T>(C(kSubtract ? a - b : a + b));
      }
    }
  };
};

template <bool kSubtract>
Status ComputeAccumulate(KernelContext& c) {
  GK_ASSIGN_OR_RETURN(VariableResource * v, VariableOf(c.input(0)));
  const Tensor& delta = c.input(1);
  if (delta.dtype() != v->dtype()) {
    return InvalidArgument(
        "Trying to assign variable with wrong dtype. Expected {} got {}",
        DataTypeString(v->dtype()), DataTypeString(delta.dtype()));
  }
  return v->Update([&](Tensor& value) -> Status {
    if (!(value.shape() == delta.shape())) {
      return InvalidArgument(
          "Cannot update variable with shape {} using a Tensor with shape {}, "
          "shapes must be equal.",
          value.shape().DebugString(), delta.shape().DebugString());
    }
    const bool known =
        VisitType<float, double, half, bfloat16, int8_t, int16_t, int32_t,
                  int64_t, uint8_t, uint16_t, uint32_t, uint64_t, complex64,
                  complex128>(value.dtype(), [&](auto tag) {
          using Body =
              typename AccumulateBody<kSubtract>::template Of<decltype(tag)>;
          Stamp<Body, void(void*, const void*, int64_t)>::Best()(
              value.raw_data(), delta.raw_data(), value.num_elements());
        });
    if (known) return OkStatus();
    return c.NoKernel();
  });
}

Status ComputeIsInitialized(KernelContext& c) {
  bool initialized = false;
  if (c.input(0).num_elements() == 1) {
    auto* v = c.input(0).scalar<ResourceHandle>().As<VariableResource>();
    initialized = v && v->IsInitialized();
  }
  c.set_output(0, Tensor::Scalar(initialized));
  return OkStatus();
}

// Does the resource lose its name? One that a node made has that alone; one
// that only handles know, none.
bool Forget(const ResourceHandle& handle, Resource* resource) {
  if (ResourceManager::Get().Erase(handle.container(), handle.name(),
                                   resource)) {
    return true;
  }
  auto* const named = DownCast<NamedResource>(resource);
  if (named == nullptr) return false;
  named->set_erased();
  return true;
}

// A variable with a name loses its value; other resources lose their name.
// What only handles know lives as long as they do: nothing happens.
Status ComputeDestroy(KernelContext& c) {
  const Tensor& given = c.input(0);
  const bool must_be_there = !c.attr<bool>("ignore_lookup_error");
  if (given.dtype() != DataType::kResource || given.num_elements() != 1) {
    return must_be_there ? VariableOf(given).status() : OkStatus();
  }
  const auto& handle = given.scalar<ResourceHandle>();
  if (handle.container() == kAnonymousContainer) return OkStatus();
  bool there = false;
  if (auto* v = handle.As<VariableResource>()) {
    there = v->IsInitialized();
    v->Clear();
  } else if (handle.resource() != nullptr) {
    const auto found = ResourceManager::Get().Now(handle);
    there = found.ok() && Forget(handle, found->get());
  }
  if (there || !must_be_there) return OkStatus();
  return NotFound("Resource {}/{}/<unknown> does not exist.",
                  handle.container(), handle.name());
}

Status VariableShapeShape(InferenceContext& c) {
  const HandleData* h = c.input_handle(0);
  const int64_t rank = h && !h->empty() ? (*h)[0].shape.rank() : kUnknownDim;
  c.set_output(0, {rank});
  return OkStatus();
}

Status ComputeVariableShape(KernelContext& c) {
  GK_ASSIGN_OR_RETURN(VariableResource * v, VariableOf(c.input(0)));
  GK_ASSIGN_OR_RETURN(Tensor value, v->Read());
  Tensor* out;
  GK_RETURN_IF_ERROR(c.Allocate(0, c.attr<DataType>("out_type"),
                                TensorShape({value.rank()}), &out));
  for (int i = 0; i < value.rank(); ++i) {
    if (out->dtype() == DataType::kInt64) {
      out->data<int64_t>()[i] = value.dim(i);
    } else if (value.dim(i) > INT32_MAX) {
      return InvalidArgument("Shape output type is 32-bit but dim {} is {}", i,
                             value.dim(i));
    } else {
      out->data<int32_t>()[i] = static_cast<int32_t>(value.dim(i));
    }
  }
  return OkStatus();
}

Status CountUpToShape(InferenceContext& c) {
  c.set_output(0, TensorShape());
  const HandleData* h = c.input_handle(0);
  if (h == nullptr || h->empty()) return OkStatus();
  const HandleShape& variable = (*h)[0];
  const DataType dtype = c.attr<DataType>("T");
  if (variable.dtype != dtype) {
    return InvalidArgument("Data types do not match: {} and {}",
                           DataTypeString(dtype),
                           DataTypeString(variable.dtype));
  }
  if (variable.shape.rank() > 0) {
    return InvalidArgument("Shape must be rank 0 but is rank {}",
                           variable.shape.rank());
  }
  return OkStatus();
}

Status ComputeCountUpTo(KernelContext& c) {
  GK_ASSIGN_OR_RETURN(VariableResource * v, VariableOf(c.input(0)));
  if (v->dtype() != c.attr<DataType>("T")) {
    return InvalidArgument("The variable's elements are of type {}, not {}",
                           DataTypeString(v->dtype()),
                           DataTypeString(c.attr<DataType>("T")));
  }
  const int64_t limit = c.attr<int64_t>("limit");
  constexpr int64_t kMax = std::numeric_limits<int32_t>::max();
  if (v->dtype() == DataType::kInt32 && (limit > kMax || limit < -kMax - 1)) {
    return InvalidArgument("Attr limit has value {} out of range for an int32",
                           limit);
  }
  Tensor before;
  GK_RETURN_IF_ERROR(v->Update([&](Tensor& value) -> Status {
    if (!value.shape().IsScalar()) {
      return InvalidArgument("input is not a scalar: {}",
                             value.shape().DebugString());
    }
    const bool wide = value.dtype() == DataType::kInt64;
    const int64_t n = wide ? value.scalar<int64_t>() : value.scalar<int32_t>();
    if (n >= limit) return OutOfRange("Reached limit of {}", limit);
    before = wide ? Tensor::Scalar(n) : Tensor::Scalar(static_cast<int32_t>(n));
    if (wide) {
      value.data<int64_t>()[0] = n + 1;
    } else {
      value.data<int32_t>()[0] = static_cast<int32_t>(n + 1);
    }
    return OkStatus();
  }));
  c.set_output(0, std::move(before));
  return OkStatus();
}

Status ComputeNothing(KernelContext&) { return OkStatus(); }

const OpRecord kRecords[] = {
    {.name = "VarHandleOp",
     .inputs = "",
     .outputs = "resource: resource",
     .attrs = "container: string = ''; shared_name: string = ''; debug_name: "
              "string = ''; dtype: type; shape: shape; allowed_devices: "
              "list(string) = []",
     .traits = kStateful,
     .shape = VarHandleShape,
     .kernel = {.compute = ComputeVarHandle},
     .doc = "A handle to the variable of a name in a container, which all "
            "handles of that name share. It has no value until one is "
            "assigned."},

    {.name = "ReadVariableOp",
     .inputs = "resource: resource",
     .outputs = "value: dtype",
     .attrs = "dtype: type",
     .traits = kStateful | kReadsResource | kReadsVariable,
     .shape = ReadShape,
     .kernel = {.compute = ComputeRead},
     .gradient = [](GradContext& g) { g.grads()[0] = g.raw_dy(0); },
     .doc = "The value of a variable: a snapshot that later writes leave "
            "as it is."},

    {.name = "AssignVariableOp",
     .inputs = "resource: resource; value: dtype",
     .outputs = "",
     .attrs = "dtype: type; validate_shape: bool = False",
     .traits = kStateful | kWritesResource | kAssignsVariable,
     .shape = CheckAssignShape,
     .kernel = {.compute = ComputeAssign},
     .doc = "Gives a variable a new value."},

    {.name = "AssignAddVariableOp",
     .inputs = "resource: resource; value: dtype",
     .outputs = "",
     .attrs = "dtype: type",
     .traits = kStateful | kReadsResource | kWritesResource,
     .combine = "AddV2",
     .shape = CheckAssignShape,
     .kernel = {.compute = ComputeAccumulate<false>},
     .doc = "Adds a value to a variable."},

    {.name = "AssignSubVariableOp",
     .inputs = "resource: resource; value: dtype",
     .outputs = "",
     .attrs = "dtype: type",
     .traits = kStateful | kReadsResource | kWritesResource,
     .combine = "Sub",
     .shape = CheckAssignShape,
     .kernel = {.compute = ComputeAccumulate<true>},
     .doc = "Subtracts a value from a variable."},

    {.name = "ResourceCountUpTo",
     .inputs = "resource: resource",
     .outputs = "output: T",
     .attrs = "limit: int; T: type in [int32, int64]",
     .traits = kStateful | kReadsResource | kWritesResource | kNoGradient,
     .shape = CountUpToShape,
     .kernel = {.compute = ComputeCountUpTo},
     .doc = "Adds 1 to a scalar variable below a limit; gives what was "
            "there."},

    {.name = "VarIsInitializedOp",
     .inputs = "resource: resource",
     .outputs = "is_initialized: bool",
     .attrs = "",
     .traits = kStateful | kReadsResource | kNoGradient,
     .of_constant = {.op = "Const"},
     .shape = shape_fn::Scalar,
     .kernel = {.compute = ComputeIsInitialized},
     .doc = "Whether a variable has a value."},

    {.name = "DestroyResourceOp",
     .inputs = "resource: resource",
     .outputs = "",
     .attrs = "ignore_lookup_error: bool = True",
     .traits = kStateful | kWritesResource,
     .shape = shape_fn::NoOutputs,
     .kernel = {.compute = ComputeDestroy},
     .doc =
         "Drops the value of a variable that has a name. Of tables, queues, "
         "iterators and the like the name is dropped: whoever asks for it gets "
         "a new one, and handles are of none until there is one. What only "
         "handles know, as the variables of eager programs, stays as it is."},

    {.name = "VariableShape",
     .inputs = "input: resource",
     .outputs = "output: out_type",
     .attrs = "out_type: type in [int32, int64] = int32",
     .traits = kStateful | kReadsResource | kNoGradient,
     .of_constant = {.op = "Shape"},
     .shape = VariableShapeShape,
     .kernel = {.compute = ComputeVariableShape},
     .doc = "The shape of a variable's value."},

    {.name = "DisableCopyOnRead",
     .inputs = "resource: resource",
     .outputs = "",
     .attrs = "",
     .traits = kStateful,
     .shape = shape_fn::NoOutputs,
     .kernel = {.compute = ComputeNothing},
     .doc = "Accepted for compatibility: reads never copy here."},
};

}  // namespace

Tensor EagerVariableHandle(std::string name, DataType dtype,
                           const PartialTensorShape& shape, bool trainable) {
  if (LogsPlacement()) LogExecution("VarHandleOp", CurrentDevice());
  return NewVariableHandle(std::move(name), dtype, shape, trainable);
}

GK_REGISTER_OPS(variable_resource)

}  // namespace gk
