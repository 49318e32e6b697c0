#include "runtime/error_origin.h"

namespace gk {
namespace {

thread_local ErrorOrigin origin;

}  // namespace

const ErrorOrigin& LastErrorOrigin() { return origin; }
void ClearErrorOrigin() { origin = ErrorOrigin(); }

Status AtNode(const Status& status, const Node& node,
              std::string_view function) {
  // A call passes on what failed inside: the innermost node is the one.
  if (node.op().Has(kCallsFunction) && !origin.node.empty()) return status;
  origin.node = node.name();
  origin.op = node.type();
  origin.function = function;
  origin.source = node.source();
  if (status.code() == Code::kPythonException) return status;
  return status.Append(fmt::format("\n\t [[{{{{node {}}}}}]]", node.name()));
}

}  // namespace gk
