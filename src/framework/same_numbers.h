// Comparison of elements to the bit, for checks that compute them twice.
#ifndef GK_FRAMEWORK_SAME_NUMBERS_H_
#define GK_FRAMEWORK_SAME_NUMBERS_H_

#include <cstdint>

#include "framework/types.h"

namespace gk {

// Are `n` elements of plain bytes the same to the bit? NaNs are all one: which
// of two an operation passes on is not said.
bool SameNumbers(DataType dtype, const void* a, const void* b, int64_t n);

}  // namespace gk

#endif  // GK_FRAMEWORK_SAME_NUMBERS_H_
