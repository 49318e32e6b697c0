#include "graph/call_signature.h"

#include <algorithm>

namespace gk {
namespace {

using Types = std::span<const DataType>;

Status CheckTypes(std::string_view role, const std::string& function,
                  std::string_view verb, Types have, Types want) {
  if (have.size() != want.size()) {
    return InvalidArgument("{} {} {} {} values, expected {}", role, function,
                           verb, have.size(), want.size());
  }
  for (size_t i = 0; i < have.size(); ++i) {
    if (have[i] == want[i]) continue;
    return InvalidArgument("{} {} {} {} as value {}, expected {}", role,
                           function, verb, DataTypeString(have[i]), i,
                           DataTypeString(want[i]));
  }
  return OkStatus();
}

Status CheckFunction(std::string_view role, const FunctionAttr& f, Types inputs,
                     Types outputs) {
  if (!f.definition) return OkStatus();
  GK_RETURN_IF_ERROR(
      CheckTypes(role, f.name, "takes", f.definition->input_types(), inputs));
  return CheckTypes(role, f.name, "returned", f.definition->output_types(),
                    outputs);
}

Status CheckCondition(const FunctionAttr& f, Types states) {
  if (!f.definition) return OkStatus();
  GK_RETURN_IF_ERROR(CheckTypes("Loop condition", f.name, "takes",
                                f.definition->input_types(), states));
  const size_t n = f.definition->output_types().size();
  if (n == 1) return OkStatus();
  return InvalidArgument("Loop condition {} returned {} values, expected 1",
                         f.name, n);
}

}  // namespace

Status CheckCallSignature(const OpRecord& op, const AttrMap& attrs,
                          Types inputs, Types outputs) {
  if (!op.Has(kCallsFunction)) return OkStatus();
  if (const auto* f = attrs.Get<FunctionAttr>("f");
      f != nullptr && attrs.Find("Tin") != nullptr) {
    return CheckFunction("Function", *f, inputs, outputs);
  }
  const auto* cond = attrs.Get<FunctionAttr>("cond");
  const auto* body = attrs.Get<FunctionAttr>("body");
  if (cond != nullptr && body != nullptr) {
    GK_RETURN_IF_ERROR(CheckCondition(*cond, inputs));
    return CheckFunction("Loop body", *body, inputs, inputs);
  }
  if (inputs.empty()) return OkStatus();
  for (const char* name : {"then_branch", "else_branch"}) {
    if (const auto* f = attrs.Get<FunctionAttr>(name)) {
      GK_RETURN_IF_ERROR(
          CheckFunction("Branch", *f, inputs.subspan(1), outputs));
    }
  }
  if (const auto* all = attrs.Get<std::vector<FunctionAttr>>("branches")) {
    for (const FunctionAttr& f : *all) {
      GK_RETURN_IF_ERROR(
          CheckFunction("Branch", f, inputs.subspan(1), outputs));
    }
  }
  return OkStatus();
}

Status CheckCallSignature(const Node& node) {
  if (!node.op().Has(kCallsFunction)) return OkStatus();
  std::vector<DataType> inputs, outputs;
  for (const Output& o : node.inputs()) {
    inputs.push_back(o.node->output(o.index).dtype);
  }
  for (int i = 0; i < node.num_outputs(); ++i) {
    outputs.push_back(node.output(i).dtype);
  }
  return CheckCallSignature(node.op(), node.attrs(), inputs, outputs);
}

}  // namespace gk
