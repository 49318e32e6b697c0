#include "function/list_tensor_array.h"

#include <algorithm>

#include "base/format.h"
#include "function/list_nodes.h"
#include "function/node_scope.h"
#include "ops/composition.h"
#include "ops/fn/Cast.h"
#include "ops/fn/Identity.h"
#include "ops/fn/TensorListLength.h"
#include "ops/fn/TensorListReserve.h"

namespace gk {
namespace {

// Of the rows of a tensor of this shape.
PartialTensorShape ShapeOfRow(const PartialTensorShape& shape) {
  if (shape.unknown_rank()) return {};
  if (shape.rank() == 0) {
    throw Error(ValueError("A scalar has no rows for a TensorArray"));
  }
  return PartialTensorShape(shape.dims().subspan(1));
}

// Of the nodes of a call, or of one op and its constants.
NodeScope Named(std::string_view name, std::string_view usual) {
  return NodeScope(name.empty() ? usual : name);
}

// As int32.
ArrayOperand IndexOperand(const ArrayOperand& index) {
  if (index.given()) return ListIndex(index.given());
  return ArrayOperand(
      [index](std::string_view name) { return ListIndex(index.Get(name)); });
}
// A constant of the node that it is for, unless it is a scalar's.
ArrayOperand ShapeOperand(const PartialTensorShape& shape) {
  if (!shape.unknown_rank() && shape.rank() == 0) return ListShape(shape);
  return ArrayOperand(
      [shape](std::string_view name) { return ListShape(shape, name); });
}

// As the list ops call them in their errors.
std::string_view ListTypeName(DataType dtype) {
  switch (dtype) {
    case DataType::kFloat:
      return "float";
    case DataType::kDouble:
      return "double";
    case DataType::kHalf:
      return "half";
    default:
      return DataTypeName(dtype);
  }
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

TensorArrayImpl::Ptr ListTensorArray::Make(
    const TensorArrayFacts& facts, const ArrayOperand& size,
    const PartialTensorShape& element_shape, std::string_view name) {
  const NodeScope op = Named(name, "TensorArrayV2");
  const Tensor form = ShapeOperand(element_shape).Get("element_shape");
  const Tensor count = CheckedArraySize(size.Get("num_elements"));
  const Tensor flow =
      ops::TensorListReserve(OpName(op.name()), form, count, facts.dtype);
  return std::make_shared<ListTensorArray>(
      facts, flow, facts.dynamic_size ? Tensor() : count,
      std::make_shared<ElementShape>(element_shape));
}

TensorArrayImpl::Ptr ListTensorArray::At(const Tensor& flow) const {
  return std::make_shared<ListTensorArray>(facts_, flow, size_, shape_);
}

TensorArrayImpl::Ptr ListTensorArray::Wrote(const Tensor& flow,
                                            std::string_view method,
                                            const Call& call) const {
  auto made = std::make_shared<ListTensorArray>(facts_, flow, size_, shape_);
  if (!call.place.empty() && TraceWrites::AreWatched()) {
    made->write_ = TraceWrites::Add(Format("{} at {}", method, call.place));
  }
  return made;
}

TensorArrayImpl::Ptr ListTensorArray::Moved(const Tensor& flow,
                                            bool alone) const {
  return std::make_shared<ListTensorArray>(
      facts_, flow, size_ && size_.is_symbolic() ? Tensor() : size_,
      alone ? std::make_shared<ElementShape>(shape_->Get()) : shape_);
}

void ListTensorArray::Check(const Tensor& value) const {
  if (value.dtype() == dtype()) return;
  throw Error(
      InvalidArgument("Invalid data types; op elements {} but list elements {}",
                      ListTypeName(value.dtype()), ListTypeName(dtype())));
}

int64_t ListTensorArray::KnownSize() const {
  if (!size_) return -1;
  const auto known = KnownInts(size_);
  return known && known->size() == 1 ? (*known)[0] : -1;
}

Tensor ListTensorArray::Read(const ArrayOperand& at,
                             std::string_view name) const {
  const NodeScope scope = Named(name, "TensorArrayV2Read");
  const ArrayOperand index = IndexOperand(at);
  return ListItem(Flow(), index, ShapeOperand(element_shape()), dtype(), name);
}

Tensor ListTensorArray::Stack(std::string_view name) const {
  const NodeScope scope = Named(name, "TensorArrayV2Stack");
  return ListStacked(Flow(), ShapeOperand(element_shape()), dtype(),
                     KnownSize());
}

Tensor ListTensorArray::Gather(const ArrayOperand& indices,
                               std::string_view name) const {
  const ArrayOperand places = IndexOperand(indices);
  return ListGathered(Flow(), places, ShapeOperand(element_shape()), dtype(),
                      name);
}

Tensor ListTensorArray::Concat(std::string_view name) const {
  PartialTensorShape parts = element_shape();
  if (!parts.unknown_rank() && parts.rank() > 0) parts.SetDim(0, -1);
  return ListJoined(Flow(), ShapeOperand(parts), dtype(), name);
}

Tensor ListTensorArray::Size(std::string_view name) const {
  if (facts_.dynamic_size || !size_) {
    return ops::TensorListLength(OpName(name), Flow());
  }
  if (size_.is_symbolic()) return size_;
  return ValueOrThrow(OpBuilder::Current()->Constant(size_, {}));
}

TensorArrayImpl::Ptr ListTensorArray::Write(const ArrayOperand& at,
                                            const ArrayOperand& given,
                                            const Call& call) const {
  const NodeScope scope = Named(call.name, "TensorArrayV2Write");
  const Tensor value = given.Get("value");
  Check(value);
  ThrowIfError(shape_->Fit(value.partial_shape(), facts_.infer_shape));
  return Wrote(ListWithItem(Flow(), IndexOperand(at), value,
                            facts_.dynamic_size, call.name),
               "write", call);
}

TensorArrayImpl::Ptr ListTensorArray::Unstack(const ArrayOperand& given,
                                              const Call& call) const {
  const NodeScope scope = Named(call.name, "TensorArrayUnstack");
  const Tensor value = given.Get("value");
  Check(value);
  const PartialTensorShape row = ShapeOfRow(value.partial_shape());
  ThrowIfError(shape_->Fit(row, facts_.infer_shape));
  return Wrote(ListOfRows(value, ShapeOperand(row)), "unstack", call);
}

TensorArrayImpl::Ptr ListTensorArray::Scatter(const ArrayOperand& indices,
                                              const ArrayOperand& given,
                                              const Call& call) const {
  const NodeScope scope = Named(call.name, "TensorArrayScatter");
  const Tensor value = given.Get("value");
  Check(value);
  ThrowIfError(
      shape_->Fit(ShapeOfRow(value.partial_shape()), facts_.infer_shape));
  return Wrote(ListScattered(Flow(), value, IndexOperand(indices)), "scatter",
               call);
}

TensorArrayImpl::Ptr ListTensorArray::Split(const ArrayOperand& given,
                                            const ArrayOperand& sizes,
                                            const Call& call) const {
  const NodeScope scope = Named(call.name, "TensorArraySplit");
  const Tensor value = given.Get("value");
  Check(value);
  Tensor lengths = sizes.Get("lengths");
  if (lengths.dtype() != DataType::kInt64) {
    lengths = ops::Cast(lengths, DataType::kInt64);
  }
  const auto known = KnownInts(lengths);
  const PartialTensorShape whole = value.partial_shape();
  if (facts_.infer_shape && known && !known->empty() && !whole.unknown_rank() &&
      whole.rank() > 0) {
    const auto [least, most] =
        std::minmax_element(known->begin(), known->end());
    PartialTensorShape part = whole;
    part.SetDim(0, *least);
    if (*least == *most && *least >= 0) {
      ThrowIfError(shape_->Fit(part, true));
    }
  }
  return Wrote(
      ListOfParts(value, ShapeOperand(element_shape()), lengths, call.name),
      "split", call);
}

TensorArrayImpl::Ptr ListTensorArray::Identity() const {
  return At(ops::Identity(Flow()));
}

}  // namespace gk
