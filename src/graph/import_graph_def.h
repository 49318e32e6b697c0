// Graphs and functions from messages of graph files: the reading side.
//
// Files come from anywhere. Whatever they hold, the outcome is a graph or an
// error: ops and functions that are not there are NotFound, all else that is
// wrong InvalidArgument.
#ifndef GK_GRAPH_IMPORT_GRAPH_DEF_H_
#define GK_GRAPH_IMPORT_GRAPH_DEF_H_

#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "framework/graph.h"
#include "graph/function_reader.h"
#include "proto/graph.gk.h"

namespace gk {

// Of nodes whose ops are not registered. Those of functions are always carried:
// nobody may ever call them.
enum class UnknownOps : uint8_t {
  kRefuse,  // NotFound
  // They become nodes with what the file says of them, are written as they
  // were read, and a run of one is NotFound.
  kCarry,
};

struct ImportGraphDefOptions {
  std::string prefix;  // of all names, without "/" at the end
  UnknownOps unknown_ops = UnknownOps::kRefuse;
  // The ops of the program that wrote the message, as far as the file has them
  // (MetaGraphDef's stripped_op_list); for nodes that are carried. Borrowed.
  const proto::OpList* ops = nullptr;
  // Types of edges that are asked for later, which tell what nodes that are
  // carried have.
  std::map<std::string, DataType> read;
  // What stands in for edges ("x", "x:1") of the message; "^x" for a node.
  std::map<std::string, Output> input_map;
  // Where to tell which nodes have other names than the message's, since nodes
  // or scopes of the graph have those: theirs and what they would be. Or null.
  std::map<std::string, std::string>* renamed = nullptr;
};

// Adds the nodes of `message` to `graph`; returns them in its order. Control
// flow that was lowered is raised before (raise_control_flow.h). Leaves the
// graph's nodes as they were on an error.
StatusOr<std::vector<Node*>> ImportGraphDef(
    const proto::GraphDef& message, Graph* graph,
    const ImportGraphDefOptions& options = {});

// The node "x", or its output "x:0", of those that were imported: what `name`
// stands for in the message. `index`: -1 for a node. ValueError if there is
// none.
struct ImportedElement {
  Node* node;
  int index = -1;
};
StatusOr<ImportedElement> FindImported(std::span<Node* const> nodes,
                                       const ImportGraphDefOptions& options,
                                       std::string_view name);

}  // namespace gk

#endif  // GK_GRAPH_IMPORT_GRAPH_DEF_H_
