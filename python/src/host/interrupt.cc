#include "python/src/host/interrupt.h"

#include <pthread.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <atomic>

#include "python/src/binding/errors.h"
#include "python/src/binding/gil.h"
#include "python/src/host/python_language.h"

namespace gk::py {
namespace {

// Python's main thread, which alone runs signal handlers.
std::atomic<pthread_t> main_thread;

// What the handlers run has no business with an exception on its way.
bool HandlersRaise() { return !PyErr_Occurred() && PyErr_CheckSignals() != 0; }

}  // namespace

Status PythonLanguage::CheckInterrupt() {
  if (!Py_IsInitialized() || PyGILState_GetThisThreadState() == nullptr) {
    return OkStatus();
  }
  const bool has_gil = HasGil();
  if (has_gil) {
    // A loop that kept the GIL lets others have it now and then.
    Py_BEGIN_ALLOW_THREADS Py_END_ALLOW_THREADS
  }
  if (!pthread_equal(pthread_self(), main_thread.load())) return OkStatus();
  if (has_gil) {
    const LargeWorkListener::Scope quiet(nullptr);
    return HandlersRaise() ? PythonError() : OkStatus();
  }
  const ScopedGil gil;
  return HandlersRaise() ? PythonError() : OkStatus();
}

void PythonLanguage::WaitBlocking(FunctionRef<void()> wait) {
  const GilRelease unlocked(HasGil());
  wait();
}

bool NoteMainThread() {
  // The thread that forks is the child's main thread.
  pthread_atfork(nullptr, nullptr, [] { main_thread = pthread_self(); });
  // Python's main thread is nearly always the process's; only where another
  // one imports us is its name worth a module of Python's.
  if (syscall(SYS_gettid) == getpid()) {
    main_thread = pthread_self();
    return true;
  }
  PyRef threading = PyRef::Steal(PyImport_ImportModule("threading"));
  PyRef thread = PyRef::Steal(
      threading ? PyObject_CallMethod(threading.get(), "main_thread", nullptr)
                : nullptr);
  PyRef ident = PyRef::Steal(
      thread ? PyObject_GetAttrString(thread.get(), "ident") : nullptr);
  if (!ident) return false;
  const unsigned long id = PyLong_AsUnsignedLong(ident.get());
  if (PyErr_Occurred()) return false;
  main_thread = static_cast<pthread_t>(id);
  return true;
}

}  // namespace gk::py
