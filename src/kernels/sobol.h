// Points of Sobol sequences (Sobol 1967), in the order of Gray codes, from the
// direction numbers of Joe and Kuo ("Constructing Sobol sequences with better
// two-dimensional projections", 2008). Pure functions.
#ifndef GK_KERNELS_SOBOL_H_
#define GK_KERNELS_SOBOL_H_

#include <cstdint>
#include <vector>

namespace gk {

// Dimensions whose direction numbers are known here: all whose primitive
// polynomial has degree 13 at most.
inline constexpr int kSobolDimensions = 1111;
inline constexpr int kSobolBits = 31;

// [bit][dimension]: what a change of that bit of a point's Gray code changes,
// of numbers of kSobolBits bits. At most kSobolDimensions.
std::vector<uint32_t> SobolDirections(int dimensions);

// Points `first` to `first + count` of the sequence that begins with all
// halves: out[count][dimensions]. first + count < 2^31. T: float, double.
template <class T>
void SobolPoints(const std::vector<uint32_t>& directions, int dimensions,
                 int64_t first, int64_t count, T* out);

}  // namespace gk

#endif  // GK_KERNELS_SOBOL_H_
