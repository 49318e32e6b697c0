// Assignments to variables as part of an elementwise cluster: the new value
// is computed tile by tile, into the variable's own memory where nobody else
// holds it, and several variables of an optimizer step change in one pass.
//
// An update is as atomic as the op that it stands for: while the cluster
// runs, the values are taken out of their variables, in the order of the
// variables' addresses, and readers on other threads wait. If anything
// fails, every variable keeps its old value. Stateless; thread-safe.
#ifndef GK_RUNTIME_VARIABLE_UPDATE_H_
#define GK_RUNTIME_VARIABLE_UPDATE_H_

#include <cstdint>
#include <span>
#include <vector>

#include "framework/op_record.h"
#include "graph/graph.h"

namespace gk {

class Plan;
class Frame;
struct Instruction;

enum class VariableWrite : uint8_t { kNone, kAssign, kCombine };

// How `node` writes a variable if it can be part of a cluster: the variable
// is an argument (`is_argument` by node id) of the value's known shape and
// dtype, and large enough to be worth it.
VariableWrite FusableWrite(const Node& node,
                           const std::vector<bool>& is_argument);
// The elementwise kernel with which `writer` combines a variable's value and
// its input; null if there is none.
const TileKernel* TileOfWrite(const OpRecord& writer, DataType dtype);

// Where the cluster of an instruction puts one variable's new value.
struct VariableUpdate {
  int32_t handle = -1;  // slot
  // One of: a result of the cluster, a slot that holds the value as well, an
  // earlier update of the instruction with the same value.
  int32_t result = -1;
  int32_t shared_slot = -1;
  int32_t same_as = -1;
  // Cluster inputs: the variable's own value (kCombine) and a value
  // read from it before, whose last reader is this cluster; or -1.
  int32_t own_input = -1;
  int32_t snapshot_input = -1;
  bool in_place = false;  // the result may be written over these inputs
  DataType dtype = DataType::kInvalid;
  TensorShape shape;
  const Node* node = nullptr;  // for errors
};

// Runs the instruction's cluster. in: its inputs, with room for the
// variables' own values. out: its results, with room for the new values.
Status RunVariableUpdates(const Plan& plan, Frame& frame,
                          const Instruction& instruction,
                          std::span<const void*> in, std::span<void*> out);

// Whether two arguments are one resource: then no node can tell what another
// one updates, and updates must stay apart.
bool ResourcesAlias(std::span<const Tensor> arguments);

}  // namespace gk

#endif  // GK_RUNTIME_VARIABLE_UPDATE_H_
