// Functions from the library of a graph file. (import_function_def.cc)
#ifndef GK_GRAPH_FUNCTION_READER_H_
#define GK_GRAPH_FUNCTION_READER_H_

#include <string>
#include <unordered_map>
#include <vector>

#include "framework/graph.h"
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

// A function that calls nothing but what `functions` has.
StatusOr<Ref<GraphFunction>> FunctionFromFunctionDef(
    const proto::FunctionDef& message, FunctionReader* functions);

}  // namespace gk

#endif  // GK_GRAPH_FUNCTION_READER_H_
