// Gradients that a program gave its own functions, as a file has them:
// TensorFlow names, for the value of a node's attribute _gradient_op_type, a
// function, and makes objects of the tensors that this captures.
#ifndef GK_SAVED_MODEL_ATTACHED_GRADIENTS_H_
#define GK_SAVED_MODEL_ATTACHED_GRADIENTS_H_

#include "proto/saved_model.gk.h"

namespace gk {

// Makes of nodes whose gradients the file has such as CallWithOwnGradient
// makes: what their gradient functions capture become inputs. A gradient that
// captures what the node's function does not have stays a name; to ask for it
// is an error.
void AttachGradients(proto::MetaGraphDef* graph);

}  // namespace gk

#endif  // GK_SAVED_MODEL_ATTACHED_GRADIENTS_H_
