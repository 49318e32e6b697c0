// What shapes, types, specs, tensors, operations and graphs tell of themselves.
#include <string>
#include <utility>
#include <vector>

#include "api/same_gradient_for_test.h"

namespace {

using gk::DataType;
using gk::ErrorCode;
using gk::kUnknown;
using gk::RaggedTensor;
using gk::Shape;
using gk::Tensor;
using gk::TensorSpec;
using gk_test::ErrorOf;
using gk_test::ExpectHas;
using Int64s = std::vector<int64_t>;

TEST(MembersTest, Shapes) {
  const Shape half = {2, kUnknown}, whole = {2, 3}, any = Shape::UnknownRank();
  EXPECT_TRUE(half.is_compatible_with(whole));
  EXPECT_FALSE(half.is_compatible_with({3, 3}));
  EXPECT_TRUE(whole.is_subtype_of(half));
  EXPECT_FALSE(half.is_subtype_of(whole));
  EXPECT_EQ(half.merge_with({kUnknown, 4}), Shape({2, 4}));
  const gk::Error e = ErrorOf([&] { half.merge_with({3, 3}); });
  EXPECT_EQ(e.code(), ErrorCode::kValueError);
  EXPECT_STREQ(e.what(), "Shapes (2, None) and (3, 3) are not compatible");
  EXPECT_EQ(whole.most_specific_compatible_shape({2, 4}), half);
  EXPECT_EQ(whole.most_specific_common_supertype({{2, 3}, {1, 3}}),
            Shape({kUnknown, 3}));
  EXPECT_EQ(half.concatenate({3}), Shape({2, kUnknown, 3}));
  EXPECT_EQ(half.concatenate(any), any);
  EXPECT_EQ(any.with_rank(2), Shape({kUnknown, kUnknown}));
  EXPECT_EQ(any.with_rank_at_least(2), any);
  EXPECT_EQ(half.with_rank_at_most(2), half);
  EXPECT_STREQ(ErrorOf([&] { half.with_rank_at_least(3); }).what(),
               "Shape (2, None) must have rank at least 3");
  EXPECT_THROW(any.with_rank(-1), gk::Error);
  half.assert_has_rank(2);
  half.assert_same_rank(whole);
  whole.assert_is_fully_defined();
  EXPECT_THROW(half.assert_is_fully_defined(), gk::Error);
  EXPECT_STREQ(ErrorOf([&] { half.assert_same_rank({1}); }).what(),
               "Shapes (2, None) and (1,) must have the same rank");
  EXPECT_STREQ(ErrorOf([&] {
                 half.assert_is_compatible_with({3, 3});
               }).what(),
               "Shapes (2, None) and (3, 3) are incompatible");
}

TEST(MembersTest, DataTypes) {
  namespace dtypes = gk::dtypes;
  EXPECT_TRUE(dtypes::is_floating(DataType::kBfloat16));
  EXPECT_TRUE(dtypes::is_integer(DataType::kUint8));
  EXPECT_TRUE(dtypes::is_unsigned(DataType::kUint8));
  EXPECT_FALSE(dtypes::is_unsigned(DataType::kInt8));
  EXPECT_TRUE(dtypes::is_complex(DataType::kComplex64));
  EXPECT_TRUE(dtypes::is_bool(DataType::kBool));
  EXPECT_FALSE(dtypes::is_numeric(DataType::kBool));
  EXPECT_EQ(dtypes::size(DataType::kComplex128), 16);
  EXPECT_EQ(dtypes::real_dtype(DataType::kComplex64), DataType::kFloat);
  EXPECT_EQ(dtypes::as_dtype("int64"), DataType::kInt64);
  EXPECT_EQ(ErrorOf([] { dtypes::as_dtype("int65"); }).code(),
            ErrorCode::kTypeError);
  EXPECT_EQ(dtypes::max(DataType::kInt8).item<int8_t>(), 127);
  EXPECT_EQ(dtypes::min(DataType::kInt64).item<int64_t>(), INT64_MIN);
  EXPECT_EQ(dtypes::max(DataType::kUint64).item<uint64_t>(), UINT64_MAX);
  EXPECT_EQ(static_cast<float>(dtypes::max(DataType::kHalf).item<gk::half>()),
            65504);
  EXPECT_EQ(
      static_cast<float>(dtypes::min(DataType::kBfloat16).item<gk::bfloat16>()),
      -3.3895314e38f);
  // Of numbers that C++ has no type for, as they are written.
  ExpectHas(dtypes::max(DataType::kInt4).to_string(), "=7)");
  ExpectHas(dtypes::min(DataType::kInt2).to_string(), "=-2)");
  ExpectHas(dtypes::max(DataType::kFloat8E4m3fnuz).to_string(), "=240)");
  ExpectHas(dtypes::min(DataType::kFloat4E2m1fn).to_string(), "=-6)");
  EXPECT_EQ(dtypes::limits(DataType::kFloat).second.item<float>(), 1);
  EXPECT_EQ(dtypes::limits(DataType::kInt8).first.item<int8_t>(), 0);
  EXPECT_EQ(dtypes::limits(DataType::kInt8, false).first.item<int8_t>(), -128);
  EXPECT_EQ(ErrorOf([] { dtypes::max(DataType::kString); }).code(),
            ErrorCode::kTypeError);
}

TEST(MembersTest, TensorSpecs) {
  const TensorSpec rows{{kUnknown, 2}, DataType::kFloat};
  const Tensor matrix = {{1.f, 2.f}};
  EXPECT_EQ(TensorSpec::from_tensor(matrix, "m"),
            (TensorSpec{{1, 2}, DataType::kFloat, "m"}));
  EXPECT_TRUE(rows.is_compatible_with(matrix));
  EXPECT_FALSE(rows.is_compatible_with(Tensor({1.f, 2.f})));
  EXPECT_TRUE(rows.is_compatible_with(TensorSpec{{3, kUnknown}}));
  EXPECT_FALSE(rows.is_compatible_with(TensorSpec{{3, 2}, DataType::kInt32}));
  EXPECT_TRUE(TensorSpec::from_tensor(matrix).is_subtype_of(rows));
  EXPECT_FALSE(rows.is_subtype_of({{kUnknown, 2}, DataType::kFloat, "x"}));
  EXPECT_EQ(rows.most_specific_common_supertype({{{3, 3}}, {{1, 3}}}),
            (TensorSpec{{kUnknown, kUnknown}}));
  EXPECT_FALSE(rows.most_specific_common_supertype({{{}, DataType::kInt32}}));
  EXPECT_EQ(rows.to_string(), "TensorSpec(shape=(None, 2), dtype=float32)");
}

TEST(MembersTest, TensorsOfGraphs) {
  const Tensor eager = 1.f;
  EXPECT_FALSE(eager.op().defined());
  EXPECT_TRUE(eager.consumers().empty());
  EXPECT_EQ(ErrorOf([&] { eager.name(); }).code(), ErrorCode::kAttributeError);
  Tensor({1.f}).set_shape({kUnknown});
  EXPECT_STREQ(ErrorOf([&] { eager.set_shape({2}); }).what(),
               "Tensor's shape () is not compatible with supplied shape (2,).");
  auto f = gk::function([](Tensor x) {
    const std::vector<Tensor> parts = gk::split(x, 2);
    EXPECT_EQ(parts[1].value_index(), 1);
    EXPECT_EQ(parts[1].name(), parts[1].op().name() + ":1");
    EXPECT_EQ(parts[1].op().type(), "Split");
    EXPECT_TRUE(parts[1].graph() == gk::get_default_graph());
    const Tensor y = parts[1] + 1.f;
    EXPECT_EQ(parts[1].consumers(), (std::vector{y.op()}));
    EXPECT_TRUE(parts[0].consumers().empty());
    const Tensor z = gk::boolean_mask(x, x > 0.f);
    EXPECT_EQ(z.shape(), Shape({kUnknown}));
    z.set_shape({2});
    EXPECT_EQ((z + 1.f).shape(), Shape({2}));
    EXPECT_THROW(z.set_shape({3}), gk::Error);
    EXPECT_EQ(TensorSpec::from_tensor(y).name, y.op().name());
    return y;
  });
  f(Tensor{1.f, 2.f, -1.f, -2.f});
}

TEST(MembersTest, Operations) {
  gk::Graph graph;
  const auto inside = graph.as_default();
  const Tensor x = gk::placeholder(DataType::kFloat, {2}, "x");
  EXPECT_EQ(graph.num_operations(), 1);
  EXPECT_EQ(graph.new_operations().size(), 1u);
  const Tensor y = gk::matmul(gk::expand_dims(x, 0), gk::ones({2, 1}));
  const auto made = graph.new_operations();
  EXPECT_GT(made.size(), 1u);
  EXPECT_EQ(made.back(), y.op());
  EXPECT_TRUE(graph.new_operations().empty());

  // The same operation again, from what the first tells of itself.
  const gk::Operation copy =
      graph.create_op(y.op().type(), y.op().inputs(), "copy",
                      {{"transpose_a", y.op().get_attr("transpose_a")}});
  EXPECT_EQ(copy.type(), "MatMul");
  EXPECT_FALSE(copy == y.op());
  EXPECT_EQ(ErrorOf([&] { copy.get_attr("none"); }).code(),
            ErrorCode::kValueError);
  ExpectHas(copy.node_def(), "MatMul");
  ExpectHas(copy.op_def(), "transpose_a");
  EXPECT_EQ(graph.op_def_for_type("MatMul"), copy.op_def());
  EXPECT_EQ(ErrorOf([&] { graph.op_def_for_type("None"); }).code(),
            ErrorCode::kRuntimeError);
  EXPECT_EQ(copy.colocation_groups(), (std::vector<std::string>{"loc:@copy"}));
  EXPECT_FALSE(graph.building_function());
  EXPECT_FALSE(graph.outer_graph());
  EXPECT_EQ(gk::name_scope("a").name(), "a");
}

TEST(MembersTest, GraphsOfFunctions) {
  const gk::Variable v(2.f), fixed(3.f, {.trainable = false});
  const Tensor outside = gk::ones({2000});
  std::optional<gk::Graph> graph;
  auto f = gk::function(
      [&](Tensor x) {
        graph = gk::get_default_graph();
        EXPECT_TRUE(graph->building_function());
        EXPECT_FALSE(graph->outer_graph());
        v.assign_add(x);
        return v.value() * fixed.value() + gk::reduce_sum(outside);
      },
      {.name = "named"});
  f.get_concrete_function(Tensor(1.f));
  EXPECT_EQ(graph->name(), "named");
  EXPECT_EQ(graph->captures().size(), 3u);
  EXPECT_EQ(graph->inputs().size(), 4u);
  EXPECT_EQ(graph->outputs().size(), 1u);
  EXPECT_FALSE(graph->control_outputs().empty());
  ASSERT_EQ(graph->variables().size(), 2u);
  EXPECT_EQ(graph->trainable_variables().size(), 1u);
  // They are the variables themselves.
  graph->variables()[0].assign(7.f);
  EXPECT_EQ(v.value().item<float>(), 7);
}

TEST(MembersTest, Variables) {
  const gk::Variable v(2.f, {.name = "v"});
  EXPECT_TRUE(v.is_initialized().item<bool>());
  EXPECT_EQ(v.read_value().item<float>(), 2);
  EXPECT_FALSE(v.op().defined());
  gk::Graph graph;
  const auto inside = graph.as_default();
  const gk::Variable w(2.f, {.name = "w"});
  EXPECT_EQ(w.op().name(), "w");
  EXPECT_TRUE(w.graph() == graph);
}

TEST(MembersTest, TapesTellWhatTheyWatchAndStop) {
  const gk::Variable a(2.f, {.name = "a"}), b(3.f, {.name = "b"});
  gk::GradientTape tape({.persistent = true});
  const Tensor y = b.value() * a.value();
  Tensor hidden;
  {
    const auto stopped = tape.stop_recording();
    hidden = a.value() * 5.f;
    EXPECT_THROW((void)tape.stop_recording(), gk::Error);
  }
  const auto watched = tape.watched_variables();
  ASSERT_EQ(watched.size(), 2u);
  EXPECT_EQ(watched[0].name(), "a");  // as they were made
  EXPECT_EQ(watched[1].name(), "b");
  EXPECT_EQ(tape.gradient(y + hidden, watched[0]).item<float>(), 3);
  auto f = gk::function([&](Tensor x) {
    gk::GradientTape inside;
    const Tensor z = a.value() * x;
    EXPECT_EQ(inside.watched_variables().size(), 1u);
    EXPECT_EQ(inside.watched_variables()[0].name(), "a");
    return inside.gradient(z, inside.watched_variables()[0]);
  });
  EXPECT_EQ(f(Tensor(4.f)).item<float>(), 4);
}

TEST(MembersTest, RaggedRows) {
  const Tensor values = {1, 2, 3};
  const RaggedTensor rows =
      RaggedTensor::from_row_starts(values, Tensor(Int64s{0, 2, 2}));
  EXPECT_EQ(rows.row_splits().to_vector<int64_t>(), (Int64s{0, 2, 2, 3}));
  EXPECT_EQ(rows.row_starts().to_vector<int64_t>(), (Int64s{0, 2, 2}));
  EXPECT_EQ(rows.row_limits().to_vector<int64_t>(), (Int64s{2, 2, 3}));
  EXPECT_FALSE(rows.uniform_row_length());
  EXPECT_EQ(RaggedTensor::from_uniform_row_length(values, int64_t{3})
                .uniform_row_length(),
            3);
  EXPECT_EQ(RaggedTensor::from_row_limits(values, Tensor(Int64s{2, 2, 3}))
                .to_text()
                .item<std::string>(),
            rows.to_text().item<std::string>());
  EXPECT_EQ(ErrorOf([&] {
              RaggedTensor::from_row_starts(values, Tensor(Int64s{0, 4}));
            }).code(),
            ErrorCode::kInvalidArgument);

  const auto partition =
      gk::RowPartition::from_row_lengths(Tensor(Int64s{2, 0, 1}));
  EXPECT_FALSE(partition.is_uniform());
  EXPECT_EQ(gk::RowPartition::from_row_limits(Tensor(Int64s{2, 2, 3}))
                .row_splits()
                .to_vector<int64_t>(),
            (Int64s{0, 2, 2, 3}));
  EXPECT_EQ(gk::RowPartition::from_row_starts(Tensor(Int64s{0, 2, 2}),
                                              Tensor(int64_t{3}))
                .offsets_in_rows()
                .to_vector<int64_t>(),
            (Int64s{0, 1, 0}));
  EXPECT_EQ(partition.static_nrows(), 3);
  EXPECT_EQ(partition.static_nvals(), 3);
  EXPECT_EQ(partition.with_dtype(DataType::kInt32).dtype(), DataType::kInt32);
  EXPECT_EQ(
      gk::DynamicRaggedShape({partition}, Tensor(Int64s{3, 2})).inner_rank(),
      2);

  const std::vector<Tensor> lengths = {Tensor(Int64s{2, 1}),
                                       Tensor(Int64s{1, 0, 2})};
  const RaggedTensor deep =
      RaggedTensor::from_nested_row_lengths(values, lengths);
  const auto text = [](const RaggedTensor& t) {
    return t.to_text(-1).item<std::string>();
  };
  EXPECT_EQ(text(deep), "[[[1], []], [[2, 3]]]");
  EXPECT_EQ(deep.nested_row_lengths()[1].to_vector<int64_t>(),
            (Int64s{1, 0, 2}));
  EXPECT_EQ(deep.nested_value_rowids()[1].to_vector<int64_t>(),
            (Int64s{0, 2, 2}));
  EXPECT_EQ(text(RaggedTensor::from_nested_row_splits(
                values, deep.nested_row_splits())),
            text(deep));
  EXPECT_EQ(text(RaggedTensor::from_nested_value_rowids(
                values, deep.nested_value_rowids())),
            text(deep));
  EXPECT_EQ(text(RaggedTensor::from_nested_value_rowids(
                values, deep.nested_value_rowids(), {int64_t{3}, int64_t{3}})),
            "[[[1], []], [[2, 3]], []]");
  EXPECT_EQ(ErrorOf([&] {
              RaggedTensor::from_nested_value_rowids(
                  values, deep.nested_value_rowids(), {int64_t{3}});
            }).code(),
            ErrorCode::kValueError);
}

}  // namespace
