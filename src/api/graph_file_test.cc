// Graphs in files of their own: loaded, cut between tensors, run.
#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>

#include "api/thrown_for_test.h"
#include "graphkiln/graphkiln.h"

namespace gk {
namespace {

using saved_model::load_graph;

class GraphFileTest : public ::testing::Test {
 protected:
  GraphFileTest() {
    char name[] = "/tmp/gk-graph-file-XXXXXX";
    folder_ = mkdtemp(name);
    file_ = folder_ + "/graph.pb";
    // The larger of x + x and x / 2.
    Graph graph;
    {
      const auto inside = graph.as_default();
      x_ = placeholder(DataType::kFloat, {kUnknown}, "x");
      placeholder(DataType::kFloat, {}, "unused");
      const Tensor twice = x_ + x_;
      const Tensor half = x_ / 2.0f;
      const Tensor both = math::maximum(twice, half);
      twice_ = NameOf(twice);
      half_ = NameOf(half);
      both_ = NameOf(both);
    }
    std::ofstream(file_, std::ios::binary) << graph.as_graph_def();
  }
  ~GraphFileTest() override { std::filesystem::remove_all(folder_); }

  static std::string NameOf(const Tensor& t) { return Operation(t).name(); }

  std::string folder_, file_, twice_, half_, both_;
  Tensor x_;
};

std::vector<float> FloatsOf(const Tensor& t) { return t.to_vector<float>(); }
using Floats = std::vector<float>;

TEST_F(GraphFileTest, RunsBetweenItsEnds) {
  const auto graph = load_graph(file_);
  EXPECT_EQ(graph.name(), file_);
  ASSERT_EQ(graph.inputs().size(), 1u);
  EXPECT_EQ(graph.inputs()[0],
            (TensorSpec{Shape({kUnknown}), DataType::kFloat, "x"}));
  ASSERT_EQ(graph.outputs().size(), 1u);
  EXPECT_EQ(graph.outputs()[0].name, both_);
  EXPECT_EQ(FloatsOf(graph.Call({Tensor({1.f, -2.f})})[0]), (Floats{2, -1}));
  const Tensor x({3.f});
  GradientTape tape;
  tape.watch(x);
  const Tensor y = graph.CallByName({{"x", x}}).at(both_);
  EXPECT_EQ(FloatsOf(tape.gradient(y, x)), (Floats{2}));
}

TEST_F(GraphFileTest, RunsBetweenTensorsThatAreNamed) {
  const auto graph = load_graph(file_, {.feeds = {{twice_ + ":0", half_}},
                                        .fetches = {{both_ + ":0", twice_}}});
  EXPECT_EQ(graph.outputs()[0].name, both_ + ":0");
  const std::vector<Tensor> found =
      graph.Call({Tensor({1.f, 5.f}), Tensor({2.f, 4.f})});
  EXPECT_EQ(FloatsOf(found[0]), (Floats{2, 5}));
  EXPECT_EQ(FloatsOf(found[1]), (Floats{1, 5}));
  // A placeholder that is not needed need not be fed; one that is not there
  // cannot be.
  const auto none = load_graph(file_, {.fetches = {{"x"}}});
  EXPECT_EQ(none.inputs().size(), 1u);
}

TEST_F(GraphFileTest, OutlivesItsFileAndItsHandle) {
  const ConcreteFunction f = load_graph(file_).concrete_function();
  std::filesystem::remove(file_);
  EXPECT_EQ(FloatsOf(f(Tensor({1.f}))[0]), (Floats{2}));
  const auto outer = function([&](Tensor t) { return f(t)[0] + 1.0f; });
  EXPECT_EQ(FloatsOf(outer(Tensor({4.f}))), (Floats{9}));
}

TEST_F(GraphFileTest, SaysWhatIsWrong) {
  EXPECT_EQ(Thrown([&] { load_graph(folder_ + "/none.pb"); }).code(),
            ErrorCode::kNotFound);
  std::ofstream(folder_ + "/text") << "no graph";
  const Error damaged = Thrown([&] { load_graph(folder_ + "/text"); });
  EXPECT_EQ(damaged.code(), ErrorCode::kDataLoss);
  EXPECT_NE(std::string(damaged.what()).find("/text is no graph"),
            std::string::npos);
  std::ofstream(folder_ + "/empty").flush();
  EXPECT_EQ(Thrown([&] { load_graph(folder_ + "/empty"); }).code(),
            ErrorCode::kDataLoss);
  const Error unknown =
      Thrown([&] { load_graph(file_, {.fetches = {{"nowhere"}}}); });
  EXPECT_EQ(unknown.code(), ErrorCode::kValueError);
  EXPECT_NE(std::string(unknown.what()).find("nowhere"), std::string::npos);
  EXPECT_EQ(Thrown([&] { load_graph(file_, {.fetches = {{}}}); }).code(),
            ErrorCode::kValueError);
  EXPECT_EQ(Thrown([&] {
              load_graph(file_, {.feeds = {{"x", "x:0"}}});
            }).code(),
            ErrorCode::kValueError);
  const Error unfed = Thrown(
      [&] { load_graph(file_, {.feeds = {{half_}}, .fetches = {{both_}}}); });
  EXPECT_EQ(unfed.code(), ErrorCode::kInvalidArgument);
  EXPECT_NE(std::string(unfed.what()).find("'x'"), std::string::npos);
}

}  // namespace
}  // namespace gk
