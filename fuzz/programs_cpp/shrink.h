// Makes a failing program smaller.
#ifndef GK_FUZZ_PROGRAMS_CPP_SHRINK_H_
#define GK_FUZZ_PROGRAMS_CPP_SHRINK_H_

#include <functional>

#include "program.h"

namespace fuzz {

// The smallest program found that `fails`.
Program Shrink(Program program,
               const std::function<bool(const Program&)>& fails);

}  // namespace fuzz

#endif  // GK_FUZZ_PROGRAMS_CPP_SHRINK_H_
