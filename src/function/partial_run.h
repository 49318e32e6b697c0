// PartialRun: one run of a part of a graph in several steps, each of which
// feeds and fetches some of what was declared.
//
// Each node runs in the first step that needs it, once; nodes that are declared
// to run do so in the first step that can run them. Not thread-safe.
#ifndef GK_FUNCTION_PARTIAL_RUN_H_
#define GK_FUNCTION_PARTIAL_RUN_H_

#include <map>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "function/graph_part.h"

namespace gk {

class PartialRun {
 public:
  // What its steps may feed and fetch. InvalidArgument if nothing is fetched.
  // `container`: of resources that name none.
  static StatusOr<PartialRun> Of(Ref<FuncGraph> graph, std::string container,
                                 std::span<const Output> feeds,
                                 std::span<const ImportedElement> fetches);

  // The values of the fetches, which are edges. InvalidArgument for what was
  // not declared or is asked twice, and if what was fed does not suffice.
  StatusOr<TensorVector> Step(std::span<const Output> feeds,
                              std::span<const Tensor> values,
                              std::span<const ImportedElement> fetches,
                              const CancellationToken* cancellation);
  // Was all fed and fetched?
  bool IsDone() const { return feeds_.empty() && fetches_.empty(); }

 private:
  using Edge = std::pair<Node*, int>;
  PartialRun(Ref<FuncGraph> graph, std::string container)
      : graph_(std::move(graph)), container_(std::move(container)) {}

  Status Check(std::span<const Output> feeds,
               std::span<const ImportedElement> fetches) const;
  // InvalidArgument if it needs what was declared and not fed yet.
  Status CheckFed(const ImportedElement& fetch) const;
  // What nodes that `part` runs make for later steps.
  std::vector<ImportedElement> NeededLater(const GraphPart& part) const;
  std::vector<Output> KeptEdges() const;

  Ref<FuncGraph> graph_;
  std::string container_;
  // Declared, and not asked for yet: false; else true.
  std::map<Edge, bool> fed_, fetched_;
  // Those that are left.
  std::vector<Edge> feeds_, fetches_;
  std::vector<Node*> targets_;
  std::vector<Node*> nodes_;  // all that may run
  std::vector<bool> done_;    // by the numbers of nodes
  // What was fed or made and is needed by later steps.
  std::map<Edge, Tensor> kept_;
};

}  // namespace gk

#endif  // GK_FUNCTION_PARTIAL_RUN_H_
