// What the messages of a saved model say of how its functions are called and
// what they give: the reading side of trace_messages.h. Files come from
// anywhere: whatever they hold, the outcome is a type or an error.
#ifndef GK_SAVED_MODEL_MESSAGE_TYPES_H_
#define GK_SAVED_MODEL_MESSAGE_TYPES_H_

#include <map>
#include <string>
#include <vector>

#include "function/concrete_function.h"
#include "function/function_type.h"
#include "proto/saved_model.gk.h"

namespace gk {

// What a file says of a function's parameters; that of the object left out.
struct SavedParameters {
  std::vector<std::string> names;
  std::vector<proto::StructuredValue> defaults;  // of the last names
  std::vector<std::string> keyword_names;        // of those by name alone
  std::map<std::string, proto::StructuredValue> keyword_defaults;
  // What takes all other arguments, by position and by name; empty: nothing.
  std::string varargs, varkw;

  // Null if it has none. `position`: -1 of arguments by name alone.
  const proto::StructuredValue* DefaultOf(const std::string& name,
                                          int position) const;
};
SavedParameters ParametersOf(const proto::FunctionSpec& spec);

// The type of the calls that a trace of a file serves; `names`: of the
// arguments by position. Specs of composites are records of their tensors.
// A message that is None is that of a function cut out of a graph: each
// argument is a tensor. DataLoss unless the message describes what the function
// takes.
StatusOr<Ref<FunctionType>> TypeOfMessage(
    const std::vector<ArgumentSpec>& arguments,
    const proto::StructuredValue& message,
    const std::vector<std::string>& names);

bool IsNone(const proto::StructuredValue& message);

// The type of a plain value: a number, a text or nothing.
TraceTypeRef TypeOfPlainValue(const proto::StructuredValue& value);

// How results nest, of which there are `num_results`. DataLoss unless the
// message describes as many.
StatusOr<StructureRef> StructureOfMessage(const proto::StructuredValue& message,
                                          int num_results);

}  // namespace gk

#endif  // GK_SAVED_MODEL_MESSAGE_TYPES_H_
