// Splice: takes nodes out of a graph whose work others do from now on, such as
// the bodies of calls, and keeps the order that they stood for.
//
// A call begins when all its inputs are there, and whoever uses one of its
// values or waits for it runs when all of it is done. Its body has edges only
// for the values; the rest of that order is made control edges here, for the
// nodes whose place shows (KeepsPlace).
#ifndef GK_GRAPPLER_SPLICE_H_
#define GK_GRAPPLER_SPLICE_H_

#include <unordered_map>
#include <vector>

#include "grappler/edges.h"
#include "grappler/rewrite_graph.h"

namespace gk {

class Splice {
 public:
  explicit Splice(RewriteGraph* function) : f_(function) {}

  // What has to be done before `node` begins: its control inputs, and the
  // nodes whose place shows that its inputs follow from. Many are gathered in
  // one.
  StatusOr<std::vector<Node*>> Before(Node* node);

  // `node` goes. Waiting for it is waiting for `after`, and for what is before
  // it unless these do; where it was a control output `outputs` are.
  void Replace(Node* node, std::vector<Node*> after, bool after_waits,
               std::vector<Node*> outputs);
  // Who used one of its values uses this one; see edges.h.
  Replacements& values() { return values_; }
  bool empty() const { return replaced_.empty(); }

  // Does it all and removes the nodes.
  Status Apply();

 private:
  struct Replaced {
    std::vector<Node*> after, outputs;
    bool after_waits = false, is_expanded = false;
  };

  StatusOr<std::vector<Node*>> Gather(std::vector<Node*> nodes,
                                      const Node& like, const char* name);
  Status AddCarriedOrder();
  StatusOr<const std::vector<Node*>*> AfterOf(Node* node);
  Status Expand(std::vector<Node*>* nodes);
  void ExpandOutputs(Node* node, std::vector<Node*>* into) const;

  RewriteGraph* f_;
  Replacements values_;
  std::unordered_map<const Node*, Replaced> replaced_;
};

}  // namespace gk

#endif  // GK_GRAPPLER_SPLICE_H_
