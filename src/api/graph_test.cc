// Graphs that are being built: order, known values, import, files.
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <sstream>
#include <vector>

#include "graphkiln/graphkiln.h"

namespace {

using gk::Operation;
using gk::Tensor;
using Floats = std::vector<float>;

TEST(GraphTest, WhatIsAskedOfTensorsAndPlaces) {
  const Tensor eager = {1.0f, 2.0f};
  EXPECT_TRUE(gk::executing_eagerly());
  EXPECT_FALSE(gk::inside_function());
  EXPECT_FALSE(gk::is_symbolic_tensor(eager));
  EXPECT_EQ(gk::get_static_value(eager).to_vector<float>(), (Floats{1, 2}));
  EXPECT_FALSE(Operation(eager).defined());
  EXPECT_THROW(Operation(eager).name(), gk::Error);
  auto f = gk::function([](const Tensor& x) {
    EXPECT_FALSE(gk::executing_eagerly());
    EXPECT_TRUE(gk::inside_function());
    EXPECT_TRUE(gk::is_symbolic_tensor(x));
    EXPECT_FALSE(gk::get_static_value(x).defined());
    EXPECT_EQ(gk::get_static_value(gk::shape(x)).to_vector<int32_t>(),
              (std::vector<int32_t>{2}));
    const Tensor y = x * x;
    const Operation op(y);
    EXPECT_EQ(op.type(), "Mul");
    EXPECT_EQ(op.inputs().size(), 2u);
    EXPECT_EQ(op.outputs().size(), 1u);
    EXPECT_EQ(Operation(op.inputs()[0]).type(), "Placeholder");
    return y;
  });
  EXPECT_EQ(f(eager).to_vector<float>(), (Floats{1, 4}));
}

TEST(GraphTest, OperationsRunAfterOthers) {
  auto f = gk::function([](const Tensor& x) {
    const Tensor a = x + 1.0f, b = x + 2.0f;
    const Operation both = gk::group({a, b}, "both");
    EXPECT_EQ(both.type(), "NoOp");
    EXPECT_EQ(both.name(), "both");
    EXPECT_EQ(both.control_inputs().size(), 2u);
    Tensor after;
    {
      const auto order = gk::control_dependencies({both});
      after = -x;
    }
    EXPECT_EQ(Operation(after).control_inputs().size(), 1u);
    EXPECT_TRUE(Operation(x * 4.0f).control_inputs().empty());
    const std::vector<Tensor> ready = gk::tuple({after, Tensor()}, {both});
    EXPECT_FALSE(ready[1].defined());
    EXPECT_EQ(Operation(ready[0]).name(), "tuple/Identity");
    EXPECT_EQ(Operation(ready[0]).control_inputs().size(), 1u);
    EXPECT_THROW(gk::tuple({}), gk::Error);
    return ready[0];
  });
  EXPECT_EQ(f(Tensor(2.0f)).item<float>(), -2);
  EXPECT_FALSE(gk::group({Tensor(1.0f)}).defined());
  EXPECT_EQ(gk::tuple({Tensor(1.0f)})[0].item<float>(), 1);
  const auto order = gk::control_dependencies({});
}

TEST(GraphTest, WhatHasNoResultsOrTakesLists) {
  gk::no_op();
  const std::vector<Tensor> same = gk::identity_n({Tensor(1.0f), Tensor(2)});
  EXPECT_EQ(same[1].item<int32_t>(), 2);
  EXPECT_EQ(gk::shape_n({Tensor({1.0f, 2.0f})})[0].to_vector<int32_t>(),
            (std::vector<int32_t>{2}));
  EXPECT_EQ(gk::dynamic_stitch({Tensor({1}), Tensor({0})},
                               {Tensor({5.0f}), Tensor({6.0f})})
                .to_vector<float>(),
            (Floats{6, 5}));
  EXPECT_EQ(
      gk::strings::join({Tensor("a"), Tensor("b")}, "-").item<std::string>(),
      "a-b");
}

TEST(GraphTest, WrittenAndImported) {
  auto twice = gk::function([](const Tensor& x) { return x + x; });
  const auto made = twice.get_concrete_function(Tensor({1.0f, 2.0f}));
  const auto folder = std::filesystem::path(testing::TempDir()) / "deep" / "er";
  const std::string path =
      gk::io::write_graph(made, folder.string(), "twice.pb", false);
  std::ifstream file(path, std::ios::binary);
  std::stringstream bytes;
  bytes << file.rdbuf();
  const std::string x = made.inputs()[0].name;
  auto again = gk::function([&](const Tensor& t) {
    const std::vector<Tensor> out =
        gk::import_graph_def(bytes.str(), {{x, t}}, {"Identity:0"}, "again");
    EXPECT_EQ(Operation(out[0]).name(), "again/Identity");
    EXPECT_THROW(gk::import_graph_def(bytes.str(), {{x, t}}, {"none:0"}),
                 gk::Error);
    EXPECT_THROW(gk::import_graph_def(bytes.str(), {{x, t}}, {"Identity"}),
                 gk::Error);
    return out[0];
  });
  EXPECT_EQ(again(Tensor({3.0f, 4.0f})).to_vector<float>(), (Floats{6, 8}));
  EXPECT_THROW(gk::import_graph_def(bytes.str()), gk::Error);
  const std::string text = gk::io::write_graph(made, folder.string(), "t.txt");
  std::ifstream readable(text);
  std::string line;
  std::getline(readable, line);
  EXPECT_EQ(line, "node {");
  EXPECT_THROW(gk::io::write_graph(made, "/proc/none", "x"), gk::Error);
}

}  // namespace
