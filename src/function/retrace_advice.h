// What would avoid a trace, in the words of the host language.
#ifndef GK_FUNCTION_RETRACE_ADVICE_H_
#define GK_FUNCTION_RETRACE_ADVICE_H_

#include <string>

#include "function/host_words.h"
#include "function/trace_history.h"

namespace gk {

// `max_traces`: the limit of the cache; 0 if there is none.
std::string RetraceAdvice(const TypeDifference& difference, size_t max_traces,
                          const HostWords& words);

}  // namespace gk

#endif  // GK_FUNCTION_RETRACE_ADVICE_H_
