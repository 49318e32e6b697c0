#include "ops/list/array_resource.h"

#include <mutex>
#include <utility>

#include "framework/tensor_sum.h"
#include "ops/list/list_access.h"

namespace gk {

ArrayResource::ArrayResource(std::string name, int64_t size, Traits traits)
    : name_(std::move(name)),
      traits_(std::move(traits)),
      size_(size),
      element_shape_(traits_.element_shape),
      grows_(traits_.grows) {}

StatusOr<Ref<ArrayResource>> ArrayResource::Of(const Tensor& handle) {
  if (handle.dtype() == DataType::kResource && handle.shape().IsScalar()) {
    if (auto* found = handle.scalar<ResourceHandle>().As<ArrayResource>()) {
      return Ref<ArrayResource>(found);
    }
  }
  return InvalidArgument("Expected the handle of a TensorArray, got {}",
                         handle.DebugString(1));
}

Status ArrayResource::CheckOpen() const {
  if (!is_closed_) return OkStatus();
  return InvalidArgument("TensorArray {} has already been closed.", name_);
}

StatusOr<int64_t> ArrayResource::Size() {
  std::lock_guard lock(mutex_);
  GK_RETURN_IF_ERROR(CheckOpen());
  return size_;
}

StatusOr<PartialTensorShape> ArrayResource::ElementShape() {
  std::lock_guard lock(mutex_);
  GK_RETURN_IF_ERROR(CheckOpen());
  return element_shape_;
}

Status ArrayResource::CheckDtype(DataType dtype,
                                 std::string_view action) const {
  if (dtype == traits_.dtype) return OkStatus();
  return InvalidArgument("TensorArray {}: dtype is {} but Op {} dtype {}.",
                         name_, DataTypeString(traits_.dtype), action,
                         DataTypeString(dtype));
}

Status ArrayResource::CheckWrite(int64_t at, const Tensor& value) const {
  GK_RETURN_IF_ERROR(CheckOpen());
  GK_RETURN_IF_ERROR(CheckDtype(value.dtype(), "is trying to write"));
  if (at < 0 || (at >= size_ && !grows_)) {
    return InvalidArgument(
        "TensorArray {}: Tried to write to index {} but array is not "
        "resizeable and size is: {}",
        name_, at, size_);
  }
  if (!element_shape_.IsCompatibleWith(value.shape())) {
    return InvalidArgument(
        "TensorArray {}: Could not write to TensorArray index {} because the "
        "value shape is {} which is incompatible with the TensorArray's "
        "inferred element shape: {} (consider setting infer_shape=False).",
        name_, at, value.shape().DebugString(), element_shape_.DebugString());
  }
  const auto known = elements_.find(at);
  if (known != elements_.end()) {
    const Element& element = known->second;
    if (element.was_read) {
      return InvalidArgument(
          "TensorArray {}: Could not write to TensorArray index {} because it "
          "has already been read.",
          name_, at);
    }
    if (!traits_.sums) {
      return InvalidArgument(
          "TensorArray {}: Could not write to TensorArray index {} because it "
          "has already been written to.",
          name_, at);
    }
    if (!(element.shape == value.shape())) {
      return InvalidArgument(
          "TensorArray {}: Could not aggregate to TensorArray index {} because "
          "the existing shape is {} but the new input shape is {}.",
          name_, at, element.shape.DebugString(), value.shape().DebugString());
    }
  }
  return OkStatus();
}

Status ArrayResource::Write(int64_t at, const Tensor& value) {
  // `made` takes the place of `before`. Made, and gone, when nothing is locked:
  // the memory of `value` may be used again.
  Tensor before, made, found;
  if (!traits_.sums) {
    GK_ASSIGN_OR_RETURN(made, CopyPart(value, 0, value.shape()));
  }
  while (true) {
    {
      std::lock_guard lock(mutex_);
      GK_RETURN_IF_ERROR(CheckWrite(at, value));
      const auto known = elements_.find(at);
      if (known == elements_.end()) {
        if (made) {
          elements_[at] = {.value = std::move(made), .shape = value.shape()};
          if (traits_.has_equal_shapes) element_shape_ = value.shape();
          size_ = std::max(size_, at + 1);
          return OkStatus();
        }
      } else {
        Tensor& now = known->second.value;
        if (made && now.impl() == before.impl()) {
          std::swap(now, made);
          return OkStatus();
        }
        found = now;
      }
    }
    before = std::move(found);
    if (before) {
      GK_ASSIGN_OR_RETURN(made, SumOf(before, value));
    } else {
      GK_ASSIGN_OR_RETURN(made, CopyPart(value, 0, value.shape()));
    }
  }
}

Status ArrayResource::Reserve(int64_t n, std::string_view what) {
  std::lock_guard lock(mutex_);
  GK_RETURN_IF_ERROR(CheckOpen());
  if (n > size_ && !grows_) {
    return InvalidArgument(
        "TensorArray {}: {} must be < array size ({} vs. {})", name_, what,
        n - 1, size_);
  }
  size_ = std::max(size_, n);
  return OkStatus();
}

Status ArrayResource::Read(int64_t at, Tensor* out) {
  std::lock_guard lock(mutex_);
  GK_RETURN_IF_ERROR(CheckOpen());
  if (at < 0 || at >= size_) {
    return InvalidArgument(
        "TensorArray {}: Tried to read from index {} but array size is: {}",
        name_, at, size_);
  }
  auto known = elements_.find(at);
  if (known == elements_.end()) {
    if (!element_shape_.IsFullyDefined()) {
      return InvalidArgument(
          "TensorArray {}: Could not read from TensorArray index {}.  "
          "Furthermore, the element shape is not fully defined: {}.  It is "
          "possible you are working with a resizeable TensorArray and "
          "stop_gradients is not allowing the gradients to be written.  If you "
          "set the full element_shape property on the forward TensorArray, the "
          "proper all-zeros tensor will be returned instead of incurring this "
          "error.",
          name_, at, element_shape_.DebugString());
    }
    GK_ASSIGN_OR_RETURN(const TensorShape shape,
                        element_shape_.AsTensorShape());
    known = elements_.emplace(at, Element{.shape = shape}).first;
  }
  Element& element = known->second;
  if (element.is_cleared) {
    return InvalidArgument(
        "TensorArray {}: Could not read index {} twice because it was cleared "
        "after a previous read (perhaps try setting clear_after_read = "
        "false?).",
        name_, at);
  }
  if (element.value) {
    *out = element.value;
  } else {
    GK_ASSIGN_OR_RETURN(*out, Tensor::Zeros(traits_.dtype, element.shape));
  }
  element.was_read = true;
  if (traits_.clears) {
    element.value = Tensor();
    element.is_cleared = true;
  }
  return OkStatus();
}

StatusOr<Ref<ArrayResource>> ArrayResource::Gradient(
    const std::string& source, std::span<const int64_t> prepended) {
  std::lock_guard lock(mutex_);
  GK_RETURN_IF_ERROR(CheckOpen());
  if (const auto it = gradients_.find(source); it != gradients_.end()) {
    return it->second;
  }
  const auto extend = [&]<class Shape>(const Shape& shape) {
    std::vector<int64_t> dims(prepended.begin(), prepended.end());
    for (int i = 0; i < shape.rank(); ++i) dims.push_back(shape.dim(i));
    return Shape::Make(dims);
  };
  Traits traits = traits_;
  traits.grows = false;
  traits.clears = true;
  traits.sums = true;
  traits.element_shape = element_shape_;
  if (!element_shape_.unknown_rank()) {
    GK_ASSIGN_OR_RETURN(traits.element_shape, extend(element_shape_));
  }
  auto made =
      MakeRef<ArrayResource>(name_ + "@" + source, size_, std::move(traits));
  for (const auto& [at, element] : elements_) {
    GK_ASSIGN_OR_RETURN(TensorShape shape, extend(element.shape));
    made->elements_[at] = {.shape = std::move(shape)};
  }
  // As many elements as its gradient has from now on.
  grows_ = false;
  gradients_.emplace(source, made);
  return made;
}

void ArrayResource::Close() {
  decltype(elements_) elements;  // these go when nothing is locked
  decltype(gradients_) gradients;
  std::lock_guard lock(mutex_);
  is_closed_ = true;
  elements_.swap(elements);
  gradients_.swap(gradients);
}

}  // namespace gk
