#include "graph/import_graph_def.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <random>

#include "graph/function_for_test.h"
#include "graph/graph_def.h"

namespace gk {
namespace {

// g(x) = Relu(x) + x, called by a function f with a constant, a split and a
// control output.
proto::GraphDef Sample() {
  TestFunction g("g");
  const Output a = g.Arg(DataType::kFloat, {-1});
  const Output relu = g.Add("Relu", {a});
  Ref<GraphFunction> callee =
      g.Finish({g.Add("Identity", {g.Add("AddV2", {relu, a})})});

  TestFunction f("f");
  const Output x = f.Arg(DataType::kFloat, {4});
  const Output axis = f.Const(Tensor::Scalar<int32_t>(0));
  const Output s = f.Add("Split", {axis, x}, {{"num_split", int64_t{2}}});
  const FunctionAttr attr{"g", Ref<FunctionDefinition>(callee), nullptr};
  const Output call = f.Add(
      "PartitionedCall", {Output{s.node, 1}},
      {{"Tout", std::vector<DataType>{DataType::kFloat}}, {"f", attr}});
  const Output check = f.Add("NoOp", {});
  Ref<GraphFunction> outer =
      f.Finish({f.Add("Identity", {call})}, {check.node});

  TestFunction top;
  const Output y = top.Arg(DataType::kFloat, {4});
  const FunctionAttr outer_attr{"f", Ref<FunctionDefinition>(outer), nullptr};
  top.Add("PartitionedCall", {y},
          {{"Tout", std::vector<DataType>{DataType::kFloat}},
           {"f", outer_attr}},
          {y.node});
  return ValueOrThrow(GraphToGraphDef(top.graph()));
}

Status ImportStatus(const proto::GraphDef& message) {
  Ref<Graph> graph = MakeRef<Graph>();
  const Status status = ImportGraphDef(message, graph.get()).status();
  EXPECT_TRUE(status.ok() || graph->num_nodes() == 0);
  return status;
}

// Nodes in the order of their names: producers come first once read.
std::string SortedText(proto::GraphDef message) {
  for (proto::FunctionDef& f : message.library.mut().function) {
    std::sort(f.node_def.begin(), f.node_def.end(),
              [](const auto& a, const auto& b) { return a.name < b.name; });
  }
  return message.ToText();
}

TEST(ImportGraphDefTest, WhatIsWrittenReadsBackTheSame) {
  const proto::GraphDef written = Sample();
  EXPECT_EQ(written.library->function.size(), 2u);
  EXPECT_EQ(written.versions->min_consumer, 12);
  proto::GraphDef parsed;
  ASSERT_TRUE(parsed.Parse(written.Serialize()).ok());
  Ref<Graph> graph = MakeRef<Graph>();
  const Status status = ImportGraphDef(parsed, graph.get()).status();
  ASSERT_TRUE(status.ok()) << status.message();
  const proto::GraphDef again = ValueOrThrow(GraphToGraphDef(*graph));
  EXPECT_EQ(SortedText(again), SortedText(written));
}

TEST(ImportGraphDefTest, PrefixAndInputMap) {
  TestFunction f;
  const Output x = f.Arg(DataType::kFloat, {2});
  f.Add("Relu", {x});
  const proto::GraphDef message = ValueOrThrow(GraphToGraphDef(f.graph()));
  TestFunction into;
  ImportGraphDefOptions options;
  options.prefix = "import";
  const Output y = into.Arg(DataType::kFloat, {2});
  options.input_map["Placeholder:0"] = y;
  const std::vector<Node*> nodes =
      ValueOrThrow(ImportGraphDef(message, &into.graph(), options));
  ASSERT_EQ(nodes.size(), 2u);
  EXPECT_EQ(nodes[1]->name(), "import/Relu");
  EXPECT_EQ(nodes[1]->input(0), y);
  // Its names are taken now.
  EXPECT_FALSE(ImportGraphDef(message, &into.graph(), options).ok());
  EXPECT_EQ(into.graph().num_nodes(), 3);
}

TEST(ImportGraphDefTest, WhatIsWrongIsAnError) {
  struct Case {
    const char* what;
    void (*change)(proto::GraphDef&);
    Code code;
    const char* text;
  };
  const Case cases[] = {
      {"unknown op", [](auto& g) { g.node[0].op = "NoSuchOp"; },
       Code::kNotFound, "Op type not registered 'NoSuchOp'"},
      {"missing input", [](auto& g) { g.node[1].input[0] = "nobody"; },
       Code::kInvalidArgument, "Unknown input node 'nobody'"},
      {"no such output", [](auto& g) { g.node[1].input[0] += ":7"; },
       Code::kInvalidArgument, "no such output"},
      {"malformed", [](auto& g) { g.node[1].input[0] += ":x"; },
       Code::kInvalidArgument, "Malformed input"},
      {"empty input", [](auto& g) { g.node[1].input[0] = ""; },
       Code::kInvalidArgument, "Malformed input"},
      {"bare control", [](auto& g) { g.node[1].input[1] = "^"; },
       Code::kInvalidArgument, "Unknown input node '^'"},
      {"cycle",
       [](auto& g) { g.node[0].input.push_back("^" + g.node[1].name); },
       Code::kInvalidArgument, "cycle"},
      {"control first",
       [](auto& g) { std::swap(g.node[1].input[0], g.node[1].input[1]); },
       Code::kInvalidArgument, "follows a control input"},
      {"duplicate", [](auto& g) { g.node[1].name = g.node[0].name; },
       Code::kInvalidArgument, "Duplicate node name"},
      {"attr missing", [](auto& g) { g.node[0].attr.erase("dtype"); },
       Code::kInvalidArgument, "dtype"},
      {"attr of another kind", [](auto& g) { g.node[0].attr["dtype"].set_i(3); },
       Code::kInvalidArgument, "dtype"},
      {"attr unknown", [](auto& g) { g.node[0].attr["color"].set_i(3); },
       Code::kInvalidArgument, "color"},
      {"wrong types",
       [](auto& g) {
         g.node[1].attr["Tin"].mutable_list().type = {proto::DataType::DT_INT32};
       },
       Code::kInvalidArgument, "Tin"},
      {"function missing",
       [](auto& g) { g.node[1].attr["f"].mutable_func().name = "h"; },
       Code::kNotFound, "Function h is not defined."},
      {"recursion",
       [](auto& g) {
         for (auto& f : g.library.mut().function) {
           for (auto& n : f.node_def) {
             if (n.attr.count("f")) n.attr["f"].mutable_func().name = "f";
           }
         }
       },
       Code::kInvalidArgument, "calls itself"},
      {"function twice",
       [](auto& g) {
         auto& list = g.library.mut().function;
         list.push_back(list[0]);
       },
       Code::kInvalidArgument, "Duplicate function"},
      {"result missing",
       [](auto& g) { g.library.mut().function[0].ret.clear(); },
       Code::kInvalidArgument, "Return value"},
      {"control result missing",
       [](auto& g) {
         g.library.mut().function[0].control_ret["NoOp"] = "nothing";
       },
       Code::kInvalidArgument, "control_ret"},
  };
  for (const Case& c : cases) {
    proto::GraphDef message = Sample();
    c.change(message);
    const Status status = ImportStatus(message);
    EXPECT_EQ(status.code(), c.code) << c.what << ": " << status.message();
    EXPECT_NE(std::string(status.message()).find(c.text), std::string::npos)
        << c.what << ": " << status.message();
  }
}

TEST(ImportGraphDefTest, DeepCallsAreRefused) {
  proto::GraphDef message;
  proto::FunctionDefLibrary& library = message.library.mut();
  for (int i = 0; i < 2000; ++i) {
    proto::FunctionDef f;
    f.signature.mut().name = Format("f{}", i);
    if (i > 0) {
      proto::NodeDef call;
      call.name = "call";
      call.op = Format("f{}", i - 1);
      f.node_def.push_back(call);
    }
    library.function.push_back(f);
  }
  // In either order of asking.
  proto::NodeDef call;
  call.name = call.op = "f1999";
  message.node = {call};
  EXPECT_EQ(ImportStatus(message).code(), Code::kInvalidArgument);
  message.node.clear();
  for (int i = 0; i < 2000; ++i) {
    call.name = call.op = Format("f{}", i);
    message.node.push_back(call);
  }
  EXPECT_EQ(ImportStatus(message).code(), Code::kInvalidArgument);
  // A function called by its name.
  message.node.resize(10);
  EXPECT_TRUE(ImportStatus(message).ok()) << ImportStatus(message).message();
}

// Bytes changed at random: any outcome but a crash. Seeds are fixed.
TEST(ImportGraphDefTest, SurvivesMutations) {
  const std::string bytes = Sample().Serialize();
  const auto end =
      std::chrono::steady_clock::now() + std::chrono::milliseconds(1500);
  int read = 0, refused = 0;
  for (uint32_t seed = 0; std::chrono::steady_clock::now() < end; ++seed) {
    std::mt19937 random(seed);
    std::string mutated = bytes;
    for (uint32_t k = 0; k <= random() % 4; ++k) {
      const size_t at = random() % mutated.size();
      switch (random() % 4) {
        case 0:
          mutated[at] = static_cast<char>(random());
          break;
        case 1:
          mutated[at] ^= static_cast<char>(1 << random() % 8);
          break;
        case 2:
          mutated.erase(at, random() % 8);
          break;
        default:
          mutated.insert(at, mutated, random() % mutated.size(),
                         random() % 16);
      }
    }
    proto::GraphDef message;
    if (!message.Parse(mutated).ok()) continue;
    if (ImportStatus(message).ok()) {
      ++read;
    } else {
      ++refused;
    }
  }
  EXPECT_GT(read, 0);
  EXPECT_GT(refused, 0);
}

}  // namespace
}  // namespace gk
