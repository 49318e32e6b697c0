// IsForeignBuffer: memory that another library gave, see NewForeignBuffer.
#ifndef GK_FRAMEWORK_FOREIGN_BUFFER_H_
#define GK_FRAMEWORK_FOREIGN_BUFFER_H_

#include "framework/allocator.h"

namespace gk {

// Does the memory belong to somebody else, who may look at it any time?
bool IsForeignBuffer(const Buffer& buffer);

}  // namespace gk

#endif  // GK_FRAMEWORK_FOREIGN_BUFFER_H_
