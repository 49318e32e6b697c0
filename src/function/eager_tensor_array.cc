#include "function/eager_tensor_array.h"

#include <algorithm>
#include <numeric>

#include "base/format.h"
#include "ops/composition.h"
#include "ops/fn/Identity.h"
#include "ops/fn/TensorListReserve.h"
#include "ops/fn/TensorListSetItem.h"

namespace gk {
namespace {

// What a program may ask for by an index alone.
constexpr int64_t kMaxElements = int64_t{1} << 27;

// Values of an eager integer tensor.
std::vector<int64_t> Ints(const Tensor& t, std::string_view what) {
  if (t.dtype() != DataType::kInt32 && t.dtype() != DataType::kInt64) {
    throw Error(TypeError("{} of a TensorArray must be an integer, got {}",
                          what, DataTypeName(t.dtype())));
  }
  if (const auto known = KnownInts(t)) return *known;
  throw Error(InvalidArgument("{} of a TensorArray is not known", what));
}

int64_t IndexOf(const Tensor& t) {
  const std::vector<int64_t> index = Ints(t, "An index");
  if (index.size() == 1) return index[0];
  throw Error(
      InvalidArgument("index must be a scalar, got {} values", index.size()));
}

Status CheckRead(int64_t index, int64_t size) {
  if (index < 0) {
    return OutOfRange(
        "Reading from negative indices (index {}) is not "
        "allowed.",
        index);
  }
  if (index >= size) {
    return OutOfRange("Tried to read from index {} but array size is: {} ",
                      index, size);
  }
  return OkStatus();
}

Tensor ZerosOf(const TensorShape& shape, DataType dtype) {
  return ValueOrThrow(Tensor::Zeros(dtype, shape));
}

// No rows, of elements of this shape; of scalars where it is not known.
Tensor NoRows(const PartialTensorShape& element, DataType dtype) {
  std::vector<int64_t> dims{0};
  if (element.IsFullyDefined()) {
    dims.insert(dims.end(), element.dims().begin(), element.dims().end());
  }
  return ZerosOf(ValueOrThrow(TensorShape::Make(dims)), dtype);
}

// "[2, 3]".
std::string SizesText(const Tensor& t) {
  std::string text;
  for (int i = 0; i < t.rank(); ++i) {
    text += Format("{}{}", i > 0 ? ", " : "", t.dim(i));
  }
  return "[" + text + "]";
}

TensorVector Rows(const Tensor& value) {
  if (value.rank() == 0) {
    throw Error(ValueError("A scalar has no rows for a TensorArray"));
  }
  if (value.dim(0) == 0) return {};
  return CallComposition("unstack", {value});
}

}  // namespace

TensorArrayImpl::Ptr EagerTensorArray::Make(
    const TensorArrayFacts& facts, int64_t size,
    const PartialTensorShape& element_shape) {
  if (size > kMaxElements) {
    throw Error(
        ResourceExhausted("OOM when making a TensorArray of {} "
                          "elements",
                          size));
  }
  auto elements = std::make_shared<Elements>();
  elements->tensors.resize(std::max<int64_t>(size, 0));
  elements->shape = element_shape;
  return std::make_shared<EagerTensorArray>(facts, std::move(elements), 0);
}

PartialTensorShape EagerTensorArray::element_shape() const {
  const std::lock_guard lock(elements_->mutex);
  return elements_->shape;
}

Status EagerTensorArray::CheckNewest() const {
  if (!elements_->dropped.empty()) {
    return ValueError("{}", LostWrite(elements_->dropped));
  }
  if (facts_.shows_writes || version_ == elements_->writes) return OkStatus();
  const std::string& last = elements_->last_write;
  return ValueError(
      "The result of TensorArray.{} is newer than this array, which no longer "
      "shows what it held. Keep the array it returns: `ta = ta.{}(...)`.",
      last, last.substr(0, last.find(' ')));
}

void EagerTensorArray::Check(const Tensor& value) const {
  if (value.dtype() == dtype()) return;
  throw Error(InvalidArgument(
      "TensorArray dtype is {} but Op is trying to write dtype {} ",
      DataTypeName(dtype()), DataTypeName(value.dtype())));
}

Status EagerTensorArray::Fit(std::span<const Tensor> values) const {
  PartialTensorShape expected = elements_->shape;
  for (const Tensor& value : values) {
    const PartialTensorShape shape = value.partial_shape();
    if (!expected.IsCompatibleWith(shape)) {
      return ValueError("Incompatible shape for value ({}), expected ({})",
                        shape.PythonString(), expected.PythonString());
    }
    if (facts_.infer_shape) {
      GK_ASSIGN_OR_RETURN(expected, expected.MergeWith(shape));
    }
  }
  elements_->shape = expected;
  return OkStatus();
}

// The element, zeros if it was not written.
StatusOr<Tensor> EagerTensorArray::Element(int64_t index) const {
  Tensor& t = elements_->tensors[index];
  if (!t) {
    if (!elements_->shape.IsFullyDefined()) {
      return ValueError(
          "Cannot convert a partially known TensorShape {} to a Tensor.",
          elements_->shape.PythonString());
    }
    GK_ASSIGN_OR_RETURN(const TensorShape shape,
                        elements_->shape.AsTensorShape());
    GK_ASSIGN_OR_RETURN(t, Tensor::Zeros(dtype(), shape));
  }
  return t;
}

TensorVector EagerTensorArray::All() const {
  const std::lock_guard lock(elements_->mutex);
  ThrowIfError(CheckNewest());
  TensorVector all;
  for (size_t i = 0; i < elements_->tensors.size(); ++i) {
    all.push_back(ValueOrThrow(Element(static_cast<int64_t>(i))));
  }
  return all;
}

Tensor EagerTensorArray::Flow() const {
  TensorVector tensors;
  PartialTensorShape shape;
  {
    const std::lock_guard lock(elements_->mutex);
    ThrowIfError(CheckNewest());
    tensors = elements_->tensors;
    shape = elements_->shape;
  }
  const Tensor form = ListShape(shape);
  Tensor flow = ops::TensorListReserve(
      OpName("TensorArrayV2"), form,
      Int32Of(static_cast<int64_t>(tensors.size())), dtype());
  for (size_t i = 0; i < tensors.size(); ++i) {
    if (!tensors[i]) continue;
    flow = ops::TensorListSetItem(flow, Int32Of(static_cast<int64_t>(i)),
                                  tensors[i]);
  }
  return flow;
}

Tensor EagerTensorArray::Read(const ArrayOperand& at, std::string_view) const {
  const int64_t index = IndexOf(at.Get("index"));
  const std::lock_guard lock(elements_->mutex);
  ThrowIfError(CheckNewest());
  ThrowIfError(
      CheckRead(index, static_cast<int64_t>(elements_->tensors.size())));
  if (!elements_->tensors[index] && elements_->read_before.count(index)) {
    throw Error(InvalidArgument(
        "Could not read index {} twice because it was cleared after a "
        "previous read (perhaps try setting clear_after_read = false?)",
        index));
  }
  Tensor value = ValueOrThrow(Element(index));
  if (facts_.clear_after_read) {
    elements_->tensors[index] = Tensor();
    elements_->read_before.insert(index);
  }
  return value;
}

Tensor EagerTensorArray::Stack(std::string_view) const {
  TensorVector all = All();
  if (all.empty()) return NoRows(element_shape(), dtype());
  return CallComposition("stack", {std::move(all)})[0];
}

Tensor EagerTensorArray::Gather(const ArrayOperand& indices,
                                std::string_view) const {
  TensorVector chosen;
  {
    const std::vector<int64_t> places =
        Ints(indices.Get("indices"), "An index");
    const std::lock_guard lock(elements_->mutex);
    ThrowIfError(CheckNewest());
    for (int64_t i : places) {
      ThrowIfError(
          CheckRead(i, static_cast<int64_t>(elements_->tensors.size())));
      chosen.push_back(ValueOrThrow(Element(i)));
    }
  }
  if (chosen.empty()) return NoRows(element_shape(), dtype());
  return CallComposition("stack", {std::move(chosen)})[0];
}

Tensor EagerTensorArray::Concat(std::string_view) const {
  TensorVector parts = All();
  if (parts.empty()) {
    const PartialTensorShape shape = element_shape();
    const bool known =
        !shape.unknown_rank() && shape.rank() > 0 &&
        std::none_of(shape.dims().begin() + 1, shape.dims().end(),
                     [](int64_t n) { return n < 0; });
    if (!known) {
      throw Error(InvalidArgument(
          "All except the first dimension must be fully defined when "
          "concating an empty tensor list. element_shape: {}",
          shape.PythonString()));
    }
    std::vector<int64_t> dims(shape.dims().begin(), shape.dims().end());
    dims[0] = 0;
    return ZerosOf(ValueOrThrow(TensorShape::Make(dims)), dtype());
  }
  for (size_t i = 0; i < parts.size(); ++i) {
    if (parts[i].rank() > 0) continue;
    throw Error(InvalidArgument(
        "Concat saw a scalar shape at index {} but requires at least vectors.",
        i));
  }
  if (parts.size() == 1) return ops::Identity(parts[0]);
  return CallComposition("concat", {std::move(parts), int64_t{0}})[0];
}

Tensor EagerTensorArray::Size(std::string_view) const {
  const std::lock_guard lock(elements_->mutex);
  ThrowIfError(CheckNewest());
  return Tensor::Scalar(static_cast<int32_t>(elements_->tensors.size()));
}

Status EagerTensorArray::CheckWrite(int64_t index) const {
  const int64_t size = static_cast<int64_t>(elements_->tensors.size());
  if (index < 0) {
    return OutOfRange("Writing to negative indices (index {}) is not allowed.",
                      index);
  }
  if (index >= size && !facts_.dynamic_size) {
    return OutOfRange(
        "Tried to write to index {} but array is not resizeable and size is: "
        "{} ",
        index, size);
  }
  if (index >= kMaxElements) {
    return ResourceExhausted("OOM when resizing a TensorArray to {} elements",
                             index + 1);
  }
  return OkStatus();
}

void EagerTensorArray::Set(int64_t index, Tensor& value) const {
  std::vector<Tensor>& tensors = elements_->tensors;
  if (index >= static_cast<int64_t>(tensors.size())) tensors.resize(index + 1);
  std::swap(tensors[index], value);
}

TensorArrayImpl::Ptr EagerTensorArray::Written(std::string_view method,
                                               std::string_view place) const {
  elements_->last_write = Format("{} at {}", method, place);
  return std::make_shared<EagerTensorArray>(facts_, elements_,
                                            ++elements_->writes);
}

TensorArrayImpl::Ptr EagerTensorArray::Write(const ArrayOperand& at,
                                             const ArrayOperand& given,
                                             const Call& call) const {
  Tensor value = given.Get("value");
  Check(value);
  const int64_t index = IndexOf(at.Get("index"));
  const std::lock_guard lock(elements_->mutex);
  ThrowIfError(CheckNewest());
  ThrowIfError(CheckWrite(index));
  ThrowIfError(Fit({&value, 1}));
  Set(index, value);
  return Written("write", call.place);
}

TensorArrayImpl::Ptr EagerTensorArray::Replace(TensorVector& parts,
                                               std::string_view method,
                                               std::string_view place) const {
  elements_->tensors.swap(parts);
  elements_->read_before.clear();
  return Written(method, place);
}

TensorArrayImpl::Ptr EagerTensorArray::Unstack(const ArrayOperand& given,
                                               const Call& call) const {
  const Tensor value = given.Get("value");
  Check(value);
  TensorVector parts = Rows(value);
  const std::lock_guard lock(elements_->mutex);
  ThrowIfError(CheckNewest());
  if (parts.size() > elements_->tensors.size() && !facts_.dynamic_size) {
    throw Error(ValueError(
        "Cannot unstack {} tensors into a TensorArray of static size {} ",
        parts.size(), elements_->tensors.size()));
  }
  ThrowIfError(Fit(parts));
  return Replace(parts, "unstack", call.place);
}

TensorArrayImpl::Ptr EagerTensorArray::Scatter(const ArrayOperand& indices,
                                               const ArrayOperand& given,
                                               const Call& call) const {
  const Tensor value = given.Get("value");
  Check(value);
  const std::vector<int64_t> places = Ints(indices.Get("indices"), "An index");
  TensorVector parts = Rows(value);
  if (places.size() != parts.size()) {
    throw Error(InvalidArgument(
        "Expected len(indices) == tensor.shape[0], but saw: {} vs. {}",
        places.size(), parts.size()));
  }
  const std::lock_guard lock(elements_->mutex);
  ThrowIfError(CheckNewest());
  for (int64_t i : places) ThrowIfError(CheckWrite(i));
  ThrowIfError(Fit(parts));
  for (size_t i = 0; i < places.size(); ++i) Set(places[i], parts[i]);
  return Written("scatter", call.place);
}

TensorArrayImpl::Ptr EagerTensorArray::Split(const ArrayOperand& given,
                                             const ArrayOperand& sizes,
                                             const Call& call) const {
  const Tensor value = given.Get("value");
  Check(value);
  const Tensor wanted = sizes.Get("lengths");
  if (wanted.rank() != 1) {
    throw Error(
        InvalidArgument("Expected lengths to be a vector, received shape: {} ",
                        SizesText(wanted)));
  }
  const std::vector<int64_t> lengths = Ints(wanted, "The lengths");
  const std::string shape = SizesText(value);
  if (value.rank() == 0) {
    throw Error(InvalidArgument(
        "Expected value to be at least a vector, but received shape: {} ",
        shape));
  }
  int64_t sum = 0;
  for (int64_t n : lengths) {
    if (n >= 0 && !__builtin_add_overflow(sum, n, &sum)) continue;
    throw Error(InvalidArgument(
        "Expected sum of lengths to be equal to values.shape[0], but a length "
        "is {} and value's shape is: {} ",
        n, shape));
  }
  if (sum != value.dim(0)) {
    throw Error(InvalidArgument(
        "Expected sum of lengths to be equal to values.shape[0], but sum of "
        "lengths is {} and value's shape is: {} ",
        sum, shape));
  }
  TensorVector parts;
  if (!lengths.empty()) parts = CallComposition("split", {value, lengths});
  const std::lock_guard lock(elements_->mutex);
  ThrowIfError(CheckNewest());
  if (lengths.size() != elements_->tensors.size() && !facts_.dynamic_size) {
    throw Error(InvalidArgument(
        "TensorArray's size is not equal to the size of lengths ({} vs. {}), "
        "and the TensorArray is not marked as dynamically resizeable.",
        elements_->tensors.size(), lengths.size()));
  }
  // Parts may differ in shape, whatever holds for what is written.
  return Replace(parts, "split", call.place);
}

TensorArrayImpl::Ptr EagerTensorArray::Identity() const {
  const std::lock_guard lock(elements_->mutex);
  ThrowIfError(CheckNewest());
  return std::make_shared<EagerTensorArray>(facts_, elements_, version_);
}

void EagerTensorArray::Close() const {
  TensorVector dropped;
  const std::lock_guard lock(elements_->mutex);
  elements_->tensors.swap(dropped);
  elements_->read_before.clear();
}

void EagerTensorArray::NoteDropped(std::string_view write) const {
  const std::lock_guard lock(elements_->mutex);
  elements_->dropped = write;
}

}  // namespace gk
