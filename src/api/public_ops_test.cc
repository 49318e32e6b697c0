// The functions of gk::ops have every attribute that their records have.
#include <graphkiln/graphkiln.h>
#include <gtest/gtest.h>

#include <cmath>
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

namespace {

using Types = std::vector<gk::DataType>;

TEST(PublicOps, DatasetsHaveTypesAndShapes) {
  const gk::Tensor zero = int64_t{0}, one = int64_t{1}, five = int64_t{5};
  const gk::Tensor numbers = gk::ops::RangeDataset(
      zero, five, one, {gk::DataType::kInt64}, {gk::Shape({})});
  const gk::Tensor pairs = gk::ops::BatchDatasetV2(numbers, int64_t{2}, false,
                                                   {gk::DataType::kInt64},
                                                   {gk::Shape({gk::kUnknown})});
  const gk::Tensor iterator = gk::ops::AnonymousIteratorV3(
      {gk::DataType::kInt64}, {gk::Shape({gk::kUnknown})});
  gk::ops::MakeIterator(pairs, iterator);
  const std::vector<std::vector<int64_t>> batches = {{0, 1}, {2, 3}, {4}};
  for (const std::vector<int64_t>& batch : batches) {
    const std::vector<gk::Tensor> next = gk::ops::IteratorGetNext(
        iterator, {gk::DataType::kInt64}, {gk::Shape({gk::kUnknown})});
    ASSERT_EQ(next.size(), 1u);
    EXPECT_EQ(next[0].to_vector<int64_t>(), batch);
  }
  EXPECT_THROW(gk::ops::IteratorGetNext(iterator, {gk::DataType::kInt64},
                                        {gk::Shape({gk::kUnknown})}),
               gk::Error);
}

TEST(PublicOps, NamesOfRecordsArePublicFunctions) {
  const gk::Tensor x = {0.25f, 1.f};
  EXPECT_EQ(gk::math::rsqrt(x).to_vector<float>(), (std::vector<float>{2, 1}));
  EXPECT_EQ(gk::sqrt(x).to_vector<float>(), (std::vector<float>{0.5f, 1}));
  EXPECT_EQ(gk::nn::relu6(x).to_vector<float>(), x.to_vector<float>());
}

TEST(PublicOps, NormsOfGradientsSomeOfThemMissing) {
  const gk::Tensor x = {3.f, 4.f}, y = {12.f};
  const auto [clipped, norm] = gk::clip_by_global_norm({{}, x, y}, 6.5f);
  ASSERT_EQ(clipped.size(), 3u);
  EXPECT_FALSE(clipped[0].defined());
  EXPECT_EQ(clipped[1].to_vector<float>(), (std::vector<float>{1.5f, 2.f}));
  EXPECT_EQ(clipped[2].to_vector<float>(), (std::vector<float>{6.f}));
  EXPECT_EQ(norm.item<float>(), 13.f);
  EXPECT_EQ(gk::linalg::global_norm({{}, x, {}}).item<float>(), 5.f);
  EXPECT_EQ(gk::linalg::global_norm({}).item<float>(), 0.f);
}

std::string TextOfError(const std::function<void()>& f) {
  try {
    f();
  } catch (const gk::Error& e) {
    return e.what();
  }
  return "no error";
}

TEST(PublicOps, ErrorsSayWhatTheOpWasCalledWith) {
  const gk::Tensor x = {1.f, 2.f}, y = {1.f, 2.f, 3.f};
  EXPECT_EQ(TextOfError([&] { gk::ops::AddV2(x, y); }),
            "Incompatible shapes: [2] vs. [3] [Op:AddV2] name: \n\t"
            "Arguments of AddV2: x: float32 [2] = [1 2], "
            "y: float32 [3] = [1 2 3]");
  const gk::Tensor image(gk::zeros({1, 9, 9, 1}));
  EXPECT_NE(TextOfError([&] {
              gk::ops::MaxPool(image, {1, 2, 2, 1}, {1, 0, 1, 1}, "SAME");
            })
                .find("\n\tArguments of MaxPool: input: float32 [1,9,9,1], "
                      "ksize: [1, 2, 2, 1], strides: [1, 0, 1, 1], padding: "
                      "\"SAME\""),
            std::string::npos);
  const std::string text = TextOfError(
      [&] { gk::function([&](const gk::Tensor& t) { return t + y; })(x); });
  EXPECT_NE(text.find("with input shapes: [2], [3].\n\tArguments of AddV2: x: "
                      "float32 [2], y: float32 [3]"),
            std::string::npos)
      << text;
}

TEST(PublicOps, ShapesOfSeveralTensorsAreFoldedOneByOne) {
  auto f = gk::function([](const gk::Tensor& a, const gk::Tensor& b) {
    return gk::ops::ShapeN({a, b});
  });
  const std::vector<gk::Tensor> shapes =
      f(gk::zeros({3, 4}), gk::zeros({2, 3}));
  EXPECT_EQ(shapes[0].to_vector<int>(), (std::vector<int>{3, 4}));
  EXPECT_EQ(shapes[1].to_vector<int>(), (std::vector<int>{2, 3}));
}

TEST(PublicOps, ErrorsOfCalledFunctionsAreNotAboutTheCall) {
  auto f = gk::function([](const gk::Tensor& i) {
    return gk::gather(gk::Tensor({1, 2}), i);
  });
  const std::string text = TextOfError([&] { f(gk::Tensor(5)); });
  const size_t first = text.find("\tArguments of ");
  ASSERT_NE(first, std::string::npos) << text;
  EXPECT_EQ(text.find("\tArguments of ", first + 1), std::string::npos) << text;
  EXPECT_NE(text.find("indices: int32 [] = 5"), std::string::npos) << text;
}

TEST(PublicOps, AssertionsFailAtOnceWhereAllIsKnown) {
  const gk::Tensor x = {1, 2}, y = {1, 3};
  gk::debugging::assert_equal(x, x);
  gk::debugging::assert_less_equal(x, y);
  gk::debugging::assert_rank(x, 1);
  gk::debugging::assert_type(x, gk::DataType::kInt32);
  const std::string text =
      TextOfError([&] { gk::debugging::assert_equal(x, y, "sizes"); });
  EXPECT_NE(text.find("sizes\nCondition x == y did not hold."),
            std::string::npos)
      << text;
  EXPECT_NE(text.find("Indices of first 1 different values:"),
            std::string::npos);
  EXPECT_EQ(TextOfError([&] { gk::debugging::assert_rank(x, 2); }),
            "Tensor  must have rank 2.  Received rank 1, shape (2,)");
  EXPECT_NE(TextOfError([&] {
              gk::debugging::assert_near(1.0, 2.0);
            }).find("x and y not equal to tolerance"),
            std::string::npos);
}

TEST(PublicOps, ConditionsAndDtypesAreAsserted) {
  const gk::Tensor data({1.5, 2.5, 3.5, 4.5});
  gk::debugging::Assert(true, {data});
  EXPECT_EQ(TextOfError([&] {
              gk::debugging::Assert(false, {data, 7});
            }),
            "Expected 'False' to be true. Summarized data: 1.5, 2.5, 3.5, "
            "...\n7");
  auto f = gk::function([](const gk::Tensor& x) {
    gk::debugging::Assert(x > 0.0, {x}, -1);
    return x;
  });
  EXPECT_EQ(f(gk::Tensor(1.0)).item<double>(), 1);
  EXPECT_NE(TextOfError([&] { f(gk::Tensor(-1.0)); }).find("assertion failed"),
            std::string::npos);
  EXPECT_EQ(gk::debugging::assert_same_float_dtype({data, data}),
            gk::DataType::kDouble);
  EXPECT_EQ(gk::debugging::assert_same_float_dtype({}), gk::DataType::kFloat);
  EXPECT_NE(TextOfError([&] {
              gk::debugging::assert_same_float_dtype({data, 1.0f});
            }).find("must be of the same type"),
            std::string::npos);
  gk::debugging::enable_check_numerics();
  const std::string infinite =
      TextOfError([] { gk::math::log(gk::Tensor(0.0)); });
  gk::debugging::disable_check_numerics();
  EXPECT_NE(infinite.find("Log"), std::string::npos) << infinite;
  EXPECT_TRUE(std::isinf(gk::math::log(gk::Tensor(0.0)).item<double>()));
}

TEST(PublicOps, ShapesShareSizes) {
  const gk::Tensor images = gk::zeros({8, 4, 4, 3}), labels = gk::zeros({8});
  gk::debugging::assert_shapes(
      {{images, "batch . 4 channels"}, {labels, "batch"}, {images, "* 3"}});
  EXPECT_EQ(TextOfError([&] {
              gk::debugging::assert_shapes(
                  {{images, "* channels"}, {labels, "channels"}}, "sizes");
            }),
            "sizes.  Specified by tensor shape=(8, 4, 4, 3) dtype=float32 "
            "dimension -1.  Tensor shape=(8,) dtype=float32 dimension 0 must "
            "have size 3.  Received size 8, shape (8,)");
  gk::FunctionOptions options;
  options.input_signature = {
      gk::TensorSpec(gk::Shape::UnknownRank(), gk::DataType::kFloat)};
  auto f = gk::function(
      [](const gk::Tensor& x) {
        gk::debugging::assert_shapes({{x, "n n"}});
        return x * 2;
      },
      options);
  EXPECT_EQ(f(gk::zeros({2, 2})).num_elements(), 4);
  EXPECT_NE(TextOfError([&] {
              f(gk::zeros({2, 3}));
            }).find("dimension] [1] [must have size] [2]"),
            std::string::npos);
  EXPECT_NE(TextOfError([&] { f(gk::zeros({2})); }).find("must have rank] [2]"),
            std::string::npos);
}

TEST(PublicOps, AssertionsOfGraphsFailWhenTheyRun) {
  auto f = gk::function([](const gk::Tensor& x) {
    gk::debugging::assert_positive(x, "sign");
    return x * 2;
  });
  EXPECT_EQ(f(gk::Tensor(2)).item<int>(), 4);
  const std::string text = TextOfError([&] { f(gk::Tensor(-2)); });
  EXPECT_NE(text.find("assertion failed: [sign.  ] [Condition x > 0 did not "
                      "hold element-wise:]"),
            std::string::npos)
      << text;
  // Known while tracing.
  const std::string known = TextOfError([&] {
    gk::function([](const gk::Tensor& x) {
      gk::debugging::assert_greater(gk::Tensor({1, 2}), gk::Tensor({1, 3}));
      return x;
    })(gk::Tensor(1));
  });
  EXPECT_NE(known.find("Condition x > y did not hold element-wise:"),
            std::string::npos)
      << known;
}

std::vector<int64_t> IntsOf(const gk::Tensor& t) {
  const gk::Tensor wide = gk::cast(t, gk::DataType::kInt64);
  return gk::reshape(wide, {-1}).to_vector<int64_t>();
}
using Numbers = std::vector<int64_t>;

TEST(PublicOps, CountsOfTensorsAndOfRows) {
  const gk::Tensor numbers = {1, 2, 1, 0};
  EXPECT_EQ(IntsOf(gk::math::bincount(numbers)), Numbers({1, 2, 1}));
  EXPECT_EQ(IntsOf(gk::math::bincount(numbers, {}, 5)),
            Numbers({1, 2, 1, 0, 0}));
  const auto rows = gk::RaggedTensor::from_row_lengths(numbers, {3, 0, 1});
  EXPECT_EQ(
      IntsOf(gk::math::bincount(rows, {}, {}, {}, gk::DataType::kInt32, -1)),
      Numbers({0, 2, 1, 0, 0, 0, 1, 0, 0}));
  const gk::SparseTensor counts = gk::sparse::bincount(rows, {}, -1);
  EXPECT_EQ(IntsOf(counts.indices()), Numbers({0, 1, 0, 2, 2, 0}));
  EXPECT_EQ(IntsOf(counts.values()), Numbers({2, 1, 1}));
  EXPECT_EQ(IntsOf(gk::sparse::bincount(rows.to_sparse(), {}, -1).values()),
            Numbers({2, 1, 1}));
  EXPECT_NE(TextOfError([&] {
              gk::math::bincount(rows, gk::Tensor({1, 1, 1, 1}));
            }).find("must be a RaggedTensor if `values` is a RaggedTensor"),
            std::string::npos);
  EXPECT_NE(TextOfError([&] {
              gk::math::bincount(numbers, {}, {}, {}, gk::DataType::kInt32, 1);
            }).find("axis=1"),
            std::string::npos);
  EXPECT_EQ(IntsOf(gk::math::confusion_matrix({0, 1, 1}, {0, 0, 1})),
            Numbers({1, 0, 1, 1}));
  EXPECT_EQ(IntsOf(gk::histogram_fixed_width_bins(gk::Tensor({0.f, 0.9f, 7.f}),
                                                  gk::Tensor({0.f, 1.f}), 2)),
            Numbers({0, 1, 1}));
}

TEST(PublicOps, RepeatedAndSlicedRows) {
  EXPECT_EQ(IntsOf(gk::repeat(gk::Tensor({1, 2}), {2, 1})), Numbers({1, 1, 2}));
  EXPECT_EQ(IntsOf(gk::repeat(gk::Tensor({{1, 2}, {3, 4}}), 2, 1)),
            Numbers({1, 1, 2, 2, 3, 3, 4, 4}));
  EXPECT_EQ(IntsOf(gk::strided_slice(gk::Tensor({{1, 2, 3}, {4, 5, 6}}), {0, 1},
                                     {2, 3})),
            Numbers({2, 3, 5, 6}));
  EXPECT_EQ(IntsOf(gk::nn::embedding_lookup({gk::Tensor({{1}, {2}})},
                                            gk::Tensor({1}))),
            Numbers({2}));
}

}  // namespace
