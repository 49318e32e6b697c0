// Ragged and sparse tensors and slices: eagerly and traced, as arguments and
// results of functions, with gradients; and what they refuse.
#include <limits>

#include "api/same_gradient_for_test.h"

namespace {

using gk::DataType;
using gk::ErrorCode;
using gk::IndexedSlices;
using gk::RaggedTensor;
using gk::Slice;
using gk::SparseTensor;
using gk::Tensor;
using gk_test::ErrorOf;
using gk_test::ExpectHas;

// [[1, 2], [], [3]]
RaggedTensor Rows() {
  return RaggedTensor::from_row_lengths(Tensor({1, 2, 3}), {2, 0, 1});
}
// [[[1, 2], [3]], [[4]]]
RaggedTensor Deep() {
  return RaggedTensor::from_row_lengths(
      RaggedTensor::from_row_lengths(Tensor({1, 2, 3, 4}), {2, 1, 1}), {2, 1});
}

// The text of `f()` eagerly, and of a function that returns it.
template <class F>
void ExpectBothPrint(F f, const std::string& want) {
  const auto text = [](const RaggedTensor& x) {
    return x.to_text(-1).item<std::string>();
  };
  EXPECT_EQ(text(f()), want);
  EXPECT_EQ(text(gk::function(f)()), want);
}

TEST(RaggedTensorTest, IsMadeOfPartitions) {
  ExpectBothPrint(Rows, "[[1, 2], [], [3]]");
  ExpectBothPrint(Deep, "[[[1, 2], [3]], [[4]]]");
  ExpectBothPrint(
      [] {
        return RaggedTensor::from_row_splits(Tensor({1, 2, 3}), {0, 2, 2, 3});
      },
      "[[1, 2], [], [3]]");
  ExpectBothPrint(
      [] {
        return RaggedTensor::from_value_rowids(Tensor({1, 2, 3}), {0, 0, 2});
      },
      "[[1, 2], [], [3]]");
  ExpectBothPrint(
      [] {
        return RaggedTensor::from_uniform_row_length(Tensor({1, 2, 3, 4}), 2);
      },
      "[[1, 2], [3, 4]]");
  ExpectBothPrint(
      [] {
        return RaggedTensor::from_padded({{1, 0}, {2, 3}}, 0);
      },
      "[[1], [2, 3]]");
  ExpectBothPrint(
      [] {
        return RaggedTensor::from_tensor({{1, 0}, {2, 3}}, {{0, 2}});
      },
      "[[], [2, 3]]");
  ExpectBothPrint([] { return RaggedTensor::from_sparse(Rows().to_sparse()); },
                  "[[1, 2], [], [3]]");
}

TEST(RaggedTensorTest, KnowsItself) {
  const RaggedTensor rt = Deep();
  EXPECT_EQ(rt.ragged_rank(), 2);
  EXPECT_EQ(rt.shape(), gk::Shape({2, gk::kUnknown, gk::kUnknown}));
  EXPECT_EQ(rt.nrows().item<int>(), 2);
  EXPECT_EQ(rt.row_splits().to_vector<int>(), (std::vector<int>{0, 2, 3}));
  EXPECT_EQ(rt.value_rowids().to_vector<int>(), (std::vector<int>{0, 0, 1}));
  EXPECT_EQ(rt.bounding_shape().to_vector<int>(), (std::vector<int>{2, 2, 2}));
  ExpectBothPrint([] { return Deep().row_lengths(2); }, "[[2, 1], [1]]");
  ExpectBothPrint([] { return Deep().merge_dims(0, 1); }, "[[1, 2], [3], [4]]");
}

TEST(RaggedTensorTest, IsIndexed) {
  ExpectBothPrint([] { return Rows()[0]; }, "[1, 2]");
  ExpectBothPrint([] { return Rows()[Slice(1, {})]; }, "[[], [3]]");
  ExpectBothPrint(
      [] {
        return Rows()[{Slice(), Slice({}, 1)}];
      },
      "[[1], [], [3]]");
  ExpectBothPrint([] { return Deep()[{0, 1}]; }, "[3]");
  ExpectBothPrint(
      [] {
        return Rows()[{Slice(), Slice({}, {}, -1)}];
      },
      "[[2, 1], [], [3]]");
  EXPECT_EQ(ErrorOf([] { Rows()[3]; }).code(), ErrorCode::kIndexError);
  ExpectHas(ErrorOf([] {
              Rows()[{Slice(), 0}];
            }).what(),
            "Cannot index into an inner ragged dimension");
}

TEST(RaggedTensorTest, ComputesElementByElement) {
  ExpectBothPrint([] { return Rows() + Rows() * Tensor(10); },
                  "[[11, 22], [], [33]]");
  ExpectBothPrint(
      [] {
        return Tensor({{1}, {2}, {3}}) - Rows();
      },
      "[[0, -1], [], [0]]");
  ExpectBothPrint(
      [] {
        const Tensor texts = {std::string("a"), std::string("b"),
                              std::string("c")};
        return Rows().with_flat_values(texts) + Tensor("!");
      },
      "[['a!', 'b!'], [], ['c!']]");
  ExpectBothPrint([] { return -Rows() % Tensor(3); }, "[[2, 1], [], [0]]");
  ExpectBothPrint(
      [] { return ~((Rows() <= Tensor(2)) ^ (Rows() >= Tensor(2))); },
      "[[false, true], [], [false]]");
  EXPECT_EQ(ErrorOf([] { Rows() & Tensor(true); }).code(),
            ErrorCode::kInvalidArgument);
  const gk::Error error = ErrorOf([] {
    Rows() + RaggedTensor::from_row_lengths(Tensor({1, 2, 3}), {1, 2});
  });
  EXPECT_EQ(error.code(), ErrorCode::kInvalidArgument);
}

TEST(RaggedTensorTest, Moves) {
  namespace ragged = gk::ragged;
  ExpectBothPrint(
      [] {
        return ragged::concat({Rows(), Rows()}, 1);
      },
      "[[1, 2, 1, 2], [], [3, 3]]");
  ExpectBothPrint(
      [] {
        return ragged::stack({Rows(), Rows()});
      },
      "[[[1, 2], [], [3]], [[1, 2], [], [3]]]");
  ExpectBothPrint(
      [] {
        return ragged::tile(Rows(), {1, 2});
      },
      "[[1, 2, 1, 2], [], [3, 3]]");
  ExpectBothPrint(
      [] {
        return ragged::reverse(Rows(), {0, 1});
      },
      "[[3], [], [2, 1]]");
  ExpectBothPrint(
      [] {
        return ragged::gather(Rows(), Tensor({2, 0}));
      },
      "[[3], [1, 2]]");
  ExpectBothPrint(
      [] {
        return ragged::gather_nd(Rows(), Tensor({{0, 1}, {2, 0}}));
      },
      "[2, 3]");
}

TEST(RaggedTensorTest, Reduces) {
  namespace ragged = gk::ragged;
  ExpectBothPrint([] { return ragged::reduce_sum(Rows(), 1); }, "[3, 0, 3]");
  ExpectBothPrint([] { return ragged::reduce_sum(Rows(), 0); }, "[4, 2]");
  ExpectBothPrint([] { return ragged::reduce_max(Deep(), 2); },
                  "[[2, 3], [4]]");
  ExpectBothPrint([] { return ragged::cumsum(Rows(), 1); },
                  "[[1, 3], [], [3]]");
  ExpectBothPrint(
      [] {
        return ragged::matmul(
            RaggedTensor::from_row_lengths(Tensor({{1, 2}, {3, 4}}), {2}),
            RaggedTensor::from_row_lengths(Tensor({{1, 0}, {0, 1}}), {2}));
      },
      "[[[1, 2], [3, 4]]]");
}

TEST(RaggedTensorTest, IsAnArgumentAndHasGradients) {
  int traces = 0;
  const auto f = gk::function([&](const RaggedTensor& x) {
    ++traces;
    return gk::ragged::reduce_sum(x * x, 1).tensor();
  });
  const auto make = [](const Tensor& flat) {
    return RaggedTensor::from_row_lengths(flat, {2, 0, 1});
  };
  const Tensor x({1.f, 2.f, 3.f});
  EXPECT_EQ(f(make(x)).to_vector<float>(), (std::vector<float>{5, 0, 9}));
  EXPECT_EQ(f(make(x)).to_vector<float>(), (std::vector<float>{5, 0, 9}));
  EXPECT_EQ(traces, 1);
  gk::GradientTape tape;
  tape.watch(x);
  const Tensor y = f(make(x));
  EXPECT_EQ(tape.gradient(y, x).to_vector<float>(),
            (std::vector<float>{2, 4, 6}));
}

TEST(SparseTensorTest, ConvertsAndScales) {
  const auto make = [] {
    return SparseTensor({{0, 1}, {1, 2}}, {5.f, 6.f}, {2, 3});
  };
  const std::vector<float> want = {0, 5, 0, 0, 0, 6};
  EXPECT_EQ(make().to_dense().to_vector<float>(), want);
  EXPECT_EQ(
      gk::function([&] { return make().to_dense(); })().to_vector<float>(),
      want);
  EXPECT_EQ((make() * Tensor(2.f)).values().to_vector<float>(),
            (std::vector<float>{10, 12}));
  EXPECT_EQ(SparseTensor::from_dense(make().to_dense())
                .indices()
                .to_vector<int64_t>(),
            (std::vector<int64_t>{0, 1, 1, 2}));
  ExpectHas(ErrorOf([] {
              SparseTensor({{1, 0}, {0, 1}}, {1, 2}, {2, 2}).to_dense();
            }).what(),
            "indices[1] = [0,1] is out of order");
  EXPECT_EQ(SparseTensor({{1, 0}, {0, 1}}, {1, 2}, {2, 2})
                .reorder()
                .to_dense()
                .to_vector<int>(),
            (std::vector<int>{0, 2, 1, 0}));
}

TEST(IndexedSlicesTest, IsAWhole) {
  const IndexedSlices rows({{1.f, 2.f}}, {1}, {3, 2});
  EXPECT_EQ(rows.to_tensor().to_vector<float>(),
            (std::vector<float>{0, 0, 1, 2, 0, 0}));
  EXPECT_EQ((-rows).values().to_vector<float>(), (std::vector<float>{-1, -2}));
  const auto twice = gk::function([](const IndexedSlices& x) {
    return IndexedSlices(x.values() * 2, x.indices(), x.dense_shape());
  });
  EXPECT_EQ(twice(rows).values().to_vector<float>(),
            (std::vector<float>{2, 4}));
  EXPECT_FALSE(twice(IndexedSlices({1.f}, {0})).dense_shape().defined());
  EXPECT_EQ(ErrorOf([] { IndexedSlices({1.f}, {0}).to_tensor(); }).code(),
            ErrorCode::kValueError);
}

TEST(RaggedTensorTest, FunctionsOfSeveral) {
  const auto floats = [] {
    return RaggedTensor::from_row_lengths(Tensor({1.f, 2.f, 3.f}), {2, 0, 1});
  };
  ExpectBothPrint(
      [] {
        return gk::ragged::where(RaggedTensor::from_row_lengths(
                                     Tensor({true, false, true}), {2, 0, 1}),
                                 Rows(),
                                 gk::ragged::add_n({Rows(), Rows(), Rows()}));
      },
      "[[1, 6], [], [3]]");
  ExpectBothPrint([] { return gk::ragged::split(Rows(), 3)[2]; }, "[[3]]");
  ExpectBothPrint(
      [] {
        return gk::ragged::split(Rows(), std::vector<int64_t>{1, 2})[1];
      },
      "[[], [3]]");
  ExpectBothPrint(
      [] {
        return gk::ragged::dynamic_partition(Rows(), Tensor({0, 1, 0}), 2)[0];
      },
      "[[1, 2], [3]]");
  EXPECT_EQ(gk::ragged::unsorted_segment_sum(
                Rows(),
                RaggedTensor::from_row_lengths(Tensor({1, 1, 0}), {2, 0, 1}), 2)
                .tensor()
                .to_vector<int>(),
            (std::vector{3, 3}));
  EXPECT_EQ(gk::ragged::reduce_std(floats(), 1).tensor().to_vector<float>()[0],
            0.5f);
  EXPECT_EQ(gk::ragged::reduce_std(Rows(), 1).tensor().to_vector<double>()[0],
            0.5);
  // Sums that overflow, along the rows and across them.
  const auto large =
      RaggedTensor::from_row_lengths(Tensor({1000.f, 1000.f, 3.f}), {2, 0, 1});
  const std::vector<float> sums =
      gk::ragged::reduce_logsumexp(large, 1).tensor().to_vector<float>();
  EXPECT_FLOAT_EQ(sums[0], 1000.6931f);
  EXPECT_EQ(sums[1], -std::numeric_limits<float>::infinity());
  EXPECT_EQ(sums[2], 3.f);
  EXPECT_FLOAT_EQ(
      gk::ragged::reduce_logsumexp(large, 0).tensor().to_vector<float>()[0],
      1000.f);
  EXPECT_TRUE(gk::ragged::reduce_all(Rows()).tensor().item<bool>());
  const auto signs =
      RaggedTensor::from_row_lengths(Tensor({1, -1, 0}), {2, 0, 1});
  EXPECT_EQ(gk::ragged::reduce_any(signs, 1).tensor().to_vector<bool>(),
            (std::vector{true, false, false}));
  const auto texts = RaggedTensor::from_row_lengths(
      gk::stack({Tensor("a"), Tensor("b"), Tensor("c")}), {2, 0, 1});
  const RaggedTensor joined = gk::ragged::join({texts, texts}, "-");
  EXPECT_EQ(gk::ragged::reduce_join(joined, {}, false, "+")
                .tensor()
                .item<std::string>(),
            "a-a+b-b+c-c");
  EXPECT_EQ(gk::ragged::size(Rows()).item<int>(), 3);
  EXPECT_EQ(gk::ragged::rank(Deep()).item<int>(), 3);
  EXPECT_EQ(gk::ragged::format("<{}>", {Rows()}).item<std::string>(),
            "<[[1, 2], [], [3]]>");
  EXPECT_EQ(ErrorOf([] { gk::ragged::format("", {Rows()}); }).code(),
            ErrorCode::kValueError);
  EXPECT_EQ(gk::ragged::sigmoid_cross_entropy_with_logits(floats(), floats())
                .flat_values()
                .shape(),
            gk::Shape({3}));
}

TEST(RaggedTensorTest, RowsOfRangesMasksAndPartitions) {
  namespace ragged = gk::ragged;
  ExpectBothPrint(
      [] {
        return ragged::range(Tensor({0, 5}), Tensor({3, 6}), 1);
      },
      "[[0, 1, 2], [5]]");
  ExpectBothPrint(
      [] {
        return ragged::boolean_mask(
            Rows(), RaggedTensor::from_row_lengths(
                        gk::equal(Tensor({1, 0, 1}), Tensor(1)), {2, 0, 1}));
      },
      "[[1], [], [3]]");
  ExpectBothPrint(
      [] {
        return ragged::stack_dynamic_partitions(Tensor({7, 8, 9}),
                                                Tensor({2, 0, 2}), 3);
      },
      "[[8], [], [7, 9]]");
  ExpectBothPrint(
      [] {
        return ragged::map_flat_values(
            [](const std::vector<Tensor>& v) { return v[0] + v[1]; },
            {Rows(), Rows()});
      },
      "[[2, 4], [], [6]]");
  EXPECT_EQ(ragged::row_splits_to_segment_ids({0, 2, 2, 3}).to_vector<int>(),
            (std::vector{0, 0, 2}));
  EXPECT_EQ(ragged::segment_ids_to_row_splits({0, 0, 2}).to_vector<int>(),
            (std::vector{0, 2, 2, 3}));
  EXPECT_EQ(ErrorOf([] {
              ragged::map_flat_values(
                  [](const std::vector<Tensor>& v) { return v[0]; },
                  {Rows(), Deep()});
            }).code(),
            ErrorCode::kValueError);
  EXPECT_EQ(ErrorOf([] {
              ragged::stack_dynamic_partitions(Tensor({7}), Tensor({5}), 3);
            }).code(),
            ErrorCode::kInvalidArgument);
}

TEST(SparseTensorTest, SumsPartsAndValues) {
  const SparseTensor s = SparseTensor::from_dense({{0, 7}, {5, 0}});
  const auto sum = std::get<SparseTensor>(gk::sparse::add(s, s));
  EXPECT_EQ(sum.values().to_vector<int>(), (std::vector{14, 10}));
  const auto dense =
      std::get<Tensor>(gk::sparse::add(s, Tensor({{1, 1}, {1, 1}})));
  EXPECT_EQ(dense.to_vector<int>(), (std::vector{1, 8, 6, 1}));
  EXPECT_EQ(gk::sparse::concat(0, std::vector{s, s}).shape(),
            gk::Shape({4, 2}));
  const auto parts = gk::sparse::split(s, 2, 1);
  ASSERT_EQ(parts.size(), 2u);
  EXPECT_EQ(parts[1].values().to_vector<int>(), std::vector{7});
  const auto [filled, empty] = gk::sparse::fill_empty_rows(
      SparseTensor::from_dense({{0, 7}, {0, 0}}), 3);
  EXPECT_EQ(filled.values().to_vector<int>(), (std::vector{7, 3}));
  EXPECT_EQ(empty.to_vector<bool>(), (std::vector{false, true}));
  EXPECT_EQ(
      gk::sparse::map_values(
          [](const std::vector<Tensor>& v) { return v[0] * v[1]; }, {s, s})
          .values()
          .to_vector<int>(),
      (std::vector{49, 25}));
  EXPECT_EQ(gk::sparse::mask(IndexedSlices({{1.f}, {2.f}}, {5, 7}), {5})
                .indices()
                .to_vector<int>(),
            std::vector{7});
  EXPECT_EQ(ErrorOf([&] { gk::sparse::add(Tensor(1), Tensor(2)); }).code(),
            ErrorCode::kTypeError);
}

}  // namespace
