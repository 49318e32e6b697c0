// Memory of tensors that is not the pool's, but counts as if it were.
#ifndef GK_FRAMEWORK_CHARGED_MEMORY_H_
#define GK_FRAMEWORK_CHARGED_MEMORY_H_

#include <cstddef>

namespace gk {

// False if the system has no such amount.
bool PoolCharge(size_t bytes);
void PoolDischarge(size_t bytes);

}  // namespace gk

#endif  // GK_FRAMEWORK_CHARGED_MEMORY_H_
