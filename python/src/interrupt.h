// Ctrl-C while a graph loops: Python's signal handlers run, and what they
// raise (KeyboardInterrupt) ends the loop and reaches the caller.
#ifndef GK_PYTHON_INTERRUPT_H_
#define GK_PYTHON_INTERRUPT_H_

namespace gk::py {

// From now on loops that last look after signals.
void InstallInterruptCheck();

}  // namespace gk::py

#endif  // GK_PYTHON_INTERRUPT_H_
