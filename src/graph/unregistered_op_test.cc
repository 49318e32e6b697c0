// Ops that only the writer of a file has.
#include "framework/unregistered_op.h"

#include <gtest/gtest.h>

#include <random>

#include "graph/function_for_test.h"
#include "graph/graph_def.h"
#include "graph/import_graph_def.h"
#include "graph/node_def_for_test.h"
#include "graph/op_def_proto.h"

namespace gk {
namespace {

using Type = proto::DataType;

proto::NodeDef TypedNode(const std::string& name, const std::string& op,
                         std::vector<std::string> inputs,
                         Type type = Type::DT_FLOAT,
                         const std::string& attr = "T") {
  proto::NodeDef node = NodeDefOf(name, op, std::move(inputs));
  node.attr[attr].set_type(type);
  return node;
}

Ref<Graph> ReadCarrying(const proto::GraphDef& message,
                        ImportGraphDefOptions options = {}) {
  RegisterAllOps();
  options.unknown_ops = UnknownOps::kCarry;
  Ref<Graph> graph = MakeRef<Graph>();
  const Status status = ImportGraphDef(message, graph.get(), options).status();
  EXPECT_TRUE(status.ok()) << status.message();
  return graph;
}

// x -> Mystery -> y, with whatever attributes there can be.
proto::GraphDef OddGraph() {
  proto::GraphDef g;
  g.node.push_back(TypedNode("x", "Placeholder", {}, Type::DT_FLOAT, "dtype"));
  g.node.push_back(NodeDefOf("first", "NoOp"));
  proto::NodeDef odd = NodeDefOf("odd", "Mystery", {"x", "x", "^first"});
  odd.device = "/device:CPU:0";
  odd.attr["placeholder"].set_placeholder("T");
  odd.attr["nobody"].mutable_func().name = "not_in_the_file";
  odd.attr["nothing"];
  odd.attr["type"].set_type(static_cast<Type>(101));
  odd.attr["empty"].mutable_list();
  odd.attr["several"].mutable_list().i = {1};
  odd.attr["several"].mutable_list().f = {2};
  odd.attr["k"].set_i(7);
  odd.attr["text"].set_s(std::string("\0\xff", 2));
  proto::TensorProto& t = odd.attr["tensor"].mutable_tensor();
  t.dtype = Type::DT_FLOAT;
  t.tensor_shape.mut().dim.emplace_back();
  t.tensor_shape.mut().dim[0].size = 3;
  t.float_val = {1};
  odd.attr["_class"].mutable_list().s = {"loc:@x"};
  odd.experimental_debug_info.mut().original_node_names = {"somewhere"};
  g.node.push_back(odd);
  g.node.push_back(TypedNode("y", "Relu", {"odd:1"}));
  return g;
}

TEST(UnregisteredOpTest, IsRefusedWithOpNodeAndCure) {
  RegisterAllOps();
  Ref<Graph> graph = MakeRef<Graph>();
  const Status status = ImportGraphDef(OddGraph(), graph.get()).status();
  EXPECT_EQ(status.code(), Code::kNotFound);
  for (const char* part :
       {"Op type not registered 'Mystery' in binary running on", "'odd'",
        "Make sure the Op and Kernel are registered", "Remove the node"}) {
    EXPECT_NE(status.message().find(part), std::string::npos)
        << status.message();
  }
  EXPECT_EQ(graph->num_nodes(), 0);
}

TEST(UnregisteredOpTest, IsWrittenAsItWasRead) {
  const proto::GraphDef message = OddGraph();
  const Ref<Graph> graph = ReadCarrying(message);
  const proto::GraphDef again = ValueOrThrow(GraphToGraphDef(*graph));
  ASSERT_EQ(again.node.size(), message.node.size());
  EXPECT_EQ(again.node[2].ToText(), message.node[2].ToText());
  EXPECT_EQ(again.node[2].Serialize(), message.node[2].Serialize());
  // So is a copy, which lives on by itself.
  Ref<Graph> copy = ReadCarrying(message)->Clone();
  EXPECT_EQ(ValueOrThrow(GraphToGraphDef(*copy)).node[2].Serialize(),
            message.node[2].Serialize());
}

TEST(UnregisteredOpTest, OutputsAreWhatReadersTakeThemFor) {
  const Ref<Graph> graph = ReadCarrying(OddGraph());
  const Node& odd = *graph->FindNode("odd");
  ASSERT_EQ(odd.num_outputs(), 2);
  EXPECT_EQ(odd.output(0).dtype, DataType::kInvalid);
  EXPECT_EQ(odd.output(1).dtype, DataType::kFloat);
  EXPECT_TRUE(odd.output(1).shape.unknown_rank());
  EXPECT_TRUE(EffectsOf(odd).stateful);
}

TEST(UnregisteredOpTest, OutputsAreWhatAttributesSay) {
  proto::GraphDef g = OddGraph();
  auto& attr = g.node[2].attr;
  attr["Tout"].mutable_list().type = {Type::DT_INT32, Type::DT_FLOAT,
                                      Type::DT_STRING};
  auto& shapes = attr["_output_shapes"].mutable_list().shape;
  shapes.resize(2);
  shapes[0].dim.emplace_back();
  shapes[0].dim[0].size = 5;
  const Ref<Graph> graph = ReadCarrying(g);
  const Node& odd = *graph->FindNode("odd");
  ASSERT_EQ(odd.num_outputs(), 3);
  EXPECT_EQ(odd.output(0).dtype, DataType::kInt32);
  EXPECT_EQ(odd.output(2).dtype, DataType::kString);
  EXPECT_EQ(odd.output(0).shape.DebugString(), "[5]");
  EXPECT_EQ(ValueOrThrow(GraphToGraphDef(*graph)).node[2].Serialize(),
            g.node[2].Serialize());
}

TEST(UnregisteredOpTest, OutputsAreWhatTheFileDeclares) {
  proto::OpList ops;
  proto::OpDef& op = ops.op.emplace_back();
  op.name = "Mystery";
  op.input_arg.resize(2);
  op.output_arg.resize(2);
  op.output_arg[0].name = "values";
  op.output_arg[0].type = Type::DT_INT64;
  op.output_arg[0].number_attr = "k";
  op.output_arg[1].name = "last";
  op.output_arg[1].type_attr = "U";
  op.attr.resize(2);
  op.attr[0].name = "k";
  op.attr[0].type = "int";
  op.attr[1].name = "U";
  op.attr[1].type = "type";
  op.attr[1].default_value.mut().set_type(Type::DT_HALF);
  proto::GraphDef g = OddGraph();
  g.node.pop_back();
  ImportGraphDefOptions options;
  options.ops = &ops;
  const Ref<Graph> graph = ReadCarrying(g, options);
  const Node& odd = *graph->FindNode("odd");
  ASSERT_EQ(odd.num_outputs(), 8);
  EXPECT_EQ(odd.output(6).dtype, DataType::kInt64);
  EXPECT_EQ(odd.output(7).dtype, DataType::kHalf);
  EXPECT_FALSE(EffectsOf(odd).stateful);
  EXPECT_EQ(ValueOrThrow(OpDefOf(odd)).Serialize(), op.Serialize());
  EXPECT_EQ(ValueOrThrow(GraphToGraphDef(*graph)).node[2].Serialize(),
            g.node[2].Serialize());
}

TEST(UnregisteredOpTest, EdgesThatAreAskedForLaterAreThere) {
  ImportGraphDefOptions options;
  options.read = {{"odd:3", DataType::kString}};
  const Ref<Graph> graph = ReadCarrying(OddGraph(), options);
  ASSERT_EQ(graph->FindNode("odd")->num_outputs(), 4);
  EXPECT_EQ(graph->FindNode("odd")->output(3).dtype, DataType::kString);
}

// f(x) = Relu(Mystery(x).values[1]).
proto::FunctionDef FunctionWithOdd(bool stateful) {
  proto::FunctionDef f;
  proto::OpDef& signature = f.signature.mut();
  signature.name = "f";
  signature.is_stateful = stateful;
  signature.input_arg.emplace_back();
  signature.input_arg[0].name = "x";
  signature.input_arg[0].type = Type::DT_FLOAT;
  signature.output_arg.resize(2);
  signature.output_arg[0].name = "y";
  signature.output_arg[0].type = Type::DT_FLOAT;
  signature.output_arg[1].name = "n";
  signature.output_arg[1].type = Type::DT_INT64;
  f.node_def.push_back(NodeDefOf("odd", "Mystery", {"x"}));
  f.node_def.push_back(TypedNode("relu", "Relu", {"odd:values:1"}));
  f.ret = {{"y", "relu:activations:0"}, {"n", "odd:count:0"}};
  return f;
}

proto::GraphDef GraphCalling(const proto::FunctionDef& f) {
  proto::GraphDef g;
  g.library.mut().function.push_back(f);
  g.node.push_back(TypedNode("x", "Placeholder", {}, Type::DT_FLOAT, "dtype"));
  g.node.push_back(NodeDefOf("call", f.signature->name, {"x"}));
  return g;
}

TEST(UnregisteredOpTest, FunctionsOfThemAreRead) {
  RegisterAllOps();
  for (bool stateful : {false, true}) {
    // Whether or not the graph's own nodes may be such.
    Ref<Graph> graph = MakeRef<Graph>();
    const proto::GraphDef message = GraphCalling(FunctionWithOdd(stateful));
    const Status status = ImportGraphDef(message, graph.get()).status();
    ASSERT_TRUE(status.ok()) << status.message();
    const auto* f = graph->FindNode("call")->attrs().Get<FunctionAttr>("f");
    ASSERT_NE(f, nullptr);
    const Node& odd = *f->definition->graph().FindNode("odd");
    ASSERT_EQ(odd.num_outputs(), 2);
    EXPECT_EQ(odd.output(0).dtype, DataType::kFloat);
    EXPECT_EQ(odd.output(1).dtype, DataType::kInt64);
    EXPECT_EQ(f->definition->is_stateful(), stateful);
    const proto::FunctionDef again =
        ValueOrThrow(FunctionToFunctionDef(*f->definition));
    EXPECT_EQ(again.node_def[0].Serialize(),
              message.library->function[0].node_def[0].Serialize());
    EXPECT_EQ(again.node_def[1].input[0], "odd:values:1");
    EXPECT_EQ(again.ret.at("odd"), "odd:count:0");
  }
}

TEST(UnregisteredOpTest, MissingFunctionsFailWhereTheyAreCalled) {
  proto::GraphDef g;
  g.node.push_back(TypedNode("x", "Placeholder", {}, Type::DT_FLOAT, "dtype"));
  proto::NodeDef call = NodeDefOf("call", "PartitionedCall", {"x"});
  call.attr["Tin"].mutable_list().type = {Type::DT_FLOAT};
  call.attr["Tout"].mutable_list().type = {Type::DT_INT32};
  call.attr["f"].mutable_func().name = "gone";
  g.node.push_back(call);
  Ref<Graph> refused = MakeRef<Graph>();
  RegisterAllOps();
  EXPECT_EQ(ImportGraphDef(g, refused.get()).status().code(), Code::kNotFound);
  const Ref<Graph> graph = ReadCarrying(g);
  const Node& node = *graph->FindNode("call");
  ASSERT_TRUE(node.op().Has(kUnregistered));
  EXPECT_EQ(node.output(0).dtype, DataType::kInt32);
  const Status& error = UnregisteredOp::Of(node.op()).facts().error;
  EXPECT_NE(error.message().find("Function gone is not defined"),
            std::string::npos)
      << error.message();
  EXPECT_EQ(ValueOrThrow(GraphToGraphDef(*graph)).node[1].Serialize(),
            call.Serialize());
}

// Lowered branches: of Mystery in one of them only its reader knows a type.
TEST(UnregisteredOpTest, BranchesOfThemAreRaised) {
  proto::GraphDef g;
  g.node.push_back(TypedNode("p", "Placeholder", {}, Type::DT_BOOL, "dtype"));
  g.node.push_back(TypedNode("x", "Placeholder", {}, Type::DT_FLOAT, "dtype"));
  g.node.push_back(TypedNode("cond/Switch", "Switch", {"x", "p"}));
  g.node.push_back(NodeDefOf("cond/odd", "Mystery", {"cond/Switch:1"}));
  g.node.push_back(TypedNode("cond/neg", "Neg", {"cond/Switch"}));
  g.node.push_back(TypedNode("cond/Merge", "Merge", {"cond/neg", "cond/odd"}));
  g.node.back().attr["N"].set_i(2);
  g.node.push_back(TypedNode("y", "Relu", {"cond/Merge"}));
  const Ref<Graph> graph = ReadCarrying(g);
  ASSERT_NE(graph->FindNode("y"), nullptr);
  EXPECT_EQ(graph->FindNode("y")->output(0).dtype, DataType::kFloat);
  Ref<Graph> refused = MakeRef<Graph>();
  const Status status = ImportGraphDef(g, refused.get()).status();
  EXPECT_EQ(status.code(), Code::kNotFound) << status.message();
}

TEST(UnregisteredOpTest, OutputsHaveABudget) {
  proto::GraphDef g;
  for (int i = 0; i < 40; ++i) {
    g.node.push_back(NodeDefOf(Format("m{}", i), "Mystery"));
    g.node.push_back(
        NodeDefOf(Format("n{}", i), "Mystery", {Format("m{}:60000", i)}));
  }
  RegisterAllOps();
  ImportGraphDefOptions options;
  options.unknown_ops = UnknownOps::kCarry;
  Ref<Graph> graph = MakeRef<Graph>();
  EXPECT_EQ(ImportGraphDef(g, graph.get(), options).status().code(),
            Code::kResourceExhausted);
  g.node = {NodeDefOf("m", "Mystery"),
            NodeDefOf("n", "Mystery", {"m:99999999999"})};
  EXPECT_EQ(ImportGraphDef(g, graph.get(), options).status().code(),
            Code::kInvalidArgument);
}

void ChangeNode(std::mt19937& random, proto::NodeDef* node) {
  const auto below = [&](size_t n) { return random() % n; };
  switch (below(6)) {
    case 0:
      node->op = "Mystery";
      break;
    case 1:
      if (!node->attr.empty()) node->attr.erase(node->attr.begin());
      break;
    case 2:
      node->attr[Format("a{}", below(3))].set_placeholder("?");
      break;
    case 3:
      node->attr["f"].mutable_func().name = "f";
      break;
    case 4:
      if (!node->input.empty()) node->input.pop_back();
      break;
    default:
      if (!node->input.empty()) {
        std::string& input = node->input[below(node->input.size())];
        input += below(2) == 0 ? ":1" : ":out:2";
      }
  }
}

// Whatever is changed: a graph that is written as it was read, or an error.
TEST(UnregisteredOpTest, ChangedFilesAreGraphsOrErrors) {
  RegisterAllOps();
  std::mt19937 random(17);
  int read = 0;
  for (int turn = 0; turn < 3000; ++turn) {
    proto::GraphDef g = turn % 2 == 0
                            ? OddGraph()
                            : GraphCalling(FunctionWithOdd(turn % 4 == 1));
    for (int k = random() % 3; k >= 0; --k) {
      auto& function = g.library.mut().function;
      auto& nodes =
          function.empty() || random() % 2 == 0 ? g.node : function[0].node_def;
      ChangeNode(random, &nodes[random() % nodes.size()]);
    }
    ImportGraphDefOptions options;
    options.unknown_ops = UnknownOps::kCarry;
    Ref<Graph> graph = MakeRef<Graph>();
    const Status status = ImportGraphDef(g, graph.get(), options).status();
    EXPECT_NE(status.code(), Code::kInternal) << status.message();
    if (!status.ok()) continue;
    ++read;
    const proto::GraphDef once = ValueOrThrow(GraphToGraphDef(*graph));
    Ref<Graph> second = MakeRef<Graph>();
    const Status again = ImportGraphDef(once, second.get(), options).status();
    ASSERT_TRUE(again.ok()) << again.message() << "\n" << once.ToText();
    EXPECT_EQ(ValueOrThrow(GraphToGraphDef(*second)).ToText(), once.ToText());
  }
  EXPECT_GT(read, 300);
}

}  // namespace
}  // namespace gk
