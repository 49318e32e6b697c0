#include "ops/composition/assertion.h"

#include "framework/host_language.h"
#include "ops/fn/Assert.h"

namespace gk {

bool RunsNow() { return !OpBuilder::Current()->builds_graph(); }

std::string NameOfTensor(const Tensor& t) {
  if (!t.is_symbolic()) return "";
  const Output o = Graph::OutputOf(t);
  return Format("{}:{}", o.node->name(), o.index);
}

std::string TitleOfTensor(const Tensor& t) {
  if (t.is_symbolic()) return NameOfTensor(t);
  return Format("shape={} dtype={}", t.partial_shape().PythonString(),
                DataTypeName(t.dtype()));
}

std::string ValueText(const Tensor& t) {
  return HostLanguage::Get().ValueText(t);
}

std::string TensorText(const Tensor& t) {
  const std::string facts =
      Format("shape={}, dtype={}", t.partial_shape().PythonString(),
             DataTypeName(t.dtype()));
  return t.is_symbolic() ? Format("Tensor(\"{}\", {})", NameOfTensor(t), facts)
                         : Format("tf.Tensor({}, {})", ValueText(t), facts);
}

std::string MessagePrefix(const CompositionCall& c, int message) {
  if (!c.has(message) || c.text(message).empty()) return "";
  return c.text(message) + ".  ";
}

Node* MakeAssert(const CompositionCall& c, std::string_view outer,
                 const Tensor& holds, const AssertItems& data, int summarize) {
  const auto name = [&](std::string_view part) {
    return c.name(Format("{}Assert/{}", outer, part));
  };
  TensorVector values;
  for (const AssertItem& item : data) {
    values.push_back(item.value
                         ? item.value
                         : ValueOrThrow(OpBuilder::Current()->Constant(
                               Tensor::Scalar(item.text), name("Const"))));
  }
  const bool given = summarize >= 0 && c.has(summarize);
  ops::Assert(OpName(name("Assert")), holds, values,
              given ? c.integer(summarize) : 3);
  return Graph::GraphOf(holds)->nodes().back().get();
}

}  // namespace gk
