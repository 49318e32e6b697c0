// CallRules: how calls of a Function become requests for a trace: what binds
// their arguments, and what an input signature demands of them.
#ifndef GK_PYTHON_CALL_RULES_H_
#define GK_PYTHON_CALL_RULES_H_

#include <string>
#include <vector>

#include "function/function_type.h"
#include "python/src/binding/py_ref.h"
#include "python/src/function/function_signature.h"
#include "python/src/function/function_trace_type.h"

namespace gk::py {

// A call with the types of its parameters.
struct AskedCall {
  std::vector<BoundValue> bound;
  Ref<FunctionType> type;
  // May calls that look the same go the same way unseen?
  bool remember = false;
  // Those among the arguments, by their aliases.
  CallVariables variables;
};

class CallRules {
 public:
  CallRules() = default;
  // `tensors_only`: arguments become tensors first.
  CallRules(FunctionSignature signature, bool tensors_only)
      : signature_(std::move(signature)), tensors_only_(tensors_only) {}
  // What an input signature says of the parameters of `signature`, which may
  // lack `self`. Throws what Python raises.
  void Constrain(const FunctionSignature& signature,
                 nanobind::handle input_signature);
  // The parameters, with the types that an input signature gives them.
  Ref<FunctionType> Type() const {
    return shown_type_ ? shown_type_ : signature_.Type();
  }
  const FunctionSignature& signature() const { return signature_; }

  // Binds and casts a call. False with the one TypeError of calls that do not
  // fit, or the user's own error.
  bool Ask(const CallArguments& call, AskedCall* asked) const;
  // The input signature itself as a call.
  void AskSignature(AskedCall* asked) const;
  bool is_constrained() const { return constrained_type_ != nullptr; }
  // Which of the tensors of a call's key each input of a trace of `type` is.
  // False, without an exception, if the key does not tell.
  bool OrderOf(const CallArguments& call, const FunctionType& type,
               std::vector<int>* order) const;

  // For the garbage collector.
  int Visit(visitproc visit, void* arg) const;

 private:
  bool Refuse(const CallArguments& call, std::string_view reason) const;
  bool AskTypes(AskedCall* asked) const;
  bool AskConstrained(const CallArguments& call, AskedCall* asked) const;
  // Why the names in a call, and those of what was bound, do not fit the
  // signature; empty if they do.
  std::string GivenMisfit(const CallArguments& call) const;
  std::string BoundMisfit(const std::vector<BoundValue>& bound) const;

  FunctionSignature signature_;
  bool tensors_only_ = false;
  // Of an input signature, and the specs and defaults of its parameters.
  Ref<FunctionType> constrained_type_;
  std::vector<PyRef> specs_;
  Ref<FunctionType> shown_type_;  // the same, as errors show it
};

// The inputs of a trace for parameters of `type`, not yet converted.
bool FlattenCall(const FunctionType& type, const std::vector<BoundValue>& bound,
                 std::vector<PyRef>* inputs);

}  // namespace gk::py

#endif  // GK_PYTHON_CALL_RULES_H_
