#include "kernels/reduce_impl.h"

namespace gk {

GK_REDUCE(int8_t);
GK_REDUCE(int16_t);
GK_REDUCE(int32_t);
GK_REDUCE(int64_t);
GK_REDUCE(uint8_t);
GK_REDUCE(uint16_t);
GK_REDUCE(uint32_t);
GK_REDUCE(uint64_t);

void ReduceAll(const ReduceLayout& layout, const bool* in, bool* out,
               ThreadPool& pool) {
  using Op = reduce_internal::AllOp;
  reduce_internal::RunReduce<Op>(
      layout, reinterpret_cast<const uint8_t*>(in), pool,
      [out](int64_t i, uint8_t a) { out[i] = a != 0; });
}

void ReduceAny(const ReduceLayout& layout, const bool* in, bool* out,
               ThreadPool& pool) {
  using Op = reduce_internal::AnyOp;
  reduce_internal::RunReduce<Op>(
      layout, reinterpret_cast<const uint8_t*>(in), pool,
      [out](int64_t i, uint8_t a) { out[i] = a != 0; });
}

}  // namespace gk
