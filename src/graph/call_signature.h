// Whether the functions that a node names fit it.
#ifndef GK_GRAPH_CALL_SIGNATURE_H_
#define GK_GRAPH_CALL_SIGNATURE_H_

#include <span>

#include "framework/graph.h"

namespace gk {

// Of a call, a branch or a loop with inputs and outputs of these types:
// InvalidArgument unless each function takes what it would be given, and
// returns what the node returns. Says nothing of other nodes, nor of
// functions whose definition is unknown.
Status CheckCallSignature(const OpRecord& op, const AttrMap& attrs,
                          std::span<const DataType> inputs,
                          std::span<const DataType> outputs);
Status CheckCallSignature(const Node& node);

}  // namespace gk

#endif  // GK_GRAPH_CALL_SIGNATURE_H_
