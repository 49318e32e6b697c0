// Functions of the program that nodes of a graph call (EagerPyFunc, PyFunc). A
// node knows a token, by which it finds its function; who keeps that is the
// business of who makes the node.
#ifndef GK_FRAMEWORK_HOST_FUNCTION_H_
#define GK_FRAMEWORK_HOST_FUNCTION_H_

#include <functional>
#include <span>
#include <string>
#include <vector>

#include "base/status.h"
#include "framework/tensor.h"
#include "framework/variant.h"

namespace gk {

// Called from any thread, eagerly whatever runs the graph. The memory of the
// inputs may be a plan's; `outputs` has the length of `types`, each gets a
// value of its type.
using HostCall = std::function<Status(
    const std::string& token, std::span<const Tensor* const> inputs,
    const std::vector<DataType>& types, std::span<Tensor> outputs)>;

// A function that is found by its token as long as this lives. A tensor may
// hold it, so that a node can.
class HostFunction final : public VariantObject {
 public:
  // By default a token of its own.
  explicit HostFunction(HostCall call, std::string token = {});
  ~HostFunction() override;
  const std::string& token() const { return token_; }
  std::string_view type_name() const override {
    return "graphkiln::HostFunction";
  }

 private:
  std::string token_;
};

// The attribute by which a node holds one: no file has it.
inline constexpr char kHeldHostFunction[] = "_host_function";

// FailedPrecondition if there is no function of this token any more, or not in
// this process; ResourceExhausted where graphs and functions call each other
// more deeply than the stack allows.
Status CallHostFunction(const std::string& token,
                        std::span<const Tensor* const> inputs,
                        const std::vector<DataType>& types,
                        std::span<Tensor> outputs);

// Tokens of the gradients of recorded calls (function/host_call.h): the last
// output of EagerPyFunc is then the record, of variant type.
inline constexpr char kHostGradient[] = "host_gradient";
inline constexpr char kSecondHostGradient[] = "second_host_gradient";

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
