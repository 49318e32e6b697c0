// A for statement over a dataset while a graph is built: a scan, whose state
// is what the loop carries, ended by a take_while if there is a break, and a
// reduce that keeps the last state.
#ifndef GK_FUNCTION_DATASET_LOOP_H_
#define GK_FUNCTION_DATASET_LOOP_H_

#include "function/dataset_builder.h"
#include "function/loop_state.h"

namespace gk {

// A loop whose body the host traces.
class DatasetLoop : public LoopHost {
 public:
  // What is carried; shapes may vary.
  virtual LoopState& Start() = 0;
  // The values are these from here on.
  virtual void Set(std::vector<StagedValue> values) = 0;
  // One iteration, of the components of an element. A bool scalar: does it
  // count? The first that does not ends the loop.
  virtual Tensor Body(std::span<const Tensor> element) = 0;
  // The values after the body; makes nodes.
  virtual std::vector<StagedValue> Get() = 0;
};

// Builds the nodes and sets the values behind them; the body is traced again
// where shapes vary. `may_end`: is there an iteration that does not count?
// Throws Error, and what the host throws.
void BuildDatasetLoop(DatasetLoop& loop, const TypedDataset& dataset,
                      bool may_end);

}  // namespace gk

#endif  // GK_FUNCTION_DATASET_LOOP_H_
