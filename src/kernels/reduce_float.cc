#include "kernels/reduce_impl.h"

namespace gk {

GK_REDUCE(float);
GK_REDUCE(double);
GK_REDUCE(half);
GK_REDUCE(bfloat16);
GK_REDUCE(std::complex<float>);
GK_REDUCE(std::complex<double>);

}  // namespace gk
