// Graphs that are being built: order, known values, import, files.
#include <gtest/gtest.h>

#include <any>
#include <filesystem>
#include <fstream>
#include <functional>
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
    // TensorFlow's function looks through few ops, and no sum.
    EXPECT_FALSE(gk::get_static_value(gk::shape(x) + 1).defined());
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

gk::ErrorCode ErrorCodeOf(const std::function<void()>& f) {
  try {
    f();
  } catch (const gk::Error& e) {
    return e.code();
  }
  return gk::ErrorCode{};
}

TEST(GraphTest, GraphsAreBuiltForTheirOwnSake) {
  const gk::Graph graph;
  {
    const auto inside = graph.as_default();
    EXPECT_FALSE(gk::executing_eagerly());
    EXPECT_FALSE(gk::inside_function());
    EXPECT_EQ(gk::get_default_graph(), graph);
    const Tensor x = gk::placeholder(gk::DataType::kFloat, {2}, "x");
    const gk::name_scope layer("layer");
    EXPECT_EQ(layer.full_name(), "layer/");
    EXPECT_EQ(graph.get_name_scope(), "layer");
    const Tensor y = gk::nn::relu(x * 2.0f);
    EXPECT_EQ(Operation(y).name(), "layer/Relu");
    EXPECT_EQ(Operation(y).graph(), graph);
    EXPECT_EQ(graph.unique_name("Relu", false), "layer/Relu_1");
  }
  EXPECT_TRUE(gk::executing_eagerly());
  EXPECT_EQ(graph.get_operations().size(), 4u);
  EXPECT_EQ(graph.version(), 4);
  EXPECT_EQ(graph.get_operation_by_name("layer/Relu").type(), "Relu");
  const Tensor x = graph.get_tensor_by_name("x:0");
  EXPECT_EQ(Operation(x).type(), "Placeholder");
  using gk::ErrorCode;
  EXPECT_EQ(ErrorCodeOf([&] { graph.get_operation_by_name("y"); }),
            ErrorCode::kNotFound);
  EXPECT_EQ(ErrorCodeOf([&] { graph.get_tensor_by_name("x:1"); }),
            ErrorCode::kNotFound);
  EXPECT_EQ(ErrorCodeOf([&] { graph.get_tensor_by_name("x"); }),
            ErrorCode::kValueError);
  EXPECT_EQ(ErrorCodeOf([] { gk::get_default_graph(); }),
            ErrorCode::kRuntimeError);
  const Operation minus = graph.create_op("Neg", {x}, "minus");
  EXPECT_EQ(minus.name(), "minus");
  EXPECT_EQ(ErrorCodeOf([&] { graph.create_op("Nope", {x}); }),
            ErrorCode::kRuntimeError);
  graph.finalize();
  EXPECT_TRUE(graph.finalized());
  EXPECT_EQ(ErrorCodeOf([&] { graph.create_op("Neg", {x}); }),
            ErrorCode::kRuntimeError);
  const gk::Graph copy;
  {
    const auto inside = copy.as_default();
    EXPECT_EQ(gk::import_graph_def(graph.as_graph_def(), {}, {"minus:0"}, "in")
                  .size(),
              1u);
  }
  EXPECT_EQ(copy.get_operation_by_name("in/minus").inputs()[0].shape(),
            (gk::Shape{2}));
}

TEST(GraphTest, PartsOfGraphsAreFunctions) {
  const gk::Graph graph;
  {
    const auto inside = graph.as_default();
    const Tensor x = gk::placeholder(gk::DataType::kFloat, {}, "x");
    const Operation y = graph.create_op("Identity", {x * 2.0f + 1.0f}, "y");
    graph.create_op("Identity", {y.outputs()[0] * 3.0f}, "z");
  }
  const auto named = [&](const char* name) {
    return graph.get_tensor_by_name(name);
  };
  const Tensor x = named("x:0"), y = named("y:0"), z = named("z:0");
  const auto both = graph.prune({x}, {z, y});
  EXPECT_EQ(both.inputs()[0].name, "x");
  EXPECT_EQ(both(Tensor(1.0f))[0].item<float>(), 9.0f);
  EXPECT_EQ(both(Tensor(1.0f))[1].item<float>(), 3.0f);
  EXPECT_EQ(graph.prune({y}, {z})(Tensor(2.0f))[0].item<float>(), 6.0f);
  EXPECT_EQ(graph.prune({y}, {y})(Tensor(2.0f))[0].item<float>(), 2.0f);
  EXPECT_TRUE(graph.prune({x}, {}, {Operation(z)})(Tensor(2.0f)).empty());
  EXPECT_EQ(ErrorCodeOf([&] { graph.prune({}, {z}); }),
            gk::ErrorCode::kFailedPrecondition);
  EXPECT_EQ(ErrorCodeOf([&] { graph.prune({Tensor(1.0f)}, {z}); }),
            gk::ErrorCode::kValueError);
  // In a function, under a tape.
  gk::GradientTape tape;
  const Tensor at = 2.0f;
  tape.watch(at);
  auto f = gk::function([&](const Tensor& t) { return both(t)[0]; });
  EXPECT_EQ(tape.gradient(f(at), at).item<float>(), 6.0f);
}

TEST(GraphTest, NamesOfEagerVariables) {
  const gk::name_scope outer("outer"), inner("inner");
  EXPECT_EQ(gk::get_current_name_scope(), "outer/inner");
  EXPECT_EQ(gk::Variable(Tensor(1.0f), {.name = "v"}).name(), "outer/inner/v");
  const gk::name_scope none("");
  EXPECT_EQ(gk::Variable(Tensor(1.0f), {.name = "v"}).name(), "v");
}

TEST(GraphTest, ScopesOfAGraph) {
  const gk::Graph graph;
  const auto inside = graph.as_default();
  const Tensor x = gk::placeholder(gk::DataType::kFloat, {}, "x");
  const auto made = [&](const std::string& name) {
    return graph.create_op("Neg", {x}, name);
  };
  const Operation first = made("first");
  {
    const auto device = graph.device("/cpu:1");
    const auto order = graph.control_dependencies({first});
    const Operation second = made("second");
    EXPECT_EQ(second.device(), "/device:CPU:1");
    EXPECT_EQ(second.control_inputs().size(), 1u);
    const auto alone = graph.colocate_with(first, /*ignore_existing=*/true);
    made("third");
  }
  EXPECT_EQ(made("fourth").device(), "");
  EXPECT_NE(graph.as_graph_def().find("loc:@first"), std::string::npos);
  graph.add_to_collection("numbers", 1);
  graph.get_collection_ref("numbers").push_back(2);
  EXPECT_EQ(
      std::any_cast<int>(gk::get_default_graph().get_collection("numbers")[1]),
      2);
  EXPECT_EQ(graph.get_all_collection_keys(),
            (std::vector<std::string>{"numbers"}));
  graph.clear_collection("numbers");
  EXPECT_TRUE(graph.get_collection("numbers").empty());
  EXPECT_FALSE(graph.seed());
  graph.set_seed(7);
  EXPECT_EQ(graph.seed(), 7);
}

TEST(GraphTest, CollectionsOfAGraph) {
  using Keys = std::vector<std::string>;
  const gk::Graph graph;
  const gk::Variable eager(Tensor(1.0f), {.name = "layer/v"});
  {
    const auto inside = graph.as_default();
    const gk::name_scope layer("layer");
    const Tensor x = gk::placeholder(gk::DataType::kFloat, {}, "x");
    graph.add_to_collections({"z", "a", "z"}, x);
    graph.add_to_collection("z", Operation(x * x));
  }
  graph.add_to_collection("z", eager);
  graph.add_to_collection("z", Tensor(1.0f));
  graph.add_to_collection("z", 3);
  EXPECT_EQ(graph.get_all_collection_keys(), (Keys{"z", "a"}));
  const auto count = [&](const char* scope) {
    return graph.get_collection("z", scope).size();
  };
  EXPECT_EQ(graph.get_collection("z").size(), 5u);
  EXPECT_EQ(count("layer"), 3u);
  EXPECT_EQ(count("layer/[xv]"), 2u);
  EXPECT_EQ(count("x"), 0u);
  EXPECT_EQ(count(".*:0"), 1u);
  EXPECT_EQ(ErrorCodeOf([&] { count("("); }), gk::ErrorCode::kValueError);
  EXPECT_TRUE(graph.get_collection("none", "(").empty());
  graph.finalize();
  for (const std::function<void()>& change : std::vector<std::function<void()>>{
           [&] { graph.add_to_collection("z", 1); },
           [&] { graph.add_to_collections({"new"}, 1); },
           [&] { graph.clear_collection("z"); }}) {
    EXPECT_EQ(ErrorCodeOf(change), gk::ErrorCode::kRuntimeError);
  }
  graph.add_to_collections({}, 1);
  EXPECT_EQ(graph.get_all_collection_keys(), (Keys{"z", "a"}));
}

TEST(GraphTest, LongNamesAndScopes) {
  const gk::Graph graph;
  graph.add_to_collection(
      "v", gk::Variable(Tensor(1.0f), {.name = std::string(300'000, 'a')}));
  EXPECT_EQ(graph.get_collection("v", "(a|b)*").size(), 1u);
  EXPECT_EQ(graph.get_collection("v", "(a*)*b").size(), 0u);
  const std::string nested(100'000, '(');
  EXPECT_EQ(ErrorCodeOf([&] { graph.get_collection("v", nested); }),
            gk::ErrorCode::kValueError);
}

TEST(GraphTest, CollectionsLiveAsLongAsTheGraph) {
  auto f = gk::function([](const Tensor& x) {
    gk::get_default_graph().add_to_collection("x", 1);
    EXPECT_EQ(gk::get_default_graph().get_collection("x").size(), 1u);
    EXPECT_EQ(gk::get_default_graph(), Operation(x).graph());
    return x;
  });
  f(Tensor(1.0f));
}

TEST(GraphTest, MarksOfAGraph) {
  const gk::Graph graph, other;
  const auto placeholder = [](const gk::Graph& g) {
    const auto inside = g.as_default();
    return gk::placeholder(gk::DataType::kFloat, {}, "x");
  };
  const Tensor eager = 1.0f;
  const Tensor x = placeholder(graph), there = placeholder(other);
  EXPECT_TRUE(graph.is_feedable(x));
  EXPECT_TRUE(graph.is_fetchable(x));
  graph.prevent_feeding(x);
  graph.prevent_feeding(eager);
  graph.prevent_fetching(x);
  const Tensor again = graph.get_tensor_by_name("x:0");
  EXPECT_FALSE(graph.is_feedable(again));
  EXPECT_FALSE(graph.is_feedable(eager));
  EXPECT_FALSE(graph.is_fetchable(again));
  EXPECT_FALSE(graph.is_fetchable(graph.get_operation_by_name("x")));
  EXPECT_TRUE(graph.is_feedable(there));
  EXPECT_TRUE(graph.is_fetchable(there));
  EXPECT_TRUE(graph.is_feedable(Tensor(1.0f)));
  EXPECT_TRUE(other.is_feedable(x));
  EXPECT_EQ(ErrorCodeOf([&] { graph.is_fetchable(eager); }),
            gk::ErrorCode::kValueError);
}

TEST(GraphTest, GradientsByName) {
  gk::RegisterGradient("TripledInCpp",
                       [](const Operation& op, const std::vector<Tensor>& dy) {
                         EXPECT_EQ(op.type(), "Square");
                         return std::vector<Tensor>{dy[0] * 3.0f};
                       });
  gk::no_gradient("NoneInCpp");
  for (const char* taken : {"TripledInCpp", "NoneInCpp", "Square"}) {
    EXPECT_EQ(ErrorCodeOf([&] { gk::no_gradient(taken); }),
              gk::ErrorCode::kAlreadyExists);
  }
  auto f = gk::function([](const Tensor& x) {
    Tensor y;
    {
      const auto others = gk::get_default_graph().gradient_override_map(
          {{"Square", "TripledInCpp"}});
      y = gk::square(x);
    }
    return gk::gradients({y}, {x})[0];
  });
  EXPECT_EQ(f(5.0f).item<float>(), 3.0f);
}

TEST(GraphTest, InitScopeLeavesFunctions) {
  std::vector<float> seen;
  auto f = gk::function([&](const Tensor& x) {
    const gk::name_scope names("inner");
    {
      const gk::init_scope outside;
      EXPECT_TRUE(gk::executing_eagerly());
      EXPECT_TRUE(gk::inside_function());
      seen.push_back((Tensor(2.0f) * 3.0f).item<float>());
    }
    EXPECT_FALSE(gk::executing_eagerly());
    return Tensor(x * 1.0f);
  });
  f(Tensor(1.0f));
  f(Tensor(2.0f));
  EXPECT_EQ(seen, (std::vector<float>{6}));
}

}  // namespace
