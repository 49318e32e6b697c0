#include "framework/check_numerics.h"

#include <string_view>

#include "framework/op_builder.h"
#include "framework/op_registry.h"

namespace gk {
namespace {

thread_local bool checks_numerics = false;

// Ops that make no values of their own, or none that mean anything yet.
bool IsExempt(std::string_view op) {
  static constexpr std::string_view kExempt[] = {
      "CheckNumerics", "CheckNumericsV2", "Const",    "Empty",
      "Identity",      "IdentityN",       "Placeholder"};
  for (std::string_view name : kExempt) {
    if (name == op) return true;
  }
  return false;
}

bool IsChecked(DataType t) {
  return t == DataType::kFloat || t == DataType::kDouble ||
         t == DataType::kHalf || t == DataType::kBfloat16;
}

}  // namespace

bool ChecksNumerics() { return checks_numerics; }
void SetChecksNumerics(bool on) { checks_numerics = on; }

Status CheckOutputs(const OpRecord& record, const TensorVector& outputs) {
  if (IsExempt(record.name)) return OkStatus();
  OpBuilder* builder = OpBuilder::Current();
  GK_ASSIGN_OR_RETURN(const OpRecord* check,
                      OpRegistry::Get().LookUp("CheckNumericsV2"));
  for (size_t i = 0; i < outputs.size(); ++i) {
    const Tensor& t = outputs[i];
    if (!IsChecked(t.dtype())) continue;
    std::string message = Format(
        "\n\n!!! Detected Infinity or NaN in output {} of {} op \"{}\" "
        "(# of outputs: {}) !!!\n  dtype: <dtype: '{}'>\n  shape: {}\n",
        i, builder->builds_graph() ? "graph" : "eagerly-executing", record.name,
        outputs.size(), DataTypeName(t.dtype()),
        t.partial_shape().DebugString());
    GK_RETURN_IF_ERROR(builder
                           ->Apply(*check, {&t, 1},
                                   {{"message", std::move(message)}}, {})
                           .status());
  }
  return OkStatus();
}

}  // namespace gk
