#include "graph/meta_graph.h"

#include <gtest/gtest.h>

#include "graph/function_for_test.h"
#include "graph/sub_graph.h"

namespace gk {
namespace {

proto::NodeDef MetaNode(const std::string& name, const std::string& op,
                        std::vector<std::string> inputs = {}) {
  proto::NodeDef node;
  node.name = name;
  node.op = op;
  node.input = std::move(inputs);
  node.device = "/device:CPU:0";
  return node;
}

std::vector<std::string> NamesOf(const proto::GraphDef& graph) {
  std::vector<std::string> names;
  for (const auto& node : graph.node) names.push_back(node.name);
  return names;
}

using Names = std::vector<std::string>;

// x -> in -> check -> in/y; other waits for check.
proto::GraphDef Chain() {
  RegisterAllOps();
  proto::GraphDef g;
  g.versions.mut().producer = 5;
  g.node = {MetaNode("x", "Placeholder"), MetaNode("in/i", "Identity", {"x"}),
            MetaNode("in/check", "CheckNumerics", {"in/i:0"}),
            MetaNode("in/y", "MatMul", {"in/check", "^x"}),
            MetaNode("other", "Relu", {"x", "^in/check"})};
  g.node[3].attr["transpose_a"].set_b(false);
  return g;
}

TEST(SubGraphTest, WhatIsNeededInItsOrder) {
  const Names y{"in/y"}, both{"other", "x"}, none{"z"};
  const proto::GraphDef part = ValueOrThrow(ExtractSubGraph(Chain(), y));
  EXPECT_EQ(NamesOf(part), (Names{"x", "in/i", "in/check", "in/y"}));
  EXPECT_EQ(part.versions->producer, 5);
  EXPECT_EQ(NamesOf(ValueOrThrow(ExtractSubGraph(Chain(), both))),
            (Names{"x", "in/i", "in/check", "other"}));
  EXPECT_EQ(ExtractSubGraph(Chain(), none).status().code(), Code::kValueError);
}

TEST(SubGraphTest, WhatOnlyTrainingNeedsGoes) {
  proto::GraphDef rest = RemoveTrainingNodes(Chain(), {});
  EXPECT_EQ(NamesOf(rest), (Names{"x", "in/y", "other"}));
  EXPECT_EQ(rest.node[1].input, (Names{"x", "^x"}));
  EXPECT_EQ(rest.node[2].input, (Names{"x"}));
  const Names kept{"in/i", "in/check"};
  EXPECT_EQ(RemoveTrainingNodes(Chain(), kept).node.size(), 5u);
  // Identities that read each other: nobody makes a value.
  proto::GraphDef circle;
  circle.node = {MetaNode("a", "Identity", {"b"}),
                 MetaNode("b", "Identity", {"a"}),
                 MetaNode("c", "Relu", {"a"})};
  EXPECT_EQ(NamesOf(RemoveTrainingNodes(circle, {})), Names{"c"});
}

TEST(MetaGraphTest, HasTheOpsOfNodesAndFunctions) {
  proto::GraphDef g = Chain();
  proto::FunctionDef f;
  f.signature.mut().name = "f";
  f.node_def = {MetaNode("n", "Neg"), MetaNode("m", "Mystery")};
  g.library.mut().function.push_back(f);
  g.node.push_back(MetaNode("call", "f"));
  const auto ops = [](const proto::OpList& list) {
    Names names;
    for (const proto::OpDef& op : list.op) names.push_back(op.name);
    return names;
  };
  const Names known{"CheckNumerics", "Identity",    "MatMul",
                    "Neg",           "Placeholder", "Relu"};
  EXPECT_EQ(ops(ValueOrThrow(StrippedOps(g))), known);
  proto::OpList theirs;
  theirs.op.emplace_back().name = "Mystery";
  const Names all{"CheckNumerics", "Identity",    "MatMul", "Mystery",
                  "Neg",           "Placeholder", "Relu"};
  EXPECT_EQ(ops(ValueOrThrow(StrippedOps(g, &theirs))), all);
}

TEST(MetaGraphTest, OfAScopeDevicesAndDefaults) {
  MetaGraphOptions options;
  options.scope = "in";
  options.clear_devices = options.strip_default_attrs = true;
  const proto::MetaGraphDef message =
      ValueOrThrow(MetaGraphOf(Chain(), options));
  const auto& nodes = message.graph_def->node;
  ASSERT_EQ(NamesOf(*message.graph_def), (Names{"i", "check", "y"}));
  EXPECT_EQ(nodes[0].input, (Names{"$unbound_inputs_x"}));
  EXPECT_EQ(nodes[1].input, (Names{"i:0"}));
  EXPECT_EQ(nodes[2].input, (Names{"check", "^$unbound_inputs_x"}));
  EXPECT_TRUE(nodes[2].device.empty());
  EXPECT_TRUE(nodes[2].attr.empty());
  EXPECT_TRUE(message.meta_info_def->stripped_default_attrs);
  EXPECT_EQ(message.collection_def.at(kUnboundInputs).bytes_list->value,
            (Names{"$unbound_inputs_x"}));
}

}  // namespace
}  // namespace gk
