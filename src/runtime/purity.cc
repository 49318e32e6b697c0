#include "runtime/purity.h"

namespace gk {

bool HasObjects(const Node& node) {
  for (const Output& in : node.inputs()) {
    if (IsObjectType(in.node->output(in.index).dtype)) return true;
  }
  for (int i = 0; i < node.num_outputs(); ++i) {
    if (IsObjectType(node.output(i).dtype)) return true;
  }
  return false;
}

bool IsPure(const Node& node) {
  const OpRecord& op = node.op();
  if (op.Has(kReadsResource | kWritesResource | kCallsFunction | kView)) {
    return false;
  }
  if (op.Has(kStateful) && !op.Has(kRandom)) return false;
  return !HasObjects(node);
}

}  // namespace gk
