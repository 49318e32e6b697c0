#include "function/ragged/checks.h"

#include "function/ragged/integer_arithmetic.h"
#include "ops/fn/Assert.h"
#include "ops/fn/Equal.h"
#include "ops/fn/Identity.h"
#include "ops/fn/Size.h"

namespace gk {

Checks& Checks::Require(const Tensor& condition, std::string_view message,
                        const TensorVector& shown) {
  const Tensor all = integers::IsAll(condition);
  const Tensor known = all.KnownValue();
  if (known && known.scalar<bool>()) return *this;
  TensorVector data{ValueOrThrow(OpBuilder::Current()->Constant(
      Tensor::Scalar(std::string(message)), {}))};
  data.insert(data.end(), shown.begin(), shown.end());
  if (known && shown.empty()) throw Error(InvalidArgument("{}", message));
  ops::Assert(all, data);
  if (FuncGraph* graph = FuncGraph::Current()) {
    nodes_.push_back(graph->graph()->nodes().back().get());
  }
  return *this;
}

Checks& Checks::Assert(std::string_view assertion,
                       std::vector<CompositionValue> values,
                       std::string_view message) {
  if (message.empty()) {
    values.emplace_back();
  } else {
    values.emplace_back(std::string(message));
  }
  return Assert(assertion, std::move(values));
}

Checks& Checks::Assert(std::string_view assertion,
                       std::vector<CompositionValue> values) {
  FuncGraph* graph = FuncGraph::Current();
  const int before = graph ? graph->graph()->num_nodes() : 0;
  CallComposition(assertion, std::move(values));
  if (graph && graph->graph()->num_nodes() > before) {
    nodes_.push_back(graph->graph()->nodes().back().get());
  }
  return *this;
}

Checks& Checks::Equal(const Tensor& x, const Tensor& y,
                      std::string_view message) {
  return Assert("debugging.assert_equal", {x, y}, message);
}

Checks& Checks::NonNegative(const Tensor& x, std::string_view message) {
  return Assert("debugging.assert_non_negative", {x}, message);
}

Checks& Checks::Less(const Tensor& x, const Tensor& y,
                     std::string_view message) {
  return Assert("debugging.assert_less", {x, y}, message);
}

Checks& Checks::LessEqual(const Tensor& x, const Tensor& y,
                          std::string_view message) {
  return Assert("debugging.assert_less_equal", {x, y}, message);
}

Checks& Checks::Same(const Tensor& x, const Tensor& y,
                     std::string_view message) {
  if (x.Is(y)) return *this;
  const Tensor a = x.dtype() == y.dtype() ? x : CastTo(x, DataType::kInt64);
  const Tensor b = CastTo(y, a.dtype());
  const PartialTensorShape shape = a.partial_shape();
  const bool fits = shape.IsCompatibleWith(b.partial_shape());
  if (!fits || !shape.IsFullyDefined() || !b.partial_shape().IsFullyDefined()) {
    const Tensor yes =
        ValueOrThrow(OpBuilder::Current()->Constant(Tensor::Scalar(true), {}));
    Equal(ops::Equal(ops::Size(a), ops::Size(b)), yes, message);
  }
  if (!fits) return *this;
  const Scope scope(*this);
  return Equal(a, b, message);
}

Checks& Checks::AnyCase(const TensorVector& conditions) {
  return Assert("_assert_any_case", {conditions});
}

Checks& Checks::OneCase(const TensorVector& conditions) {
  return Assert("_assert_one_case", {conditions});
}

Tensor Checks::Then(const Tensor& t) const {
  if (nodes_.empty()) return t;
  const Scope scope(*this);
  return ops::Identity(t);
}

Checks::Scope::Scope(const Checks& checks) {
  FuncGraph* graph = FuncGraph::Current();
  if (graph == nullptr || checks.nodes_.empty()) return;
  graph->scopes().PushControlInputs(checks.nodes_);
  graph_ = Ref<FuncGraph>(graph);
}

Checks::Scope::~Scope() {
  if (graph_) graph_->scopes().PopControlInputs();
}

}  // namespace gk
