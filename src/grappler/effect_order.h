// EffectOrder: the nodes of a function whose place shows, and which of them
// come before which, for the check of passes.
//
// Calls that a pass has put bodies in the place of are seen as the call's
// semantics has them: all of the body after all that the call waits for, and
// before all that waits for the call. A value; it points into the graphs that
// it was made of.
#ifndef GK_GRAPPLER_EFFECT_ORDER_H_
#define GK_GRAPPLER_EFFECT_ORDER_H_

#include <deque>
#include <span>
#include <string>
#include <unordered_map>
#include <vector>

#include "grappler/rewrite_graph.h"

namespace gk {

class EffectOrder {
 public:
  struct Vertex {
    // Null: where a body that was put in the place of a call begins or ends.
    const Node* node = nullptr;
    std::string name;       // in the new graph
    std::vector<int> from;  // data and control
    FunctionEffects effects;
    bool keeps_place = false;
    std::vector<std::string> resources;  // by input; empty where it is none
  };
  // A control edge: one of these vertices, or all that keep their place of a
  // body, come before the others.
  struct Range {
    int first, last;
  };
  struct Wait {
    Range before, after;
  };

  EffectOrder(EffectOrder&&) = default;
  // `spliced`: what a pass says that it did to this graph.
  static StatusOr<EffectOrder> Of(const RewriteGraph& function,
                                  std::span<const SplicedNode> spliced = {});

  const std::vector<Vertex>& vertices() const { return vertices_; }
  // By the name in the new graph; -1 if there is none.
  int Find(const std::string& name) const;
  // Control edges between nodes that are not arguments, nor loops that were
  // dropped.
  const std::vector<Wait>& waits() const { return waits_; }
  // The edge that an edge of the function stands for: through Identity and
  // bodies to what made it, "name:0".
  std::string RootOf(Output o) const { return Root(levels_.front(), o); }
  // The records of `spliced` that were met.
  int num_spliced() const { return num_spliced_; }

  // Which of the `columns` (vertices) come before each vertex.
  class Reach {
   public:
    bool Before(int column, int vertex) const {
      return bits_[size_t(vertex) * words_ + column / 64] >> (column % 64) & 1;
    }

   private:
    friend class EffectOrder;
    size_t words_ = 0;
    std::vector<uint64_t> bits_;
  };
  Reach ReachOf(std::span<const int> columns) const;

 private:
  EffectOrder() = default;
  struct Level {
    const Level* parent = nullptr;
    const Node* call = nullptr;
    const SplicedNode* splice = nullptr;
    std::vector<int> argument;  // by node id; -1: none
    std::vector<int> in, out;   // vertices by node id
    std::unordered_map<const Node*, const Level*> bodies;
    std::unordered_map<const Node*, bool> dropped;
  };
  using Splices = std::unordered_map<std::string, const SplicedNode*>;

  Status Build(const Graph& graph, const std::vector<Node*>& arguments,
               const Splices& splices, int entry, Level* level);
  std::string Root(const Level& level, Output o) const;
  static const std::string& NameOf(const Level& level, const Node& node);
  void AddWaits(const Level& level, const Node& node);

  std::vector<Vertex> vertices_;
  std::vector<Wait> waits_;
  std::deque<Level> levels_;
  std::unordered_map<std::string, int> by_name_;
  int num_spliced_ = 0;
};

// Whether their order shows: they use one resource, and not both only read
// it, or both keep the program's order.
bool OrderShows(const EffectOrder::Vertex& a, const EffectOrder::Vertex& b);

}  // namespace gk

#endif  // GK_GRAPPLER_EFFECT_ORDER_H_
