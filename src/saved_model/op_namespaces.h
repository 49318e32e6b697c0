// Ops of libraries beyond TensorFlow's own, by the namespaces in their names:
// "Addons" of "Addons>Blur".
#ifndef GK_SAVED_MODEL_OP_NAMESPACES_H_
#define GK_SAVED_MODEL_OP_NAMESPACES_H_

#include <span>
#include <string>

#include "base/status.h"
#include "proto/graph.gk.h"

namespace gk {

// ValueError that names the ops of the graph and its functions which are in
// other namespaces than these.
Status CheckOpNamespaces(const proto::GraphDef& graph,
                         std::span<const std::string> allowed);

}  // namespace gk

#endif  // GK_SAVED_MODEL_OP_NAMESPACES_H_
