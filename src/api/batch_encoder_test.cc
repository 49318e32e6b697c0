// What values of extension types are stacked as, and shapes among their fields.
#include <gtest/gtest.h>

#include <string>
#include <tuple>
#include <vector>

#include "graphkiln/graphkiln.h"

// A shape that says of itself what the tensor shows.
struct Grid {
  gk::Shape shape;
  gk::Tensor values;
  std::string unit;
};
GK_EXTENSION_TYPE(Grid, shape, values, unit)

// Stacked as one tensor.
struct Interval {
  gk::Tensor low, high;
};
GK_EXTENSION_TYPE(Interval, low, high)
template <>
struct gk::BatchEncoder<Interval> {
  static Tensor encode(const Interval& i) {
    return gk::stack({i.low, i.high}, -1);
  }
  static Interval decode(const Tensor& both) {
    const std::vector<Tensor> parts = gk::unstack(both, 2, -1);
    return {parts[0], parts[1]};
  }
};

// Plain fields go into what is stacked, where `decode` needs them.
struct Network {
  gk::Shape shape;  // of the nodes, without their features
  gk::Tensor nodes;
  std::string name;
};
GK_EXTENSION_TYPE(Network, shape, nodes, name)
struct NetworkCode {
  gk::Tensor nodes;
  std::string name;
};
GK_EXTENSION_TYPE(NetworkCode, nodes, name)
template <>
struct gk::BatchEncoder<Network> {
  static NetworkCode encode(const Network& n) { return {n.nodes, n.name}; }
  static Network decode(const NetworkCode& code) {
    std::vector<int64_t> dims = code.nodes.shape().dims();
    dims.pop_back();
    return {Shape(dims), code.nodes, code.name};
  }
};

// Values of both kinds inside of one that is stacked field by field.
struct Survey {
  Interval range;
  Grid grid;
  std::vector<gk::Tensor> more;
};
GK_EXTENSION_TYPE(Survey, range, grid, more)

namespace {

using gk::Dataset;
using gk::kUnknown;
using gk::Shape;
using gk::Tensor;
using gk::TypeSpec;

Grid ThreeRows() {
  return {Shape({3, 2}), {{1.f, 2.f}, {3.f, 4.f}, {5.f, 6.f}}, "m"};
}
Interval ThreeIntervals() { return {{1, 2, 3}, {4, 5, 6}}; }
std::vector<int> Ints(const Tensor& t) { return t.to_vector<int>(); }

TEST(BatchEncoderTest, ShapesArePartOfTheType) {
  const TypeSpec spec = gk::type_spec_from_value(ThreeRows());
  EXPECT_EQ(spec.to_string(),
            "Grid.Spec(shape=TensorShape([3, 2]), "
            "values=TensorSpec(shape=(3, 2), dtype=float32), unit='m')");
  auto same = gk::function([](const Grid& g) { return g; });
  EXPECT_EQ(same(ThreeRows()).shape, Shape({3, 2}));
  same(ThreeRows());
  EXPECT_EQ(same.tracing_count(), 1);
  Grid other = ThreeRows();
  other.shape = Shape({3, kUnknown});
  EXPECT_EQ(same(other).shape, Shape({3, kUnknown}));
  other.shape = Shape::UnknownRank();
  EXPECT_FALSE(same(other).shape.has_rank());
  EXPECT_EQ(same.tracing_count(), 3);
  // Specs relate as shapes do.
  const auto both = spec.most_specific_common_supertype(
      gk::type_spec_from_value(Grid{Shape({4, 2}), ThreeRows().values, "m"}));
  ASSERT_TRUE(both);
  EXPECT_EQ(both->to_string().find("TensorShape([None, 2])"), 16u);
  EXPECT_TRUE(spec.is_subtype_of(*both));
  EXPECT_FALSE(both->is_subtype_of(spec));
}

TEST(BatchEncoderTest, BranchesAndLoopsKeepShapes) {
  auto f = gk::function([](const Tensor& yes, Grid g) {
    g = gk::cond(
        yes,
        [&] {
          return Grid{g.shape, g.values + 1.f, "m"};
        },
        [&] {
          return Grid{g.shape, g.values - 1.f, "m"};
        });
    gk::carry(g).for_range(2,
                           [&](const Tensor&) { g.values = g.values * 2.f; });
    return g;
  });
  const Grid made = f(true, ThreeRows());
  EXPECT_EQ(made.shape, Shape({3, 2}));
  EXPECT_EQ(made.values.to_vector<float>()[0], 8);
  auto differs = gk::function([](const Tensor& yes, const Grid& g) {
    return gk::cond(
        yes, [&] { return g; },
        [&] {
          return Grid{Shape({1}), g.values, "m"};
        });
  });
  try {
    differs(true, ThreeRows());
    FAIL();
  } catch (const gk::Error& e) {
    EXPECT_NE(std::string(e.what()).find("supertype of '(3, 2)' and '(1,)'"),
              std::string::npos)
        << e.what();
  }
}

TEST(BatchEncoderTest, DatasetsStackShapes) {
  const Dataset rows = Dataset::from_tensor_slices(ThreeRows());
  for (Grid g : rows) EXPECT_EQ(g.shape, Shape({2}));
  const Dataset twos = rows.batch(2);
  EXPECT_EQ(twos.element_spec().leaves[0].to_string(),
            "Grid.Spec(shape=TensorShape([None, 2]), "
            "values=TensorSpec(shape=(None, 2), dtype=float32), unit='m')");
  for (Grid g : twos) EXPECT_EQ(g.shape, Shape({kUnknown, 2}));
  for (Grid g : rows.batch(2, {.drop_remainder = true})) {
    EXPECT_EQ(g.shape, Shape({2, 2}));
    EXPECT_EQ(g.unit, "m");
  }
  for (Grid g : twos.unbatch()) EXPECT_EQ(g.shape, Shape({2}));
  for (std::tuple<Tensor, Grid> e : Dataset::zip({Dataset::range(3), rows})) {
    EXPECT_EQ(std::get<1>(e).shape, Shape({2}));
  }
  const Dataset mapped = rows.map([](const Grid& g) {
    return Grid{g.shape, g.values * 2.f, "km"};
  });
  std::vector<float> first;
  for (Grid g : mapped.batch(3)) {
    first = g.values.to_vector<float>();
    EXPECT_EQ(g.shape, Shape({kUnknown, 2}));
    EXPECT_EQ(g.unit, "km");
  }
  EXPECT_EQ(first, (std::vector<float>{2, 4, 6, 8, 10, 12}));
}

TEST(BatchEncoderTest, WhatIsStackedIsTheEncoding) {
  const Dataset rows = Dataset::from_tensor_slices(ThreeIntervals());
  EXPECT_EQ(rows.element_spec().to_string(),
            "Interval.Spec(low=TensorSpec(shape=(), dtype=int32), "
            "high=TensorSpec(shape=(), dtype=int32))");
  std::vector<int> seen;
  for (const gk::DatasetElement& e : rows) {
    ASSERT_EQ(e.tensors().size(), 1u);
    EXPECT_EQ(e.tensors()[0].shape(), Shape({2}));
    const Interval i = e;
    seen.push_back(i.low.item<int>());
    seen.push_back(i.high.item<int>());
  }
  EXPECT_EQ(seen, (std::vector<int>{1, 4, 2, 5, 3, 6}));

  const Dataset twos = rows.batch(2);
  EXPECT_EQ(twos.element_spec().leaves[0].field("high").shape,
            Shape({kUnknown}));
  seen.clear();
  for (Interval i : twos) {
    for (int v : Ints(i.high)) seen.push_back(v);
  }
  EXPECT_EQ(seen, (std::vector<int>{4, 5, 6}));
  seen.clear();
  for (Interval i : twos.unbatch().map([](const Interval& i) {
         return Interval{-i.high, -i.low};
       })) {
    seen.push_back(i.low.item<int>());
  }
  EXPECT_EQ(seen, (std::vector<int>{-4, -5, -6}));
  const Interval hull =
      rows.reduce(Interval{100, 0}, [](const Interval& a, const Interval& b) {
        return Interval{gk::minimum(a.low, b.low), gk::maximum(a.high, b.high)};
      });
  EXPECT_EQ(hull.low.item<int>(), 1);
  EXPECT_EQ(hull.high.item<int>(), 6);
  const auto some = gk::Optional::from_value(ThreeIntervals());
  EXPECT_EQ(Ints(some.get_value().get<Interval>().high),
            (std::vector<int>{4, 5, 6}));
  // Functions, branches and loops take and give the fields.
  auto f = gk::function([](const Interval& i) {
    return Interval{i.low * 2, i.high * 2};
  });
  EXPECT_EQ(Ints(f(ThreeIntervals()).high), (std::vector<int>{8, 10, 12}));
}

TEST(BatchEncoderTest, PlainFieldsOfTheEncodingAreKept) {
  const Network net{Shape({3}), {{1, 2}, {3, 4}, {5, 6}}, "net"};
  const Dataset rows = Dataset::from_tensor_slices(net);
  for (Network n : rows) {
    EXPECT_EQ(n.shape, Shape());
    EXPECT_EQ(n.nodes.shape(), Shape({2}));
    EXPECT_EQ(n.name, "net");
  }
  EXPECT_EQ(rows.batch(2).element_spec().leaves[0].to_string(),
            "Network.Spec(shape=TensorShape([None]), "
            "nodes=TensorSpec(shape=(None, 2), dtype=int32), name='net')");
  for (Network n : rows.batch(3)) {
    EXPECT_EQ(n.shape, Shape({3}));
    EXPECT_EQ(Ints(n.nodes), (std::vector<int>{1, 2, 3, 4, 5, 6}));
  }
}

TEST(BatchEncoderTest, ValuesNest) {
  const Survey three{ThreeIntervals(), ThreeRows(), {{7, 8, 9}, {0, 0, 0}}};
  const Dataset rows = Dataset::from_tensor_slices(
      std::tuple(three, std::vector<Tensor>{{1, 2, 3}}, ThreeIntervals()));
  std::vector<int> seen;
  for (std::tuple<Survey, std::vector<Tensor>, Interval> e : rows.batch(2)) {
    const auto& [survey, list, interval] = e;
    EXPECT_EQ(survey.grid.shape, Shape({kUnknown, 2}));
    EXPECT_EQ(survey.more.size(), 2u);
    EXPECT_EQ(list.size(), 1u);
    for (const Tensor& t :
         {survey.range.high, survey.more[0], list[0], interval.low}) {
      for (int v : Ints(t)) seen.push_back(v);
    }
  }
  EXPECT_EQ(seen, (std::vector<int>{4, 5, 7, 8, 1, 2, 1, 2, 6, 9, 3, 3}));
}

TEST(BatchEncoderTest, SpecsOfFields) {
  EXPECT_EQ((gk::type_spec<Grid>(
                Shape({2}), gk::TensorSpec{{2}, gk::DataType::kFloat}, "m")),
            gk::type_spec_from_value(Grid{Shape({2}), {1.f, 2.f}, "m"}));
  const TypeSpec spec =
      gk::type_spec<Interval>(gk::TensorSpec{{}, gk::DataType::kInt32},
                              gk::TensorSpec{{}, gk::DataType::kInt32});
  EXPECT_EQ(spec, gk::type_spec_from_value(Interval{1, 2}));
  const TypeSpec survey = gk::type_spec<Survey>(
      spec,
      gk::type_spec<Grid>(Shape(), gk::TensorSpec{{}, gk::DataType::kFloat},
                          "m"),
      std::vector<TypeSpec>{gk::TensorSpec{{}, gk::DataType::kInt32}});
  EXPECT_EQ(
      survey.to_string(),
      gk::type_spec_from_value(Survey{{1, 2}, {Shape(), 1.f, "m"}, {Tensor(3)}})
          .to_string());
}

TEST(BatchEncoderTest, FunctionsOfTheHostGiveThem) {
  const TypeSpec spec = gk::type_spec<Survey>(
      gk::type_spec<Interval>(gk::TensorSpec{{kUnknown}, gk::DataType::kInt32},
                              gk::TensorSpec{{kUnknown}, gk::DataType::kInt32}),
      gk::type_spec<Grid>(Shape({kUnknown}),
                          gk::TensorSpec{{kUnknown}, gk::DataType::kFloat},
                          "m"),
      std::vector<TypeSpec>{gk::TensorSpec{{}, gk::DataType::kInt32}});
  const auto call = [&](const Tensor& x, const char* unit) {
    return gk::py_function(
        [unit](const Tensor& x) {
          const Tensor f = gk::cast(x, gk::DataType::kFloat);
          return std::tuple(x[0],
                            Survey{{x, x + 1}, {x.shape(), f, unit}, {x[1]}},
                            gk::RaggedTensor::from_row_lengths(x, {1, 1}));
        },
        std::tuple(x),
        {gk::TensorSpec{{}, gk::DataType::kInt32}, spec,
         gk::RaggedTensorSpec({2, kUnknown}, gk::DataType::kInt32, {},
                              gk::DataType::kInt32)});
  };
  auto f = gk::function([&](const Tensor& x) {
    auto [first, survey, rows] = call(x, "m");
    EXPECT_EQ(survey.range.low.shape(), Shape({kUnknown}));
    EXPECT_EQ(survey.grid.shape, Shape({kUnknown}));
    return std::tuple(first, survey.range.high + survey.more[0],
                      survey.grid.values, rows.flat_values());
  });
  for (const auto& [first, sum, values, flat] :
       {f(Tensor{5, 7}), f(Tensor{5, 7})}) {
    EXPECT_EQ(first.item<int>(), 5);
    EXPECT_EQ(Ints(sum), (std::vector<int>{13, 15}));
    EXPECT_EQ(values.to_vector<float>(), (std::vector<float>{5, 7}));
    EXPECT_EQ(Ints(flat), (std::vector<int>{5, 7}));
  }
  EXPECT_EQ(std::get<1>(call({1, 2}, "m")).grid.unit, "m");
  try {
    call({1, 2}, "km");  // not what the spec says
    FAIL();
  } catch (const gk::Error& e) {
    EXPECT_NE(std::string(e.what()).find("did not match"), std::string::npos)
        << e.what();
  }
  EXPECT_THROW(
      static_cast<void>(gk::py_function(
          [](const Tensor& x) {
            return Interval{x, x};
          },
          std::tuple(Tensor(1)), {gk::TensorSpec{{}, gk::DataType::kInt32}})),
      gk::Error);
}

}  // namespace
