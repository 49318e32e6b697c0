// MetaGraphDefs: a graph with the signatures of its ops, as files of the first
// version's programs hold it.
#ifndef GK_GRAPH_META_GRAPH_H_
#define GK_GRAPH_META_GRAPH_H_

#include <string>

#include "base/status.h"
#include "proto/saved_model.gk.h"

namespace gk {

// The ops of the nodes, of functions too, by name and without descriptions.
// What is not registered is taken from `theirs`, if that has it.
StatusOr<proto::OpList> StrippedOps(const proto::GraphDef& graph,
                                    const proto::OpList* theirs = nullptr);

struct MetaGraphOptions {
  // The nodes whose names begin with "SCOPE/" alone, without it. What they read
  // of others is called "$unbound_inputs_x" and stands in a collection.
  std::string scope;
  bool clear_devices = false;
  // Attributes that have their defaults are left out.
  bool strip_default_attrs = false;
};

inline constexpr char kUnboundInputs[] = "unbound_inputs";

StatusOr<proto::MetaGraphDef> MetaGraphOf(proto::GraphDef graph,
                                          const MetaGraphOptions& options = {});

}  // namespace gk

#endif  // GK_GRAPH_META_GRAPH_H_
