#include "runtime/error_origin.h"

#include "base/per_thread.h"
#include "framework/op_registry.h"

namespace gk {
namespace {

using ThreadOrigin = PerThread<ErrorOrigin, ErrorOrigin>;

// "GatherV2" for "PartitionedCall_1/GatherV2": calls that were inlined put
// their name before those of the callee's nodes, where they have this one.
std::string_view NameInItsFunction(std::string_view name) {
  std::string_view rest = name;
  for (size_t slash; (slash = rest.find('/')) != std::string_view::npos;) {
    std::string_view part = rest.substr(0, slash);
    rest.remove_prefix(slash + 1);
    const size_t last = part.find_last_not_of("0123456789");
    if (last != std::string_view::npos && last + 1 < part.size() &&
        part[last] == '_') {
      part = part.substr(0, last);
    }
    const OpRecord* op = OpRegistry::Get().Find(part);
    if (op != nullptr && op->control == Control::kCall) name = rest;
  }
  return name;
}

}  // namespace

const ErrorOrigin& LastErrorOrigin() {
  static const ErrorOrigin none;
  const ErrorOrigin* const origin = ThreadOrigin::IfMade();
  return origin ? *origin : none;
}
void ClearErrorOrigin() {
  if (ErrorOrigin* const origin = ThreadOrigin::IfMade()) {
    *origin = ErrorOrigin();
  }
}

void SetErrorOrigin(ErrorOrigin o) { ThreadOrigin::Get() = std::move(o); }

Status AtNode(const Status& status, const Node& node,
              std::string_view function) {
  ErrorOrigin& origin = ThreadOrigin::Get();
  // A call passes on what failed inside: the innermost node is the one.
  if (node.op().Has(kCallsFunction) && !origin.node.empty()) return status;
  origin.node = NameInItsFunction(node.name());
  origin.op = node.type();
  origin.function = function;
  origin.source = node.source();
  if (status.code() == Code::kPythonException) return status;
  return status.Append(Format("\n\t [[{{{{node {}}}}}]]", origin.node));
}

}  // namespace gk
