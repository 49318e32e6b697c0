// Functions from the library of a graph file. (import_function_def.cc)
#ifndef GK_GRAPH_FUNCTION_READER_H_
#define GK_GRAPH_FUNCTION_READER_H_

#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

#include "framework/graph.h"
#include "graph/import_budget.h"
#include "graph/unregistered_results.h"
#include "proto/graph.gk.h"

namespace gk {

// Reads functions of a library as they are asked for, each once. Borrows the
// message. Not thread-safe.
class FunctionReader {
 public:
  // `ops`: what the file says of its ops, if it does.
  explicit FunctionReader(const proto::FunctionDefLibrary& library,
                          const proto::OpList* ops = nullptr)
      : library_(library), ops_(ops) {}

  // Indexes the library; InvalidArgument if a name occurs twice.
  Status Init();
  const proto::FunctionDef* FindDef(const std::string& name) const;
  // With all that it calls. NotFound if there is none of that name,
  // InvalidArgument if it calls itself. What it has of ops that are not
  // registered, or calls and is not there, fails when it runs.
  StatusOr<Ref<GraphFunction>> Read(const std::string& name);
  // Of the file's list of ops, or null.
  const proto::OpDef* FindOpDef(const std::string& name) const;
  // Of a node list of the file.
  UnregisteredNodes unregistered();
  // Of the message that the library is of, for all who read it.
  ImportBudget& budget() { return budget_; }

 private:
  struct Done {
    Ref<GraphFunction> function;
    int depth = 0;  // of calls below
  };
  std::vector<std::string> Callees(const proto::FunctionDef& def) const;

  const OpDef* FindOp(const std::string& name);

  const proto::FunctionDefLibrary& library_;
  const proto::OpList* const ops_;
  ImportBudget budget_;
  std::unordered_map<std::string, const proto::FunctionDef*> by_name_;
  std::unordered_map<std::string, const proto::OpDef*> op_by_name_;
  std::unordered_map<std::string, std::optional<OpDef>> op_defs_;  // as read
  std::unordered_map<std::string, Done> done_;
};

// A function that calls nothing but what `functions` has.
StatusOr<Ref<GraphFunction>> FunctionFromFunctionDef(
    const proto::FunctionDef& message, FunctionReader* functions);

}  // namespace gk

#endif  // GK_GRAPH_FUNCTION_READER_H_
