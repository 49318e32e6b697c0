#include "interrupt.h"

#include "errors.h"
#include "runtime/loop_poll.h"

namespace gk::py {
namespace {

// Handlers run on the main thread alone; asked elsewhere, Python does nothing.
// A thread of our own could wait for the GIL of one that waits for it: those
// that Python does not know are left out.
Status RunSignalHandlers() {
  if (!Py_IsInitialized() || PyGILState_GetThisThreadState() == nullptr) {
    return OkStatus();
  }
  if (PyGILState_Check()) {
    // A loop that kept the GIL lets others have it now and then.
    Py_BEGIN_ALLOW_THREADS Py_END_ALLOW_THREADS return PyErr_CheckSignals() == 0
        ? OkStatus()
        : PythonError();
  }
  const PyGILState_STATE gil = PyGILState_Ensure();
  const bool raised = PyErr_CheckSignals() != 0;
  PyGILState_Release(gil);
  return raised ? PythonError() : OkStatus();
}

}  // namespace

void InstallInterruptCheck() { SetInterruptCheck(RunSignalHandlers); }

}  // namespace gk::py
