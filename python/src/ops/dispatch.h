// What public functions do with values that are no tensors: functions that the
// program registered for their types come first, before the function has seen
// its arguments; where it cannot convert them, what ragged and sparse tensors
// have of their own.
#ifndef GK_PYTHON_DISPATCH_H_
#define GK_PYTHON_DISPATCH_H_

#include <nanobind/nanobind.h>

#include <span>
#include <utility>
#include <vector>

#include "python/src/ops/op_function.h"

namespace gk::py {

// The first operands of a call, and the function of others in their place.
struct Operands {
  nanobind::object Call(std::span<const nanobind::object> others) const;
  nanobind::object Call(const nanobind::object& other) const {
    return Call(std::span(&other, 1));
  }

  nanobind::object api;
  std::vector<nanobind::object> values;
  nanobind::object rest;   // the other positional arguments, a tuple
  nanobind::object named;  // a dictionary
};

// A call of a public function that can be dispatched.
class DispatchedCall {
 public:
  DispatchedCall(nanobind::handle api, nanobind::handle args,
                 nanobind::handle kwargs);

  // All aliases of a function have the same; null: it cannot be dispatched.
  const void* key() const { return key_; }
  nanobind::handle api() const { return api_; }
  nanobind::handle args() const { return args_; }
  nanobind::handle kwargs() const { return kwargs_; }
  int maps() const { return info_ == nullptr ? 0 : info_->maps(); }
  int compares() const { return info_ == nullptr ? 0 : info_->compares(); }
  bool keeps_zero() const { return info_ != nullptr && info_->keeps_zero(); }
  int slices() const { return info_ == nullptr ? 0 : info_->slices(); }
  RaggedForm ragged_form() const {
    return info_ == nullptr ? RaggedForm::kNone : info_->ragged_form();
  }

  // All arguments, and what is in those that are lists.
  std::vector<nanobind::handle> Values() const;
  // Those that are given, by place or, of what is made of ops, by name.
  Operands First(size_t count) const;
  // Arguments by name; none if they do not fit the parameters.
  nanobind::object Bound() const;

 private:
  nanobind::handle api_, args_, kwargs_;
  const FunctionInfo* info_ = nullptr;  // null of what is written in Python
  const void* key_ = nullptr;
};

// The function that a public one is made of; null of others and of raw_ops.
const FunctionInfo* InfoOf(PyObject* function);

// Is there any function that must be asked first?
extern bool has_dispatch_targets;
// What the program registered, and what ragged and sparse tensors have
// (ragged_functions.cc): the result, or NotImplemented.
nanobind::object AskTargets(const DispatchedCall& call);
nanobind::object CallOfComposites(const DispatchedCall& call);

// `handler` is what was decorated, `target` what is called in the place of
// `api` for arguments of the types by name.
void AddDispatchTarget(nanobind::handle api, nanobind::object handler,
                       nanobind::object target, const nanobind::dict& types);

void AddDispatch(nanobind::module_& m);
void AddDispatchForApi(nanobind::module_& m);

}  // namespace gk::py

#endif  // GK_PYTHON_DISPATCH_H_
