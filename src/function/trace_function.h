// TraceFunction: the way of every trace, in the one order that there is: the
// arguments, the user's body, what is checked of it, its results, the end.
#ifndef GK_FUNCTION_TRACE_FUNCTION_H_
#define GK_FUNCTION_TRACE_FUNCTION_H_

#include <span>
#include <string_view>

#include "base/function_ref.h"
#include "function/concrete_function.h"
#include "function/func_graph.h"
#include "function/trace_arguments.h"

namespace gk {

// What the face does in a trace, in the order of the functions, each once,
// while the graph is built on this thread. What they throw passes through.
class TracedBody {
 public:
  // What makes values of the placeholders.
  virtual ArgumentFace* arguments() = 0;
  // Calls the user's body with these values.
  virtual Status Call() = 0;
  // An error if it changed what it was called with.
  virtual Status CheckArguments() { return OkStatus(); }
  // How what it returned nests; each tensor in it is given to `add`.
  using AddResult = FunctionRef<Status(const Tensor&)>;
  virtual StatusOr<StructureRef> Results(AddResult add) = 0;

  // The error of a function that has to stand alone and does not.
  virtual Status NotAlone(Status error) { return error; }

 protected:
  ~TracedBody() = default;
};

struct FunctionTrace {
  std::string_view name;
  Ref<FunctionType> type;
  // The handles of the call's variables, by alias.
  std::span<const Tensor> variables;
  const AttrMap& attributes;
};

// `graph`: new, and not entered.
StatusOr<Ref<ConcreteFunction>> TraceFunction(FuncGraph* graph,
                                              const FunctionTrace& trace,
                                              TracedBody* body);

}  // namespace gk

#endif  // GK_FUNCTION_TRACE_FUNCTION_H_
