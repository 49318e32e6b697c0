#include "function/freeze_graph_def.h"

#include <gtest/gtest.h>

#include "framework/op_registry.h"

namespace gk {
namespace {

using Type = proto::DataType;

proto::NodeDef FreezeNode(const std::string& name, const std::string& op,
                          std::vector<std::string> inputs,
                          const std::string& attr) {
  proto::NodeDef node;
  node.name = name;
  node.op = op;
  node.input = std::move(inputs);
  node.attr[attr].set_type(Type::DT_FLOAT);
  return node;
}

// y = -v and call = f(v) = v, where v and w are variables.
proto::GraphDef Model() {
  RegisterAllOps();
  proto::GraphDef g;
  for (const char* name : {"v", "w"}) {
    g.node.push_back(FreezeNode(name, "VarHandleOp", {}, "dtype"));
    g.node.back().attr["shape"].mutable_shape();
    g.node.push_back(FreezeNode(std::string(name) + "/Read", "ReadVariableOp",
                                {name}, "dtype"));
  }
  g.node.push_back(FreezeNode("y", "Neg", {"v/Read"}, "T"));
  g.node.push_back(FreezeNode("both", "Mul", {"v/Read", "w/Read"}, "T"));
  g.node.push_back(FreezeNode("set", "AssignVariableOp", {"v", "y"}, "dtype"));
  proto::FunctionDef& f = g.library.mut().function.emplace_back();
  f.signature.mut().name = "f";
  f.signature.mut().is_stateful = true;
  f.signature.mut().input_arg.emplace_back();
  f.signature.mut().input_arg[0].name = "r";
  f.signature.mut().input_arg[0].type = Type::DT_RESOURCE;
  f.signature.mut().output_arg.emplace_back();
  f.signature.mut().output_arg[0].name = "z";
  f.signature.mut().output_arg[0].type = Type::DT_FLOAT;
  f.node_def.push_back(FreezeNode("read", "ReadVariableOp", {"r"}, "dtype"));
  f.ret["z"] = "read:value:0";
  proto::NodeDef call;
  call.name = "call";
  call.op = "f";
  call.input = {"v"};
  g.node.push_back(call);
  return g;
}

std::map<std::string, std::string> OpsOf(const proto::GraphDef& graph) {
  std::map<std::string, std::string> ops;
  for (const auto& node : graph.node) ops[node.name] = node.op;
  return ops;
}

TEST(FreezeGraphDefTest, ReadsBecomeConstants) {
  const std::map<std::string, Tensor> v{{"v", Tensor::Scalar(2.0f)}};
  const auto made = [&](std::vector<std::string> outputs) {
    return OpsOf(ValueOrThrow(FreezeGraphDef(Model(), outputs, v)));
  };
  using Ops = std::map<std::string, std::string>;
  EXPECT_EQ(made({"y"}), (Ops{{"v", "Const"}, {"y", "Neg"}}));
  // What is asked for keeps its name; the other variable stays one.
  EXPECT_EQ(made({"v/Read"}), (Ops{{"v", "Const"}, {"v/Read", "Identity"}}));
  EXPECT_EQ(made({"both"}), (Ops{{"v", "Const"},
                                 {"w", "VarHandleOp"},
                                 {"w/Read", "ReadVariableOp"},
                                 {"both", "Mul"}}));
  const Ops called = made({"call"});
  EXPECT_EQ(called.count("v"), 0u);
  EXPECT_EQ(called.count("call"), 1u);
}

TEST(FreezeGraphDefTest, ChangesAreRefused) {
  const std::map<std::string, Tensor> v{{"v", Tensor::Scalar(2.0f)}};
  for (const std::vector<std::string>& outputs :
       {std::vector<std::string>{"set"}, {"v"}, {"nothing"}}) {
    EXPECT_EQ(FreezeGraphDef(Model(), outputs, v).status().code(),
              Code::kValueError)
        << outputs[0];
  }
}

TEST(FreezeGraphDefTest, HandlesAndReadersAreFoundByTheirDefinitions) {
  const std::vector<std::string> handles{"v", "w"};
  EXPECT_EQ(VariableHandles(Model()), handles);
  EXPECT_TRUE(ReadsVariable("ReadVariableOp"));
  EXPECT_FALSE(ReadsVariable("AssignVariableOp"));
  EXPECT_FALSE(ReadsVariable("f"));
}

}  // namespace
}  // namespace gk
