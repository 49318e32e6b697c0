#include "profiler/run_trace.h"

#include <string_view>
#include <utility>

#include "base/event_log.h"
#include "function/optimized_graph.h"
#include "profiler/told_event.h"
#include "proto/config.gk.h"
#include "runtime/plan_events.h"

namespace gk {
namespace {

constexpr char kDevice[] = "/job:localhost/replica:0/task:0/device:CPU:0";
constexpr int64_t kMicro = 1000;  // nanoseconds

const std::string* TextArgument(const EventFacts& facts,
                                std::string_view name) {
  for (const EventArgument& a : facts.arguments) {
    if (a.first == name) return std::get_if<std::string>(&a.second);
  }
  return nullptr;
}

proto::NodeExecStats StatsOf(const Recording& recording, const Event& event,
                             uint64_t thread) {
  proto::NodeExecStats stats;
  const int64_t start =
      recording.start_nanoseconds + event.start - recording.start;
  stats.all_start_nanos = start;
  stats.all_start_micros = start / kMicro;
  stats.scheduled_nanos = start;
  stats.scheduled_micros = start / kMicro;
  stats.thread_id = static_cast<uint32_t>(thread);
  return stats;
}

void SetLength(int64_t nanoseconds, proto::NodeExecStats* stats) {
  stats->op_end_rel_nanos = nanoseconds;
  stats->all_end_rel_nanos = nanoseconds;
  stats->op_end_rel_micros = nanoseconds / kMicro;
  stats->all_end_rel_micros = nanoseconds / kMicro;
}

proto::StepStats StepStatsOf(const Recording& recording) {
  EventTeller teller;
  proto::StepStats made;
  proto::DeviceStepStats& device = made.dev_stats.emplace_back();
  device.device = kDevice;
  for (const Recording::Thread& thread : recording.threads) {
    device.thread_names[static_cast<uint32_t>(thread.number)] = thread.name;
    for (const Event& event : thread.events) {
      const EventKind kind = event.type->kind();
      if (kind != EventKind::kOp && kind != EventKind::kInstruction) continue;
      const EventFacts& facts = teller.Of(event);
      proto::NodeExecStats stats = StatsOf(recording, event, thread.number);
      const size_t colon = facts.name.rfind(':');
      const std::string name = facts.name.substr(0, colon);
      const std::string op =
          colon == facts.name.npos ? "" : facts.name.substr(colon + 1);
      if (const std::string* all = TextArgument(facts, kFusedNodes)) {
        for (size_t at = 0; at < all->size();) {
          const size_t end = all->find(',', at);
          std::string one = all->substr(at, end - at);
          at = end == all->npos ? all->size() : end + 1;
          if (one == name) continue;
          proto::NodeExecStats& other = device.node_stats.emplace_back(stats);
          other.timeline_label = Format("{} = part of {}", one, name);
          other.node_name = std::move(one);
        }
      }
      SetLength(event.end - event.start, &stats);
      stats.timeline_label = Format("{} = {}{}", name, op, facts.shapes);
      stats.node_name = name;
      if (facts.made_bytes > 0) {
        proto::AllocatorMemoryUsed& memory = stats.memory.emplace_back();
        memory.allocator_name = "cpu";
        memory.total_bytes = static_cast<int64_t>(facts.made_bytes);
      }
      device.node_stats.push_back(std::move(stats));
    }
  }
  return made;
}

}  // namespace

RunTrace::RunTrace(const RunTraceOptions& options)
    : options_(options),
      records_(options.step_stats && EventLog::Start(EventLog::kOps).ok()) {}

RunTrace::~RunTrace() {
  if (records_) (void)EventLog::Stop();
}

StatusOr<std::string> RunTrace::End(const GraphFunction& function) {
  proto::RunMetadata metadata;
  if (std::exchange(records_, false)) {
    GK_ASSIGN_OR_RETURN(const Recording recording, EventLog::Stop());
    metadata.step_stats = StepStatsOf(recording);
  }
  if (options_.partition_graphs) {
    GK_ASSIGN_OR_RETURN(metadata.partition_graphs.emplace_back(),
                        OptimizedGraphDef(function));
  }
  return metadata.Serialize();
}

}  // namespace gk
