#include "python/src/profiler/profiler.h"

#include <memory>
#include <string>
#include <utility>

#include "base/event_log.h"
#include "profiler/session.h"
#include "python/src/binding/text_caster.h"
#include "python/src/binding/throw_status.h"
#include "python/src/profiler/python_calls.h"

namespace nb = nanobind;

namespace gk::py {
namespace {

// Numbers as numbers, all else as str() shows it.
EventArgument ArgumentOf(nb::handle name, nb::handle value) {
  std::string key = nb::cast<std::string>(nb::str(name));
  if (PyFloat_Check(value.ptr())) return {key, nb::cast<double>(value)};
  if (PyLong_Check(value.ptr())) {
    int overflow = 0;
    const int64_t number = PyLong_AsLongLongAndOverflow(value.ptr(), &overflow);
    if (overflow == 0) return {key, number};
  }
  return {key, nb::cast<std::string>(nb::str(value))};
}

// From where it is made to End().
class TraceEvent {
 public:
  TraceEvent(const std::string& name, nb::dict arguments)
      : detail_(std::make_unique<NamedDetail>(name)) {
    Add(arguments);
    start_ = EventLog::Now();
  }
  void Add(nb::dict arguments) {
    if (detail_ == nullptr) return;
    for (const auto& [name, value] : arguments) {
      detail_->arguments.push_back(ArgumentOf(name, value));
    }
  }
  void End() {
    if (detail_ == nullptr) return;
    EventLog::Add(NamedEvents(EventKind::kAnnotation), start_, EventLog::Now(),
                  std::move(detail_));
  }

 private:
  int64_t start_ = 0;
  std::unique_ptr<NamedDetail> detail_;
};

void Start(const std::string& logdir, int64_t host_level, int64_t python_level,
           int64_t device_level, nb::object delay_ms) {
  ProfilerOptions options{host_level, python_level, device_level, {}};
  if (!delay_ms.is_none()) options.delay_ms = nb::cast<int64_t>(delay_ms);
  ThrowIfError(Profiler::Start(logdir, options));
  if (python_level > 0) RecordPythonCalls(true);
}

void Stop(bool save) {
  RecordPythonCalls(false);
  ThrowIfError(Profiler::Stop(save));
}

}  // namespace

void AddProfiler(nb::module_& m) {
  m.def("_start_profiler", Start, nb::arg("logdir"), nb::arg("host_level"),
        nb::arg("python_level"), nb::arg("device_level"),
        nb::arg("delay_ms").none());
  m.def("_stop_profiler", Stop, nb::arg("save"));
  m.def("_is_profiling", [] { return EventLog::On(); });
  nb::class_<TraceEvent>(m, "_TraceEvent")
      .def(nb::init<const std::string&, nb::dict>(), nb::arg("name"),
           nb::arg("arguments"))
      .def("add", &TraceEvent::Add, nb::arg("arguments"))
      .def("end", &TraceEvent::End);
}

}  // namespace gk::py
