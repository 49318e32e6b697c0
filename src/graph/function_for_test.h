// TestFunction: builds small graph functions by hand, for tests and
// benchmarks of passes and plans. Aborts on graphs that cannot be built.
#ifndef GK_GRAPH_FUNCTION_FOR_TEST_H_
#define GK_GRAPH_FUNCTION_FOR_TEST_H_

#include <string>
#include <string_view>
#include <vector>

#include "framework/op_builder.h"
#include "framework/op_registry.h"
#include "framework/graph.h"

namespace gk {

inline constexpr DataType kF = DataType::kFloat, kI = DataType::kInt32;

// start, start + step, ...
inline Tensor Ramp(const TensorShape& shape, float start = 0,
                   float step = 0.25f) {
  Tensor t = *Tensor::Allocate(kF, shape);
  for (int64_t i = 0; i < t.num_elements(); ++i) {
    t.data<float>()[i] = start + step * i;
  }
  return t;
}
inline std::vector<float> FloatsOf(const Tensor& t) {
  return {t.data<float>(), t.data<float>() + t.num_elements()};
}

class TestFunction {
 public:
  explicit TestFunction(std::string name = "f") : name_(std::move(name)) {
    RegisterAllOps();
  }

  Output Arg(DataType dtype, PartialTensorShape shape) {
    const Output o =
        Add("Placeholder", {}, {{"dtype", dtype}, {"shape", std::move(shape)}});
    arguments_.push_back(o.node);
    return o;
  }
  Output Const(Tensor value) {
    const DataType dtype = value.dtype();
    return Add("Const", {}, {{"value", std::move(value)}, {"dtype", dtype}});
  }
  Output Add(std::string_view op, std::vector<Output> inputs,
             AttrMap attrs = {}, std::vector<Node*> control = {}) {
    const OpRecord* record = ValueOrThrow(OpRegistry::Get().LookUp(op));
    std::vector<DataType> types;
    for (const Output& o : inputs) {
      types.push_back(o.node->output(o.index).dtype);
    }
    ThrowIfError(ResolveAttrs(*record, types, true, &attrs));
    Node* node = ValueOrThrow(
        graph_->AddNode(*record, op, inputs, std::move(attrs), control));
    return {node, 0};
  }
  Ref<GraphFunction> Finish(std::vector<Output> results,
                            std::vector<Node*> control_outputs = {}) {
    return MakeRef<GraphFunction>(name_, graph_, arguments_, std::move(results),
                                  std::move(control_outputs), AttrMap());
  }
  Graph& graph() { return *graph_; }

 private:
  std::string name_;
  Ref<Graph> graph_ = MakeRef<Graph>();
  std::vector<Node*> arguments_;
};

}  // namespace gk

#endif  // GK_GRAPH_FUNCTION_FOR_TEST_H_
