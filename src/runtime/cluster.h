// Cluster: a group of elementwise ops that runs as one instruction, tile by
// tile: intermediate values stay in the first-level cache, only values that
// are needed outside are written out.
//
// Immutable after planning. Tiles are independent, so running them on several
// threads gives the same bits as running them in order.
#ifndef GK_RUNTIME_CLUSTER_H_
#define GK_RUNTIME_CLUSTER_H_

#include <atomic>
#include <cstdint>
#include <span>
#include <vector>

#include "framework/graph.h"
#include "framework/op_record.h"
#include "framework/tensor_shape.h"

namespace gk {

// The tile kernel of `node` if it is an elementwise op whose operands and
// result have known shapes, the result the one to which they broadcast; else
// null.
const TileKernel* FusableTile(const Node& node);

class Cluster {
 public:
  // Values are numbered: inputs first, then the result of each step.
  struct Step {
    TileFn fn = nullptr;
    TileParams params;
    int32_t in[3] = {};
    int32_t num_inputs = 0;
    float cost_ns = 0;           // per element
    const Node* node = nullptr;  // the last one, of several in one loop
  };

  // An operand from outside; `shape` broadcasts to the domain.
  int AddInput(DataType dtype, const TensorShape& shape);
  // Returns the number of the new value.
  int AddStep(const TileKernel& tile, std::span<const int> in,
              const Node* node);
  // Value `v` (of a step) is needed outside.
  int AddResult(int v);
  // Joins steps, chooses registers and the tile size. Call last.
  void Finish(const TensorShape& domain);
  // The same for one that runs as it was put together: a loop and a register
  // for each step. What checks compare with.
  void FinishPlainly(const TensorShape& domain);

  // Whether Run() may be given the same memory for input `i` and result `r`.
  bool MayWriteOver(int i, int r) const;

  int num_inputs() const { return inputs_.size(); }
  int num_results() const { return results_.size(); }
  int64_t num_elements() const { return n_; }
  DataType result_type(int r) const { return results_[r].dtype; }
  const std::vector<Step>& steps() const { return steps_; }
  // Of all steps as they were added.
  const std::vector<const Node*>& nodes() const { return nodes_; }
  int num_registers() const { return num_registers_; }  // for tests

  // in[i], out[i]: elements of input and result i. Returns -1, or the first
  // step whose kernel reported an error.
  int Run(const void* const* in, void* const* out) const;
  // The same for elements [first, first + count) alone, on this thread.
  int RunPart(const void* const* in, void* const* out, int64_t first,
              int64_t count) const;

  // Element i of the domain needs element i of the input, and no other.
  bool ReadsInFull(int i) const { return inputs_[i].mode == Mode::kFull; }
  // A step may report an error.
  bool CanFail() const;

 private:
  enum class Mode : uint8_t { kFull, kScalar, kStrided };
  struct Input {
    DataType dtype;
    TensorShape shape;
    Mode mode = Mode::kFull;
    int element_size = 0;
    int reg = -1;
    std::vector<int64_t> strides;  // elements, by collapsed dimension
  };
  struct Result {
    int value = 0;
    DataType dtype;
    int element_size = 0;
  };

  void FuseSteps();
  void ChooseModes(const TensorShape& domain);
  void ColourRegisters();
  void ChooseTile();
  void RunTiles(const void* const* in, void* const* out, int64_t begin,
                int64_t end, std::atomic<int>* failed) const;
  const void* FillStrided(const Input& input, const void* from, int64_t start,
                          int64_t n, void* scratch) const;

  std::vector<Input> inputs_;
  std::vector<Step> steps_;
  std::vector<const Node*> nodes_;
  std::vector<DataType> step_types_;
  std::vector<int> step_registers_;  // -1: written out directly
  std::vector<Result> results_;
  std::vector<int64_t> dims_;  // of the domain, collapsed
  int64_t n_ = 0, tile_ = 0, register_bytes_ = 0;
  int num_registers_ = 0;
  double cost_ns_ = 0;  // per element
};

}  // namespace gk

#endif  // GK_RUNTIME_CLUSTER_H_
