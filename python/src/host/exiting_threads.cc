// Threads that are in this module when the interpreter ends.
//
// Python ends a daemon thread that asks for the GIL once the interpreter is
// finalizing: pthread_exit() unwinds its stack. Unwound C++ frames would drop
// references without the GIL and end the process at the first destructor or
// noexcept function (std::terminate). Such a thread stays where it is instead,
// as threads do from Python 3.14 on, until the process is gone.
//
// All frames of this module ask the wrapper below what to do (the module is
// linked with --wrap), those of nanobind and the core too. It runs when a
// stack is unwound and costs nothing before.
#define PY_SSIZE_T_CLEAN
#include <Python.h>
#include <unistd.h>
#include <unwind.h>

#include <cstdint>

namespace {

bool InterpreterEnds() {
#if PY_VERSION_HEX >= 0x030D0000
  return Py_IsFinalizing() || !Py_IsInitialized();
#else
  return _Py_IsFinalizing() || !Py_IsInitialized();
#endif
}

}  // namespace

extern "C" {

_Unwind_Reason_Code __real___gxx_personality_v0(int version,
                                                _Unwind_Action actions,
                                                uint64_t exception_class,
                                                _Unwind_Exception* exception,
                                                _Unwind_Context* context);

_Unwind_Reason_Code __wrap___gxx_personality_v0(int version,
                                                _Unwind_Action actions,
                                                uint64_t exception_class,
                                                _Unwind_Exception* exception,
                                                _Unwind_Context* context) {
  if ((actions & _UA_FORCE_UNWIND) != 0 && InterpreterEnds()) {
    for (;;) pause();
  }
  return __real___gxx_personality_v0(version, actions, exception_class,
                                     exception, context);
}

}  // extern "C"
