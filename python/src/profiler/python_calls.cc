#include "python/src/profiler/python_calls.h"

#include <nanobind/nanobind.h>

#include <string_view>
#include <vector>

#include "base/event_log.h"
#include "base/format.h"
#include "base/per_thread.h"
#include "profiler/told_event.h"
#include "python/src/binding/py_ref.h"
#include "python/src/binding/words.h"

namespace nb = nanobind;

namespace gk::py {
namespace {

// When the calls that this thread is in began.
struct OpenCalls {
  std::vector<int64_t> starts;
};
OpenCalls& CallsHere() { return PerThread<OpenCalls, OpenCalls>::Get(); }

// "$model.py:12 train": TensorFlow's form.
std::unique_ptr<NamedDetail> NameOf(PyFrameObject* frame) {
  const PyRef code =
      PyRef::Steal(reinterpret_cast<PyObject*>(PyFrame_GetCode(frame)));
  auto* const c = reinterpret_cast<PyCodeObject*>(code.get());
  const char* const file = PyUnicode_AsUTF8(c->co_filename);
  const char* const name = PyUnicode_AsUTF8(c->co_qualname);
  PyErr_Clear();  // names that are no UTF-8 are shown as "?"
  return std::make_unique<NamedDetail>(
      Format("${}:{} {}", LastPart(file != nullptr ? file : "?"),
             c->co_firstlineno, name != nullptr ? name : "?"));
}

int OnCall(PyObject*, PyFrameObject* frame, int what, PyObject*) {
  if (!EventLog::On()) {
    CallsHere().starts.clear();
    PyEval_SetProfile(nullptr, nullptr);
    return 0;
  }
  std::vector<int64_t>& starts = CallsHere().starts;
  if (what == PyTrace_CALL) {
    starts.push_back(EventLog::Now());
  } else if (what == PyTrace_RETURN && !starts.empty()) {
    const int64_t start = starts.back();
    starts.pop_back();
    EventLog::Add(NamedEvents(EventKind::kAnnotation), start, EventLog::Now(),
                  NameOf(frame));
  }
  return 0;
}

// What `threading` calls first in a new thread.
void BeginHere(const nb::args&) {
  CallsHere().starts.clear();
  PyEval_SetProfile(OnCall, nullptr);
}

bool is_on = false;  // under the GIL

}  // namespace

void RecordPythonCalls(bool on) {
  if (on == is_on) return;
  is_on = on;
  CallsHere().starts.clear();
  PyEval_SetProfile(on ? OnCall : nullptr, nullptr);
  const nb::module_ threading = nb::module_::import_("threading");
  threading.attr("setprofile")(on ? nb::cpp_function(BeginHere)
                                  : nb::object(nb::none()));
}

}  // namespace gk::py
