#include "graphkiln/debugging.h"

#include "api/inner.h"
#include "ops/composite.h"

namespace gk::api::debugging {

void assert_shapes(const std::vector<std::pair<Tensor, std::string>>& shapes,
                   const std::string& message) {
  Guarded([&] {
    EnsureReady();
    TensorVector tensors;
    std::vector<std::string> sizes;
    for (const auto& [tensor, words] : shapes) {
      tensors.push_back(Inner(tensor));
      sizes.push_back(words);
    }
    CompositeValue told;
    if (!message.empty()) told = message;
    CallComposite("_assert_shapes",
                  {tensors, JoinText(sizes, ";"), {}, {}, told});
  });
}

}  // namespace gk::api::debugging
