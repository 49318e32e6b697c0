// FunctionNames: which functions a file needs, and what each is called there.
//
// Names of live functions are unique, but one read from a file may bear the
// name of another. Not thread-safe; the functions outlive it.
#ifndef GK_GRAPH_FUNCTION_NAMES_H_
#define GK_GRAPH_FUNCTION_NAMES_H_

#include <string>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "framework/graph.h"
#include "proto/graph.gk.h"

namespace gk {

class FunctionNames {
 public:
  // Do arguments that are resources say what is in them?
  bool handle_data() const { return handle_data_; }
  void set_handle_data(bool yes) { handle_data_ = yes; }
  // Do nodes of functions say of what shapes their results are?
  bool shapes() const { return shapes_; }
  void set_shapes(bool yes) { shapes_ = yes; }

  // The name in the file; a function met first is queued for writing.
  std::string NameOf(const GraphFunction& function);
  // The attribute, with the functions it names noted and renamed.
  StatusOr<proto::AttrValue> WriteAttr(const AttrValue& value);
  // Writes what is queued and what that calls in turn.
  Status WriteQueued(proto::FunctionDefLibrary* library);

 private:
  Status WriteFunctionAttr(const FunctionAttr& f, proto::NameAttrList* to);

  std::unordered_map<const GraphFunction*, std::string> names_;
  std::unordered_set<std::string> used_;
  std::vector<const GraphFunction*> queue_;
  bool handle_data_ = false;
  bool shapes_ = false;
  size_t written_ = 0;
};

// Sets the attribute of a node's message that says of what shapes its results
// are, if it has any.
void WriteOutputShapes(const Node& node, proto::NodeDef* message);

// One FunctionDef; what it calls is noted in `functions`.
StatusOr<proto::FunctionDef> WriteFunctionDef(const GraphFunction& function,
                                              FunctionNames* functions);

}  // namespace gk

#endif  // GK_GRAPH_FUNCTION_NAMES_H_
