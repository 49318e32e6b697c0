// How a kernel tells which part of its result is done, so that whoever reads
// it next can do so while the part lies in the cache.
#ifndef GK_KERNELS_PART_DONE_H_
#define GK_KERNELS_PART_DONE_H_

#include <cstdint>

#include "base/function_ref.h"

namespace gk {

// Elements [first, first + count) of the result are as they will stay, and the
// kernel looks at them no more. Called by any thread that works for it, once
// for each element, or for none of them.
using PartDone = FunctionRef<void(int64_t first, int64_t count)>;

}  // namespace gk

#endif  // GK_KERNELS_PART_DONE_H_
