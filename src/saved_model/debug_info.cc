#include "saved_model/debug_info.h"

#include <map>
#include <tuple>

#include "base/format.h"
#include "framework/graph.h"

namespace gk {
namespace {

// Numbers files, frames and traces as they come, each once.
class DebugInfo {
 public:
  explicit DebugInfo(const FramesOfSource& frames) : frames_(frames) {}

  void Add(const std::string& function, const Graph& graph) {
    for (const auto& node : graph.nodes()) {
      const uint64_t trace = TraceOf(node->source());
      if (trace == 0) continue;
      message_.name_to_trace_id[Format("{}@{}", node->name(), function)] =
          trace;
    }
  }
  proto::GraphDebugInfo Take() { return std::move(message_); }

 private:
  uint64_t TraceOf(SourceId source) {
    if (source == 0) return 0;
    const auto [known, is_new] = traces_.try_emplace(source, 0);
    if (!is_new) return known->second;
    proto::GraphDebugInfo::StackTrace trace;
    for (const SourceFrame& frame : frames_(source)) {
      trace.frame_id.push_back(FrameOf(frame));
    }
    if (trace.frame_id.empty()) return 0;
    const uint64_t id = message_.traces_by_id.size() + 1;
    message_.traces_by_id[id] = std::move(trace);
    known->second = id;
    return id;
  }

  uint64_t FrameOf(const SourceFrame& frame) {
    const auto [known, is_new] = ids_.try_emplace(
        {frame.file, frame.line, frame.function}, ids_.size() + 1);
    if (!is_new) return known->second;
    const auto [file, is_new_file] =
        files_.try_emplace(frame.file, static_cast<int>(files_.size()));
    if (is_new_file) message_.files.push_back(frame.file);
    proto::GraphDebugInfo::FileLineCol& made =
        message_.frames_by_id[known->second];
    made.file_index = file->second;
    made.line = frame.line;
    made.func = frame.function;
    return known->second;
  }

  const FramesOfSource& frames_;
  proto::GraphDebugInfo message_;
  std::map<SourceId, uint64_t> traces_;
  std::map<std::tuple<std::string, int, std::string>, uint64_t> ids_;
  std::map<std::string, int> files_;
};

}  // namespace

proto::GraphDebugInfo DebugInfoOf(const SavedObjects::Names& functions,
                                  const FramesOfSource& frames) {
  // In the order of the names, so that the same model is the same file.
  std::map<std::string, const GraphFunction*> ordered;
  for (const auto& [function, name] : functions) ordered[name] = function;
  DebugInfo info(frames);
  for (const auto& [name, function] : ordered) {
    info.Add(name, function->graph());
  }
  return info.Take();
}

}  // namespace gk
