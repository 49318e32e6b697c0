// Specs in the core: components of values and of their rows, and rows taken
// from values and collected again.
#include "function/specs/spec_rows.h"

#include <gtest/gtest.h>

#include "eager/eager_context.h"
#include "ops/composition.h"
#include "ops/fn/AddV2.h"
#include "ops/fn/Size.h"
#include "runtime/executor.h"

namespace gk {
namespace {

Tensor IntRow(std::initializer_list<int32_t> values) {
  return Tensor::Vector<int32_t>({values.begin(), values.size()});
}
Tensor Longs(std::initializer_list<int64_t> values) {
  return Tensor::Vector<int64_t>({values.begin(), values.size()});
}
template <class T>
std::vector<T> ValuesOf(const Tensor& t) {
  return {t.data<T>(), t.data<T>() + t.num_elements()};
}

// [[1, 2], [], [3]].
TypeSpec RaggedSpec() {
  return TypeSpec::Ragged(DataType::kInt32,
                          PartialTensorShape({3, kUnknownDim}), {});
}
TensorVector RaggedParts() { return {IntRow({1, 2, 3}), Longs({0, 2, 2, 3})}; }

// [[0, 5], [6, 0]].
TypeSpec SparseSpec() {
  return TypeSpec::Sparse(DataType::kInt32, PartialTensorShape({2, 2}));
}
TensorVector SparseParts() {
  const Tensor indices = Longs({0, 1, 1, 0}).WithShape(TensorShape({2, 2}));
  return {indices, IntRow({5, 6}), Longs({2, 2})};
}

TEST(SpecsTest, ComponentsAreMadeAndReadAgain) {
  InitEager();
  for (const auto& [spec, parts] : {std::pair(RaggedSpec(), RaggedParts()),
                                    std::pair(SparseSpec(), SparseParts())}) {
    TensorVector components;
    spec.Encode(parts, /*rows=*/false, &components);
    ASSERT_EQ(components.size(), 1u);
    EXPECT_EQ(components[0].dtype(), DataType::kVariant);
    size_t next = 0;
    const TensorVector again = spec.Decode(components, &next);
    EXPECT_EQ(next, 1u);
    ASSERT_EQ(again.size(), parts.size());
    EXPECT_EQ(ValuesOf<int32_t>(again[spec.kind == TypeSpec::Kind::kSparse]),
              ValuesOf<int32_t>(parts[spec.kind == TypeSpec::Kind::kSparse]));
    EXPECT_THROW(spec.Decode(components, &next), Error);
    // Rows by rows.
    TensorVector rows;
    spec.Encode(parts, /*rows=*/true, &rows);
    EXPECT_EQ(rows[0].dim(0), spec.shape.dim(0));
  }
}

TEST(SpecsTest, StacksRowsAndCommonSpecs) {
  const TypeSpec ragged = RaggedSpec();
  EXPECT_EQ(ragged.Batched(2).shape, PartialTensorShape({2, 3, kUnknownDim}));
  EXPECT_EQ(ragged.Batched(2).ragged_rank, 2);
  EXPECT_TRUE(ragged.Batched(-1).Row() == ragged);
  EXPECT_EQ(ragged.Row().Row().kind, TypeSpec::Kind::kTensor);
  EXPECT_THROW(TypeSpec::Tensor(DataType::kInt32, TensorShape()).Row(), Error);
  const TypeSpec slices =
      TypeSpec::Slices(DataType::kFloat, PartialTensorShape({3, 2}));
  EXPECT_THROW(slices.Batched(2), Error);
  EXPECT_FALSE(ragged.Common(SparseSpec()));

  // A state whose shape grows settles at one that is not known.
  const ElementSpec start{
      Structure::Leaf(),
      {TypeSpec::Tensor(DataType::kInt32, PartialTensorShape({1}))}};
  const ElementSpec settled = UntilFixed(start, [](const ElementSpec& now) {
    ElementSpec after = now;
    PartialTensorShape& shape = after.leaves[0].shape;
    if (shape.dim(0) >= 0) shape.SetDim(0, shape.dim(0) + 1);
    return after;
  });
  EXPECT_EQ(settled.leaves[0].shape, PartialTensorShape({kUnknownDim}));
  EXPECT_THROW(UntilFixed(start,
                          [](const ElementSpec& now) {
                            ElementSpec after = now;
                            after.leaves[0].dtype = DataType::kFloat;
                            return after;
                          }),
               Error);
}

TEST(SpecsTest, RowsAreTakenAndCollected) {
  InitEager();
  const RowSource ragged(RaggedSpec(), RaggedParts());
  EXPECT_EQ(*ragged.Count().data<int32_t>(), 3);
  const RowCollector rows(
      TypeSpec::Ragged(DataType::kInt32, PartialTensorShape({kUnknownDim}), 0),
      true);
  ASSERT_EQ(rows.kept().size(), 2u);
  TensorVector flats, lengths;
  for (int32_t i = 0; i < 3; ++i) {
    TensorVector kept;
    rows.Keep(Tensor::Scalar(i), ragged.Row(Tensor::Scalar(i)), &kept);
    flats.push_back(kept[0]);
    lengths.push_back(kept[1]);
  }
  const TensorVector again = rows.Together(
      TensorVector{CallComposition("concat", {flats, Int32Of(0)})[0],
                   CallComposition("stack", {lengths})[0]},
      Int32Of(3));
  EXPECT_EQ(ValuesOf<int32_t>(again[0]), (std::vector<int32_t>{1, 2, 3}));
  EXPECT_EQ(ValuesOf<int64_t>(again[1]), (std::vector<int64_t>{0, 2, 2, 3}));

  const RowSource sparse(SparseSpec(), SparseParts());
  const TensorVector second = sparse.Row(Tensor::Scalar(int32_t{1}));
  EXPECT_EQ(ValuesOf<int64_t>(second[0]), (std::vector<int64_t>{0}));
  EXPECT_EQ(ValuesOf<int32_t>(second[1]), (std::vector<int32_t>{6}));
  EXPECT_EQ(ValuesOf<int64_t>(second[2]), (std::vector<int64_t>{2}));
  EXPECT_THROW(
      RowCollector(TypeSpec::Sparse(DataType::kInt32, PartialTensorShape()),
                   true),
      Error);
}

// Rows of a ragged, a sparse and a dense one; gives the first, its length and
// the second.
class AllOfThem final : public SpecRowHost {
 public:
  std::vector<TensorVector> Call(
      const std::vector<TensorVector>& rows) override {
    const Tensor& row = rows[0][0];
    return {rows[0], {ops::Size(row)}, rows[1], {ops::AddV2(rows[2][0], one)}};
  }
  std::span<const RowCollector> CollectorsOf(
      const std::vector<TensorVector>& rows) override {
    ++asked;
    const std::vector<TensorVector> results = Call(rows);
    EXPECT_TRUE(results[1][0].is_symbolic());
    collectors.emplace_back(
        TypeSpec::Ragged(DataType::kInt32, PartialTensorShape({kUnknownDim}),
                         0),
        true);
    collectors.emplace_back(
        TypeSpec::Tensor(results[1][0].dtype(), results[1][0].partial_shape()),
        true);
    collectors.emplace_back(SparseSpec().Row(), true);
    collectors.emplace_back(collectors[1]);
    return collectors;
  }
  std::string_view prefix() const override { return "gk::"; }
  std::string Text(DataType t) const override {
    return std::string(DataTypeName(t));
  }
  std::string Text(const Tensor& t) const override { return Text(t.dtype()); }
  std::string Text(const StagedValue&) const override { return "value"; }
  const Tensor one = Tensor::Scalar(int32_t{1});
  std::vector<RowCollector> collectors;
  int asked = 0;
};

TEST(SpecsTest, FunctionsOfRowsOfValues) {
  InitEager();
  const TypeSpec two = TypeSpec::Ragged(
      DataType::kInt32, PartialTensorShape({2, kUnknownDim}), {});
  const TypeSpec numbers = TypeSpec::Tensor(DataType::kInt32, TensorShape({2}));
  std::vector<RowSource> sources;
  sources.emplace_back(two, TensorVector{IntRow({1, 2, 3}), Longs({0, 2, 3})});
  sources.emplace_back(SparseSpec(), SparseParts());
  sources.emplace_back(numbers, TensorVector{IntRow({7, 8})});
  const TypeSpec scalar = TypeSpec::Tensor(DataType::kInt32, TensorShape());
  std::vector<RowCollector> collectors;
  collectors.emplace_back(
      TypeSpec::Ragged(DataType::kInt32, PartialTensorShape({kUnknownDim}), 0),
      true);
  collectors.emplace_back(scalar, true);
  collectors.emplace_back(SparseSpec().Row(), true);
  collectors.emplace_back(scalar, true);
  AllOfThem host;
  const auto all = host.Map(sources, collectors, {});
  EXPECT_EQ(host.known_count(), 2);
  EXPECT_EQ(ValuesOf<int32_t>(all[0][0]), (std::vector<int32_t>{1, 2, 3}));
  EXPECT_EQ(ValuesOf<int64_t>(all[0][1]), (std::vector<int64_t>{0, 2, 3}));
  EXPECT_EQ(ValuesOf<int32_t>(all[1][0]), (std::vector<int32_t>{2, 1}));
  EXPECT_EQ(ValuesOf<int64_t>(all[2][0]), (std::vector<int64_t>{0, 1, 1, 0}));
  EXPECT_EQ(ValuesOf<int32_t>(all[3][0]), (std::vector<int32_t>{8, 9}));
  // As many rows; of the rank that the signature says.
  sources.back() = RowSource(scalar.Batched(3), {IntRow({7, 8, 9})});
  EXPECT_THROW(host.Map(sources, collectors, {}), Error);
  sources.pop_back();
  sources.emplace_back(numbers, TensorVector{IntRow({7, 8})});
  collectors.front() = RowCollector(two, true);
  EXPECT_THROW(host.Map(sources, collectors, {}), Error);
}

TEST(SpecsTest, RowsThatAllCallsShare) {
  InitEager();
  const TypeSpec two = TypeSpec::Ragged(
      DataType::kInt32, PartialTensorShape({2, kUnknownDim}), {});
  const TypeSpec scalar = TypeSpec::Tensor(DataType::kInt32, TensorShape());
  std::vector<RowSource> sources;
  sources.emplace_back(two, TensorVector{IntRow({1, 2, 3}), Longs({0, 2, 3})});
  sources.emplace_back(SparseSpec(), SparseParts());
  sources.emplace_back(scalar.Batched(1), TensorVector{IntRow({7})});
  AllOfThem host;
  // The first value has two of the sources.
  const auto all = host.MapSharing(sources, {{2, 1}}, {});
  EXPECT_EQ(host.asked, 1);
  EXPECT_EQ(host.known_count(), 2);
  EXPECT_EQ(ValuesOf<int64_t>(all[0][1]), (std::vector<int64_t>{0, 2, 3}));
  EXPECT_EQ(ValuesOf<int32_t>(all[3][0]), (std::vector<int32_t>{8, 8}));
  sources.back() = RowSource(scalar.Batched(3), {IntRow({7, 8, 9})});
  EXPECT_THROW(AllOfThem().MapSharing(sources, {{2, 1}}, {}), Error);
}

TEST(SpecsTest, ValuesSharedByRows) {
  using Shapes = std::vector<PartialTensorShape>;
  const Shapes one{PartialTensorShape({1, 4})}, two{PartialTensorShape({2})};
  const Shapes any{PartialTensorShape()};
  const auto shared = [](std::vector<Shapes> values) {
    return SharedByRows(values);
  };
  EXPECT_EQ(shared({one, two, any}), (std::vector<bool>{true, false, false}));
  EXPECT_EQ(shared({one, one}), (std::vector<bool>{false, false}));
  EXPECT_THROW(shared({two, {PartialTensorShape({3})}}), Error);
  EXPECT_THROW(shared({{TensorShape()}}), Error);
}

}  // namespace
}  // namespace gk
