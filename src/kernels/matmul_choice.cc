#include "kernels/matmul.h"

#include <tuple>
#include <utility>

#include "base/per_thread.h"
#include "kernels/gemm_block.h"
#include "kernels/isa.h"
#include "kernels/matmul_impl.h"
#include "kernels/recent_cache.h"

namespace gk {
namespace {

using matmul_internal::Created;

bool IsComplex(ElementType type) { return type >= ElementType::kComplex64; }
bool IsNarrow(ElementType type) {
  return type == ElementType::kHalf || type == ElementType::kBFloat16;
}

Status Check(const MatMulDesc& d) {
  for (int64_t size : {d.m, d.k, d.n, d.batch, d.batch_a, d.batch_b}) {
    if (size < 0) return InvalidArgument("negative matrix product size");
  }
  // Scratch of complex products is four times an operand.
  for (auto [count, rows, columns] :
       {std::tuple{d.batch_a, d.m, d.k}, std::tuple{d.batch_b, d.k, d.n},
        std::tuple{d.batch, d.m, d.n}}) {
    int64_t bytes = 8 * ElementSize(d.type);
    for (int64_t factor : {count, rows, columns}) {
      if (__builtin_mul_overflow(bytes, factor, &bytes)) {
        return InvalidArgument("matrix product size overflows");
      }
    }
  }
  if (d.relu && IsComplex(d.type)) {
    return InvalidArgument("relu of a complex product");
  }
  return OkStatus();
}

// Where oneDNN's better inner loops pay for its packing and dispatch.
bool PreferDnnl(const MatMulDesc& d) {
  if (d.type != ElementType::kFloat) return false;
  if (d.m < 8 || d.n < 16 || d.k < 16) return false;
  return d.m * d.n > 32 * 32 && d.k * d.n > 32 * 32;
}

template <class T>
struct BiasReluBody {
  GK_INLINE static void Run(const void* bias, void* data, int64_t rows,
                            int64_t columns, int64_t row_stride, bool relu) {
    const T* add = static_cast<const T*>(bias);
    for (int64_t i = 0; i < rows; ++i) {
      T* c = static_cast<T*>(data) + i * row_stride;
      if (add != nullptr) {
        for (int64_t j = 0; j < columns; ++j) c[j] = c[j] + add[j];
      }
      if (!relu) continue;
      // NaN passes through, as it does in a separate relu.
      for (int64_t j = 0; j < columns; ++j) c[j] = c[j] < T(0) ? T(0) : c[j];
    }
  }
};

template <class T>
void BiasReluOf(const void* bias, void* c, int64_t rows, int64_t columns,
                int64_t row_stride, bool relu) {
  Stamp<BiasReluBody<T>, void(const void*, void*, int64_t, int64_t, int64_t,
                              bool)>::Best()(bias, c, rows, columns,
                                             row_stride, relu);
}

struct DescHash {
  size_t operator()(const MatMulDesc& d) const {
    uint64_t h = static_cast<uint64_t>(d.type) * 2 + d.transpose_a;
    h = h * 2 + d.transpose_b;
    h = h * 4 + d.conjugate_a * 2 + d.conjugate_b;
    h = h * 8 + d.bias * 4 + d.relu * 2 + d.accumulate;
    for (int64_t v : {d.m, d.k, d.n, d.batch, d.batch_a, d.batch_b}) {
      h = (h ^ static_cast<uint64_t>(v)) * 0x9e3779b97f4a7c15u;
      h ^= h >> 29;
    }
    return h;
  }
};

}  // namespace

namespace matmul_internal {

void BiasRelu(const MatMulDesc& desc, const void* bias, void* c, int64_t rows,
              int64_t columns) {
  switch (desc.type) {
#define GK_CASE(Name, Type)                                               \
  case ElementType::k##Name:                                              \
    return BiasReluOf<Type>(bias, c, rows, columns, desc.n, desc.relu);
    GK_CASE(Float, float)
    GK_CASE(Double, double)
    GK_CASE(UInt8, uint8_t)
    GK_CASE(UInt16, uint16_t)
    GK_CASE(UInt32, uint32_t)
    GK_CASE(UInt64, uint64_t)
    GK_CASE(Int8, int8_t)
    GK_CASE(Int16, int16_t)
#undef GK_CASE
    // Signed addition wraps; only the comparison with zero needs the sign.
    case ElementType::kInt32:
      if (bias) BiasReluOf<uint32_t>(bias, c, rows, columns, desc.n, false);
      return BiasReluOf<int32_t>(nullptr, c, rows, columns, desc.n, desc.relu);
    case ElementType::kInt64:
      if (bias) BiasReluOf<uint64_t>(bias, c, rows, columns, desc.n, false);
      return BiasReluOf<int64_t>(nullptr, c, rows, columns, desc.n, desc.relu);
    default:
      return;  // Narrow and complex products finish in their own files.
  }
}

}  // namespace matmul_internal

StatusOr<std::shared_ptr<MatMul>> MatMul::Create(const MatMulDesc& desc) {
  GK_RETURN_IF_ERROR(Check(desc));
  if (IsComplex(desc.type)) return matmul_internal::CreateComplex(desc);
  if (IsNarrow(desc.type)) return matmul_internal::CreateNarrow(desc);
  if (PreferDnnl(desc)) {
    Created made = matmul_internal::CreateDnnl(desc);
    if (made.ok() || made.status().code() != Code::kUnimplemented) return made;
  }
  return matmul_internal::CreateTiled(desc);
}

StatusOr<std::shared_ptr<MatMul>> GetMatMul(const MatMulDesc& desc) {
  struct Last {
    std::shared_ptr<MatMul> value;
  };
  std::shared_ptr<MatMul>& last = PerThread<Last, Last>::Get().value;
  if (last != nullptr && last->desc() == desc) return last;
  static auto* cache = new RecentCache<MatMul, MatMulDesc, DescHash>;
  Created found = cache->Get(desc, MatMul::Create);
  if (found.ok()) last = *found;
  return found;
}

}  // namespace gk
