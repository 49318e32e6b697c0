// Tensors made, copied and shown.
#include <algorithm>
#include <cstring>

#include "framework/logical_device.h"
#include "framework/resource.h"
#include "framework/symbolic_tensor.h"
#include "framework/tensor.h"
#include "framework/text_memory.h"
#include "framework/variant.h"

namespace gk {

StatusOr<Tensor> Tensor::Allocate(DataType dtype, const TensorShape& shape) {
  const int64_t n = shape.num_elements();
  const int size = DataTypeSize(dtype);
  Tensor t = Adopt(NewTensorImpl(dtype, shape));
  TensorImpl* p = t.p_.get();
  if (size > 0 && n <= kInlineBytes / size) {
    p->data_ = p->inline_;
    return t;
  }
  const int64_t bytes = MultiplyWithoutOverflow(n, size);
  if (IsObjectType(dtype)) {
    p->buffer_ = NewObjectBuffer(dtype, n);
  } else if (size > 0 && bytes >= 0) {
    p->buffer_ = NewPooledBuffer(bytes);
  } else if (size == 0) {
    return InvalidArgument("Tensors of type {} cannot be made",
                           DataTypeString(dtype));
  }
  if (!p->buffer_) {
    return ResourceExhausted(
        "OOM when allocating tensor with shape{} and type {} on CPU",
        shape.DebugString(), DataTypeString(dtype));
  }
  p->data_ = p->buffer_->data();
  return t;
}

StatusOr<Tensor> Tensor::Zeros(DataType dtype, const TensorShape& shape) {
  GK_ASSIGN_OR_RETURN(Tensor t, Allocate(dtype, shape));
  if (!IsObjectType(dtype)) std::memset(t.raw_data(), 0, t.byte_size());
  return t;
}

Tensor Tensor::FromBuffer(DataType dtype, const TensorShape& shape,
                          Ref<Buffer> buffer, size_t offset) {
  Tensor t = Adopt(NewTensorImpl(dtype, shape));
  t.p_->data_ = static_cast<char*>(buffer->data()) + offset;
  t.p_->buffer_ = std::move(buffer);
  return t;
}

Tensor Tensor::Borrow(DataType dtype, const TensorShape& shape, void* data) {
  Tensor t = Adopt(NewTensorImpl(dtype, shape));
  t.p_->data_ = data;
  return t;
}

PartialTensorShape Tensor::partial_shape() const {
  if (is_symbolic()) return SymbolicTensor::Of(*this)->shape();
  return shape();
}

Tensor Tensor::KnownValue() const {
  if (!is_symbolic()) return *this;
  const SymbolicTensor* s = SymbolicTensor::Of(*this);
  return s->source()->OutputValue(s->node(), s->index());
}

Tensor Tensor::WithShape(const TensorShape& shape) const {
  Tensor t = Adopt(NewTensorImpl(dtype(), shape));
  TensorImpl* p = t.p_.get();
  if (p_->data_ == p_->inline_) {
    std::memcpy(p->inline_, p_->inline_, kInlineBytes);
    p->data_ = p->inline_;
  } else {
    p->buffer_ = p_->buffer_;
    p->data_ = p_->data_;
  }
  return t;
}

StatusOr<Tensor> Tensor::Copy() const {
  GK_RETURN_IF_ERROR(CheckText(*this, 1));
  GK_ASSIGN_OR_RETURN(Tensor t, Allocate(dtype(), shape()));
  const int64_t n = num_elements();
  switch (dtype()) {
    case DataType::kString:
      std::copy_n(data<std::string>(), n, t.data<std::string>());
      break;
    case DataType::kResource:
      std::copy_n(data<ResourceHandle>(), n, t.data<ResourceHandle>());
      break;
    case DataType::kVariant:
      std::copy_n(data<Variant>(), n, t.data<Variant>());
      break;
    default:
      std::memcpy(t.raw_data(), raw_data(), byte_size());
  }
  return t;
}

namespace {

template <class T>
std::string ValueText(const T& v) {
  if constexpr (std::is_same_v<T, std::string>) {
    return "\"" + v + "\"";
  } else if constexpr (std::is_same_v<T, bool>) {
    return v ? "true" : "false";
  } else if constexpr (std::is_same_v<T, half> || std::is_same_v<T, bfloat16>) {
    return Format("{}", static_cast<float>(v));
  } else if constexpr (std::is_same_v<T, complex64> ||
                       std::is_same_v<T, complex128>) {
    return Format("({},{})", v.real(), v.imag());
  } else {
    return Format("{}", v);
  }
}

}  // namespace

std::string Tensor::DebugString(int max_values) const {
  if (!p_) return "null";
  std::string s =
      Format("{} {}", DataTypeString(dtype()), partial_shape().DebugString());
  if (is_symbolic()) return s;
  s += " {";
  VisitType<float, double, half, bfloat16, int8_t, int16_t, int32_t, int64_t,
            uint8_t, uint16_t, uint32_t, uint64_t, bool, complex64, complex128,
            std::string>(dtype(), [&](auto tag) {
    using T = decltype(tag);
    for (int64_t i = 0; i < num_elements(); ++i) {
      if (i > 0) s += " ";
      if (i == max_values) {
        s += "...";
        break;
      }
      s += ValueText(data<T>()[i]);
    }
  });
  return s + "}";
}

}  // namespace gk
