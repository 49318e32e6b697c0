#include "ops/op_cost.h"

namespace gk {

double FlopsOf(const OpRecord& record, const AttrMap& attrs, FlopsShapes inputs,
               FlopsShapes outputs) {
  if (inputs.empty() || outputs.empty()) return 0;
  if (record.flops != nullptr) {
    // An input or output that a graph of others leaves out.
    if (inputs.size() < static_cast<size_t>(record.def->inputs.size())) {
      return 0;
    }
    return record.flops(attrs, inputs, outputs);
  }
  if (record.Has(kView | kIdentity)) return 0;
  if (record.Has(kElementwise)) return ElementsOf(outputs[0]);
  if (record.Has(kReduction)) return ElementsOf(inputs[0]);
  return 0;
}

}  // namespace gk
