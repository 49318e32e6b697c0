// What iterators of datasets need of the runtime: data/run_hooks.h.
#ifndef GK_RUNTIME_ITERATION_HOOKS_H_
#define GK_RUNTIME_ITERATION_HOOKS_H_

namespace gk {

// Supplies the hooks: iterators hand on where a function failed on another
// thread, are interrupted like loops, and begin random streams anew. Called
// once at start.
void InstallIterationHooks();

}  // namespace gk

#endif  // GK_RUNTIME_ITERATION_HOOKS_H_
