// GraphPart: what lies between some tensors of a graph and others, as a
// function of the former.
//
// Nothing but what is asked for runs, in the order that the edges give. What
// the part captures its copies capture, too.
#ifndef GK_FUNCTION_GRAPH_PART_H_
#define GK_FUNCTION_GRAPH_PART_H_

#include <span>
#include <string>
#include <vector>

#include "function/concrete_function.h"
#include "graph/import_graph_def.h"

namespace gk {

class GraphPart {
 public:
  // What becomes of a placeholder that is needed and not fed: an error, that a
  // part cannot be lifted out of the graph, or that a run must feed it; or, of
  // all but the function's arguments, a placeholder of the copy.
  enum class Unfed { kUnliftable, kMustBeFed, kCopied };

  // `fetches`: edges, or nodes that run. FailedPrecondition, or
  // InvalidArgument of runs, if one needs a placeholder that is not fed. What
  // is `done`, by the nodes' numbers, is not run again: what it made is fed.
  // The graph outlives this.
  static StatusOr<GraphPart> Between(const FuncGraph* graph,
                                     std::vector<Output> feeds,
                                     std::vector<ImportedElement> fetches,
                                     Unfed unfed = Unfed::kUnliftable,
                                     std::vector<bool> done = {});

  bool Needs(const Node& node) const { return needed_[node.id()]; }
  // What an argument is called that stands for a feed.
  std::string ArgumentName(size_t feed) const;
  // Copies the part into a graph, where `given` stand for the feeds. The
  // tensors that stand for the fetches, null for nodes. `container`: of
  // resources that name none.
  StatusOr<TensorVector> CopyInto(FuncGraph* to, std::span<const Tensor> given,
                                  const std::string& container = {}) const;
  // A function of the feeds that returns the edges among the fetches, a tuple
  // unless it is one.
  StatusOr<Ref<ConcreteFunction>> ToFunction(
      const std::string& name, const std::string& container = {}) const;

 private:
  GraphPart() = default;
  // Is it a placeholder that is fed? Then it does not run.
  bool IsFed(const Node& node) const;
  bool IsDone(const Node& node) const;

  const FuncGraph* graph_ = nullptr;
  std::vector<Output> feeds_;
  std::vector<ImportedElement> fetches_;
  std::vector<bool> done_;
  std::vector<bool> needed_;  // of each node
};

// A tensor of a function that is traced, as a copy in the graph around it that
// a session runs: all that it is computed from is copied.
// FailedPrecondition if it depends on an argument.
StatusOr<Tensor> CopyOut(const Tensor& tensor, FuncGraph* around);

}  // namespace gk

#endif  // GK_FUNCTION_GRAPH_PART_H_
