// Attributes from messages of graph files.
#ifndef GK_GRAPH_ATTR_FROM_PROTO_H_
#define GK_GRAPH_ATTR_FROM_PROTO_H_

#include <functional>
#include <string>

#include "framework/graph.h"
#include "framework/op_def.h"
#include "graph/import_budget.h"
#include "proto/graph.gk.h"

namespace gk {

using FindFunction =
    std::function<StatusOr<Ref<GraphFunction>>(const std::string&)>;

// `def` tells what an empty list is a list of; null for attributes that no op
// declares. Without `find`, attributes that name functions are errors.
// `budget`: of the message that the attribute is of, if it is a larger one.
StatusOr<AttrValue> AttrFromProto(const proto::AttrValue& message,
                                  const AttrDef* def, const FindFunction& find,
                                  ImportBudget* budget = nullptr);

// Zero, false, empty: what a reader may drop that knows no such attribute.
bool IsZeroAttr(const proto::AttrValue& message);

// Calls `fn` with the name of each function that the attribute names.
void ForEachFunctionName(const proto::AttrValue& message,
                         const std::function<void(const std::string&)>& fn);

}  // namespace gk

#endif  // GK_GRAPH_ATTR_FROM_PROTO_H_
