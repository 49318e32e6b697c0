// The attributes that a function of the program may be given: which there are,
// and what they ask of its trace.
#ifndef GK_FUNCTION_FUNCTION_ATTRIBUTES_H_
#define GK_FUNCTION_FUNCTION_ATTRIBUTES_H_

#include <string_view>

#include "base/status.h"
#include "function/func_graph.h"

namespace gk {

// Its effects are in no order.
inline constexpr std::string_view kDisableAcd = "_disable_acd";
// The function stands for one that is known by that name elsewhere.
inline constexpr std::string_view kImplements = "_implements";
// Written into files for whoever compiles the function; nothing here does.
inline constexpr std::string_view kMustCompile = "_XlaMustCompile";

// ValueError for any other name than TensorFlow's.
Status CheckFunctionAttribute(std::string_view name);

// `graph` is about to be traced.
void BeginTrace(FuncGraph* graph, const AttrMap& attributes);

// It was: what stands for a function elsewhere gets its arguments alone.
// FailedPrecondition if it uses variables or captures anything.
Status CheckStandsAlone(const FuncGraph& graph, std::string_view name,
                        const AttrMap& attributes);

}  // namespace gk

#endif  // GK_FUNCTION_FUNCTION_ATTRIBUTES_H_
