// GradContext: what an op's gradient function sees and sets.
//
// Everything is a Tensor, eager or symbolic; gradients are built with op
// functions (ops/op_functions.h), which throw Error.
#ifndef GK_FRAMEWORK_GRAD_CONTEXT_H_
#define GK_FRAMEWORK_GRAD_CONTEXT_H_

#include <span>
#include <vector>

#include "framework/attr_value.h"
#include "framework/op_record.h"

namespace gk {

// A gradient: none, a dense tensor, or slices of one (IndexedSlices).
struct Gradient {
  Tensor dense;    // or the values of the slices
  Tensor indices;  // set for slices
  Tensor dense_shape;
  bool is_none() const { return !dense; }
  bool is_slices() const { return static_cast<bool>(indices); }
};

class GradContext {
 public:
  GradContext(const OpRecord& record, const AttrMap& attrs,
              std::span<const Tensor> inputs, std::span<const Tensor> outputs,
              std::span<const Gradient> output_grads)
      : record_(record),
        attrs_(attrs),
        inputs_(inputs),
        outputs_(outputs),
        output_grads_(output_grads),
        grads_(inputs.size()) {}

  const OpRecord& record() const { return record_; }
  const AttrMap& attrs() const { return attrs_; }
  template <class T>
  T attr(std::string_view name) const {
    const T* v = attrs_.Get<T>(name);
    return v ? *v : T();
  }
  int num_inputs() const { return inputs_.size(); }
  int num_outputs() const { return outputs_.size(); }
  const Tensor& x(int i) const { return inputs_[i]; }
  const Tensor& y(int i) const { return outputs_[i]; }
  // The gradient of output i, made dense; zeros if none arrived. In a graph
  // or at second order this may make ops.
  Tensor dy(int i) const;
  bool has_dy(int i) const { return !output_grads_[i].is_none(); }
  const Gradient& raw_dy(int i) const { return output_grads_[i]; }

  // Is input i's gradient wanted? Skip work if not.
  bool wants(int i) const { return wanted_ == nullptr || wanted_[i]; }
  void set_wanted(const bool* wanted) { wanted_ = wanted; }

  void Set(int i, Tensor grad) { grads_[i].dense = std::move(grad); }
  void SetSlices(int i, Tensor values, Tensor indices, Tensor dense_shape) {
    grads_[i] = {std::move(values), std::move(indices), std::move(dense_shape)};
  }
  std::vector<Gradient>& grads() { return grads_; }

 private:
  const OpRecord& record_;
  const AttrMap& attrs_;
  std::span<const Tensor> inputs_, outputs_;
  std::span<const Gradient> output_grads_;
  const bool* wanted_ = nullptr;
  std::vector<Gradient> grads_;
};

// The slices as a dense tensor.
Tensor Densify(const Gradient& g);

// The sum of gradients of one tensor: slices stay slices (concatenated, not
// merged) if all are. None if there are none. Throws Error.
Gradient SumGradients(std::span<const Gradient> parts);

}  // namespace gk

#endif  // GK_FRAMEWORK_GRAD_CONTEXT_H_
