// GraphSession: runs parts of a graph that was made for its own sake, again
// and again, with variables and other state of its own.
//
// Thread-safe; runs may overlap. The first run of a pair of feeds and fetches
// makes a function of that part, later ones call it.
#ifndef GK_FUNCTION_GRAPH_SESSION_H_
#define GK_FUNCTION_GRAPH_SESSION_H_

#include <map>
#include <span>
#include <string>
#include <vector>

#include "base/run_limit.h"
#include "function/concrete_function.h"
#include "function/graph_part.h"
#include "function/partial_run.h"
#include "ops/queue/session_tensors.h"

namespace gk {

class GraphSession {
 public:
  explicit GraphSession(Ref<FuncGraph> graph);
  ~GraphSession();
  GraphSession(const GraphSession&) = delete;

  // The values of the fetches, null for nodes, which run. `values` stand for
  // the feeds. InvalidArgument if a placeholder is needed that is not fed,
  // Cancelled if the session is closed meanwhile, DeadlineExceeded behind
  // `deadline`.
  StatusOr<TensorVector> Run(
      std::span<const Output> feeds, std::span<const Tensor> values,
      std::span<const ImportedElement> fetches,
      RunLimit::Clock::time_point deadline = RunLimit::kNever);
  // Begins a run in steps, that may feed and fetch these; the handle of it.
  StatusOr<std::string> SetUpPartialRun(
      std::span<const Output> feeds, std::span<const ImportedElement> fetches);
  // A step of it (function/partial_run.h). The last one ends it, and one that
  // fails.
  StatusOr<TensorVector> StepOfPartialRun(
      const std::string& handle, std::span<const Output> feeds,
      std::span<const Tensor> values, std::span<const ImportedElement> fetches);
  // The tensors that its runs keep for later ones.
  StatusOr<Ref<SessionTensors>> tensors() const {
    return SessionTensors::Of(container_);
  }
  // What runs then: a function of the feeds.
  StatusOr<Ref<ConcreteFunction>> PartOf(
      std::span<const Output> feeds, std::span<const ImportedElement> fetches);
  // Drops the functions, and the values of the session's variables; ends what
  // runs.
  void Close();

 private:
  const Ref<FuncGraph> graph_;
  // Where its resources are found by name.
  const std::string container_;
  CancellationToken closed_;
  // By the names of feeds and fetches.
  std::map<std::string, Ref<ConcreteFunction>> parts_;
  int64_t next_partial_run_ = 0;
  std::map<std::string, PartialRun> partial_runs_;
};

}  // namespace gk

#endif  // GK_FUNCTION_GRAPH_SESSION_H_
