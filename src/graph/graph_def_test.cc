#include "graph/graph_def.h"

#include <gtest/gtest.h>

#include "graph/function_for_test.h"

namespace gk {
namespace {

TEST(GraphDefTest, WritesNodesEdgesAndVersions) {
  TestFunction f;
  const Output x = f.Arg(DataType::kFloat, {2, -1});
  const Output y =
      f.Add("MatMul", {x, x}, {{"transpose_a", true}, {"transpose_b", false}});
  const Output z = f.Add("Relu", {y}, {}, {x.node});
  proto::GraphDef g = ValueOrThrow(GraphToGraphDef(f.graph()));
  ASSERT_EQ(g.node.size(), 3u);
  EXPECT_EQ(g.node[1].op, "MatMul");
  EXPECT_EQ(g.node[1].input,
            (std::vector<std::string>{"Placeholder", "Placeholder"}));
  EXPECT_TRUE(g.node[1].attr.at("transpose_a").b);
  EXPECT_EQ(g.node[2].input,
            (std::vector<std::string>{"MatMul", "^Placeholder"}));
  EXPECT_EQ(g.versions->producer, 2474);
  EXPECT_FALSE(g.library.has());
  EXPECT_EQ(z.node->name(), "Relu");

  GraphDefOptions options;
  options.add_shapes = true;
  options.constants[x.node] = Tensor::Scalar(2.5f);
  g = ValueOrThrow(GraphToGraphDef(f.graph(), options));
  EXPECT_EQ(g.node[0].op, "Const");
  EXPECT_EQ(g.node[0].attr.at("value").tensor->float_val,
            std::vector<float>{2.5f});
  EXPECT_EQ(g.node[2].attr.at("_output_shapes").list->shape.size(), 1u);
}

TEST(GraphDefTest, FunctionsFollowTheConventions) {
  TestFunction f("__inference_f_1");
  const Output x = f.Arg(DataType::kFloat, {4});
  const Output axis = f.Const(Tensor::Scalar<int32_t>(0));
  const Output s = f.Add("Split", {axis, x}, {{"num_split", int64_t{2}}});
  const Output r = f.Add("Identity", {{s.node, 1}});
  const Output r2 = f.Add("Identity", {x});
  const Output check = f.Add("NoOp", {});
  Ref<GraphFunction> fn = f.Finish({r, r2}, {check.node});
  const proto::FunctionDef d = ValueOrThrow(FunctionToFunctionDef(*fn));
  EXPECT_EQ(d.signature->name, "__inference_f_1");
  ASSERT_EQ(d.signature->input_arg.size(), 1u);
  EXPECT_EQ(d.signature->input_arg[0].name, "placeholder");
  EXPECT_EQ(d.ret.at("identity"), "Identity:output:0");
  EXPECT_EQ(d.ret.at("identity_1"), "Identity_1:output:0");
  EXPECT_EQ(d.control_ret.at("NoOp"), "NoOp");
  EXPECT_EQ(d.signature->control_output, std::vector<std::string>{"NoOp"});
  EXPECT_EQ(d.attr.at("_construction_context").s, "kEagerRuntime");
  ASSERT_EQ(d.node_def.size(), 6u);
  EXPECT_EQ(d.node_def[1].input,
            (std::vector<std::string>{"Const:output:0", "placeholder"}));
  EXPECT_EQ(d.node_def[2].input,
            (std::vector<std::string>{"Split:output:1", "^NoOp_1"}));
  EXPECT_EQ(d.node_def[5].name, "NoOp_1");
  EXPECT_EQ(d.node_def[5].input, std::vector<std::string>{"^NoOp"});
}

}  // namespace
}  // namespace gk
