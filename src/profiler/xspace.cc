#include "profiler/xspace.h"

#include <map>
#include <unordered_map>

#include "profiler/told_event.h"
#include "proto/xplane.gk.h"

namespace gk {
namespace {

constexpr int64_t kPicoseconds = 1000;  // a nanosecond

// Adds to a plane; names are numbered from 1.
class PlaneBuilder {
 public:
  explicit PlaneBuilder(std::string name) { plane_.name = std::move(name); }

  int64_t Stat(const std::string& name) {
    auto [found, fresh] =
        stats_.try_emplace(name, static_cast<int64_t>(stats_.size()) + 1);
    if (fresh) {
      proto::XStatMetadata& made = plane_.stat_metadata[found->second];
      made.id = found->second;
      made.name = name;
    }
    return found->second;
  }

  proto::XStat StatOf(const EventArgument& argument) {
    proto::XStat stat;
    stat.metadata_id = Stat(argument.first);
    if (const auto* i = std::get_if<int64_t>(&argument.second)) {
      stat.set_int64_value(*i);
    } else if (const auto* d = std::get_if<double>(&argument.second)) {
      stat.set_double_value(*d);
    } else {
      stat.set_ref_value(Stat(std::get<std::string>(argument.second)));
    }
    return stat;
  }

  // What all events of it share is said here.
  int64_t AddType(const EventFacts& facts,
                  const std::vector<EventArgument>& shared) {
    const int64_t id = ++types_;
    proto::XEventMetadata& made = plane_.event_metadata[id];
    made.id = id;
    made.name = facts.name;
    made.display_name = facts.display;
    for (const EventArgument& a : shared) made.stats.push_back(StatOf(a));
    return id;
  }

  proto::XPlane& plane() { return plane_; }

 private:
  proto::XPlane plane_;
  std::unordered_map<std::string, int64_t> stats_;
  int64_t types_ = 0;
};

std::string ThreadName(const Recording::Thread& thread) {
  return Format("{}/{}", thread.name.empty() ? "thread" : thread.name,
                thread.number);
}

proto::XPlane HostPlane(const Recording& recording) {
  PlaneBuilder builder("/host:CPU");
  EventTeller teller;
  std::unordered_map<const EventType*, int64_t> types;
  std::map<std::pair<std::string, std::string>, int64_t> named;
  for (const Recording::Thread& thread : recording.threads) {
    proto::XLine line;
    line.id = static_cast<int64_t>(thread.number);
    line.display_id = line.id;
    line.name = ThreadName(thread);
    line.display_name = line.name;
    line.timestamp_ns = recording.start_nanoseconds;
    line.duration_ps = (recording.stop - recording.start) * kPicoseconds;
    line.events.reserve(thread.events.size());
    for (const Event& event : thread.events) {
      proto::XEvent made;
      made.set_offset_ps((event.start - recording.start) * kPicoseconds);
      made.duration_ps = (event.end - event.start) * kPicoseconds;
      if (event.detail == nullptr) {
        int64_t& id = types[event.type];
        if (id == 0) {
          const EventFacts& facts = teller.Of(event);
          id = builder.AddType(facts, teller.Arguments(facts));
        }
        made.metadata_id = id;
      } else {
        const EventFacts& facts = teller.Of(event);
        int64_t& id = named[{facts.name, facts.display}];
        if (id == 0) id = builder.AddType(facts, {});
        made.metadata_id = id;
        for (const EventArgument& a : teller.Arguments(facts)) {
          made.stats.push_back(builder.StatOf(a));
        }
      }
      if (event.runs > 1) {
        made.stats.push_back(builder.StatOf({kRunsArgument, event.runs}));
      }
      line.events.push_back(std::move(made));
    }
    builder.plane().lines.push_back(std::move(line));
  }
  return std::move(builder.plane());
}

proto::XPlane EnvironmentPlane(const Recording& recording) {
  PlaneBuilder builder("Task Environment");
  const auto add = [&](const char* name, int64_t value) {
    proto::XStat stat;
    stat.metadata_id = builder.Stat(name);
    stat.set_uint64_value(static_cast<uint64_t>(value));
    builder.plane().stats.push_back(std::move(stat));
  };
  add("profile_start_time", recording.start_nanoseconds);
  add("profile_stop_time",
      recording.start_nanoseconds + recording.stop - recording.start);
  return std::move(builder.plane());
}

}  // namespace

std::string XSpaceOf(const Recording& recording, const std::string& host) {
  proto::XSpace space;
  space.planes.push_back(HostPlane(recording));
  space.planes.push_back(EnvironmentPlane(recording));
  space.hostnames.push_back(host);
  space.warnings = SampledFunctions(recording);
  if (recording.dropped > 0) {
    space.warnings.push_back(
        Format("{} events were dropped: the recording was too long.",
               recording.dropped));
  }
  return space.Serialize();
}

}  // namespace gk
