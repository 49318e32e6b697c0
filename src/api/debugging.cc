#include "graphkiln/debugging.h"

#include "api/inner.h"
#include "framework/check_numerics.h"
#include "graphkiln/staging.h"
#include "ops/composition.h"
#include "ops/composition/assertion.h"
#include "ops/fn/Assert.h"

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
    CompositionValue told;
    if (!message.empty()) told = message;
    CallComposition("_assert_shapes",
                    {tensors, JoinText(sizes, ";"), {}, {}, told});
  });
}

void Assert(const Tensor& condition, const std::vector<Tensor>& data,
            int summarize) {
  Guarded([&] {
    EnsureReady();
    const InnerTensor holds = Inner(condition);
    if (OpBuilder::Current()->builds_graph()) {
      ::gk::ops::Assert(holds, Inner(data), summarize);
    } else if (!detail::Truth(condition, "condition")) {
      throw ::gk::Error(FailedAssert("False", Inner(data), summarize));
    }
  });
}

DataType assert_same_float_dtype(const std::vector<Tensor>& tensors,
                                 std::optional<DataType> dtype) {
  return Guarded([&] {
    std::vector<InnerType> dtypes;
    for (const Tensor& t : tensors) dtypes.push_back(Inner(t.dtype()));
    return Outer(SameFloatDtype(
        dtypes, dtype ? Inner(*dtype) : InnerType::kInvalid,
        [&](size_t i) { return TensorText(Inner(tensors[i])); }));
  });
}

void enable_check_numerics() { SetChecksNumerics(true); }
void disable_check_numerics() { SetChecksNumerics(false); }

}  // namespace gk::api::debugging
