// Models without objects, as TensorFlow 1 writes them: a graph with signatures,
// and ops that restore its variables and fill its tables.
#ifndef GK_SAVED_MODEL_VERSION_ONE_MODEL_H_
#define GK_SAVED_MODEL_VERSION_ONE_MODEL_H_

#include <map>
#include <string>

#include "function/concrete_function.h"
#include "proto/saved_model.gk.h"

namespace gk {

// The objects that stand for such a model: "signatures", "variables",
// "asset_paths", and "initializer", a resource that fills the tables.
struct VersionOneModel {
  proto::SavedObjectGraph objects;
  TensorVector values;                                     // of each object
  std::map<std::string, Ref<ConcreteFunction>> functions;  // by name
  // All nodes; functions of other parts are cut out of it. Its variables are
  // captured, its tables are in a container of their own.
  Ref<FuncGraph> graph;
  std::string container;
};

// Variables have their values, unless `skip_checkpoint`; what the initializer
// does is left to the caller. DataLoss, InvalidArgument or ValueError of a
// damaged graph.
StatusOr<VersionOneModel> ReadVersionOne(const std::string& folder,
                                         const proto::MetaGraphDef& message,
                                         bool skip_checkpoint);

}  // namespace gk

#endif  // GK_SAVED_MODEL_VERSION_ONE_MODEL_H_
