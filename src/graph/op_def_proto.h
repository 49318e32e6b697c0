// Op signatures as messages of graph files.
#ifndef GK_GRAPH_OP_DEF_PROTO_H_
#define GK_GRAPH_OP_DEF_PROTO_H_

#include "framework/graph.h"
#include "framework/op_def.h"
#include "proto/graph.gk.h"

namespace gk {

StatusOr<proto::OpDef> OpDefToProto(const OpDef& def);
// Of a node's op: the registered one, or what its file says of it.
StatusOr<proto::OpDef> OpDefOf(const Node& node);
// Without descriptions. InvalidArgument for types and defaults that are none.
StatusOr<OpDef> OpDefFromProto(const proto::OpDef& message);

}  // namespace gk

#endif  // GK_GRAPH_OP_DEF_PROTO_H_
