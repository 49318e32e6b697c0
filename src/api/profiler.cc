#include "graphkiln/profiler.h"

#include "api/concrete_rep.h"
#include "api/inner.h"
#include "base/event_log.h"
#include "graphkiln/concrete_function.h"
#include "profiler/function_profile.h"
#include "profiler/memory_report.h"
#include "profiler/service.h"
#include "profiler/session.h"

namespace gk::api {
namespace profiler {

void start(const std::string& logdir, const ProfilerOptions& options) {
  Guarded([&] {
    ::gk::ProfilerOptions inner{options.host_tracer_level,
                                options.python_tracer_level,
                                options.device_tracer_level,
                                {}};
    if (options.delay_ms) inner.delay_ms = *options.delay_ms;
    ThrowIfError(Profiler::Start(logdir, inner));
  });
}

void stop(bool save) {
  Guarded([&] { ThrowIfError(Profiler::Stop(save)); });
}

std::string answer(const std::string& method, const std::string& request,
                   const std::function<bool()>& goes_on) {
  return Guarded([&] {
    return ValueOrThrow(ProfilerService::Answer(
        method, request, [&] { return goes_on(); }));
  });
}

Profile::Profile(const std::string& logdir, const ProfilerOptions& options) {
  start(logdir, options);
}
Profile::~Profile() {
  if (running_) Profiler::Stop(/*save=*/true).ok();
}
void Profile::stop() {
  running_ = false;
  gk::api::profiler::stop();
}

struct Trace::Rep {
  int64_t start = EventLog::Now();
  std::unique_ptr<NamedDetail> detail;
};

Trace::Trace(const std::string& name, const TraceMetadata& metadata) {
  if (!EventLog::On()) return;
  rep_ = std::make_unique<Rep>();
  rep_->detail = std::make_unique<NamedDetail>(name);
  for (const auto& [key, value] : metadata) set_metadata(key, value);
}
Trace::~Trace() {
  if (rep_ == nullptr) return;
  EventLog::Add(NamedEvents(EventKind::kAnnotation), rep_->start,
                EventLog::Now(), std::move(rep_->detail));
}
void Trace::set_metadata(const std::string& name, const TraceValue& value) {
  if (rep_ != nullptr) {
    rep_->detail->arguments.emplace_back(name, value.value());
  }
}

std::ostream& operator<<(std::ostream& out, const FunctionProfile& profile) {
  return out << profile.to_string();
}
std::ostream& operator<<(std::ostream& out, const MemoryReport& report) {
  return out << report.to_string();
}

namespace {

FunctionProfile Outer(::gk::FunctionProfile&& p) {
  FunctionProfile out{p.name,
                      p.runs,
                      p.seconds,
                      p.other_seconds,
                      p.tracing_seconds,
                      p.planning_seconds,
                      p.memory,
                      p.peak.flops,
                      p.peak.bandwidth,
                      {},
                      ProfileText(p),
                      ProfileHtml(p)};
  for (::gk::ProfileRow& r : p.rows) {
    out.rows.push_back({std::move(r.name), std::move(r.node), std::move(r.kind),
                        std::move(r.lines), std::move(r.function),
                        std::move(r.shapes), r.calls, r.seconds, r.share,
                        r.flops, r.bytes, r.memory, r.attained});
  }
  return out;
}

MemoryReport Outer(::gk::MemoryReport&& report) {
  MemoryReport out{report.name,
                   report.PeakBytes(),
                   {},
                   MemoryText(report),
                   MemoryHtml(report)};
  for (::gk::PlanMemory& p : report.plans) {
    PlanMemory plan{
        std::move(p.function),   p.num_instructions, p.peak_bytes,
        p.arena_bytes,           p.sum_bytes,        p.constant_bytes,
        p.argument_bytes,        p.peak_instruction, std::move(p.peak_name),
        std::move(p.peak_lines), p.unknown,          {}};
    for (::gk::MemoryBuffer& b : p.buffers) {
      plan.buffers.push_back({std::move(b.name), std::move(b.node),
                              std::move(b.lines), std::move(b.type),
                              std::move(b.place), b.bytes, b.first, b.last,
                              b.at_peak});
    }
    out.plans.push_back(std::move(plan));
  }
  return out;
}

}  // namespace
}  // namespace profiler

profiler::FunctionProfile detail::ProfileOfCall(
    const ConcreteFunction& traced, const std::function<void()>& call) {
  return Guarded([&] {
    return profiler::Outer(
        ValueOrThrow(ProfileCall(*traced.rep().function, [&] {
          call();
          return OkStatus();
        })));
  });
}

profiler::FunctionProfile ConcreteFunction::profile(
    const std::vector<TensorOrVariable>& inputs) const {
  return detail::ProfileOfCall(*this, [&] { Call(inputs); });
}

profiler::MemoryReport ConcreteFunction::memory_report() const {
  return Guarded([&] {
    return profiler::Outer(
        ValueOrThrow(ReportMemory(*rep_->function->function())));
  });
}

}  // namespace gk::api
