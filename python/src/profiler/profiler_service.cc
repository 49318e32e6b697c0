// Profiles for other processes, as messages: what the package's servers and
// clients send.
#include <nanobind/nanobind.h>

#include <exception>
#include <string>

#include "profiler/service.h"
#include "python/src/binding/gil.h"
#include "python/src/binding/text_caster.h"
#include "python/src/binding/throw_status.h"
#include "python/src/profiler/profiler.h"
#include "python/src/profiler/python_calls.h"

namespace nb = nanobind;

namespace gk::py {
namespace {

nb::bytes AsBytes(const std::string& message) {
  return nb::bytes(message.data(), message.size());
}
std::string_view ViewOf(const nb::bytes& message) {
  return {message.c_str(), message.size()};
}

nb::bytes Answer(const std::string& method, nb::bytes request,
                 nb::object goes_on) {
  std::exception_ptr raised;
  const auto ask = [&] {
    const nb::gil_scoped_acquire locked;
    try {
      return nb::cast<bool>(goes_on());
    } catch (...) {
      raised = std::current_exception();
      return false;
    }
  };
  StatusOr<std::string> answer = [&] {
    const GilRelease unlocked(true);
    return ProfilerService::Answer(method, ViewOf(request), ask);
  }();
  if (raised) std::rethrow_exception(raised);
  ThrowIfError(answer.status());
  return AsBytes(*answer);
}

void Init(RemoteProfile* self, const std::string& logdir, int64_t duration_ms,
          int64_t host_level, int64_t python_level, int64_t device_level,
          nb::object delay_ms) {
  ProfilerOptions options{host_level, python_level, device_level, {}};
  if (!delay_ms.is_none()) options.delay_ms = nb::cast<int64_t>(delay_ms);
  new (self) RemoteProfile{logdir, duration_ms, options, ProfileSessionNow()};
}

}  // namespace

void AddProfilerService(nb::module_& m) {
  m.def("_answer_profiler", Answer, nb::arg("method"), nb::arg("request"),
        nb::arg("goes_on"));
  nb::class_<RemoteProfile>(m, "_RemoteProfile")
      .def("__init__", Init, nb::arg("logdir"), nb::arg("duration_ms"),
           nb::arg("host_level"), nb::arg("python_level"),
           nb::arg("device_level"), nb::arg("delay_ms").none())
      .def(
          "request_to",
          [](const RemoteProfile& r, const std::string& host) {
            return AsBytes(r.RequestTo(host));
          },
          nb::arg("host"))
      .def(
          "keep",
          [](const RemoteProfile& r, const std::string& host, nb::bytes given) {
            StatusOr<bool> kept = r.Keep(host, ViewOf(given));
            ThrowIfError(kept.status());
            return *kept;
          },
          nb::arg("host"), nb::arg("response"));
  m.def(
      "_monitor_request",
      [](int64_t duration_ms, int64_t level) {
        return AsBytes(MonitorRequestOf(duration_ms, level));
      },
      nb::arg("duration_ms"), nb::arg("level"));
  m.def(
      "_monitor_text",
      [](nb::bytes response) {
        StatusOr<std::string> text = MonitorText(ViewOf(response));
        ThrowIfError(text.status());
        return *std::move(text);
      },
      nb::arg("response"));
}

}  // namespace gk::py
