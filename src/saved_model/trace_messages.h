// How functions of programs are called and what they give, as the messages of
// saved models say it: the writing side.
#ifndef GK_SAVED_MODEL_TRACE_MESSAGES_H_
#define GK_SAVED_MODEL_TRACE_MESSAGES_H_

#include <string>
#include <vector>

#include "framework/structure.h"
#include "function/concrete_function.h"
#include "function/function_type.h"
#include "proto/saved_model.gk.h"

namespace gk {

// ((arguments by position), {arguments by name}) of a traced call, with the
// names that the tensors have in the function. TypeError for an argument that
// has no lasting form.
StatusOr<proto::StructuredValue> MessageOfArguments(
    const ConcreteFunction& function, const FunctionType& type);

// The results, nested as `output` says.
StatusOr<proto::StructuredValue> MessageOfResults(
    const ConcreteFunction& function, const Structure& output);

// The parameters of a function with these names, as files describe them.
proto::FunctionSpec SpecOfParameters(const std::vector<std::string>& names);

}  // namespace gk

#endif  // GK_SAVED_MODEL_TRACE_MESSAGES_H_
