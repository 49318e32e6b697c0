// What the check of passes needs of the runtime: see example_check.h.
#ifndef GK_RUNTIME_EXAMPLE_RUNNER_H_
#define GK_RUNTIME_EXAMPLE_RUNNER_H_

namespace gk {

// Supplies the ExampleRunner. Called once at start.
void InstallExampleRunner();

}  // namespace gk

#endif  // GK_RUNTIME_EXAMPLE_RUNNER_H_
