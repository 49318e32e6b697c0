// What files say of the outputs of nodes whose ops are not registered: their
// lists of ops, the nodes that read them, their attributes.
#ifndef GK_GRAPH_UNREGISTERED_RESULTS_H_
#define GK_GRAPH_UNREGISTERED_RESULTS_H_

#include <functional>
#include <map>
#include <string>
#include <unordered_map>
#include <vector>

#include "framework/unregistered_op.h"
#include "graph/import_budget.h"

namespace gk {

using Results = std::vector<UnregisteredOp::Result>;

// The values of a node's inputs or outputs by what declares them. False where
// an attribute that tells of them is missing or absurd.
bool ValuesOf(const proto::NodeDef& node, const OpDef& op,
              const std::vector<ArgDef>& arguments, Results* values);

// Of one list of nodes of a file. Borrows all.
struct UnregisteredNodes {
  // Of the file: null for a name that it does not have.
  std::function<const proto::FunctionDef*(const std::string&)> function;
  std::function<const OpDef*(const std::string&)> op;

  // Neither registered nor a function nor lowered control flow.
  bool Has(const proto::NodeDef& node) const;
  // By the nodes' names. `read`: the edges that other than nodes read, and
  // their types. ResourceExhausted if they are too many.
  StatusOr<std::unordered_map<std::string, Results>> FindResults(
      const std::vector<proto::NodeDef>& nodes, bool in_function,
      const std::map<std::string, DataType>& read, ImportBudget* budget) const;
};

}  // namespace gk

#endif  // GK_GRAPH_UNREGISTERED_RESULTS_H_
