// Sessions: run parts of a graph again and again, with variables of their own.
//
//   gk::Graph graph;
//   const auto inside = graph.as_default();
//   gk::Tensor x = gk::placeholder(gk::DataType::kFloat, {2}, "x");
//   gk::Variable w(gk::Tensor(2.0f));
//   gk::Tensor y = x * w.value();
//   gk::Session session(graph);
//   session.run({}, {}, {w.initializer()});
//   gk::Tensor value = session.run({y}, {{x, gk::Tensor({1.0f, 2.0f})}})[0];
#ifndef GRAPHKILN_SESSION_H_
#define GRAPHKILN_SESSION_H_

#include <graphkiln/graph.h>

#include <chrono>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace gk {
GK_API_NAMESPACE {

// What else is wanted of a run.
struct SessionRunOptions {
  bool trace = false;  // which ops ran, when, for how long, on which thread
  bool output_partition_graphs = false;  // what ran, behind all rewritings
  // Throws Error (DeadlineExceeded) if it takes longer.
  std::optional<std::chrono::steady_clock::time_point> deadline = {};
};

// Copies are the same session. Threads may run it at the same time.
class GK_EXPORT Session {
 public:
  // Keeps the graph, which may grow meanwhile.
  explicit Session(const Graph& graph);

  // The values of `fetches`, tensors of the graph. What they and `runs` need
  // runs, nothing else, in the order that the edges give; `feeds` are pairs
  // of a tensor of the graph and its value for this run. Throws Error
  // (kInvalidArgument) if a placeholder is needed that is not fed, and if the
  // session is closed.
  std::vector<Tensor> run(
      const std::vector<Tensor>& fetches,
      const std::vector<std::pair<Tensor, Tensor>>& feeds = {},
      const std::vector<Operation>& runs = {}) const;
  // The same; `run_metadata` becomes a serialized RunMetadata of what
  // `options` ask for. A trace is empty where a profile is being made.
  std::vector<Tensor> run(
      const std::vector<Tensor>& fetches,
      const std::vector<std::pair<Tensor, Tensor>>& feeds,
      const std::vector<Operation>& runs, const SessionRunOptions& options,
      std::string* run_metadata) const;
  // Begins a run in steps, which may feed and fetch these tensors; its handle.
  // Operations in `runs` run in the first step that can run them.
  std::string partial_run_setup(const std::vector<Tensor>& fetches,
                                const std::vector<Tensor>& feeds = {},
                                const std::vector<Operation>& runs = {}) const;
  // A step of it. Each operation runs once, in the first step that needs it.
  // Throws Error (kInvalidArgument) for what was not declared, fed or fetched
  // twice, or needs what no step has fed yet; that ends it, as does the step
  // that feeds and fetches what is left.
  std::vector<Tensor> partial_run(
      const std::string& handle, const std::vector<Tensor>& fetches,
      const std::vector<std::pair<Tensor, Tensor>>& feeds = {}) const;
  // Drops the values of its variables; nothing runs any more. What other
  // threads run ends with Error (Cancelled).
  void close() const;
  Graph graph() const;

 private:
  struct Rep;
  std::shared_ptr<Rep> rep_;
};

}  // GK_API_NAMESPACE
}  // namespace gk

#endif  // GRAPHKILN_SESSION_H_
