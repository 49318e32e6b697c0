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
  // How the results nest, where the function does not know it itself.
  StructureRef output = nullptr;
  // What has to live as long: the model that it is of.
  std::shared_ptr<const void> owner = nullptr;

  // Null if nobody knows it.
  const StructureRef& Output() const {
    return output ? output : function->signature().output;
  }
};

}  // namespace gk::api

#endif  // GK_API_CONCRETE_REP_H_
