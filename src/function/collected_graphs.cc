#include "function/collected_graphs.h"

#include <algorithm>
#include <mutex>
#include <utility>
#include <vector>

#include "base/process_mutex.h"
#include "function/optimized_graph.h"
#include "graph/graph_def.h"
#include "proto/config.gk.h"

namespace gk {
namespace {

using CollectedFunctions = std::vector<Ref<const GraphFunction>>;

struct CollectedNow {
  ProcessMutex mutex;
  CollectedFunctions functions;
};

CollectedNow& AllCollected() {
  static auto* const all = new CollectedNow;
  return *all;
}

// CollectedFunctions are destroyed without the lock.
CollectedFunctions ExchangeCollected(CollectedFunctions with) {
  const std::lock_guard lock(AllCollected().mutex);
  return std::exchange(AllCollected().functions, std::move(with));
}

}  // namespace

void CollectedGraphs::Start() {
  ExchangeCollected({});
  collecting_ = true;
}

void CollectedGraphs::Stop() {
  collecting_ = false;
  ExchangeCollected({});
}

void CollectedGraphs::Note(const GraphFunction& function) {
  const std::lock_guard lock(AllCollected().mutex);
  CollectedFunctions& all = AllCollected().functions;
  const bool known = std::any_of(all.begin(), all.end(), [&](const auto& f) {
    return f.get() == &function;
  });
  if (!known) all.emplace_back(&function);
}

StatusOr<std::string> CollectedGraphs::RunMetadata() {
  CollectedFunctions functions;
  {
    const std::lock_guard lock(AllCollected().mutex);
    functions = AllCollected().functions;
  }
  proto::RunMetadata metadata;
  for (const auto& function : functions) {
    GraphDefOptions options;
    options.results = function->results();
    options.control_outputs = function->control_outputs();
    GK_ASSIGN_OR_RETURN(proto::GraphDef graph,
                        GraphToGraphDef(function->graph(), options));
    proto::RunMetadata::FunctionGraphs& made =
        metadata.function_graphs.emplace_back();
    made.pre_optimization_graph = std::move(graph);
    GK_ASSIGN_OR_RETURN(proto::GraphDef runs, OptimizedGraphDef(*function));
    made.partition_graphs.push_back(runs);
    made.post_optimization_graph = std::move(runs);
  }
  return metadata.Serialize();
}

}  // namespace gk
