#include "framework/handle_data.h"

#include "framework/graph.h"

namespace gk {

HandleData HandleDataOf(const Tensor& t) {
  if (t.is_symbolic()) {
    const Output o = Graph::OutputOf(t);
    return o.node->output(o.index).handle_data;
  }
  if (t.dtype() == DataType::kResource && t.num_elements() == 1) {
    return t.data<ResourceHandle>()->handle_data();
  }
  return {};
}

}  // namespace gk
