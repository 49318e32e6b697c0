// Assignments to variables as part of an elementwise cluster: the new value
// is computed tile by tile, into the variable's own memory where nobody else
// holds it, and several variables of an optimizer step change in one pass.
//
// Stateless; thread-safe. (How they are run: run_variable_updates.h.)
#ifndef GK_RUNTIME_VARIABLE_UPDATE_H_
#define GK_RUNTIME_VARIABLE_UPDATE_H_

#include <cstdint>
#include <vector>

#include "framework/op_record.h"
#include "framework/graph.h"

namespace gk {

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

}  // namespace gk

#endif  // GK_RUNTIME_VARIABLE_UPDATE_H_
