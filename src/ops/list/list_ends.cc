// Lists of tensors: making them, their ends and their length.
#include <limits>

#include "framework/grad_context.h"
#include "framework/op_builder.h"
#include "framework/op_registry.h"
#include "ops/element_moves.h"
#include "ops/fn/TensorListLength.h"
#include "ops/fn/TensorListPopBack.h"
#include "ops/fn/TensorListPushBack.h"
#include "ops/fn/TensorListResize.h"
#include "ops/fn/ZerosLike.h"
#include "ops/list/list_access.h"

namespace gk {
namespace {

constexpr int64_t kMaxLength = std::numeric_limits<int32_t>::max();

Status ComputeEmpty(KernelContext& c) {
  PartialTensorShape shape;
  int64_t limit = 0;
  GK_RETURN_IF_ERROR(ElementShapeInput(c.input(0), &shape));
  GK_RETURN_IF_ERROR(IntegerValue(c.input(1), "max_num_elements", &limit));
  auto list = MakeRef<TensorList>(c.attr<DataType>("element_dtype"), shape);
  list->max_num_elements = limit < 0 ? -1 : static_cast<int>(limit);
  c.set_output(0, TensorList::Wrap(std::move(list)));
  return OkStatus();
}

Status ComputeReserve(KernelContext& c) {
  PartialTensorShape shape;
  int64_t n = 0;
  GK_RETURN_IF_ERROR(ElementShapeInput(c.input(0), &shape));
  GK_RETURN_IF_ERROR(IntegerValue(c.input(1), "num_elements", &n));
  if (n < 0) {
    return InvalidArgument("The num_elements to reserve must be a non negative "
                           "number, but got {}",
                           n);
  }
  auto list = MakeRef<TensorList>(c.attr<DataType>("element_dtype"), shape);
  GK_RETURN_IF_ERROR(list->Resize(n));
  c.set_output(0, TensorList::Wrap(std::move(list)));
  return OkStatus();
}

Status ComputePush(KernelContext& c) {
  GK_ASSIGN_OR_RETURN(const TensorList* given, TensorList::Of(c.input(0)));
  GK_RETURN_IF_ERROR(CheckListDtype(c, *given));
  const Tensor& x = c.input(1);
  if (!given->element_shape.IsCompatibleWith(x.shape())) {
    return InvalidArgument(
        "Tried to append a tensor with incompatible shape to a list. Op "
        "element shape: {} list shape: {}",
        x.shape().DebugString(), given->element_shape.DebugString());
  }
  const int64_t n = given->size();
  if (given->max_num_elements >= 0 && n >= given->max_num_elements) {
    return InvalidArgument("Tried to push item into a full list list size: {} "
                           "max_num_elements: {}",
                           n, given->max_num_elements);
  }
  if (n >= kMaxLength) return ResourceExhausted("A list of {} elements", n);
  TensorList* list = nullptr;
  GK_RETURN_IF_ERROR(MutableList(c, &list));
  return list->Push(x);
}

Status ComputePop(KernelContext& c) {
  GK_ASSIGN_OR_RETURN(const TensorList* given, TensorList::Of(c.input(0)));
  GK_RETURN_IF_ERROR(CheckListDtype(c, *given));
  if (given->empty()) {
    return InvalidArgument("Trying to pop from an empty list.");
  }
  PartialTensorShape shape;
  GK_RETURN_IF_ERROR(ElementShapeInput(c.input(1), &shape));
  Tensor last;
  GK_RETURN_IF_ERROR(ListElement(*given, given->size() - 1, shape, &last));
  TensorList* list = nullptr;
  GK_RETURN_IF_ERROR(MutableList(c, &list));
  list->Pop();
  c.set_output(1, std::move(last));
  return OkStatus();
}

Status PopShape(InferenceContext& c) {
  GK_RETURN_IF_ERROR(ListShape(c, -1));
  GK_ASSIGN_OR_RETURN(PartialTensorShape element, MergedElementShape(c, 1));
  c.set_output(1, std::move(element));
  return OkStatus();
}

Status ComputeLength(KernelContext& c) {
  GK_ASSIGN_OR_RETURN(const TensorList* list, TensorList::Of(c.input(0)));
  c.set_output(0, Tensor::Scalar<int32_t>(list->size()));
  return OkStatus();
}

Status ComputeElementShape(KernelContext& c) {
  GK_ASSIGN_OR_RETURN(const TensorList* list, TensorList::Of(c.input(0)));
  const DataType dtype = c.attr<DataType>("shape_type");
  const PartialTensorShape& shape = list->element_shape;
  if (shape.unknown_rank()) {
    const int64_t unknown[] = {-1};
    GK_ASSIGN_OR_RETURN(Tensor t, IntegerTensor(dtype, unknown, {}));
    c.set_output(0, std::move(t));
    return OkStatus();
  }
  GK_ASSIGN_OR_RETURN(Tensor t, IntegerTensor(dtype, shape.dims(),
                                              TensorShape({shape.rank()})));
  c.set_output(0, std::move(t));
  return OkStatus();
}

Status ComputeResize(KernelContext& c) {
  int64_t n = 0;
  GK_RETURN_IF_ERROR(IntegerValue(c.input(1), "size", &n));
  if (n < 0) {
    return InvalidArgument("TensorListSlice expects size to be non-negative. "
                           "Got: {}",
                           n);
  }
  TensorList* list = nullptr;
  GK_RETURN_IF_ERROR(MutableList(c, &list));
  return list->Resize(n);
}

Status ComputeConcatLists(KernelContext& c) {
  const Tensor &a = c.input(0), &b = c.input(1);
  if (!(a.shape() == b.shape())) {
    return InvalidArgument("input_a and input_b must have the same shape, but "
                           "got {} and {}",
                           a.shape().DebugString(), b.shape().DebugString());
  }
  Tensor* out = nullptr;
  GK_RETURN_IF_ERROR(c.Allocate(0, DataType::kVariant, a.shape(), &out));
  for (int64_t i = 0; i < a.num_elements(); ++i) {
    const auto* x = a.data<Variant>()[i].As<TensorList>();
    const auto* y = b.data<Variant>()[i].As<TensorList>();
    if (x == nullptr || y == nullptr) {
      return InvalidArgument("Input handle is not a list.");
    }
    GK_RETURN_IF_ERROR(CheckListDtype(c, *x));
    GK_RETURN_IF_ERROR(CheckListDtype(c, *y));
    Ref<TensorList> all = x->Copy();
    GK_ASSIGN_OR_RETURN(all->element_shape,
                        x->element_shape.MergeWith(y->element_shape));
    GK_RETURN_IF_ERROR(all->Append(*y));
    out->data<Variant>()[i] = Variant(std::move(all));
  }
  return OkStatus();
}

Status ComputePushBatch(KernelContext& c) {
  const Tensor &handles = c.input(0), &x = c.input(1);
  if (x.rank() < 1 || handles.rank() != 1 || x.dim(0) != handles.dim(0)) {
    return InvalidArgument(
        "Expected tensor.shape == input_handles.shape + element shape, but got "
        "{} and {}",
        x.shape().DebugString(), handles.shape().DebugString());
  }
  Tensor* out = nullptr;
  GK_RETURN_IF_ERROR(c.Allocate(0, DataType::kVariant, handles.shape(), &out));
  TensorShape element = x.shape();
  element.RemoveDim(0);
  for (int64_t i = 0; i < handles.num_elements(); ++i) {
    const auto* list = handles.data<Variant>()[i].As<TensorList>();
    if (list == nullptr) return InvalidArgument("Input handle is not a list.");
    GK_RETURN_IF_ERROR(CheckListDtype(c, *list));
    if (!list->element_shape.IsCompatibleWith(element)) {
      return InvalidArgument(
          "Tried to append a tensor with incompatible shape to a list. Op "
          "element shape: {} list shape: {}",
          element.DebugString(), list->element_shape.DebugString());
    }
    Ref<TensorList> longer = list->Copy();
    GK_ASSIGN_OR_RETURN(Tensor part,
                        CopyPart(x, i * element.num_elements(), element));
    GK_RETURN_IF_ERROR(longer->Push(part));
    out->data<Variant>()[i] = Variant(std::move(longer));
  }
  return OkStatus();
}

const OpRecord kRecords[] = {
    {.name = "EmptyTensorList",
     .inputs = "element_shape: shape_type; max_num_elements: int32",
     .outputs = "handle: variant",
     .attrs = "element_dtype: type; shape_type: type in [int32, int64]",
     .shape = [](InferenceContext& c) { return ListShape(c, 0); },
     .kernel = {.compute = ComputeEmpty},
     .gradient = [](GradContext&) {},
     .doc = "An empty list; max_num_elements -1 sets no limit.",
     .test = {.skip_gradient = true}},

    {.name = "TensorListReserve",
     .inputs = "element_shape: shape_type; num_elements: int32",
     .outputs = "handle: variant",
     .attrs = "element_dtype: type; shape_type: type in [int32, int64]",
     .shape = [](InferenceContext& c) { return ListShape(c, 0); },
     .kernel = {.compute = ComputeReserve},
     .gradient = [](GradContext&) {},
     .doc = "A list of num_elements elements, none of which is set.",
     .test = {.skip_gradient = true}},

    {.name = "TensorListPushBack",
     .inputs = "input_handle: variant; tensor: element_dtype",
     .outputs = "output_handle: variant",
     .attrs = "element_dtype: type",
     .traits = kAppends,
     .shape = [](InferenceContext& c) { return ListShape(c, -1); },
     .kernel = {.compute = ComputePush},
     .gradient =
         [](GradContext& g) {
           const TensorVector popped = ops::TensorListPopBack(
               g.dy(0), ShapeTensor(g.x(1)), g.attr<DataType>("element_dtype"));
           g.Set(0, popped[0]);
           g.Set(1, popped[1]);
         },
     .doc = "The list with `tensor` as its new last element.",
     .test = {.skip_gradient = true}},

    {.name = "TensorListPopBack",
     .inputs = "input_handle: variant; element_shape: int32",
     .outputs = "output_handle: variant; tensor: element_dtype",
     .attrs = "element_dtype: type",
     .traits = kTakesLast,
     .shape = PopShape,
     .kernel = {.compute = ComputePop},
     .gradient =
         [](GradContext& g) {
           const Tensor list = g.has_dy(0) ? g.dy(0) : ops::ZerosLike(g.y(0));
           g.Set(0, ops::TensorListPushBack(list, g.dy(1)));
         },
     .doc = "The list without its last element, and that element.",
     .test = {.skip_gradient = true}},

    {.name = "TensorListLength",
     .inputs = "input_handle: variant",
     .outputs = "length: int32",
     .attrs = "",
     .traits = kNoGradient,
     .shape = shape_fn::Scalar,
     .kernel = {.compute = ComputeLength},
     .doc = "The number of elements.",
     .test = {.skip_gradient = true}},

    {.name = "TensorListElementShape",
     .inputs = "input_handle: variant",
     .outputs = "element_shape: shape_type",
     .attrs = "shape_type: type in [int32, int64]",
     .traits = kNoGradient,
     .shape = shape_fn::Unknown,
     .kernel = {.compute = ComputeElementShape},
     .doc = "The shape of the elements; -1 where it is unknown.",
     .test = {.skip_gradient = true}},

    {.name = "TensorListResize",
     .inputs = "input_handle: variant; size: int32",
     .outputs = "output_handle: variant",
     .attrs = "",
     .shape = [](InferenceContext& c) { return ListShape(c, -1); },
     .kernel = {.compute = ComputeResize},
     .gradient =
         [](GradContext& g) {
           g.Set(0,
                 ops::TensorListResize(g.dy(0), ops::TensorListLength(g.x(0))));
         },
     .doc = "The list cut off or prolonged to `size` elements.",
     .test = {.skip_gradient = true}},

    {.name = "TensorListConcatLists",
     .inputs = "input_a: variant; input_b: variant",
     .outputs = "output: variant",
     .attrs = "element_dtype: type",
     .shape = shape_fn::SameAsInput,
     .kernel = {.compute = ComputeConcatLists},
     .doc = "The elements of input_a, then those of input_b.",
     .test = {.skip_gradient = true}},

    {.name = "TensorListPushBackBatch",
     .inputs = "input_handles: variant; tensor: element_dtype",
     .outputs = "output_handles: variant",
     .attrs = "element_dtype: type",
     .shape = shape_fn::SameAsInput,
     .kernel = {.compute = ComputePushBatch},
     .doc = "Appends row i of `tensor` to list i.",
     .test = {.skip_gradient = true}},
};

}  // namespace

GK_REGISTER_OPS(list_ends)

}  // namespace gk
