// Nodes of GraphDefs, for tests of what reads them.
#ifndef GK_GRAPH_NODE_DEF_FOR_TEST_H_
#define GK_GRAPH_NODE_DEF_FOR_TEST_H_

#include <string>
#include <utility>
#include <vector>

#include "proto/graph.gk.h"

namespace gk {

inline proto::NodeDef NodeDefOf(const std::string& name, const std::string& op,
                                std::vector<std::string> inputs = {}) {
  proto::NodeDef node;
  node.name = name;
  node.op = op;
  node.input = std::move(inputs);
  return node;
}

}  // namespace gk

#endif  // GK_GRAPH_NODE_DEF_FOR_TEST_H_
