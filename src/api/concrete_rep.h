// What a public ConcreteFunction holds.
#ifndef GK_API_CONCRETE_REP_H_
#define GK_API_CONCRETE_REP_H_

#include "function/concrete_function.h"
#include "function/function_type.h"
#include "graphkiln/concrete_function.h"

namespace gk::api {

struct ConcreteFunction::Rep {
  Ref<::gk::ConcreteFunction> function;
  Ref<FunctionType> type;  // of the call that was traced
};

}  // namespace gk::api

#endif  // GK_API_CONCRETE_REP_H_
