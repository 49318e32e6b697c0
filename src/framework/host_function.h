// Functions of the language above that nodes of a graph call (EagerPyFunc,
// PyFunc). A node knows only a token; who the token belongs to and how it is
// called is the business of the layer above.
//
// The caller is process-wide and is set once at start; it is called from any
// thread and must be thread-safe.
#ifndef GK_FRAMEWORK_HOST_FUNCTION_H_
#define GK_FRAMEWORK_HOST_FUNCTION_H_

#include <span>
#include <string>
#include <vector>

#include "base/status.h"
#include "framework/tensor.h"

namespace gk {

// Calls the function of `token`. `outputs` has the length of `types`; each
// gets a value of its type.
using HostFunctionCaller = Status (*)(const std::string& token,
                                      std::span<const Tensor* const> inputs,
                                      const std::vector<DataType>& types,
                                      std::span<Tensor> outputs);

void SetHostFunctionCaller(HostFunctionCaller caller);
// FailedPrecondition if no caller is set: a graph with such nodes runs only
// in a process of the language that it was traced in.
Status CallHostFunction(const std::string& token,
                        std::span<const Tensor* const> inputs,
                        const std::vector<DataType>& types,
                        std::span<Tensor> outputs);

// While one is alive on a thread, what functions raise there beside errors
// (an interrupt) is dropped: nobody is left to get it.
class QuietHostCalls {
 public:
  QuietHostCalls();
  ~QuietHostCalls();
  QuietHostCalls(const QuietHostCalls&) = delete;
  static bool Any();
};

}  // namespace gk

#endif  // GK_FRAMEWORK_HOST_FUNCTION_H_
