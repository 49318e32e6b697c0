// Checks the record that docs/internals/adding-an-op.md shows; its code is
// taken from the page (example_cube.cc in the build folder).
#include <gtest/gtest.h>

#include <cmath>

#include "eager/eager_context.h"
#include "eager/gradient_tape.h"
#include "framework/op_registry.h"
#include "framework/graph.h"

namespace gk {

void RegisterOps_example_cube(OpRegistry& registry);

namespace {

void Prepare() {
  static const bool once = [] {
    RegisterOps_example_cube(OpRegistry::Get());
    InitEager();
    return true;
  }();
  (void)once;
}

TEST(AddingAnOp, ComputesEachDtype) {
  Prepare();
  EXPECT_EQ(MakeOp1("Cube", {Tensor::Scalar(2.0f)}).scalar<float>(), 8);
  EXPECT_EQ(MakeOp1("Cube", {Tensor::Scalar(-3.0)}).scalar<double>(), -27);
  EXPECT_THROW(MakeOp1("Cube", {Tensor::Scalar<int32_t>(2)}), Error);
}

TEST(AddingAnOp, InfersShapes) {
  Prepare();
  auto graph = MakeRef<Graph>();
  const OpRecord* placeholder = OpRegistry::Get().Find("Placeholder");
  AttrMap attrs{{"dtype", DataType::kFloat},
                {"shape", PartialTensorShape({2, kUnknownDim})}};
  Node* x = ValueOrThrow(graph->AddNode(*placeholder, "x", {}, attrs));
  const Output input{x, 0};
  Node* y =
      ValueOrThrow(graph->AddNode(*OpRegistry::Get().Find("Cube"), "cube",
                                  {&input, 1}, {{"T", DataType::kFloat}}));
  EXPECT_EQ(y->output(0).shape, PartialTensorShape({2, kUnknownDim}));
}

TEST(AddingAnOp, HasGradientsOfBothOrders) {
  Prepare();
  const Tensor x = Tensor::Scalar(2.0);
  GradientTape outer, inner;
  outer.Push();
  outer.Watch(x);
  inner.Push();
  inner.Watch(x);
  const Tensor y = MakeOp1("Cube", {x});
  inner.Pop();
  auto first = ValueOrThrow(inner.ComputeGradient({&y, 1}, {&x, 1}, {}));
  EXPECT_DOUBLE_EQ(first[0].dense.scalar<double>(), 12);
  outer.Pop();
  auto second =
      ValueOrThrow(outer.ComputeGradient({&first[0].dense, 1}, {&x, 1}, {}));
  EXPECT_DOUBLE_EQ(second[0].dense.scalar<double>(), 12);
}

}  // namespace
}  // namespace gk
