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

namespace {

template <class Op>
void ReduceBools(const ReduceLayout& layout, const bool* in, bool* out,
                 ThreadPool& pool) {
  reduce_internal::RunReduce(
      reduce_internal::LoopsOf<Op>(), layout, in, pool,
      [out](int64_t first, int64_t n, const void* accumulators) {
        const auto* acc = static_cast<const uint8_t*>(accumulators);
        for (int64_t i = 0; i < n; ++i) out[first + i] = acc[i] != 0;
      });
}

}  // namespace

void ReduceAll(const ReduceLayout& layout, const bool* in, bool* out,
               ThreadPool& pool) {
  ReduceBools<reduce_internal::AllOp>(layout, in, out, pool);
}

void ReduceAny(const ReduceLayout& layout, const bool* in, bool* out,
               ThreadPool& pool) {
  ReduceBools<reduce_internal::AnyOp>(layout, in, out, pool);
}

}  // namespace gk
