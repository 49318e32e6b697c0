// MapRows: eagerly and traced the same parts of all rows, joined and stacked.
#include "function/row_loops.h"

#include <gtest/gtest.h>

#include "eager/eager_context.h"
#include "function/concrete_function.h"
#include "ops/composition.h"
#include "ops/fn/Mul.h"
#include "ops/fn/Slice.h"
#include "runtime/executor.h"

namespace gk {
namespace {

Tensor Ints(std::initializer_list<int32_t> values) {
  return Tensor::Vector<int32_t>({values.begin(), values.size()});
}

// Of each row its squares, and as many of its elements as its number says.
class Squares final : public PartHost {
 public:
  TensorVector Parts(const Tensor& place, const TensorVector& row) override {
    ++calls;
    const Tensor count = CallComposition("reshape", {place, Ints({1})})[0];
    return {ops::Mul(row[0], row[0]), ops::Slice(row[0], Ints({0}), count)};
  }
  std::string_view prefix() const override { return "gk::"; }
  std::string Text(DataType t) const override {
    return std::string(DataTypeName(t));
  }
  std::string Text(const Tensor& t) const override { return Text(t.dtype()); }
  std::string Text(const StagedValue&) const override { return "value"; }

  int calls = 0;
};

TensorVector MapSquares(Squares& host, const Tensor& x, int64_t known,
                        const Tensor& count) {
  const RowPart parts[] = {
      {DataType::kInt32, PartialTensorShape({2})},
      {DataType::kInt32, PartialTensorShape({-1}), /*joined=*/true,
       /*infer_shape=*/false}};
  return MapRows(host, Rows({&x, 1}, known, count), parts, {});
}

void ExpectSquares(const TensorVector& kept) {
  ASSERT_EQ(kept.size(), 2u);
  EXPECT_EQ(kept[0].shape(), TensorShape({3, 2}));
  EXPECT_EQ(std::vector<int32_t>(kept[0].data<int32_t>(),
                                 kept[0].data<int32_t>() + 6),
            (std::vector<int32_t>{1, 4, 9, 16, 25, 36}));
  EXPECT_EQ(kept[1].shape(), TensorShape({3}));
  EXPECT_EQ(std::vector<int32_t>(kept[1].data<int32_t>(),
                                 kept[1].data<int32_t>() + 3),
            (std::vector<int32_t>{3, 5, 6}));
}

TEST(MapRowsTest, EagerlyTheFunctionRunsForEachRow) {
  InitEager();
  const Tensor x = Ints({1, 2, 3, 4, 5, 6}).WithShape(TensorShape({3, 2}));
  Squares host;
  ExpectSquares(MapSquares(host, x, 3, {}));
  ExpectSquares(MapSquares(host, x, -1, Tensor::Scalar(int32_t{3})));
  EXPECT_EQ(host.calls, 6);
}

TEST(MapRowsTest, TracedItRunsOnce) {
  InitEager();
  InitRuntime();
  Squares host;
  auto graph = MakeRef<FuncGraph>("f");
  const Tensor x = ValueOrThrow(graph->inputs().AddArgument(
      "x", DataType::kInt32, PartialTensorShape({-1, 2})));
  const Tensor n = ValueOrThrow(
      graph->inputs().AddArgument("n", DataType::kInt32, TensorShape()));
  Ref<ConcreteFunction> f;
  {
    FuncGraph::Building building(graph.get());
    const TensorVector kept = MapSquares(host, x, -1, n);
    f = ValueOrThrow(ConcreteFunction::FromFuncGraph(*graph, kept));
  }
  EXPECT_EQ(host.calls, 1);
  const Tensor arguments[] = {
      Ints({1, 2, 3, 4, 5, 6}).WithShape(TensorShape({3, 2})),
      Tensor::Scalar(int32_t{3})};
  TensorVector out;
  const Status s = f->Call(arguments, &out);
  ASSERT_TRUE(s.ok()) << s.ToString();
  ExpectSquares(out);
}

TEST(MapRowsTest, ResultsNestAsTheSignatureSays) {
  const StructureRef tuple = Structure::Tuple({Structure::Leaf()}),
                     list = Structure::List({Structure::Leaf()}),
                     longer = Structure::Tuple(
                         {Structure::Leaf(), Structure::Leaf()});
  const auto code = [&](const StructureRef& result, bool implied) {
    return CheckRowResult(*tuple, *result, implied,
                          StructureWords(*tuple, *result))
        .code();
  };
  EXPECT_EQ(code(tuple, true), Code::kOk);
  EXPECT_EQ(code(list, true), Code::kTypeError);
  EXPECT_EQ(code(longer, true), Code::kValueError);
  EXPECT_EQ(code(longer, false), Code::kTypeError);
}

}  // namespace
}  // namespace gk
