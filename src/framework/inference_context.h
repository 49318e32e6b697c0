// InferenceContext: what a shape function sees and sets.
//
// Shapes of inputs may be partial; values of inputs may be known (constants,
// or in eager mode). A shape function reports impossible inputs as
// InvalidArgument, which graph building raises as ValueError.
#ifndef GK_FRAMEWORK_INFERENCE_CONTEXT_H_
#define GK_FRAMEWORK_INFERENCE_CONTEXT_H_

#include <span>
#include <vector>

#include "framework/attr_value.h"
#include "framework/resource.h"
#include "framework/tensor.h"

namespace gk {

struct OpRecord;

class InferenceContext {
 public:
  // All inputs flattened (list arguments spread out). `values[i]` is null
  // where unknown; `value_shapes[i]`, where set, is the partial value of a
  // 1-D integer input read as a shape.
  InferenceContext(const OpRecord& record, const AttrMap& attrs,
                   std::span<const PartialTensorShape> inputs,
                   std::span<const DataType> input_types,
                   std::span<const Tensor> values, int num_outputs);

  int num_inputs() const { return inputs_.size(); }
  const PartialTensorShape& input(int i) const { return inputs_[i]; }
  DataType input_type(int i) const { return input_types_[i]; }
  // The value of input i, or a null Tensor.
  const Tensor& value(int i) const;
  // Input i (1-D integers) as a shape: unknown elements are unknown dims.
  PartialTensorShape ValueAsShape(int i) const;
  // Integers of input i; nullopt if unknown.
  std::optional<std::vector<int64_t>> ValueAsInts(int i) const;

  int num_outputs() const { return outputs_.size(); }
  const PartialTensorShape& output(int i) const { return outputs_[i]; }
  void set_output(int i, PartialTensorShape s) { outputs_[i] = std::move(s); }

  // Attributes (defaults already filled in). Missing ones are a bug in the
  // record and give a default-constructed value.
  template <class T>
  T attr(std::string_view name) const {
    const T* v = attrs_.Get<T>(name);
    return v ? *v : T();
  }
  const AttrMap& attrs() const { return attrs_; }
  const OpRecord& record() const { return record_; }

  // What stands behind resource and variant tensors.
  const HandleData* input_handle(int i) const;
  void set_input_handles(std::vector<const HandleData*> handles);
  void set_output_handle(int i, HandleData data);
  // Empty where none was set.
  HandleData output_handle(int i) const {
    return output_handles_.empty() ? HandleData() : output_handles_[i];
  }
  void set_value_shapes(std::vector<std::optional<PartialTensorShape>> v) {
    value_shapes_ = std::move(v);
  }

  // Checks with the messages users know ("Shape must be rank 2 but is rank
  // 0", "Dimensions must be equal, but are 2 and 3").
  Status WithRank(int i, int rank, PartialTensorShape* out) const;
  Status WithRankAtLeast(int i, int rank, PartialTensorShape* out) const;
  static Status MergeDims(int64_t a, int64_t b, int64_t* out);

 private:
  const OpRecord& record_;
  const AttrMap& attrs_;
  std::span<const PartialTensorShape> inputs_;
  std::span<const DataType> input_types_;
  std::span<const Tensor> values_;
  std::vector<std::optional<PartialTensorShape>> value_shapes_;
  std::vector<const HandleData*> input_handles_;
  std::vector<PartialTensorShape> outputs_;
  std::vector<HandleData> output_handles_;
};

using ShapeFn = Status (*)(InferenceContext&);

// Shape functions shared by many ops.
namespace shape_fn {
Status Unknown(InferenceContext& c);
Status Scalar(InferenceContext& c);
Status SameAsInput(InferenceContext& c);  // output i has the shape of input 0
Status Broadcast(InferenceContext& c);    // of all inputs
Status NoOutputs(InferenceContext& c);
}  // namespace shape_fn

// Broadcast of partial shapes; InvalidArgument if known dims conflict.
StatusOr<PartialTensorShape> BroadcastPartialShapes(
    const PartialTensorShape& a, const PartialTensorShape& b);

}  // namespace gk

#endif  // GK_FRAMEWORK_INFERENCE_CONTEXT_H_
