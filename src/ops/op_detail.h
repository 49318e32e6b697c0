// OpDetail: what a profile tells of one run of an op.
#ifndef GK_OPS_OP_DETAIL_H_
#define GK_OPS_OP_DETAIL_H_

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "base/event_log.h"
#include "framework/op_record.h"
#include "framework/tensor.h"

namespace gk {

struct OpDetail final : EventDetail {
  void AddInput(DataType type, const TensorShape& shape) {
    input_types.push_back(type);
    inputs.push_back(shape);
  }
  void AddOutput(DataType type, const TensorShape& shape) {
    output_types.push_back(type);
    outputs.push_back(shape);
  }
  // A tensor that is missing counts as a scalar of no type.
  void AddInput(const Tensor& t) {
    t ? AddInput(t.dtype(), t.shape())
      : AddInput(DataType::kInvalid, TensorShape());
  }
  void AddOutput(const Tensor& t) {
    t ? AddOutput(t.dtype(), t.shape())
      : AddOutput(DataType::kInvalid, TensorShape());
  }

  // "(float32[2,3], float32[3,4]) -> float32[2,4]".
  std::string ShapesText() const;
  // Bytes of all inputs and outputs: what is read and written at least.
  double Bytes() const;
  // Those of the outputs alone.
  double MadeBytes() const;

  std::vector<DataType> input_types, output_types;
  std::vector<TensorShape> inputs, outputs;
  uint32_t source = 0;  // position of the program (host_language.h)
  double flops = 0;
};

}  // namespace gk

#endif  // GK_OPS_OP_DETAIL_H_
