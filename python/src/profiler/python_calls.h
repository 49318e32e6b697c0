// Calls of Python's functions as events of a profile.
#ifndef GK_PYTHON_PYTHON_CALLS_H_
#define GK_PYTHON_PYTHON_CALLS_H_

namespace gk::py {

// From now on, or no more: of this thread and, through the `threading` module,
// those that it starts later. Takes the place of a profiler of sys.setprofile.
// Costs about a microsecond a call while it is on. Needs the GIL; throws what
// Python raises.
void RecordPythonCalls(bool on);

}  // namespace gk::py

#endif  // GK_PYTHON_PYTHON_CALLS_H_
