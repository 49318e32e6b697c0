#include "function/variable_creators.h"

#include <utility>

#include "base/per_thread.h"
#include "function/user_scopes.h"

namespace gk {
namespace {

struct Entered {
  Ref<VariableCreator> creator;
  Ref<FuncGraph> graph;  // null: in eager code
};
struct Stack {
  std::vector<Entered> entered;
};
using ThisThread = PerThread<Stack, Stack>;

}  // namespace

void EnterVariableCreator(Ref<VariableCreator> creator) {
  ThisThread::Get().entered.push_back(
      {std::move(creator), Ref<FuncGraph>(GraphAround())});
}

Status LeaveVariableCreator(FunctionRef<bool(const VariableCreator&)> is_it) {
  std::vector<Entered>& entered = ThisThread::Get().entered;
  bool last = true;
  for (size_t i = entered.size(); i-- > 0;) {
    if (!is_it(*entered[i].creator)) {
      last = last && entered[i].graph.get() != GraphAround();
      continue;
    }
    // What is destroyed may be code of the program.
    const Entered left = std::move(entered[i]);
    entered.erase(entered.begin() + static_cast<ptrdiff_t>(i));
    if (last) return OkStatus();
    break;
  }
  return RuntimeError(
      "Exiting variable_creator_scope without proper nesting.");
}

std::vector<Ref<VariableCreator>> VariableCreatorsHere() {
  std::vector<Ref<VariableCreator>> here;
  const Stack* const stack = ThisThread::IfMade();
  if (stack == nullptr) return here;
  for (const Entered& e : stack->entered) {
    if (IsAround(e.graph.get())) here.push_back(e.creator);
  }
  return here;
}

}  // namespace gk
