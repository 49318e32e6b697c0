// What tracing changes for the values that a lambda makes.
#ifndef GK_API_TRACING_H_
#define GK_API_TRACING_H_

#include "api/inner.h"

namespace gk::api {

// Says, while a lambda is traced on this thread, whether it may create
// variables. Scopes nest.
class VariableCreation {
 public:
  explicit VariableCreation(bool allowed);
  ~VariableCreation();
  VariableCreation(const VariableCreation&) = delete;
  bool happened() const { return happened_; }

 private:
  friend InnerTensor ValueForNewVariable(const InnerTensor& initial);
  bool allowed_;
  bool happened_ = false;
  VariableCreation* outer_;
};

// The initial value of a variable that is being created: computed now, also
// while tracing. Throws ValueError where none may be created or the value is
// not known yet.
InnerTensor ValueForNewVariable(const InnerTensor& initial);

}  // namespace gk::api

#endif  // GK_API_TRACING_H_
