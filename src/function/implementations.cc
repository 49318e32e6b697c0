#include "function/implementations.h"

#include <memory>
#include <string>

#include "framework/op_registry.h"

namespace gk {
namespace {

constexpr std::string_view kWhat = "api_implements",
                           kWhere = "api_preferred_device";

std::string Text(const GraphFunction& f, std::string_view name) {
  const std::string* text = f.attrs().Get<std::string>(name);
  return text == nullptr ? std::string() : *text;
}

bool TakesTheSame(const GraphFunction& a, const GraphFunction& b) {
  return a.input_types() == b.input_types() &&
         a.output_types() == b.output_types();
}

}  // namespace

void PreferImplementation(Graph* graph, const Ref<GraphFunction>& function) {
  const std::string what = Text(*function, kWhat);
  if (what.empty() || Text(*function, kWhere) != "CPU") return;
  for (const std::unique_ptr<Node>& node : graph->nodes()) {
    if (!node->op().Has(kCallsFunction)) continue;
    const FunctionAttr* called = node->attrs().Get<FunctionAttr>("f");
    if (called == nullptr || !called->definition ||
        called->definition == function ||
        node->num_inputs() != static_cast<int>(function->arguments().size()) ||
        Text(*called->definition, kWhat) != what ||
        !TakesTheSame(*called->definition, *function) ||
        (function->is_stateful() && !called->definition->is_stateful())) {
      continue;
    }
    node->mutable_attrs().Set("f", FunctionAttr(function->name(), function));
  }
}

}  // namespace gk
