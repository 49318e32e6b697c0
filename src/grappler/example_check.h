// Translation by example: the graph that passes have left and the one that
// they were given run on the same random arguments and give the same bits.
//
// Only graphs whose effects can be repeated run: they change nothing but
// variables that they are given, which are made for each run. Bounded in
// nodes, elements and time; what does not fit is not run.
#ifndef GK_GRAPPLER_EXAMPLE_CHECK_H_
#define GK_GRAPPLER_EXAMPLE_CHECK_H_

#include <span>
#include <string_view>

#include "framework/function_runner.h"
#include "grappler/function_graph.h"

namespace gk {

// Runs graphs as they are, without passes. The process-wide one is supplied
// by the runtime; thread-safe.
class ExampleRunner {
 public:
  virtual ~ExampleRunner() = default;
  virtual Status Run(const FunctionGraph& function,
                     std::span<const Tensor> arguments, TensorVector* results,
                     const CancellationToken* cancellation) = 0;

  static ExampleRunner* Get();  // null if there is none
  static void Set(ExampleRunner* runner);
};

// OK if both do the same, or nothing can be said. An Internal error names
// `what`, the function and the result that differs.
Status CompareByExample(std::string_view what, const FunctionGraph& before,
                        const FunctionGraph& after);

// Whether what the loop's condition says of the values that are known where
// the loop begins, and random ones for the others, is that it goes on.
bool RunsByExample(const Node& loop);

}  // namespace gk

#endif  // GK_GRAPPLER_EXAMPLE_CHECK_H_
