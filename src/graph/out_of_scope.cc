#include "graph/out_of_scope.h"

#include "framework/host_language.h"
#include "graph/graph_elements.h"

namespace gk {
namespace {

constexpr std::string_view kNoAccess = "cannot be accessed from FuncGraph(";

std::string Indented(const std::string& lines) {
  std::string text = "\n  ";
  for (char c : lines) {
    text += c;
    if (c == '\n') text += "  ";
  }
  return text;
}

std::string Text(const Tensor& t, std::string_view defined_in,
                 std::string_view used_in) {
  const std::string shown = EdgeText(Graph::OutputOf(t));
  std::string text = Format(
      "{} is out of scope and cannot be used here. Use return values, explicit "
      "Python locals or TensorFlow collections to access it.\nPlease see "
      "https://www.tensorflow.org/guide/"
      "function#all_outputs_of_a_tffunction_must_be_return_values for more "
      "information.",
      shown);
  const std::string source = SourceText(Graph::OutputOf(t).node->source());
  if (!source.empty()) {
    text += Format("\n\n{} was defined here:{}", shown, Indented(source));
  }
  if (!defined_in.empty()) {
    text += Format(
        "\n\nThe tensor {} cannot be accessed from {}, because it was defined "
        "in {}, which is out of scope.",
        shown, used_in, defined_in);
  }
  return text;
}

}  // namespace

Status OutOfScopeError(const Tensor& symbolic, std::string_view defined_in) {
  return TypeError("{}", Text(symbolic, defined_in, "here"));
}

Status InaccessibleTensorError(const Tensor& symbolic,
                               std::string_view defined_in,
                               std::string_view used_in) {
  return ValueError("{}", Text(symbolic, defined_in, used_in));
}

bool IsInaccessibleTensorError(const Status& status) {
  return status.code() == Code::kValueError &&
         status.message().find(kNoAccess) != std::string::npos;
}

Status ExplainedFailure(Status failed, std::span<const Tensor> inputs) {
  for (const Tensor& t : inputs) {
    if (t && t.is_symbolic()) return OutOfScopeError(t, {});
  }
  return failed;
}

std::string SourceText(SourceId source) {
  return source == 0 ? std::string() : HostLanguage::Get().SourceText(source);
}

}  // namespace gk
