// Op signatures as messages of graph files.
#ifndef GK_GRAPH_OP_DEF_PROTO_H_
#define GK_GRAPH_OP_DEF_PROTO_H_

#include "framework/op_def.h"
#include "proto/graph.gk.h"

namespace gk {

StatusOr<proto::OpDef> OpDefToProto(const OpDef& def);

}  // namespace gk

#endif  // GK_GRAPH_OP_DEF_PROTO_H_
