// Random tensors.
//
// With a seed set, a program draws the same numbers each time it runs; a
// traced function draws new ones at each call. Thread-safe.
#ifndef GRAPHKILN_RANDOM_H_
#define GRAPHKILN_RANDOM_H_

#include <cstdint>

#include <graphkiln/tensor.h>

namespace gk {
GK_API_NAMESPACE {
namespace random {

GK_EXPORT void set_seed(int64_t seed);

// Of kHalf, kBfloat16, kFloat or kDouble, in [low, high).
GK_EXPORT Tensor uniform(const Shape& shape, double low = 0, double high = 1,
                         DataType dtype = DataType::kFloat);
GK_EXPORT Tensor normal(const Shape& shape, double mean = 0, double stddev = 1,
                        DataType dtype = DataType::kFloat);
// Of kInt32 or kInt64, in [low, high).
GK_EXPORT Tensor uniform_int(const Shape& shape, int64_t low, int64_t high,
                             DataType dtype = DataType::kInt32);
GK_EXPORT Tensor shuffle(const Tensor& rows);

}  // namespace random
}  // GK_API_NAMESPACE
}  // namespace gk

#endif  // GRAPHKILN_RANDOM_H_
