// Functions of programs in C++ as saved models see them.
#ifndef GK_API_EXPORTED_FUNCTION_H_
#define GK_API_EXPORTED_FUNCTION_H_

#include <string>

#include "graphkiln/saved_model.h"
#include "saved_model/exported_object.h"

namespace gk::api::saved_model {

// Throws the library's Error (TypeError) of a trace that takes what has no
// lasting form.
ExportedTrace Exported(const ConcreteFunction& trace);

// The function as an object of that name.
ExportedObjectRef ExportedFunctionObject(std::string name,
                                         ExportedFunction function);

}  // namespace gk::api::saved_model

#endif  // GK_API_EXPORTED_FUNCTION_H_
