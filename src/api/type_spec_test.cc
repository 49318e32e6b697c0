#include "graphkiln/type_spec.h"

#include <gtest/gtest.h>

#include "graphkiln/graphkiln.h"

namespace {

using gk::Dataset;
using gk::kUnknown;
using gk::RaggedTensor;
using gk::Shape;
using gk::SparseTensor;
using gk::Tensor;
using gk::TypeSpec;

RaggedTensor ThreeRows() {
  return RaggedTensor::from_row_lengths(Tensor{1, 2, 3}, Tensor{2, 0, 1});
}
TEST(TypeSpecTest, SaysWhatIsKnown) {
  const gk::RaggedTensorSpec rows({3, kUnknown}, gk::DataType::kInt32);
  EXPECT_EQ(rows.ragged_rank, 1);
  EXPECT_EQ(rows.to_string(),
            "RaggedTensorSpec(shape=(3, None), dtype=int32, ragged_rank=1, "
            "row_splits_dtype=int64)");
  const std::vector<gk::TensorSpec> parts = rows.flatten();
  ASSERT_EQ(parts.size(), 2u);
  EXPECT_EQ(parts[1].shape, Shape({4}));
  EXPECT_EQ(gk::RaggedTensorSpec::from_value(ThreeRows()).shape,
            Shape({3, kUnknown}));
  EXPECT_THROW(gk::RaggedTensorSpec(Shape::UnknownRank()), gk::Error);
  EXPECT_THROW(gk::RaggedTensorSpec({3, 2}, gk::DataType::kFloat, 2),
               gk::Error);

  const SparseTensor st({{0, 1}, {1, 2}}, {5.f, 6.f}, {2, 3});
  EXPECT_EQ(gk::SparseTensorSpec::from_value(st).flatten()[0].shape,
            Shape({kUnknown, 2}));
  const gk::IndexedSlices slices({{1.f, 2.f}}, {1}, {3, 2});
  EXPECT_EQ(gk::IndexedSlicesSpec::from_value(slices).flatten().size(), 3u);
  EXPECT_EQ(gk::IndexedSlicesSpec({kUnknown, 2}).flatten()[0].shape,
            Shape({kUnknown, 2}));
  EXPECT_EQ(gk::DatasetSpec::from_value(Dataset::range(3)).to_string(),
            "DatasetSpec(TensorSpec(shape=(), dtype=int64))");
  EXPECT_EQ(gk::OptionalSpec::from_value(gk::Optional::from_value(1)).kind,
            TypeSpec::Kind::kOptional);
  EXPECT_EQ(gk::IteratorSpec::from_value(gk::Iterator(Dataset::range(3)))
                .element_spec->leaves[0]
                .dtype,
            gk::DataType::kInt64);
}

TEST(TypeSpecTest, Relations) {
  const gk::RaggedTensorSpec three({3, kUnknown}, gk::DataType::kInt32),
      any({kUnknown, kUnknown}, gk::DataType::kInt32),
      floats({3, kUnknown}, gk::DataType::kFloat);
  EXPECT_TRUE(three.is_subtype_of(any));
  EXPECT_FALSE(any.is_subtype_of(three));
  EXPECT_TRUE(any.is_compatible_with(three));
  EXPECT_FALSE(three.is_compatible_with(floats));
  EXPECT_EQ(*three.most_specific_common_supertype(any), any);
  EXPECT_FALSE(three.most_specific_common_supertype(floats));
  EXPECT_FALSE(
      three.most_specific_common_supertype(gk::TensorSpec{{3, kUnknown}}));
  const auto both =
      gk::DatasetSpec::from_value(Dataset::from_tensors(Tensor{1, 2}))
          .most_specific_common_supertype(
              gk::DatasetSpec::from_value(Dataset::from_tensors(Tensor{1})));
  ASSERT_TRUE(both);
  EXPECT_EQ(both->element_spec->leaves[0].shape, Shape({kUnknown}));
}

TEST(TypeSpecTest, RaggedElements) {
  const Dataset rows = Dataset::from_tensor_slices(ThreeRows());
  EXPECT_EQ(rows.element_spec().leaves[0].kind, TypeSpec::Kind::kRagged);
  const Dataset twos = rows.batch(2);
  EXPECT_EQ(twos.element_spec().leaves[0],
            gk::RaggedTensorSpec({kUnknown, kUnknown}, gk::DataType::kInt32, 1,
                                 gk::DataType::kInt32));
  std::vector<std::vector<int>> values, splits;
  for (RaggedTensor batch : twos) {
    values.push_back(batch.flat_values().to_vector<int>());
    splits.push_back(
        gk::cast(batch.row_splits(), gk::DataType::kInt32).to_vector<int>());
  }
  EXPECT_EQ(values, (std::vector<std::vector<int>>{{1, 2}, {3}}));
  EXPECT_EQ(splits, (std::vector<std::vector<int>>{{0, 2, 2}, {0, 1}}));

  // Functions take and give them, beside others.
  const Dataset sums = twos.map([](RaggedTensor x) {
    return std::pair(gk::ragged::reduce_sum(x, 1).tensor(), x + x);
  });
  std::vector<std::vector<int>> seen;
  for (std::pair<Tensor, RaggedTensor> p : sums) {
    seen.push_back(p.first.to_vector<int>());
    seen.push_back(p.second.flat_values().to_vector<int>());
  }
  EXPECT_EQ(seen, (std::vector<std::vector<int>>{{3, 0}, {2, 4}, {3}, {6}}));

  // And back to rows.
  std::vector<std::vector<int>> again;
  for (RaggedTensor row : twos.unbatch()) {
    again.push_back(row.tensor().to_vector<int>());
  }
  EXPECT_EQ(again, (std::vector<std::vector<int>>{{1, 2}, {}, {3}}));
  int n = 0;
  for (RaggedTensor batch : twos.rebatch(3)) {
    ++n;
    EXPECT_EQ(batch.flat_values().to_vector<int>(),
              (std::vector<int>{1, 2, 3}));
  }
  EXPECT_EQ(n, 1);
  // No tensor is there to be read.
  EXPECT_THROW(static_cast<void>(twos.map([](Tensor x) { return x; })),
               gk::Error);
  EXPECT_THROW(static_cast<void>(twos.padded_batch(2)), gk::Error);
}

TEST(TypeSpecTest, StatesAndWindowsOfRagged) {
  const Dataset rows = Dataset::from_tensors(ThreeRows()).repeat(2);
  const RaggedTensor sum =
      rows.reduce(ThreeRows(),
                  [](RaggedTensor state, RaggedTensor x) { return state + x; });
  EXPECT_EQ(sum.flat_values().to_vector<int>(), (std::vector<int>{3, 6, 9}));
  int n = 0;
  for (Dataset window : rows.window(2)) {
    for (RaggedTensor x : window) n += x.flat_values().num_elements();
  }
  EXPECT_EQ(n, 6);
  const RaggedTensor one = rows.take(1).get_single_element();
  EXPECT_EQ(one.shape(), Shape({3, kUnknown}));
}

TEST(TypeSpecTest, SparseElements) {
  const SparseTensor st({{0, 1}, {1, 2}}, {5.f, 6.f}, {2, 3});
  const Dataset rows = Dataset::from_tensor_slices(std::pair(st, Tensor{7, 8}));
  EXPECT_EQ(rows.element_spec().leaves[0],
            gk::SparseTensorSpec({3}, gk::DataType::kFloat));
  std::vector<float> sums;
  for (std::pair<SparseTensor, Tensor> p : rows) {
    sums.push_back(gk::reduce_sum(p.first.to_dense()).item<float>() +
                   p.second.item<int>());
  }
  EXPECT_EQ(sums, (std::vector<float>{12, 14}));
  const Dataset whole =
      rows.batch(2).map([](SparseTensor x, Tensor y) { return x.to_dense(); });
  const Tensor dense = whole.get_single_element();
  EXPECT_EQ(dense.to_vector<float>(), (std::vector<float>{0, 5, 0, 0, 0, 6}));
  EXPECT_EQ(whole.element_spec().leaves[0].shape.rank(), 2);
}

TEST(TypeSpecTest, SlicesDatasetsAndOptionals) {
  const gk::IndexedSlices slices({{1.f, 2.f}}, {1}, {3, 2});
  const Dataset one = Dataset::from_tensors(slices);
  for (gk::IndexedSlices x : one) {
    EXPECT_EQ(x.to_tensor().to_vector<float>(),
              (std::vector<float>{0, 0, 1, 2, 0, 0}));
  }
  EXPECT_THROW(static_cast<void>(one.batch(2)), gk::Error);

  const Dataset inner = Dataset::from_tensors(
      std::pair(Dataset::range(3), gk::Optional::from_value(ThreeRows())));
  for (std::pair<Dataset, gk::Optional> p : inner) {
    EXPECT_EQ(p.first.cardinality().item<int64_t>(), 3);
    const RaggedTensor x = p.second.get_value();
    EXPECT_EQ(x.flat_values().to_vector<int>(), (std::vector<int>{1, 2, 3}));
  }
  const Dataset sums = inner.map([](Dataset d, gk::Optional o) {
    return d.reduce(int64_t{0}, [](Tensor s, Tensor x) { return s + x; });
  });
  EXPECT_EQ(Tensor(sums.get_single_element()).item<int64_t>(), 3);

  const gk::Iterator it(Dataset::from_tensors(ThreeRows()));
  EXPECT_EQ(it.get_next_as_optional().element_spec().leaves[0].kind,
            TypeSpec::Kind::kRagged);
  EXPECT_FALSE(it.get_next_as_optional().has_value().item<bool>());
}

}  // namespace
