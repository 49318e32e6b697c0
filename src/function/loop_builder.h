// Loops as users write them: a condition and a body, functions of the loop
// variables, traced into a While.
//
// What iterations must agree in, and the errors where they do not, are here.
// Called while the graph around the loop is being built.
#ifndef GK_FUNCTION_LOOP_BUILDER_H_
#define GK_FUNCTION_LOOP_BUILDER_H_

#include <functional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "function/control_flow.h"

namespace gk {

class WhileBuilder;

struct LoopSource {
  std::string name = "while";
  // Of the loop variables; empty: each keeps the shape that it enters with.
  std::vector<PartialTensorShape> invariants = {};
  Tensor maximum_iterations = {};  // an integer scalar, or null: no limit
  int64_t parallel_iterations = 10;
  // Where the variables enter and where the body was written: "net.cc:12".
  std::string enters = {};
  std::string repeats = {};
};

// Variables that a body turns out to need while it is being traced.
class LateVariables {
 public:
  // What stands for it in the body. `initial` makes its first value around
  // the loop, once the body is traced.
  Tensor Add(DataType dtype, const PartialTensorShape& shape,
             std::function<Tensor()> initial);
  // Its value after an iteration: one for each that was added, in order.
  void SetNext(TensorVector values) { next_ = std::move(values); }

 private:
  friend TensorVector BuildLoop(
      std::span<const Tensor>, const LoopSource&,
      const std::function<Tensor(std::span<const Tensor>)>&,
      const std::function<TensorVector(std::span<const Tensor>,
                                       LateVariables*)>&);
  explicit LateVariables(WhileBuilder* builder) : builder_(builder) {}

  WhileBuilder* builder_;
  std::vector<std::function<Tensor()>> initial_;
  TensorVector next_;
};

// Do two iterations agree about variable `i`? TypeError or ValueError else.
Status CheckLoopDtype(size_t i, DataType before, DataType after,
                      const LoopSource& loop);
Status CheckLoopShape(size_t i, const PartialTensorShape& before,
                      const PartialTensorShape& after,
                      const PartialTensorShape* invariant,
                      const LoopSource& loop);
// " (enters at a.cc:1, body at a.cc:2)".
std::string LoopPlaces(const LoopSource& loop);
// `limit` as an int32 scalar; ValueError or TypeError if it is none.
Tensor IterationLimit(const Tensor& limit);

// The loop variables at the end, late ones last. Throws Error, and what the
// functions throw.
TensorVector BuildLoop(
    std::span<const Tensor> state, const LoopSource& loop,
    const std::function<Tensor(std::span<const Tensor>)>& condition,
    const std::function<TensorVector(std::span<const Tensor>, LateVariables*)>&
        body);

}  // namespace gk

#endif  // GK_FUNCTION_LOOP_BUILDER_H_
