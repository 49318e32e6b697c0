#include "ops/element_moves.h"

#include <algorithm>
#include <cstring>
#include <type_traits>

#include "base/interrupt.h"
#include "framework/graph.h"
#include "framework/symbolic_tensor.h"
#include "kernels/runs.h"
#include "ops/fn/Cast.h"
#include "ops/fn/Shape.h"

namespace gk {

InlinedVector<int64_t, 8> StridesOf(const TensorShape& shape) {
  InlinedVector<int64_t, 8> strides;
  strides.resize(shape.rank());
  int64_t stride = 1;
  for (int i = shape.rank() - 1; i >= 0; --i) {
    strides[i] = stride;
    stride *= shape.dim(i);
  }
  return strides;
}

Status CopyBox(const StridedBox& box, const Tensor& from, int64_t from_offset,
               Tensor* to, int64_t to_offset) {
  return VisitMoved(to->dtype(), [&](auto tag) {
    using T = typename decltype(tag)::type;
    box.Copy(static_cast<const T*>(from.raw_data()) + from_offset,
             static_cast<T*>(to->raw_data()) + to_offset, ThreadPool::Global());
  });
}

namespace {

// Memory that nobody touched yet takes its time.
void ZeroBytes(char* at, size_t bytes) {
  constexpr size_t kPiece = size_t{64} << 20;
  while (bytes > kPiece) {
    std::memset(at, 0, kPiece);
    at += kPiece;
    bytes -= kPiece;
    PollInterrupt();
  }
  if (bytes > 0) std::memset(at, 0, bytes);
}

}  // namespace

void ZeroElements(Tensor* t) {
  switch (t->dtype()) {
    case DataType::kString:
      for (std::string& s : t->flat<std::string>()) s.clear();
      break;
    case DataType::kResource:
      for (ResourceHandle& h : t->flat<ResourceHandle>()) h = {};
      break;
    case DataType::kVariant:
      for (Variant& v : t->flat<Variant>()) v = {};
      break;
    default:
      ZeroBytes(static_cast<char*>(t->raw_data()), t->byte_size());
  }
}

Status FillElements(const Tensor& value, Tensor* t) {
  GK_RETURN_IF_ERROR(CheckText(value, t->num_elements()));
  return VisitMoved(t->dtype(), [&](auto tag) {
    using T = typename decltype(tag)::type;
    const T& from = *static_cast<const T*>(value.raw_data());
    T* const to = static_cast<T*>(t->raw_data());
    constexpr int64_t kBlock = 1 << 14;
    const int64_t n = t->num_elements();
    ThreadPool::Global().ParallelRange(
        (n + kBlock - 1) / kBlock,
        std::is_trivially_copyable_v<T> ? kBlock / 4 : kBlock * 10,
        [&](int64_t begin, int64_t end) {
          const int64_t at = begin * kBlock;
          FillRun(to + at, std::min(n, end * kBlock) - at, from);
        });
  });
}

Status IntegerValues(const Tensor& t, std::vector<int64_t>* out) {
  const bool known =
      VisitType<int32_t, int64_t, int16_t, int8_t, uint8_t, uint16_t, uint32_t,
                uint64_t>(t.dtype(), [&](auto tag) {
        // As wide as they are, or by loops that are polled piece by piece.
        const auto values = t.flat<decltype(tag)>();
        if constexpr (std::is_same_v<decltype(tag), int64_t>) {
          out->assign(values.begin(), values.end());
        } else {
          out->resize(values.size());
          constexpr size_t kPiece = size_t{1} << 20;
          for (size_t i = 0; i < values.size(); i += kPiece) {
            if (i > 0) PollInterrupt();
            const size_t n = std::min(kPiece, values.size() - i);
            std::copy_n(values.begin() + i, n, out->begin() + i);
          }
        }
      });
  if (known) return OkStatus();
  return InvalidArgument("Expected integers but got {}",
                         DataTypeString(t.dtype()));
}

Status IntegerValue(const Tensor& t, std::string_view what, int64_t* out) {
  if (t.num_elements() != 1) {
    return InvalidArgument("{} must be a scalar, but got shape {}", what,
                           t.shape().DebugString());
  }
  // Loops read their counters in this way, turn by turn.
  if (t.dtype() == DataType::kInt32) {
    *out = *t.data<int32_t>();
    return OkStatus();
  }
  std::vector<int64_t> values;
  GK_RETURN_IF_ERROR(IntegerValues(t, &values));
  *out = values[0];
  return OkStatus();
}

std::string PositionString(const TensorShape& shape, int64_t flat) {
  if (shape.rank() == 0) return "";
  std::vector<int64_t> at(shape.rank());
  for (int i = shape.rank() - 1; i >= 0; --i) {
    at[i] = flat % shape.dim(i);
    flat /= shape.dim(i);
  }
  return Format("[{}]", JoinText(at, ","));
}

StatusOr<Tensor> IntegerTensor(DataType dtype, std::span<const int64_t> values,
                               const TensorShape& shape) {
  GK_ASSIGN_OR_RETURN(Tensor t, Tensor::Allocate(dtype, shape));
  if (dtype == DataType::kInt64) {
    std::copy(values.begin(), values.end(), t.data<int64_t>());
    return t;
  }
  if (dtype != DataType::kInt32) {
    return Internal("IntegerTensor of type {}", DataTypeString(dtype));
  }
  int32_t* const to = t.data<int32_t>();
  bool fits = true;
  for (size_t i = 0; i < values.size(); ++i) {
    to[i] = static_cast<int32_t>(values[i]);
    fits &= to[i] == values[i];
  }
  for (size_t i = 0; !fits && i < values.size(); ++i) {
    if (to[i] == values[i]) continue;
    return InvalidArgument(
        "{} is out of range for an int32; where the op takes int64, ask for "
        "that",
        values[i]);
  }
  return t;
}

Tensor IntegerConstant(int64_t value, DataType dtype) {
  Tensor t = ValueOrThrow(IntegerTensor(dtype, {&value, 1}, TensorShape()));
  return ValueOrThrow(OpBuilder::Current()->Constant(t, "Const"));
}

Tensor IntegerVector(std::span<const int64_t> values, DataType dtype) {
  const TensorShape shape({static_cast<int64_t>(values.size())});
  Tensor t = ValueOrThrow(IntegerTensor(dtype, values, shape));
  return ValueOrThrow(OpBuilder::Current()->Constant(t, "Const"));
}

Tensor ShapeTensor(const Tensor& x, DataType dtype) {
  return ops::Shape(x, dtype);
}

Tensor KnownValue(const Tensor& t) {
  if (!t.is_symbolic()) return t;
  const SymbolicTensor* s = SymbolicTensor::Of(t);
  return s->node()->output(s->index()).value;
}

Tensor CastTo(const Tensor& x, DataType dtype) {
  if (x.dtype() == dtype) return x;
  return ops::Cast(x, dtype);
}

}  // namespace gk
