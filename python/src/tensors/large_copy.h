// Copies between NumPy's memory and tensors'.
#ifndef GK_PYTHON_LARGE_COPY_H_
#define GK_PYTHON_LARGE_COPY_H_

#include <cstddef>

#include "base/status.h"

namespace gk::py {

// As memcpy, with the GIL held. A large copy gives it up and looks after
// signals. Both memories are held by the caller.
Status CopyBytes(void* to, const void* from, size_t bytes);

}  // namespace gk::py

#endif  // GK_PYTHON_LARGE_COPY_H_
