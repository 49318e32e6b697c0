// TracedSignature: how the host calls what was traced, and what it gets.
#ifndef GK_FUNCTION_TRACED_SIGNATURE_H_
#define GK_FUNCTION_TRACED_SIGNATURE_H_

#include "framework/structure.h"
#include "function/function_type.h"

namespace gk {

// Null parts where nothing is known: graphs that are no functions of the host,
// functions that were read from a file.
struct TracedSignature {
  Ref<FunctionType> type;
  StructureRef output;  // leaf i is result i
};

}  // namespace gk

#endif  // GK_FUNCTION_TRACED_SIGNATURE_H_
