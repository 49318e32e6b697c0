// Network ops against values and gradients of both orders from TensorFlow.
#include <gtest/gtest.h>

#include <cmath>
#include <functional>

#include "eager/eager_context.h"
#include "eager/gradient_tape.h"
#include "ops/fn/AddV2.h"
#include "ops/fn/AvgPool.h"
#include "ops/fn/BiasAdd.h"
#include "ops/fn/Conv2D.h"
#include "ops/fn/DepthwiseConv2dNative.h"
#include "ops/fn/L2Loss.h"
#include "ops/fn/LogSoftmax.h"
#include "ops/fn/MaxPool.h"
#include "ops/fn/Mul.h"
#include "ops/fn/Softmax.h"
#include "ops/fn/SoftmaxCrossEntropyWithLogits.h"
#include "ops/fn/SparseSoftmaxCrossEntropyWithLogits.h"
#include "ops/fn/Sum.h"

namespace gk {
namespace {

Tensor Filled(std::initializer_list<int64_t> dims,
              const std::function<float(int64_t)>& f) {
  Tensor t =
      ValueOrThrow(Tensor::Allocate(DataType::kFloat, TensorShape(dims)));
  for (int64_t i = 0; i < t.num_elements(); ++i) t.data<float>()[i] = f(i);
  return t;
}

Tensor SumOfSquares(const Tensor& x) {
  std::vector<int32_t> axes(x.rank());
  for (int i = 0; i < x.rank(); ++i) axes[i] = i;
  return ops::Sum(ops::Mul(x, x), Tensor::Vector<int32_t>(std::span(axes)));
}

// Tells apart what sums alone would not.
double WeightedSum(const Tensor& x) {
  double sum = 0;
  for (int64_t i = 0; i < x.num_elements(); ++i) {
    sum += i * double{x.data<float>()[i]};
  }
  return sum;
}

struct Expected {
  double value;
  std::vector<double> first, second;
};

void Near(double got, double want) {
  EXPECT_NEAR(got, want, 3e-4 * std::max(1.0, std::abs(want)));
}

// sum(f(x)^2), its gradient, and the gradient of that one's sum of squares.
void CheckGradients(const std::function<Tensor(const TensorVector&)>& f,
                    const TensorVector& x, const Expected& expected) {
  InitEager();
  const Gradient one[] = {{.dense = Tensor::Scalar(1.f)}};
  GradientTape outer;
  outer.Push();
  for (const Tensor& t : x) outer.Watch(t);
  GradientTape inner;
  inner.Push();
  for (const Tensor& t : x) inner.Watch(t);
  const Tensor y = SumOfSquares(f(x));
  inner.Pop();
  const std::vector<Gradient> first =
      ValueOrThrow(inner.ComputeGradient(std::array{y}, x, one));
  Tensor z;
  for (const Gradient& g : first) {
    const Tensor part = SumOfSquares(g.dense);
    z = z ? ops::AddV2(z, part) : part;
  }
  outer.Pop();
  const std::vector<Gradient> second =
      ValueOrThrow(outer.ComputeGradient(std::array{z}, x, one));
  Near(y.scalar<float>(), expected.value);
  for (size_t i = 0; i < x.size(); ++i) {
    Near(WeightedSum(first[i].dense), expected.first[i]);
    Near(WeightedSum(second[i].dense), expected.second[i]);
  }
}

Tensor Image() {
  return Filled({1, 4, 4, 2}, [](int64_t i) { return i / 10.f; });
}
Tensor Waves() {
  return Filled({1, 4, 4, 2}, [](int64_t i) { return std::sin(i / 10.f); });
}
Tensor Logits() {
  return Filled({2, 3}, [](int64_t i) { return std::sin(float(i)); });
}
using Ints64 = std::vector<int64_t>;

TEST(NnOps, Conv2D) {
  const Tensor filter =
      Filled({2, 2, 2, 3}, [](int64_t i) { return i / 10.f - 1; });
  CheckGradients(
      [](const TensorVector& x) {
        return ops::Conv2D(x[0], x[1], Ints64{1, 2, 1, 1}, "SAME");
      },
      {Image(), filter},
      {344.55517578125,
       {6891.103515625, 27117.34375},
       {8373748.0, 20263100.0}});
}

TEST(NnOps, DepthwiseConv2D) {
  const Tensor filter = Filled({2, 2, 2, 2}, [](int64_t i) {
    return (i / 2 * 3 + i % 2) / 10.f - 1;
  });
  CheckGradients(
      [](const TensorVector& x) {
        return ops::DepthwiseConv2dNative(x[0], x[1], Ints64{1, 1, 1, 1},
                                          "VALID");
      },
      {Image(), filter},
      {152.8367919921875,
       {3056.73583984375, 7792.7998046875},
       {2701924.75, 3641134.5}});
}

TEST(NnOps, Pools) {
  CheckGradients(
      [](const TensorVector& x) {
        return ops::MaxPool(x[0], Ints64{1, 2, 2, 1}, Ints64{1, 1, 1, 1},
                            "SAME");
      },
      {Waves()}, {23.085285186767578, {874.87646484375}, {7266.85498046875}});
  CheckGradients(
      [](const TensorVector& x) {
        return ops::AvgPool(x[0], Ints64{1, 3, 3, 1}, Ints64{1, 2, 2, 1},
                            "SAME");
      },
      {Waves()}, {3.651188850402832, {185.96865844726562}, {267.4072265625}});
}

TEST(NnOps, SoftmaxFamily) {
  CheckGradients(
      [](const TensorVector& x) { return ops::Softmax(x[0]); }, {Logits()},
      {0.7941854596138, {-0.14767679572105408}, {-0.09627862274646759}});
  CheckGradients(
      [](const TensorVector& x) { return ops::LogSoftmax(x[0]); }, {Logits()},
      {9.803902626037598, {-1.3868579864501953}, {-22.56597900390625}});
  CheckGradients(
      [](const TensorVector& x) {
        // Backprop depends on the labels, too; the second derivative leaves
        // out a part of that, as TensorFlow's does.
        return ops::SoftmaxCrossEntropyWithLogits(x[0], x[1])[0];
      },
      {Logits(),
       Tensor::OfValues<float>(
           std::array{0.2f, 0.3f, 0.5f, 0.2f, 0.3f, 0.5f},
           TensorShape({2, 3}))},
      {2.9913039207458496,
       {-1.9706242084503174, 48.73406982421875},
       {-67.56794738769531, 1035.0461959838867}});
  CheckGradients(
      [](const TensorVector& x) {
        return ops::SparseSoftmaxCrossEntropyWithLogits(
            x[0], Tensor::Vector<int32_t>(std::array<int32_t, 2>{2, 0}))[0];
      },
      {Logits()},
      {1.027705430984497, {-0.5807963609695435}, {-2.82456111907959}});
}

TEST(NnOps, BiasAndL2Loss) {
  CheckGradients([](const TensorVector& x) { return ops::BiasAdd(x[0], x[1]); },
                 {Logits(), Tensor::Vector<float>(std::array{1.f, 2.f, 3.f})},
                 {31.37024688720703,
                  {58.52318572998047, 31.970829010009766},
                  {782.0872802734375, 383.64996337890625}});
  CheckGradients([](const TensorVector& x) { return ops::L2Loss(x[0]); },
                 {Logits()},
                 {2.3211984634399414, {-14.438376426696777}, {-263.970703125}});
}

TEST(NnOps, Errors) {
  InitEager();
  const Tensor logits = Filled({2, 5}, [](int64_t) { return 0.f; });
  try {
    ops::SparseSoftmaxCrossEntropyWithLogits(
        logits, Tensor::Vector<int32_t>(std::array<int32_t, 2>{7, 1}));
    FAIL();
  } catch (const Error& e) {
    EXPECT_EQ(e.status().message(),
              "Received a label value of 7 which is outside the valid range of "
              "[0, 5).  Label values: 7 1 "
              "[Op:SparseSoftmaxCrossEntropyWithLogits] name: \n"
              "\tArguments of SparseSoftmaxCrossEntropyWithLogits: features: "
              "float32 [2,5], labels: int32 [2] = [7 1]");
  }
  EXPECT_THROW(ops::Conv2D(Image(), logits, Ints64{1, 1, 1, 1}, "SAME"), Error);
}

}  // namespace
}  // namespace gk
