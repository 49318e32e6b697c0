#include "ops/list/list_access.h"

#include "ops/element_moves.h"

namespace gk {

Status ElementShapeInput(const Tensor& t, PartialTensorShape* shape) {
  std::vector<int64_t> dims;
  GK_RETURN_IF_ERROR(IntegerValues(t, &dims));
  if (t.shape().IsScalar()) {
    if (dims[0] != -1) {
      return InvalidArgument(
          "The only valid scalar shape tensor is the fully unknown shape "
          "specified as -1.");
    }
    *shape = PartialTensorShape();
    return OkStatus();
  }
  if (t.rank() != 1) {
    return InvalidArgument("Shape must be at most rank 1 but is rank {}",
                           t.rank());
  }
  GK_ASSIGN_OR_RETURN(*shape, PartialTensorShape::Make(dims));
  return OkStatus();
}

Status MutableList(KernelContext& c, TensorList** list) {
  GK_ASSIGN_OR_RETURN(const TensorList* given, TensorList::Of(c.input(0)));
  if (c.MayOverwrite(0) && c.input(0).scalar<Variant>().IsExclusive()) {
    c.set_output(0, c.input(0));
    *list = const_cast<TensorList*>(given);
    return OkStatus();
  }
  Ref<TensorList> copy = given->Copy();
  *list = copy.get();
  c.set_output(0, TensorList::Wrap(std::move(copy)));
  return OkStatus();
}

Status CheckListDtype(KernelContext& c, const TensorList& list) {
  const DataType want = c.attr<DataType>("element_dtype");
  if (want == list.element_dtype) return OkStatus();
  return InvalidArgument(
      "Invalid data types; op elements {} but list elements "
      "{}",
      DataTypeString(want), DataTypeString(list.element_dtype));
}

StatusOr<PartialTensorShape> MergedShape(const PartialTensorShape& a,
                                         const PartialTensorShape& b) {
  StatusOr<PartialTensorShape> merged = a.MergeWith(b);
  if (merged.ok()) return merged;
  if (a.rank() != b.rank()) {
    return InvalidArgument(
        "PartialTensorShape: Incompatible ranks during merge: {} vs. {}",
        a.rank(), b.rank());
  }
  return InvalidArgument(
      "PartialTensorShape: Incompatible shapes during merge: {} vs. {}",
      a.DebugString(), b.DebugString());
}

Status CommonElementShape(const TensorList& list,
                          const PartialTensorShape& wanted,
                          PartialTensorShape* shape) {
  GK_ASSIGN_OR_RETURN(*shape, MergedShape(wanted, list.element_shape));
  for (int64_t i = 0; i < list.size() && !shape->IsFullyDefined(); ++i) {
    const TensorShape* mine = list.ShapeOf(i);
    if (mine == nullptr) continue;
    GK_ASSIGN_OR_RETURN(*shape, MergedShape(*shape, *mine));
  }
  return OkStatus();
}

Status ListElement(const TensorList& list, int64_t i,
                   const PartialTensorShape& wanted, Tensor* element) {
  if (const TensorShape* mine = list.ShapeOf(i)) {
    GK_RETURN_IF_ERROR(MergedShape(wanted, *mine).status());
    GK_ASSIGN_OR_RETURN(*element, list.Get(i));
    return OkStatus();
  }
  PartialTensorShape shape;
  GK_RETURN_IF_ERROR(CommonElementShape(list, wanted, &shape));
  if (!shape.IsFullyDefined()) {
    return InvalidArgument(
        "Trying to read an uninitialized tensor but element_shape is not fully "
        "defined: {} and no list element is set.",
        shape.DebugString());
  }
  GK_ASSIGN_OR_RETURN(const TensorShape full, shape.AsTensorShape());
  GK_ASSIGN_OR_RETURN(*element, Tensor::Zeros(list.element_dtype, full));
  return OkStatus();
}

Status CopyElements(const TensorList& list, int64_t i, int64_t n, Tensor* to,
                    int64_t at) {
  auto* bytes = static_cast<std::byte*>(to->raw_data());
  if (list.CopyBytes(i, n, bytes + at * DataTypeSize(to->dtype()))) {
    return OkStatus();
  }
  for (int64_t k = i; k < i + n; ++k) {
    GK_ASSIGN_OR_RETURN(const Tensor t, list.Get(k));
    GK_RETURN_IF_ERROR(CopyInto(t, to, at));
    at += t.num_elements();
  }
  return OkStatus();
}

Status CopyInto(const Tensor& from, Tensor* to, int64_t at) {
  return VisitMoved(from.dtype(), [&]<class T>(std::type_identity<T>) {
    std::copy_n(static_cast<const T*>(from.raw_data()), from.num_elements(),
                static_cast<T*>(to->raw_data()) + at);
  });
}

StatusOr<Tensor> CopyPart(const Tensor& from, int64_t at,
                          const TensorShape& shape) {
  GK_ASSIGN_OR_RETURN(Tensor part, Tensor::Allocate(from.dtype(), shape));
  GK_RETURN_IF_ERROR(
      VisitMoved(from.dtype(), [&]<class T>(std::type_identity<T>) {
        std::copy_n(static_cast<const T*>(from.raw_data()) + at,
                    part.num_elements(), static_cast<T*>(part.raw_data()));
      }));
  return part;
}

PartialTensorShape HandleElementShape(const InferenceContext& c, int handle) {
  const HandleData* data = c.input_handle(handle);
  return data != nullptr && data->size() == 1 ? (*data)[0].shape
                                              : PartialTensorShape();
}

PartialTensorShape ShapeOfInput(const InferenceContext& c, int input) {
  const PartialTensorShape& shape = c.input(input);
  return !shape.unknown_rank() && shape.rank() == 1 ? c.ValueAsShape(input)
                                                    : PartialTensorShape();
}

StatusOr<PartialTensorShape> MergedElementShape(const InferenceContext& c,
                                                int input) {
  return ShapeOfInput(c, input).MergeWith(HandleElementShape(c, 0));
}

Status ListShape(InferenceContext& c, int shape_input) {
  c.set_output(0, TensorShape());
  PartialTensorShape element =
      shape_input < 0 ? HandleElementShape(c, 0) : ShapeOfInput(c, shape_input);
  DataType dtype = c.attr<DataType>("element_dtype");
  if (dtype == DataType::kInvalid) {
    const HandleData* data = c.input_handle(0);
    if (data == nullptr || data->empty()) return OkStatus();
    dtype = (*data)[0].dtype;
  }
  c.set_output_handle(0, {{dtype, element}});
  return OkStatus();
}

}  // namespace gk
