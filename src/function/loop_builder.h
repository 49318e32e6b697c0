// Loops as users write them: a condition and a body, each traced once, into a
// While.
//
// Called while the graph around the loop is being built.
#ifndef GK_FUNCTION_LOOP_BUILDER_H_
#define GK_FUNCTION_LOOP_BUILDER_H_

#include <string>
#include <vector>

#include "function/loop_state.h"

namespace gk {

struct LoopOptions {
  std::string name = "while";
  Tensor maximum_iterations = {};  // an integer scalar, or null: no limit
  int64_t parallel_iterations = 10;
};

// A loop that the host traces the parts of.
class StagedLoop : public LoopHost {
 public:
  // What is carried; makes nodes in the scope of the loop.
  virtual LoopState& Start() = 0;
  // Where values are: in the body, in the condition, or behind the loop.
  enum class Place { kBody, kCondition, kBehind };
  // The values are these from here on. `lists`, in the body only, makes
  // variables for lists of such elements, with which open list `i` begins, and
  // gives what stands for them.
  using ListsFn = std::function<const TensorVector&(
      size_t i, std::span<const HandleData> elements)>;
  virtual void Set(std::vector<StagedValue> values, Place place,
                   const ListsFn& lists) = 0;
  // Is the condition traced before the body? It then sees what is carried
  // from the beginning; what starts late is not known there yet.
  virtual bool asks_first() const { return false; }
  // `count`: how many iterations there were.
  virtual Tensor Condition(const Tensor& count) = 0;
  virtual void Body(const Tensor& count) = 0;
  // The values after the body; makes nodes.
  virtual std::vector<StagedValue> Get() = 0;
};

// Builds the While and sets the values behind it. Throws Error, and what the
// parts throw.
void BuildLoop(StagedLoop& parts, const LoopOptions& options);

// `limit` as an int32 scalar; ValueError or TypeError if it is none.
Tensor IterationLimit(const Tensor& limit);
// ValueError unless it is a number of iterations that may run at once.
Status CheckParallelIterations(int64_t parallel_iterations);

}  // namespace gk

#endif  // GK_FUNCTION_LOOP_BUILDER_H_
