// What the ops on quantized numbers have in common.
#ifndef GK_OPS_QUANTIZE_QUANTIZED_CALL_H_
#define GK_OPS_QUANTIZE_QUANTIZED_CALL_H_

#include <cstdint>
#include <string_view>

#include "base/thread_pool.h"
#include "framework/inference_context.h"
#include "framework/kernel_context.h"

namespace gk {

#define GK_QUANTIZED_TYPES "[qint8, quint8, qint32, qint16, quint16]"

// Calls fn(T()) with the integers that hold numbers of a quantized type.
template <class Fn>
bool VisitQuantized(DataType t, Fn&& fn) {
  switch (t) {
    case DataType::kQint8:
      fn(int8_t());
      return true;
    case DataType::kQuint8:
      fn(uint8_t());
      return true;
    case DataType::kQint16:
      fn(int16_t());
      return true;
    case DataType::kQuint16:
      fn(uint16_t());
      return true;
    case DataType::kQint32:
      fn(int32_t());
      return true;
    default:
      return false;
  }
}

// The levels of a quantized tensor.
template <class T>
const T* LevelsOf(const Tensor& t) {
  return static_cast<const T*>(t.raw_data());
}
template <class T>
T* LevelsOf(Tensor* t) {
  return static_cast<T*>(t->raw_data());
}

// Calls fn(i) for all i below n, perhaps at once.
template <class Fn>
void ForEach(int64_t n, int64_t cost_ns, Fn&& fn) {
  ThreadPool::Global().ParallelRange(n, cost_ns,
                                     [&](int64_t begin, int64_t end) {
                                       for (int64_t i = begin; i < end; ++i) {
                                         fn(i);
                                       }
                                     });
}

// The number in input i; InvalidArgument unless there is one element.
Status OneFloat(const KernelContext& c, int i, std::string_view name,
                float* value);
// The same of inputs i and i + 1, the ends of a range.
struct FloatRange {
  float min = 0, max = 0;
};
Status RangeAt(const KernelContext& c, int i, std::string_view of,
               FloatRange* range);
// Outputs i and i + 1 are scalars, these.
Status SetRange(KernelContext& c, int i, float min, float max);

// Inputs from i on are scalars.
Status ScalarsFrom(InferenceContext& c, int i);
// Output 0 has the shape of input 0, all others are scalars; so are the inputs
// from 1 on.
Status SameAndScalars(InferenceContext& c);
// Outputs from 1 on are scalars.
void SetScalarOutputs(InferenceContext& c);

}  // namespace gk

#endif  // GK_OPS_QUANTIZE_QUANTIZED_CALL_H_
