#include "framework/check_numerics.h"

#include <cmath>

#include "framework/host_language.h"
#include "framework/op_builder.h"
#include "framework/op_registry.h"

namespace gk {
namespace {

thread_local bool checks_numerics = false;

// Ops that make no values of their own, or none that mean anything yet.
bool IsExempt(const OpRecord& op) {
  return op.Has(kConstant | kPlaceholder | kUndefined | kPassesValues);
}

bool IsChecked(DataType t) {
  return t == DataType::kFloat || t == DataType::kDouble ||
         t == DataType::kHalf || t == DataType::kBfloat16;
}

// "  # of +Inf elements: 2\n" and the like; empty if all are finite.
std::string CountNonFinite(const Tensor& t) {
  int64_t minus = 0, plus = 0, nan = 0;
  VisitType<half, bfloat16, float, double>(t.dtype(), [&](auto tag) {
    for (const auto e : t.flat<decltype(tag)>()) {
      const double v = static_cast<double>(e);
      nan += std::isnan(v);
      minus += std::isinf(v) && v < 0;
      plus += std::isinf(v) && v > 0;
    }
  });
  std::string text;
  const auto line = [&](const char* kind, int64_t n) {
    if (n > 0) text += Format("  # of {} elements: {}\n", kind, n);
  };
  line("-Inf", minus);
  line("+Inf", plus);
  line("+NaN", nan);
  return text;
}

}  // namespace

bool ChecksNumerics() { return checks_numerics; }
void SetChecksNumerics(bool on) { checks_numerics = on; }

Status CheckOutputs(const OpRecord& record, std::span<const Tensor> inputs,
                    const TensorVector& outputs) {
  if (IsExempt(record)) return OkStatus();
  OpBuilder* builder = OpBuilder::Current();
  GK_ASSIGN_OR_RETURN(const OpRecord* check,
                      OpRegistry::Get().LookUp("CheckNumericsV2"));
  for (size_t i = 0; i < outputs.size(); ++i) {
    const Tensor& t = outputs[i];
    if (!IsChecked(t.dtype())) continue;
    std::string counts;
    if (!t.is_symbolic()) {
      counts = CountNonFinite(t);
      if (counts.empty()) continue;
    }
    // The text of a graph's error ends with an empty line already.
    std::string message = Format(
        "{}!!! Detected Infinity or NaN in output {} of {} op \"{}\" "
        "(# of outputs: {}) !!!\n  dtype: <dtype: '{}'>\n  shape: {}\n{}",
        t.is_symbolic() ? "" : "\n\n", i,
        builder->builds_graph() ? "graph" : "eagerly-executing", record.name,
        outputs.size(), DataTypeName(t.dtype()),
        t.partial_shape().PythonString(), counts);
    message += HostLanguage::Get().NumericsContext(inputs);
    GK_RETURN_IF_ERROR(builder
                           ->Apply(*check, {&t, 1},
                                   {{"message", std::move(message)}}, {})
                           .status());
  }
  return OkStatus();
}

}  // namespace gk
