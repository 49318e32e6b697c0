// Options of datasets: written into ops, and read from them.
#include <map>

#include "function/dataset_steps.h"
#include "function/func_graph.h"
#include "ops/fn/OptionsDataset.h"

namespace gk::steps {
namespace {

using Shared = DatasetOptions::Shared;

// How many of a node's inputs are datasets that it reads from: the first
// ones, of fixed type.
int64_t NumDatasets(const Node& node) {
  int64_t n = 0;
  for (const ArgDef& arg : node.op().def->inputs) {
    if (arg.type != DataType::kVariant) break;
    n += arg.number_attr.empty() ? 1 : node.attr<int64_t>(arg.number_attr);
  }
  return n;
}

// Of each node that a dataset is made of, by number: inputs come first.
std::map<int, const Node*> NodesBelow(const Node* last) {
  std::map<int, const Node*> found{{last->id(), last}};
  std::vector<const Node*> open{last};
  while (!open.empty()) {
    const Node& node = *open.back();
    open.pop_back();
    for (int64_t i = NumDatasets(node); i-- > 0;) {
      const Node* input = node.input(static_cast<int>(i)).node;
      if (found.emplace(input->id(), input).second) open.push_back(input);
    }
  }
  return found;
}

Shared Told(const Tensor& variant) {
  if (!variant.is_symbolic()) {
    const StatusOr<Ref<const Dataset>> dataset = Dataset::Of(variant);
    return dataset.ok() ? (*dataset)->options() : nullptr;
  }
  const Node* last = Graph::OutputOf(variant).node;
  const FuncGraph* graph = FuncGraph::Of(Graph::GraphOf(variant));
  std::map<int, Shared> told;
  for (const auto& [id, node] : NodesBelow(last)) {
    Shared& own = told[id];
    for (int64_t i = 0; i < NumDatasets(*node); ++i) {
      own = DatasetOptions::Both(
          own, told[node->input(static_cast<int>(i)).node->id()]);
    }
    if (const auto said = node->attr<std::string>("serialized_options");
        !said.empty()) {
      own = DatasetOptions::Both(
          own, std::make_shared<DatasetOptions>(
                   ValueOrThrow(DatasetOptions::Parse(said))));
    }
    if (graph == nullptr) continue;
    for (const FunctionCapture& c : graph->inputs().captures()) {
      if (c.placeholder == node && c.external) own = Told(c.external);
    }
  }
  return told[last->id()];
}

}  // namespace

TypedDataset WithOptions(const TypedDataset& d, const DatasetOptions& options) {
  const auto& [variant, e] = d;
  return {ops::OptionsDataset(variant, options.Serialize(), e.types, e.shapes),
          e};
}

DatasetOptions OptionsOf(const Tensor& variant) {
  const Shared told = Told(variant);
  return told != nullptr ? *told : DatasetOptions();
}

}  // namespace gk::steps
