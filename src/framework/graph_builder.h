// GraphBuilder: what builders of graphs know besides making ops. The layer that
// builds graphs implements it.
#ifndef GK_FRAMEWORK_GRAPH_BUILDER_H_
#define GK_FRAMEWORK_GRAPH_BUILDER_H_

#include <cstdint>
#include <optional>
#include <string>

#include "framework/graph.h"
#include "framework/op_builder.h"

namespace gk {

// The seeds of the random ops of a graph (ops/random/random_seeds.h).
struct GraphSeeds {
  std::optional<int64_t> graph;
  int64_t next = 0;  // of the next op that has none of its own
};

// Every OpBuilder that builds_graph() is one.
class GraphBuilder : public OpBuilder {
 public:
  // This thread's current builder; null if that is eager.
  static GraphBuilder* Current() {
    OpBuilder* const builder = OpBuilder::Current();
    return builder != nullptr && builder->builds_graph()
               ? static_cast<GraphBuilder*>(builder)
               : nullptr;
  }
  // Which builds, or built, the graph; null if it is gone.
  static GraphBuilder* Of(const Graph* graph) {
    return static_cast<GraphBuilder*>(graph->builder());
  }

  bool builds_graph() const final { return true; }

  virtual GraphSeeds& random_seeds() = 0;
  // The gradient of an op stands in a scope that is named as the one in which
  // `made`, by that op just now, was made.
  virtual std::string GradientScope(const Tensor& made) const = 0;
  virtual void EnterGradientScope(const std::string& scope) = 0;
  virtual void LeaveGradientScope() = 0;
  // Gradients are being made in the graph: they depend on which arguments and
  // captures are one variable.
  virtual void NoteDifferentiation() = 0;
  // Of a tensor of the graph that stands for a handle: what all that stand for
  // the same resource have in common, null if there are no others; and whether
  // that is a trainable variable.
  virtual const void* ResourceOf(const Tensor& handle) const = 0;
  virtual bool IsTrainable(const Tensor& handle) const = 0;
  // The tensor of the graph around it that a node, of this graph or of one
  // around this, stands for while that is built; null if there is none.
  virtual Tensor CapturedBy(const Node* placeholder) const = 0;
};

// Handles have equal keys if they are of one resource, whichever tensor holds
// them or, in a graph, stands for them. Other tensors have keys of their own.
const void* ResourceKey(const Tensor& t);

}  // namespace gk

#endif  // GK_FRAMEWORK_GRAPH_BUILDER_H_
