// Graphs and functions from messages of graph files: the reading side.
//
// Files come from anywhere. Whatever they hold, the outcome is a graph or an
// error: unknown ops are NotFound, all else that is wrong InvalidArgument.
#ifndef GK_GRAPH_IMPORT_GRAPH_DEF_H_
#define GK_GRAPH_IMPORT_GRAPH_DEF_H_

#include <map>
#include <string>
#include <unordered_map>
#include <vector>

#include "graph/graph.h"
#include "graph/import_budget.h"
#include "proto/graph.gk.h"

namespace gk {

// Reads functions of a library as they are asked for, each once. Borrows the
// message. Not thread-safe.
class FunctionReader {
 public:
  explicit FunctionReader(const proto::FunctionDefLibrary& library)
      : library_(library) {}

  // Indexes the library; InvalidArgument if a name occurs twice.
  Status Init();
  const proto::FunctionDef* FindDef(const std::string& name) const;
  // With all that it calls. NotFound if there is none of that name,
  // InvalidArgument if it calls itself.
  StatusOr<Ref<GraphFunction>> Read(const std::string& name);
  // Of the message that the library is of, for all who read it.
  ImportBudget& budget() { return budget_; }

 private:
  struct Done {
    Ref<GraphFunction> function;
    int depth = 0;  // of calls below
  };
  std::vector<std::string> Callees(const proto::FunctionDef& def) const;

  const proto::FunctionDefLibrary& library_;
  ImportBudget budget_;
  std::unordered_map<std::string, const proto::FunctionDef*> by_name_;
  std::unordered_map<std::string, Done> done_;
};

struct ImportGraphDefOptions {
  std::string prefix;  // of all names, without "/" at the end
  // What stands in for edges ("x", "x:1") of the message; "^x" for a node.
  std::map<std::string, Output> input_map;
};

// Adds the nodes of `message` to `graph`; returns them in its order. Control
// flow that was lowered is raised before (raise_control_flow.h). Leaves the
// graph's nodes as they were on an error.
StatusOr<std::vector<Node*>> ImportGraphDef(
    const proto::GraphDef& message, Graph* graph,
    const ImportGraphDefOptions& options = {});

// A function that calls nothing but what `functions` has.
StatusOr<Ref<GraphFunction>> FunctionFromFunctionDef(
    const proto::FunctionDef& message, FunctionReader* functions);

}  // namespace gk

#endif  // GK_GRAPH_IMPORT_GRAPH_DEF_H_
