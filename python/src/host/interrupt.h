// Ctrl-C while something lasts: Python's signal handlers run, and what they
// raise (KeyboardInterrupt) ends it and reaches the caller.
#ifndef GK_PYTHON_INTERRUPT_H_
#define GK_PYTHON_INTERRUPT_H_

namespace gk::py {

// Before what lasts looks after signals. False with an exception set.
bool NoteMainThread();

}  // namespace gk::py

#endif  // GK_PYTHON_INTERRUPT_H_
