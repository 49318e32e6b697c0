// gk::nest, and the structures of traced functions.
#include "graphkiln/nest.h"

#include <gtest/gtest.h>

#include <array>
#include <map>
#include <optional>
#include <string>

#include "graphkiln/graphkiln.h"

namespace {

struct Layer {
  std::vector<gk::Tensor> weights;
  std::optional<gk::Tensor> bias;
};
struct Unnamed {
  gk::Tensor first;
  float second = 2;
};

}  // namespace

GK_TRACE_STRUCTURE(Layer, weights, bias)

namespace {

using Map = std::map<std::string, gk::Tensor>;

gk::Tensor T(float value) { return gk::Tensor(value); }
float F(const gk::Tensor& t) { return t.item<float>(); }

std::string ErrorText(const std::function<void()>& body) {
  try {
    body();
  } catch (const gk::Error& e) {
    return e.what();
  }
  return "";
}

TEST(NestTest, TellsStructuresFromLeaves) {
  EXPECT_FALSE(gk::nest::is_nested(T(1)));
  EXPECT_FALSE(gk::nest::is_nested(std::optional<gk::Tensor>()));
  EXPECT_TRUE(gk::nest::is_nested(std::vector{T(1)}));
  EXPECT_TRUE(gk::nest::is_nested(Layer{{T(1)}, {}}));
}

TEST(NestTest, PrintsStructures) {
  EXPECT_EQ(gk::nest::structure_of(1.0f).to_string(), ".");
  EXPECT_EQ(gk::nest::structure_of(std::vector{T(1), T(2)}).to_string(),
            "[., .]");
  EXPECT_EQ(gk::nest::structure_of(std::tuple(T(1), 2.0f)).to_string(),
            "(., .)");
  EXPECT_EQ(gk::nest::structure_of(std::tuple(T(1))).to_string(), "(.,)");
  EXPECT_EQ(gk::nest::structure_of(Map{{"b", T(1)}, {"a", T(2)}}).to_string(),
            "{'a': ., 'b': .}");
  EXPECT_EQ(gk::nest::structure_of(Layer{{T(1)}, T(2)}).to_string(),
            "Layer(weights=[.], bias=.)");
  EXPECT_EQ(gk::nest::structure_of(Layer{{T(1)}, {}}).to_string(),
            "Layer(weights=[.], bias=None)");
  EXPECT_EQ(gk::nest::structure_of(Unnamed{T(1)}).to_string(), "(0=., 1=.)");
}

TEST(NestTest, TellsParts) {
  const gk::Structure s =
      gk::nest::structure_of(std::pair(Layer{{T(1), T(2)}, {}}, T(3)));
  EXPECT_EQ(s.kind(), gk::Structure::Kind::kTuple);
  EXPECT_EQ(s.size(), 2u);
  EXPECT_EQ(s.child(0).kind(), gk::Structure::Kind::kStruct);
  EXPECT_EQ(s.child(0).name(), "Layer");
  EXPECT_EQ(s.child(0).key(1), "bias");
  EXPECT_EQ(s.child(0).child(1).kind(), gk::Structure::Kind::kNone);
  EXPECT_EQ(s.key(1), "1");
  EXPECT_EQ(s.num_leaves(), 3u);
  EXPECT_EQ(s.leaf_paths(),
            (std::vector<std::string>{"0/weights/0", "0/weights/1", "1"}));
  EXPECT_NE(ErrorText([&] { s.child(2); }).find("has no part 2"),
            std::string::npos);
}

TEST(NestTest, FlattensAndPacks) {
  const Layer layer{{T(1), T(2)}, T(3)};
  const std::vector<gk::Tensor> flat = gk::nest::flatten(layer);
  ASSERT_EQ(flat.size(), 3u);
  EXPECT_EQ(F(flat[2]), 3);
  const Layer packed = gk::nest::pack_sequence_as(layer, {T(4), T(5), T(6)});
  EXPECT_EQ(F(packed.weights[1]), 5);
  EXPECT_EQ(F(*packed.bias), 6);
  EXPECT_EQ(ErrorText([&] { gk::nest::pack_sequence_as(layer, {T(4)}); }),
            "Could not pack sequence. Structure had 3 atoms, but flat_sequence "
            "had 1 items.  Structure: Layer(weights=[., .], bias=.).");
}

TEST(NestTest, MapsSeveral) {
  const Map a{{"x", T(1)}, {"y", T(2)}}, b{{"x", T(10)}, {"y", T(20)}};
  const Map sum = gk::nest::map_structure(
      [](const gk::Tensor& s, const gk::Tensor& t) { return s + t; }, a, b);
  EXPECT_EQ(F(sum.at("y")), 22);
  const Map other{{"x", T(1)}, {"z", T(2)}};
  EXPECT_NE(
      ErrorText([&] {
        gk::nest::map_structure([](auto s, auto t) { return s + t; }, a, other);
      })
          .find("The two dictionaries don't have the same set of keys. First "
                "structure has keys type=list str=['x', 'y'], while second "
                "structure has keys type=list str=['x', 'z']"),
      std::string::npos);
}

TEST(NestTest, AssertsAsPythonDoes) {
  const std::vector<gk::Tensor> list{T(1), T(2)};
  const std::pair<gk::Tensor, gk::Tensor> pair{T(1), T(2)};
  const std::vector<std::vector<gk::Tensor>> nested{list};
  gk::nest::assert_same_structure(list, list);
  gk::nest::assert_same_structure(list, pair, /*check_types=*/false);
  EXPECT_NE(ErrorText([&] {
              gk::nest::assert_same_structure(list, pair);
            }).find("don't have the same sequence type"),
            std::string::npos);
  EXPECT_NE(
      ErrorText([&] { gk::nest::assert_same_structure(list, nested); })
          .find("is a sequence, while substructure \"type=leaf str=.\" is "
                "not"),
      std::string::npos);
}

TEST(NestTest, TracedFunctionsTellTheirStructures) {
  const auto f = gk::function([](const Layer& layer, const Map& more) {
    return std::tuple(Layer{layer.weights, {}}, more);
  });
  const Layer layer{{T(1), T(2)}, T(3)};
  const gk::ConcreteFunction concrete =
      f.get_concrete_function(layer, Map{{"a", T(4)}});
  EXPECT_EQ(concrete.output_structure().to_string(),
            "(Layer(weights=[., .], bias=None), {'a': .})");
  EXPECT_EQ(concrete.output_structure(),
            gk::nest::structure_of(
                std::tuple(Layer{layer.weights, {}}, Map{{"a", T(1)}})));
  EXPECT_EQ(concrete.input_structure().leaf_paths(),
            (std::vector<std::string>{"0/0/weights/0", "0/0/weights/1",
                                      "0/0/bias/0", "0/1/a"}));
}

TEST(NestTest, WhatIsNotThereStaysSo) {
  using Maybe = std::optional<gk::Tensor>;
  const std::tuple value(
      gk::Tensor(), Maybe(), Maybe(gk::Tensor()), Maybe(T(1)),
      std::optional<Maybe>(Maybe()),
      std::vector<std::pair<Maybe, gk::Tensor>>{{{}, T(2)}});
  EXPECT_EQ(gk::nest::structure_of(value).to_string(),
            "(None, None, (None,), ., (None,), [(None, .)])");
  const auto packed = gk::nest::pack_sequence_as(value, {T(3), T(4)});
  const auto traced = gk::function([](const gk::Tensor& x) {
    return std::tuple(gk::Tensor(), Maybe(), Maybe(gk::Tensor()), Maybe(x),
                      std::optional<Maybe>(Maybe()),
                      std::vector<std::pair<Maybe, gk::Tensor>>{{{}, x + 1}});
  })(T(3));
  for (const auto& [none, empty, holds_none, one, deep, list] :
       {packed, traced}) {
    EXPECT_FALSE(none.defined());
    EXPECT_FALSE(empty.has_value());
    ASSERT_TRUE(holds_none.has_value());
    EXPECT_FALSE(holds_none->defined());
    EXPECT_EQ(F(*one), 3);
    ASSERT_TRUE(deep.has_value());
    EXPECT_FALSE(deep->has_value());
    ASSERT_EQ(list.size(), 1u);
    EXPECT_FALSE(list[0].first.has_value());
    EXPECT_EQ(F(list[0].second), 4);
  }
}

TEST(NestTest, FixedFormsMissTensorsToo) {
  // As many tensors as the type has, or one less.
  auto f = gk::function([](const gk::Tensor& x, bool first) {
    return std::pair(std::array{first ? x : gk::Tensor(), x + 1},
                     Unnamed{x + 2}.first);
  });
  const auto [both, last] = f(T(1), true);
  EXPECT_EQ(F(both[0]), 1);
  EXPECT_EQ(F(both[1]), 2);
  EXPECT_EQ(F(last), 3);
  const auto [one, same] = f(T(1), false);
  EXPECT_FALSE(one[0].defined());
  EXPECT_EQ(F(one[1]), 2);
  EXPECT_EQ(F(same), 3);
}

TEST(NestTest, EqualStructuresAreOne) {
  const gk::Structure a = gk::nest::structure_of(Layer{{T(1)}, T(2)});
  gk::Structure b;
  EXPECT_EQ(b.kind(), gk::Structure::Kind::kNone);
  EXPECT_EQ(b, gk::nest::structure_of(gk::Tensor()));
  EXPECT_EQ(b.num_leaves(), 0u);
  b = gk::nest::structure_of(Layer{{T(3)}, T(4)});
  EXPECT_EQ(a.part(), b.part());
  b = a.child(0);
  EXPECT_EQ(b.to_string(), "[.]");
}

}  // namespace
