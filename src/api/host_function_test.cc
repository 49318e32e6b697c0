// C++ functions as nodes of graphs.
#include <gtest/gtest.h>

#include <functional>
#include <memory>
#include <stdexcept>
#include <vector>

#include "api/same_gradient_for_test.h"
#include "graphkiln/graphkiln.h"

namespace {

using gk::Tensor;
using Tensors = std::vector<Tensor>;

TEST(HostFunctionTest, RunsWheneverTheGraphDoes) {
  std::vector<float> seen;
  auto f = gk::function([&](const Tensor& x) {
    const Tensor y = x + 1.0f;
    return gk::py_function(
               [&](const Tensors& in) {
                 EXPECT_TRUE(gk::executing_eagerly());
                 seen.push_back(in[0].item<float>());
                 return Tensors{in[0] * 2.0f};
               },
               {y}, {gk::DataType::kFloat})[0] +
           y;
  });
  EXPECT_EQ(f(Tensor(1.0f)).item<float>(), 6);
  EXPECT_EQ(f(Tensor(4.0f)).item<float>(), 15);
  EXPECT_EQ(seen, (std::vector<float>{2, 5}));
  EXPECT_EQ(gk::py_function([](const Tensors& in) { return in; }, {Tensor(3)},
                            {gk::DataType::kInt32})[0]
                .item<int32_t>(),
            3);
}

Tensor Cube(const Tensor& x) {
  return gk::py_function(
      [](const Tensors& in) { return Tensors{in[0] * in[0] * in[0]}; }, {x},
      {gk::DataType::kFloat})[0];
}

TEST(HostFunctionTest, HasGradientsOfTwoOrders) {
  auto f = gk::function([](const Tensor& x) {
    gk::GradientTape outer;
    outer.watch(x);
    gk::GradientTape inner;
    inner.watch(x);
    const Tensor first = inner.gradient(Cube(x), x);
    return Tensors{first, outer.gradient(first, x)};
  });
  const Tensor x = 2.0f;
  const Tensors found = f(x);
  EXPECT_EQ(found[0].item<float>(), 12);
  EXPECT_EQ(found[1].item<float>(), 12);
  auto g = gk::function([](const Tensor& x) { return Cube(x) * x; });
  gk::GradientTape tape;
  tape.watch(x);
  const Tensor y = g(x);
  EXPECT_EQ(tape.gradient(y, x).item<float>(), 32);
}

TEST(HostFunctionTest, NumpyFunctionsHaveNone) {
  auto f = gk::function([](const Tensor& x) {
    gk::GradientTape tape;
    tape.watch(x);
    const Tensor y = gk::numpy_function([](const Tensors& in) { return in; },
                                        {x}, {gk::DataType::kFloat})[0];
    EXPECT_FALSE(tape.gradient(y, x).defined());
    return y;
  });
  EXPECT_EQ(f(Tensor(2.0f)).item<float>(), 2);
}

TEST(HostFunctionTest, ErrorsComeOutOfTheCall) {
  auto thrown = gk::function([](const Tensor& x) {
    return gk::py_function(
        [](const Tensors&) -> Tensors { throw std::runtime_error("boo"); }, {x},
        {gk::DataType::kFloat})[0];
  });
  auto few = gk::function([](const Tensor& x) {
    return gk::py_function([](const Tensors&) { return Tensors{}; }, {x},
                           {gk::DataType::kFloat})[0];
  });
  auto other = gk::function([](const Tensor& x) {
    return gk::py_function([](const Tensors&) { return Tensors{Tensor(1)}; },
                           {x}, {gk::DataType::kFloat})[0];
  });
  const auto message = [](auto& f) -> std::string {
    try {
      f(Tensor(1.0f));
    } catch (const gk::Error& e) {
      return e.what();
    }
    return "";
  };
  EXPECT_NE(message(thrown).find("boo"), std::string::npos);
  EXPECT_NE(message(few).find("returns 0 values, but expects to see 1"),
            std::string::npos);
  EXPECT_NE(message(other).find("is int32, but expects float"),
            std::string::npos);
  EXPECT_THROW(gk::py_function([](const Tensors&) { return Tensors{}; }, {},
                               {gk::DataType::kFloat}),
               gk::Error);
}

TEST(HostFunctionTest, ErrorsKeepTheirCode) {
  const auto lose = [](const Tensor& x) {
    return gk::py_function(
        [](const Tensors&) -> Tensors {
          throw gk::Error(gk::ErrorCode::kNotFound, "it is lost");
        },
        {x}, {gk::DataType::kFloat})[0];
  };
  for (const std::function<Tensor(const Tensor&)>& f :
       {std::function<Tensor(const Tensor&)>(lose),
        std::function<Tensor(const Tensor&)>(gk::function(lose))}) {
    const gk::Error e = gk_test::ErrorOf([&] { f(Tensor(1.0f)); });
    EXPECT_EQ(e.code(), gk::ErrorCode::kNotFound);
    gk_test::ExpectHas(e.what(), "it is lost");
  }
}

TEST(HostFunctionTest, GraphsInFilesHaveTheNodeAlone) {
  gk::Graph graph;
  auto scope = graph.as_default();
  gk::py_function([](const Tensors& in) { return in; }, {Tensor(1.0f)},
                  {gk::DataType::kFloat}, "called");
  const std::string text = graph.as_graph_def();
  EXPECT_NE(text.find("EagerPyFunc"), std::string::npos);
  EXPECT_EQ(text.find("_host_function"), std::string::npos);
}

TEST(HostFunctionTest, LivesAsLongAsItsFunction) {
  auto part = std::make_shared<int>(0);
  const std::weak_ptr<int> gone = part;
  {
    auto f = gk::function([part = std::move(part)](const Tensor& x) {
      return gk::py_function(
          [part](const Tensors& in) {
            ++*part;
            return in;
          },
          {x}, {gk::DataType::kFloat})[0];
    });
    auto outer = gk::function([&](const Tensor& x) { return f(x); });
    EXPECT_EQ(outer(Tensor(2.0f)).item<float>(), 2);
    EXPECT_EQ(*gone.lock(), 1);
  }
  EXPECT_TRUE(gone.expired());
}

TEST(HostFunctionTest, ResultsMayBeMadeOfSeveralTensors) {
  const gk::RaggedTensorSpec rows({gk::kUnknown, gk::kUnknown},
                                  gk::DataType::kFloat, 1,
                                  gk::DataType::kInt32);
  auto f = gk::function([&](const gk::RaggedTensor& x, const Tensor& y) {
    gk::RaggedTensor doubled = gk::py_function(
        [](const gk::RaggedTensor& x) {
          EXPECT_TRUE(gk::executing_eagerly());
          return x + x;
        },
        std::tuple(x), {rows});
    auto [sparse, sum] = gk::py_function(
        [](const gk::RaggedTensor& x, const Tensor& y) {
          return std::pair(gk::SparseTensor::from_dense(x.to_tensor()),
                           gk::reduce_sum(x.flat_values()) + y);
        },
        std::tuple(doubled, y),
        {gk::SparseTensorSpec({gk::kUnknown, 2}),
         gk::TensorSpec{{}, gk::DataType::kFloat}});
    EXPECT_EQ(sum.shape(), gk::Shape());
    EXPECT_EQ(sparse.indices().shape(), gk::Shape({gk::kUnknown, 2}));
    return std::tuple(doubled, sparse.to_dense(), sum);
  });
  const auto x = gk::RaggedTensor::from_row_lengths(Tensor{1.f, 2.f, 3.f},
                                                    Tensor{2, 0, 1});
  const auto [doubled, dense, sum] = f(x, Tensor(1.f));
  EXPECT_EQ(doubled.flat_values().to_vector<float>(),
            (std::vector<float>{2, 4, 6}));
  EXPECT_EQ(dense.to_vector<float>(), (std::vector<float>{2, 4, 0, 0, 6, 0}));
  EXPECT_EQ(sum.item<float>(), 13);
  // And eagerly, with gradients.
  gk::GradientTape tape;
  const Tensor values = x.flat_values();
  tape.watch(values);
  const gk::RaggedTensor squares = gk::py_function(
      [](const gk::RaggedTensor& x) { return x * x; },
      std::tuple(x.with_values(values)), {rows});
  EXPECT_EQ(tape.gradient(squares.flat_values(), values).to_vector<float>(),
            (std::vector<float>{2, 4, 6}));
}

TEST(HostFunctionTest, ResultsAreThoseOfTheirSpecs) {
  const auto x = gk::RaggedTensor::from_row_lengths(Tensor{1.f, 2.f, 3.f},
                                                    Tensor{2, 0, 1});
  auto called = gk::function([](const gk::RaggedTensor& x) {
    return gk::py_function([](const gk::RaggedTensor& x) { return x; },
                           std::tuple(x),
                           {gk::RaggedTensorSpec({2, gk::kUnknown},
                                                 gk::DataType::kFloat, 1,
                                                 gk::DataType::kInt32)})
        .flat_values();
  });
  try {
    called(x);
    FAIL();
  } catch (const gk::Error& e) {
    EXPECT_NE(std::string(e.what()).find("which did not match Tout="),
              std::string::npos);
    EXPECT_NE(std::string(e.what()).find("is not compatible with "),
              std::string::npos);
  }
  EXPECT_THROW(gk::py_function([](const gk::RaggedTensor& x) { return x; },
                               std::tuple(x), {gk::SparseTensorSpec()}),
               gk::Error);
}

}  // namespace
