// Graphs in files of their own, without objects and values: GraphDefs and
// MetaGraphDefs, and functions of their tensors.
#ifndef GK_SAVED_MODEL_GRAPH_FILE_H_
#define GK_SAVED_MODEL_GRAPH_FILE_H_

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "function/func_graph.h"
#include "saved_model/loaded_signature.h"

namespace gk {

struct GraphFile {
  bool is_meta_graph = false;
  proto::MetaGraphDef meta;  // of a GraphDef only graph_def
};

// The file's graph, binary or text. NotFound without one; DataLoss, naming it,
// of a file that is none: what has no node and no function is none.
StatusOr<GraphFile> ReadGraphFile(const std::string& path);

// Between which tensors ("x" or "x:0") a graph is run.
struct GraphEnds {
  std::vector<std::string> feeds, fetches;
};
// The same, where they are not given: the tensors that no node takes, and the
// placeholders that the fetches need. In the order of the nodes.
GraphEnds EndsOfGraph(const proto::GraphDef& graph,
                      std::optional<std::vector<std::string>> feeds,
                      std::optional<std::vector<std::string>> fetches);

// The nodes of a message as a graph: they hold no values.
struct ReadGraph {
  ReadGraph();
  ~ReadGraph();
  ReadGraph(const ReadGraph&) = delete;
  ReadGraph& operator=(const ReadGraph&) = delete;

  Ref<FuncGraph> graph;
  std::string container;  // of its variables and tables, which end with it
};

// A function of the feeds that gives the fetches, called by their names, and
// what it needs alive. ValueError for a graph that cannot be made and a name
// that is none of its tensors, InvalidArgument if a fetch needs a placeholder
// that is not fed.
struct GraphSignature {
  LoadedSignature signature;
  std::shared_ptr<const ReadGraph> graph;
};
StatusOr<GraphSignature> SignatureOfGraph(const std::string& name,
                                          const proto::GraphDef& graph,
                                          const GraphEnds& ends);

}  // namespace gk

#endif  // GK_SAVED_MODEL_GRAPH_FILE_H_
