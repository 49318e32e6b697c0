#include "function/function_attributes.h"

#include <algorithm>
#include <string>

#include "function/variable_creation.h"
#include "graph/graph_elements.h"

namespace gk {
namespace {

constexpr std::string_view kAttributes[] = {
    "_OutputsOnOpDevice",
    kDisableAcd,
    kImplements,
    "_noinline",
    "_tf_data_function",
    "api_implements",
    "api_preferred_device",
    "disable_summaries_at_runtime",
    "experimental_ints_on_device",
    "function_runs_at_most_once",
    "go_backwards",
    "runtime_constant_optimization",
    "time_major",
};

}  // namespace

Status CheckFunctionAttribute(std::string_view name) {
  if (std::ranges::find(kAttributes, name) != std::end(kAttributes)) {
    return OkStatus();
  }
  return ValueError("`{} is not supported by tf.function as an attribute.",
                    name);
}

void BeginTrace(FuncGraph* graph, const AttrMap& attributes) {
  const bool* flag = attributes.Get<bool>(kDisableAcd);
  const int64_t* number = attributes.Get<int64_t>(kDisableAcd);
  if ((flag != nullptr && *flag) || (number != nullptr && *number != 0)) {
    graph->set_automatic_control(false);
  }
  VariableCreation::EnterGraph(graph);
}

Status CheckStandsAlone(const FuncGraph& graph, std::string_view name,
                        const AttrMap& attributes) {
  const AttrValue* const known = attributes.Find(kImplements);
  if (known == nullptr) return OkStatus();
  std::string inputs, captures;
  bool alone = graph.inputs().captures().empty();
  const auto add = [](Node* node, std::string* list) {
    *list += (list->empty() ? "" : ", ") + EdgeText({node, 0});
  };
  for (Node* argument : graph.inputs().arguments()) {
    alone = alone && argument->output(0).dtype != DataType::kResource;
    add(argument, &inputs);
  }
  for (const FunctionCapture& capture : graph.inputs().captures()) {
    add(capture.placeholder, &captures);
  }
  if (alone) return OkStatus();
  const auto* text = std::get_if<std::string>(known);
  return FailedPrecondition(
      "Function {} has \"_implements={}\" attribute and thus can not depend on "
      "any tensors outside of its signature or modify variables. \n\nNote: "
      "variables are always captured and cause function re-tracing for every "
      "variable called.\n  inputs: [{}]\n  captures: [{}]\n\nTo pass a "
      "variable to such function use  use variable.read_value().",
      name, text != nullptr ? *text : AttrText(*known), inputs, captures);
}

}  // namespace gk
