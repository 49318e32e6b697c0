#include "framework/graph_builder.h"

namespace gk {

const void* ResourceKey(const Tensor& t) {
  if (t.dtype() != DataType::kResource) return t.impl();
  const void* key = nullptr;
  if (t.is_symbolic()) {
    const GraphBuilder* const builder = GraphBuilder::Of(Graph::GraphOf(t));
    if (builder != nullptr) key = builder->ResourceOf(t);
  } else if (t.num_elements() == 1) {
    key = t.data<ResourceHandle>()->resource();
  }
  return key != nullptr ? key : t.impl();
}

}  // namespace gk
