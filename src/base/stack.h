// How much is left of a thread's stack: for recursion that input can make as
// deep as it likes (functions that call functions, tracing, gradients).
#ifndef GK_BASE_STACK_H_
#define GK_BASE_STACK_H_

namespace gk {

// May the thread that asks recurse once more? False near the end of its stack,
// with room left for telling about it. A few nanoseconds, whatever the size of
// the stack is.
bool HasStackLeft();

}  // namespace gk

#endif  // GK_BASE_STACK_H_
