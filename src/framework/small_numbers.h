// Numbers that nothing computes with: integers of two and four bits, floats of
// four bits, and the floats of eight that have one NaN in the place of -0. Each
// is a byte, the low bits of it; those above are 0.
#ifndef GK_FRAMEWORK_SMALL_NUMBERS_H_
#define GK_FRAMEWORK_SMALL_NUMBERS_H_

#include <cstdint>

#include "framework/types.h"

namespace gk {

bool IsSmallNumber(DataType t);
// The number that a byte of such a type stands for.
double SmallNumber(DataType t, uint8_t byte);
// The byte of its largest number, or of its smallest.
uint8_t SmallNumberLimit(DataType t, bool largest);

// Of integers of less than eight bits, so many; 0 of other types.
int SmallIntegerBits(DataType t);

}  // namespace gk

#endif  // GK_FRAMEWORK_SMALL_NUMBERS_H_
