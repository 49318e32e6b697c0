// A oneDNN primitive that always runs on the calling thread alone.
//
// Made once when a plan is built, then run any number of times; the memory
// objects and the scratchpad of a run come from a small pool inside, so a warm
// run allocates nothing of ours. Run() is thread-safe. oneDNN's OpenMP team is
// held to one thread around creation and execution and restored afterwards.
#ifndef GK_KERNELS_DNNL_PRIMITIVE_H_
#define GK_KERNELS_DNNL_PRIMITIVE_H_

#include <functional>
#include <memory>
#include <oneapi/dnnl/dnnl.hpp>
#include <span>
#include <vector>

#include "base/idle_cells.h"
#include "base/status.h"

namespace gk {

// Holds this thread's OpenMP team at one for the guard's lifetime. Throws
// std::bad_alloc where there is no memory for what oneDNN and OpenMP keep of
// each thread.
class OneThreadGuard {
 public:
  OneThreadGuard();
  ~OneThreadGuard();
  OneThreadGuard(const OneThreadGuard&) = delete;
  OneThreadGuard& operator=(const OneThreadGuard&) = delete;

 private:
  int saved_;
};

class DnnlPrimitive {
 public:
  struct Argument {
    int id;
    dnnl::memory::desc desc;
  };
  struct Parts {
    dnnl::primitive primitive;
    dnnl::memory::desc scratchpad;
    std::vector<Argument> arguments;
    // Handlers of signals may run meanwhile, whatever the primitive is.
    bool keeps_stack = false;
  };

  // Calls `make` under the guard and turns what it throws into a Status.
  static StatusOr<std::unique_ptr<DnnlPrimitive>> Create(
      const std::function<Parts(const dnnl::engine&)>& make);
  ~DnnlPrimitive();

  // `pointers` are the arguments' data in the order of Parts::arguments.
  Status Run(std::span<void* const> pointers);

 private:
  struct State;
  explicit DnnlPrimitive(Parts parts);
  dnnl_status_t Execute(State& state) const;

  Parts parts_;
  IdleCells<State> idle_;
};

// Plain attributes with a scratchpad supplied by the caller.
dnnl::primitive_attr UserScratchpad();

}  // namespace gk

#endif  // GK_KERNELS_DNNL_PRIMITIVE_H_
