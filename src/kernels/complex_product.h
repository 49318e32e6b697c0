// Products and conjugates of numbers that may be complex.
#ifndef GK_KERNELS_COMPLEX_PRODUCT_H_
#define GK_KERNELS_COMPLEX_PRODUCT_H_

#include <complex>

namespace gk {

template <class R>
R Conj(R x) {
  return x;
}
template <class R>
std::complex<R> Conj(const std::complex<R>& x) {
  return {x.real(), -x.imag()};
}

template <class R>
R Times(R x, R y) {
  return x * y;
}
// Without the check for infinities that the standard's product makes.
template <class R>
std::complex<R> Times(const std::complex<R>& x, const std::complex<R>& y) {
  return {x.real() * y.real() - x.imag() * y.imag(),
          x.real() * y.imag() + x.imag() * y.real()};
}

}  // namespace gk

#endif  // GK_KERNELS_COMPLEX_PRODUCT_H_
