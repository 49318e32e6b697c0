// VariantCache: what was made of graph functions for their gradients.
//
// Kept with the functions and dropped when the first of them dies; so what
// is kept must not hold the functions themselves. One of a kind is made for
// each key, by the thread that asks first, while others wait. Thread-safe.
#ifndef GK_FUNCTION_VARIANT_CACHE_H_
#define GK_FUNCTION_VARIANT_CACHE_H_

#include <memory>
#include <span>
#include <vector>

#include "base/function_ref.h"
#include "function/differentiable_node.h"

namespace gk {

// What is made, and how: of which functions, for the gradients of which
// inputs, and whether these can be differentiated in turn.
struct VariantRequest {
  enum class Kind { kCall, kLoopBody, kIf, kCase, kWhile };
  Kind kind = Kind::kCall;
  std::span<const GraphFunction* const> functions;
  std::vector<bool> wanted;
  bool higher_order = false;
};

class VariantCache final : public RefCounted {
 public:
  // Kept in GraphFunction::gradients().
  static VariantCache& Of(const GraphFunction& function);
  ~VariantCache() override;

  // What was made for an equal request, or what `make` makes now.
  static StatusOr<Ref<DifferentiableNode>> Get(
      VariantRequest request,
      FunctionRef<StatusOr<Ref<DifferentiableNode>>()> make);

  // Graphs whose clone the function's is; constant once it is in use.
  std::vector<Ref<Graph>> originals;

 private:
  struct Key;
  struct Variants;

  VariantCache();

  const uint64_t id_;  // the function's; never used again
  // Those of requests whose first function this is. Shared only for as long
  // as somebody looks into it.
  const std::shared_ptr<Variants> variants_;
};

// `derived` was made of `function`: custom gradients that know the graphs of
// the one know the other's.
void ShareGradientOriginals(const GraphFunction& function,
                            const GraphFunction& derived);

}  // namespace gk

#endif  // GK_FUNCTION_VARIANT_CACHE_H_
