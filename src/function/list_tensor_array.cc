#include "function/list_tensor_array.h"

#include <algorithm>

#include "base/format.h"
#include "ops/composite.h"

namespace gk {
namespace {

Tensor AsInt32(const Tensor& t) {
  if (t.dtype() == DataType::kInt32) return t;
  return MakeOp1("Cast", {t}, {{"DstT", DataType::kInt32}});
}

// Of the rows of a tensor of this shape.
PartialTensorShape RowShape(const PartialTensorShape& shape) {
  if (shape.unknown_rank()) return {};
  if (shape.rank() == 0) {
    throw Error(ValueError("A scalar has no rows for a TensorArray"));
  }
  return PartialTensorShape(shape.dims().subspan(1));
}

}  // namespace

PartialTensorShape ElementShape::Get() const {
  const std::lock_guard lock(mutex_);
  return shape_;
}

Status ElementShape::Fit(const PartialTensorShape& shape, bool infer) {
  const std::lock_guard lock(mutex_);
  if (!shape_.IsCompatibleWith(shape)) {
    return ValueError("Inconsistent shapes: saw {} but expected {} ",
                      shape.PythonString(), shape_.PythonString());
  }
  if (infer) {
    GK_ASSIGN_OR_RETURN(shape_, shape_.MergeWith(shape));
  }
  return OkStatus();
}

ListTensorArray::ListTensorArray(const TensorArrayFacts& facts, Tensor flow,
                                 Tensor size,
                                 std::shared_ptr<ElementShape> shape)
    : TensorArrayImpl(facts),
      flow_(std::move(flow)),
      size_(std::move(size)),
      shape_(std::move(shape)) {
  if (!size_) return;
  // A value is one in every graph.
  if (const Tensor known = size_.KnownValue()) size_ = known;
}

TensorArrayImpl::Ptr ListTensorArray::At(const Tensor& flow) const {
  return std::make_shared<ListTensorArray>(facts_, flow, size_, shape_);
}

TensorArrayImpl::Ptr ListTensorArray::Moved(const Tensor& flow,
                                            bool alone) const {
  return std::make_shared<ListTensorArray>(
      facts_, flow, size_ && size_.is_symbolic() ? Tensor() : size_,
      alone ? std::make_shared<ElementShape>(shape_->Get()) : shape_);
}

void ListTensorArray::Check(const Tensor& value) const {
  if (value.dtype() == dtype()) return;
  throw Error(InvalidArgument(
      "Invalid data types; op elements {} but list elements {}",
      DataTypeName(value.dtype()), DataTypeName(dtype())));
}

int64_t ListTensorArray::KnownSize() const {
  if (!size_) return -1;
  const auto known = KnownInts(size_);
  return known && known->size() == 1 ? (*known)[0] : -1;
}

Tensor ListTensorArray::Read(const Tensor& index) const {
  return MakeOp1("TensorListGetItem",
                 {flow_, AsInt32(index), ListShape(element_shape())},
                 {{"element_dtype", dtype()}}, "TensorArrayV2Read");
}

Tensor ListTensorArray::Stack() const {
  return MakeOp1(
      "TensorListStack", {flow_, ListShape(element_shape())},
      {{"element_dtype", dtype()}, {"num_elements", KnownSize()}},
      "TensorArrayV2Stack");
}

Tensor ListTensorArray::Gather(const Tensor& indices) const {
  return MakeOp1("TensorListGather",
                 {flow_, AsInt32(indices), ListShape(element_shape())},
                 {{"element_dtype", dtype()}}, "TensorArrayV2Gather");
}

Tensor ListTensorArray::Concat() const {
  PartialTensorShape shape = element_shape();
  if (!shape.unknown_rank() && shape.rank() > 0) shape.SetDim(0, -1);
  return MakeOp("TensorListConcatV2",
                TensorVector{flow_, ListShape(shape),
                             IntsTensor({}, DataType::kInt64)},
                {{"element_dtype", dtype()}}, "TensorArrayV2Concat")[0];
}

Tensor ListTensorArray::Size() const {
  if (size_ && size_.is_symbolic()) return size_;
  if (size_) return ValueOrThrow(OpBuilder::Current()->Constant(size_, "size"));
  return MakeOp1("TensorListLength", {flow_});
}

TensorArrayImpl::Ptr ListTensorArray::Write(const Tensor& index,
                                            const Tensor& value,
                                            std::string_view) const {
  Check(value);
  ThrowIfError(shape_->Fit(value.partial_shape(), facts_.infer_shape));
  return At(MakeOp1("TensorListSetItem", {flow_, AsInt32(index), value},
                    {{"resize_if_index_out_of_bounds", facts_.dynamic_size}},
                    "TensorArrayV2Write"));
}

TensorArrayImpl::Ptr ListTensorArray::Unstack(const Tensor& value,
                                              std::string_view) const {
  Check(value);
  const PartialTensorShape row = RowShape(value.partial_shape());
  ThrowIfError(shape_->Fit(row, facts_.infer_shape));
  const int64_t size = KnownSize();
  const PartialTensorShape shape = value.partial_shape();
  const int64_t rows = shape.unknown_rank() ? -1 : shape.dim(0);
  if (size >= 0 && rows > size) {
    throw Error(ValueError(
        "Cannot unstack {} tensors into a TensorArray of static size {} ",
        rows, size));
  }
  const Tensor flow = MakeOp1("TensorListFromTensor", {value, ListShape(row)},
                              {}, "TensorArrayUnstack");
  return std::make_shared<ListTensorArray>(
      facts_, flow, size == rows ? size_ : Tensor(), shape_);
}

TensorArrayImpl::Ptr ListTensorArray::Scatter(const Tensor& indices,
                                              const Tensor& value,
                                              std::string_view) const {
  Check(value);
  ThrowIfError(
      shape_->Fit(RowShape(value.partial_shape()), facts_.infer_shape));
  return At(MakeOp1("TensorListScatterIntoExistingList",
                    {flow_, value, AsInt32(indices)}, {},
                    "TensorArrayScatter"));
}

TensorArrayImpl::Ptr ListTensorArray::Split(const Tensor& value,
                                            const Tensor& lengths,
                                            std::string_view) const {
  Check(value);
  const auto known = KnownInts(lengths);
  const PartialTensorShape shape = value.partial_shape();
  if (facts_.infer_shape && known && !known->empty() &&
      !shape.unknown_rank() && shape.rank() > 0) {
    const auto [least, most] = std::minmax_element(known->begin(),
                                                   known->end());
    PartialTensorShape part = shape;
    part.SetDim(0, *least);
    if (*least == *most && *least >= 0) {
      ThrowIfError(shape_->Fit(part, true));
    }
  }
  const Tensor wide =
      lengths.dtype() == DataType::kInt64
          ? lengths
          : MakeOp1("Cast", {lengths}, {{"DstT", DataType::kInt64}});
  const Tensor flow =
      MakeOp1("TensorListSplit", {value, ListShape(element_shape()), wide}, {},
              "TensorArraySplit");
  return std::make_shared<ListTensorArray>(facts_, flow, Tensor(), shape_);
}

}  // namespace gk
