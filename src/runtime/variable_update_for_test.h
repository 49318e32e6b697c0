// Programs that update variables, and their runs with and without merged
// updates, for tests.
#ifndef GK_RUNTIME_VARIABLE_UPDATE_FOR_TEST_H_
#define GK_RUNTIME_VARIABLE_UPDATE_FOR_TEST_H_

#include <gtest/gtest.h>

#include <string_view>
#include <vector>

#include "framework/variable.h"
#include "graph/function_for_test.h"
#include "runtime/compiled_function.h"
#include "runtime/executor.h"

namespace gk::variable_update {

inline constexpr int64_t kSize = 5000;  // several tiles

inline Tensor Ramp(float start, float step = 0.25f) {
  std::vector<float> v(kSize);
  for (int64_t i = 0; i < kSize; ++i) v[i] = start + i % 97 * step;
  return Tensor::OfValues<float>(v, {kSize});
}
inline VariableResource* Of(const Tensor& handle) {
  return handle.scalar<ResourceHandle>().As<VariableResource>();
}
inline Tensor NewVariable(const Tensor& value) {
  Tensor handle = NewVariableHandle("v", value.dtype(), value.shape(), true);
  ThrowIfError(Of(handle)->Assign(ValueOrThrow(value.Copy())));
  return handle;
}

// A function under construction whose arguments are variables.
struct Program : TestFunction {
  Output Variable(DataType dtype = DataType::kFloat) {
    const Output v = Arg(DataType::kResource, TensorShape());
    v.node->mutable_output(0).handle_data = {{dtype, TensorShape{kSize}}};
    return v;
  }
  Output Read(Output v, std::vector<Node*> after = {},
              DataType dtype = DataType::kFloat) {
    return Add("ReadVariableOp", {v}, {{"dtype", dtype}}, after);
  }
  Node* Write(std::string_view op, Output v, Output value,
              std::vector<Node*> after = {}) {
    return Add(op, {v, value}, {}, after).node;
  }
  Output Number(float x) { return Const(Tensor::Scalar(x)); }
};

// Runs `f` three times with merged updates and three times without, on
// variables of the same start, and compares everything after each run.
inline void ExpectSame(const GraphFunction& f, std::vector<Tensor> start,
                       TensorVector others, std::string_view wanted_in_plan) {
  InitRuntime();
  const Plan& merged = **(*CompiledFunction::Of(f))->DeclaredPlan();
  const Ref<Plan> apart = ValueOrThrow(merged.WithoutMergedUpdates());
  EXPECT_NE(merged.DebugString().find(wanted_in_plan), std::string::npos)
      << merged.DebugString();
  EXPECT_FALSE(merged.updates.empty());
  EXPECT_TRUE(apart->updates.empty());
  TensorVector in[2];
  for (int k = 0; k < 2; ++k) {
    for (const Tensor& t : start) in[k].push_back(NewVariable(t));
    in[k].insert(in[k].end(), others.begin(), others.end());
  }
  std::vector<TensorVector> kept[2];
  for (int round = 0; round < 3; ++round) {
    for (int k = 0; k < 2; ++k) {
      TensorVector out;
      const Status s = RunPlan(k == 0 ? merged : *apart, in[k], &out, nullptr);
      ASSERT_TRUE(s.ok()) << s.ToString();
      kept[k].push_back(out);
    }
    for (size_t v = 0; v < start.size(); ++v) {
      EXPECT_EQ(FloatsOf(ValueOrThrow(Of(in[0][v])->Read())),
                FloatsOf(ValueOrThrow(Of(in[1][v])->Read())))
          << "variable " << v << " after run " << round;
    }
  }
  // Results of earlier runs are snapshots: later runs leave them as they are.
  for (size_t round = 0; round < 3; ++round) {
    for (size_t r = 0; r < kept[0][round].size(); ++r) {
      EXPECT_EQ(FloatsOf(kept[0][round][r]), FloatsOf(kept[1][round][r]))
          << "result " << r << " of run " << round;
    }
  }
}

}  // namespace gk::variable_update

#endif  // GK_RUNTIME_VARIABLE_UPDATE_FOR_TEST_H_
