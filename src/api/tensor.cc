#include "graphkiln/tensor.h"

#include <bit>
#include <cstring>
#include <memory>

#include "api/inner.h"
#include "framework/allocator.h"
#include "framework/op_builder.h"
#include "framework/tensor_text.h"
#include "ops/fn/LogicalAnd.h"
#include "ops/fn/LogicalNot.h"
#include "ops/fn/LogicalOr.h"
#include "ops/operators.h"

namespace gk::api {
namespace {

static_assert(sizeof(half) == sizeof(::gk::half) &&
              sizeof(bfloat16) == sizeof(::gk::bfloat16));

TensorShape FullShape(const Shape& shape) {
  if (!shape.is_fully_defined()) {
    throw ::gk::Error(ValueError("a tensor needs a full shape, got {}",
                                 shape.to_string()));
  }
  return ValueOrThrow(TensorShape::Make(shape.dims()));
}

InnerTensor FromElements(DataType dtype, const Shape& shape, const void* data,
                         size_t count) {
  const TensorShape full = FullShape(shape);
  if (static_cast<uint64_t>(full.num_elements()) != count) {
    throw ::gk::Error(ValueError(
        "a tensor of shape {} needs {} elements, but {} were given",
        shape.to_string(), full.num_elements(), count));
  }
  InnerTensor t = ValueOrThrow(InnerTensor::Allocate(Inner(dtype), full));
  if (dtype == DataType::kString) {
    const auto* from = static_cast<const std::string*>(data);
    std::copy(from, from + count, t.data<std::string>());
  } else if (count > 0) {
    std::memcpy(t.raw_data(), data, t.byte_size());
  }
  return t;
}

template <class T>
constexpr bool kIsComplex = std::is_same_v<T, std::complex<float>> ||
                            std::is_same_v<T, std::complex<double>>;

// The number as a T, or false if T cannot hold it.
template <class T, class N>
bool Convert(N number, T* out) {
  if constexpr (std::is_same_v<T, bool>) {
    return false;
  } else if constexpr (std::is_integral_v<T>) {
    if constexpr (std::is_floating_point_v<N>) {
      return false;
    } else {
      *out = static_cast<T>(number);
      return std::in_range<T>(number);
    }
  } else if constexpr (kIsComplex<T>) {
    *out = T(static_cast<typename T::value_type>(number), 0);
    return true;
  } else if constexpr (std::is_floating_point_v<T>) {
    *out = static_cast<T>(number);
    return true;
  } else {
    *out = T(static_cast<float>(number));
    return true;
  }
}

template <class N>
Tensor NumberAs(N number, DataType dtype) {
  return Guarded([&] {
    InnerTensor t;
    VisitType<int8_t, uint8_t, int16_t, uint16_t, int32_t, uint32_t, int64_t,
              uint64_t, ::gk::half, ::gk::bfloat16, float, double,
              std::complex<float>, std::complex<double>>(
        Inner(dtype), [&](auto zero) {
          if (Convert(number, &zero)) t = InnerTensor::Scalar(zero);
        });
    if (!t) {
      throw ::gk::Error(TypeError("Cannot convert {} to a tensor of dtype {}",
                                  number, DataTypeName(Inner(dtype))));
    }
    return Outer(ConstantHere(t));
  });
}

Tensor Operate(Operator which, const Tensor& a, const Tensor& b) {
  return Guarded([&] { return Outer(Apply(which, Inner(a), Inner(b))); });
}
Tensor Operate(Operator which, const Tensor& x) {
  return Guarded([&] { return Outer(Apply(which, Inner(x))); });
}

using BinaryOp = InnerTensor (*)(const InnerTensor&, const InnerTensor&);

Tensor OfOp(BinaryOp op, const Tensor& a, const Tensor& b) {
  return Guarded([&] { return Outer(op(Inner(a), Inner(b))); });
}

std::string IndentedValue(const InnerTensor& t) {
  const std::string text = BothEndsText(t, 3);
  return text.find('\n') == text.npos ? text : "\n" + text;
}

}  // namespace

std::string name(DataType t) { return std::string(DataTypeName(Inner(t))); }

half::half(float value)
    : bits(std::bit_cast<uint16_t>(::gk::half(value))) {}
half::operator float() const {
  return static_cast<float>(std::bit_cast<::gk::half>(bits));
}
bfloat16::bfloat16(float value)
    : bits(std::bit_cast<uint16_t>(::gk::bfloat16(value))) {}
bfloat16::operator float() const {
  return static_cast<float>(std::bit_cast<::gk::bfloat16>(bits));
}

Tensor::Tensor(const Tensor& other) noexcept : impl_(other.impl_) {
  if (impl_) impl_->AddRef();
}

Tensor::~Tensor() {
  if (impl_) impl_->Unref();
}

Tensor::Tensor(DataType dtype, const Shape& shape, const void* data,
               size_t count) {
  Guarded([&] {
    impl_ = ConstantHere(FromElements(dtype, shape, data, count)).Release();
  });
}

Tensor Tensor::Foreign(DataType dtype, const Shape& shape, const void* data,
                       std::function<void()> release) {
  return Guarded([&] {
    std::shared_ptr<void> owner;  // until the buffer is
    if (release) owner = std::shared_ptr<void>(nullptr, [release](void*) {
      release();
    });
    const TensorShape full = FullShape(shape);
    const InnerType type = Inner(dtype);
    const int64_t bytes =
        MultiplyWithoutOverflow(full.num_elements(), DataTypeSize(type));
    if (bytes < 0 || (data == nullptr && bytes > 0)) {
      throw ::gk::Error(ValueError("no memory holds a tensor of shape {}",
                                   shape.to_string()));
    }
    Ref<Buffer> buffer =
        NewForeignBuffer(const_cast<void*>(data), bytes, [owner]() mutable {
          owner.reset();
        });
    return Outer(
        ConstantHere(InnerTensor::FromBuffer(type, full, std::move(buffer))));
  });
}

bool Tensor::is_symbolic() const {
  return Guarded([&] { return Inner(*this).is_symbolic(); });
}

DataType Tensor::dtype() const {
  return Guarded([&] { return Outer(Inner(*this).dtype()); });
}

Shape Tensor::shape() const {
  return Guarded([&] { return Outer(Inner(*this).partial_shape()); });
}

const void* Tensor::Data(DataType wanted) const {
  return Guarded([&]() -> const void* {
    const InnerTensor t = Inner(*this);
    if (t.is_symbolic()) {
      throw ::gk::Error(TypeError(
          "The elements of a tensor are not known while the function that "
          "computes it is traced; gk::if_, gk::cond, gk::carry and "
          "gk::while_loop make what depends on them part of the graph"));
    }
    if (Outer(t.dtype()) != wanted) {
      throw ::gk::Error(TypeError("Elements of type {} were asked of a tensor "
                                  "of dtype {}",
                                  DataTypeName(Inner(wanted)),
                                  DataTypeName(t.dtype())));
    }
    return t.raw_data();
  });
}

void Tensor::CheckOneElement() const {
  const int64_t n = num_elements();
  if (n >= 0 && n != 1) {
    ThrowPublic(ValueError("item() needs one element, the tensor has {}", n));
  }
}

void Tensor::CheckRow(size_t size, size_t width) {
  if (size != width) {
    ThrowPublic(ValueError("the rows of a matrix have {} and {} elements",
                           width, size));
  }
}

std::string Tensor::to_string() const {
  if (!defined()) return "Tensor()";
  return Guarded([&] {
    const InnerTensor t = Inner(*this);
    const std::string facts =
        Format("Tensor(shape={}, dtype={}", t.partial_shape().PythonString(),
               DataTypeName(t.dtype()));
    if (t.is_symbolic()) return facts + ", symbolic)";
    return facts + ", value=" + IndentedValue(t) + ")";
  });
}

std::ostream& operator<<(std::ostream& out, const Tensor& t) {
  return out << t.to_string();
}

Tensor Tensor::OfNumber(int64_t value, DataType dtype) {
  return NumberAs(value, dtype);
}
Tensor Tensor::OfNumber(double value, DataType dtype) {
  return NumberAs(value, dtype);
}

Tensor operator+(const Tensor& a, const Tensor& b) {
  return Operate(Operator::kAdd, a, b);
}
Tensor operator-(const Tensor& a, const Tensor& b) {
  return Operate(Operator::kSubtract, a, b);
}
Tensor operator*(const Tensor& a, const Tensor& b) {
  return Operate(Operator::kMultiply, a, b);
}
Tensor operator/(const Tensor& a, const Tensor& b) {
  return Operate(Operator::kDivide, a, b);
}
Tensor operator%(const Tensor& a, const Tensor& b) {
  return Operate(Operator::kModulo, a, b);
}
Tensor operator<(const Tensor& a, const Tensor& b) {
  return Operate(Operator::kLess, a, b);
}
Tensor operator<=(const Tensor& a, const Tensor& b) {
  return Operate(Operator::kLessEqual, a, b);
}
Tensor operator>(const Tensor& a, const Tensor& b) {
  return Operate(Operator::kGreater, a, b);
}
Tensor operator>=(const Tensor& a, const Tensor& b) {
  return Operate(Operator::kGreaterEqual, a, b);
}
Tensor operator&(const Tensor& a, const Tensor& b) {
  return Operate(Operator::kAnd, a, b);
}
Tensor operator|(const Tensor& a, const Tensor& b) {
  return Operate(Operator::kOr, a, b);
}
Tensor operator^(const Tensor& a, const Tensor& b) {
  return Operate(Operator::kXor, a, b);
}
Tensor operator-(const Tensor& x) { return Operate(Operator::kNegative, x); }
Tensor operator~(const Tensor& x) { return Operate(Operator::kInvert, x); }

// Of booleans alone, as in C++.
Tensor operator!(const Tensor& x) {
  return Guarded([&] { return Outer(::gk::ops::LogicalNot(Inner(x))); });
}
Tensor operator&&(const Tensor& a, const Tensor& b) {
  return OfOp(::gk::ops::LogicalAnd, a, b);
}
Tensor operator||(const Tensor& a, const Tensor& b) {
  return OfOp(::gk::ops::LogicalOr, a, b);
}

}  // namespace gk::api
