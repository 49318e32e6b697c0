// The graph of a saved model as servers run it, without its objects: variables
// by name, a call for each signature, what fills the resources, and the ops by
// which the variables and what is in resources are read and written.
#ifndef GK_SAVED_MODEL_SERVING_GRAPH_H_
#define GK_SAVED_MODEL_SERVING_GRAPH_H_

#include <map>
#include <string>
#include <utility>
#include <vector>

#include "saved_model/saved_objects.h"

namespace gk {

// A value of a resource, and the keys of its tensors in the checkpoint.
struct ServedValue {
  int object;
  std::string name;
  std::vector<std::string> keys;
};

struct ServingOptions {
  std::vector<std::pair<std::string, ExportedTrace>> signatures;
  // What arguments of signatures, by both names, are without a feed.
  std::map<std::string, std::map<std::string, Tensor>> defaults;
  // {the variable's object, its key in the checkpoint}; none, and no resources:
  // nothing is read.
  std::vector<std::pair<int, std::string>> variables;
  std::vector<ServedValue> resources;
  // Others whose names are asked for.
  std::vector<const GraphFunction*> named_functions;
};

// Fills in the graph, its library, signatures, saver, collections and the
// tensors of the assets, and names the constants of `objects` there. Gives the
// names of the functions.
StatusOr<SavedObjects::Names> BuildServingGraph(const ServingOptions& options,
                                                SavedObjects* objects,
                                                proto::MetaGraphDef* message);

}  // namespace gk

#endif  // GK_SAVED_MODEL_SERVING_GRAPH_H_
