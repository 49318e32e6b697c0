// UnregisteredOp: the op of one node of a file whose type nobody here knows.
//
// Files hold functions that are never called, of ops that only their writer
// has. A node of such an op is a node as others are, with what its file says
// of it, and is written as it was read; a call that runs it fails. Each node
// has its own record, which it keeps alive. Constant.
#ifndef GK_FRAMEWORK_UNREGISTERED_OP_H_
#define GK_FRAMEWORK_UNREGISTERED_OP_H_

#include <string>
#include <vector>

#include "base/ref.h"
#include "framework/op_record.h"
#include "proto/graph.gk.h"

namespace gk {

class UnregisteredOp final : public RefCounted, public OpRecord {
 public:
  struct Result {
    std::string argument = "output";  // and which of its values it is
    int index = 0;
    DataType dtype = DataType::kInvalid;  // kInvalid: nothing says which
    friend bool operator==(const Result&, const Result&) = default;
  };
  struct Facts {
    std::string type, node;
    std::vector<DataType> inputs;
    std::vector<Result> results;
    bool is_stateful = true;
    // What a Node has no place for: attributes whose values are nothing here
    // (functions that the file does not have, placeholders), debug info.
    proto::NodeDef rest;
    // As the file has it; of no name if it has none.
    proto::OpDef op_def;
    // What a run of it fails with.
    Status error;
  };

  explicit UnregisteredOp(Facts facts);
  // The one that a record with kUnregistered is.
  static const UnregisteredOp& Of(const OpRecord& record) {
    return static_cast<const UnregisteredOp&>(record);
  }
  const Facts& facts() const { return facts_; }

 private:
  ~UnregisteredOp() override;

  const Facts facts_;
  OpDef def_;  // of exactly these inputs and results
};

// What is written of a node of this op beside what it holds itself.
proto::NodeDef RestOf(const OpRecord& op);

// NotFound: "Op type not registered 'X' in binary running on ...", of the node
// named `node`, with what can be done.
Status OpNotRegistered(std::string_view type, std::string_view node);

}  // namespace gk

#endif  // GK_FRAMEWORK_UNREGISTERED_OP_H_
