// Models without objects: variables that are references, parts of graphs as
// signatures, and files that name what is not there.
#include "saved_model/version_one_model.h"

#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>

#include "framework/variable.h"
#include "function/control_flow.h"
#include "graph/node_def_for_test.h"
#include "io/files.h"
#include "saved_model/loaded_signature.h"
#include "saved_model/reference_variables.h"

namespace gk {
namespace {

proto::NodeDef& AddNode(proto::GraphDef* graph, const std::string& name,
                        const std::string& op,
                        std::vector<std::string> inputs = {}) {
  return graph->node.emplace_back(NodeDefOf(name, op, std::move(inputs)));
}
void SetType(proto::NodeDef* node, const char* attr = "T") {
  node->attr[attr].set_type(proto::DataType::DT_FLOAT);
}
proto::AttrValue Scalar() {
  proto::AttrValue value;
  value.mutable_shape();
  return value;
}

// y = v.read * x; bump: v += x, whose new value is read.
proto::GraphDef Graph() {
  proto::GraphDef graph;
  proto::NodeDef& x = AddNode(&graph, "x", "Placeholder");
  SetType(&x, "dtype");
  x.attr["shape"] = Scalar();
  proto::NodeDef& v = AddNode(&graph, "v", "VariableV2");
  SetType(&v, "dtype");
  v.attr["shape"] = Scalar();
  SetType(&AddNode(&graph, "v/read", "Identity", {"v"}));
  SetType(&AddNode(&graph, "y", "Mul", {"v/read", "x"}));
  SetType(&AddNode(&graph, "bump", "AssignAdd", {"v", "x"}));
  SetType(&AddNode(&graph, "new", "Neg", {"bump"}));
  return graph;
}

proto::TensorInfo Info(const std::string& name) {
  proto::TensorInfo info;
  info.set_name(name);
  info.dtype = proto::DataType::DT_FLOAT;
  info.tensor_shape.mut();
  return info;
}

class VersionOneTest : public ::testing::Test {
 protected:
  VersionOneTest() {
    InitControlFlow();
    char name[] = "/tmp/gk-version-one-XXXXXX";
    folder_ = mkdtemp(name);
    graph_.graph_def = Graph();
    graph_.meta_info_def.mut().tags = {"serve"};
    Sign("mul", "y:0");
    Sign("bump", "new:0");
  }
  ~VersionOneTest() override { std::filesystem::remove_all(folder_); }

  void Sign(const std::string& name, const std::string& output) {
    proto::SignatureDef& def = graph_.signature_def[name];
    def.inputs["x"] = Info("x:0");
    def.outputs["out"] = Info(output);
  }
  StatusOr<std::shared_ptr<LoadedModel>> Load() {
    proto::SavedModel model;
    model.meta_graphs.push_back(graph_);
    ThrowIfError(io::WriteFile(folder_ + "/saved_model.pb", model.Serialize()));
    return LoadedModel::Load(folder_);
  }
  static float Call(LoadedModel* model, const std::string& signature, float x) {
    const LoadedSignature found = ValueOrThrow(FindSignature(model, signature));
    TensorVector outputs;
    ThrowIfError(found.function->Call({{Tensor::Scalar<float>(x)}}, &outputs));
    return outputs.at(0).scalar<float>();
  }

  std::string folder_;
  proto::MetaGraphDef graph_;
};

TEST_F(VersionOneTest, ReferencesAreVariables) {
  const auto model = ValueOrThrow(Load());
  EXPECT_EQ(SignatureNames(*model), (std::vector<std::string>{"bump", "mul"}));
  const LoadedSignature mul = ValueOrThrow(FindSignature(model.get(), "mul"));
  EXPECT_EQ(mul.inputs, std::vector<std::string>{"x"});
  EXPECT_EQ(mul.outputs, std::vector<std::string>{"out"});
  ASSERT_EQ(mul.function->captures().size(), 1u);
  const Tensor handle = mul.function->captures()[0].external;
  VariableResource* v = ValueOrThrow(VariableOf(handle));
  EXPECT_EQ(v->name(), "v");
  TensorVector none;
  EXPECT_EQ(mul.function->Call({{Tensor::Scalar<float>(1)}}, &none).code(),
            Code::kFailedPrecondition);
  ThrowIfError(v->Assign(Tensor::Scalar<float>(3)));
  EXPECT_EQ(Call(model.get(), "mul", 2), 6);
  EXPECT_EQ(Call(model.get(), "bump", 4), -7);
  EXPECT_EQ(Call(model.get(), "mul", 2), 14);
  // Another model has its own.
  const auto other = ValueOrThrow(Load());
  EXPECT_THROW(Call(other.get(), "mul", 2), Error);
}

TEST_F(VersionOneTest, WhatIsNotThereIsNamed) {
  Sign("mul", "none:0");
  EXPECT_NE(Load().status().message().find("'none:0'"), std::string::npos);
  Sign("mul", "y:7");
  EXPECT_NE(Load().status().message().find("'y:7'"), std::string::npos);
  Sign("mul", "y:-7");
  EXPECT_FALSE(Load().ok());
  Sign("mul", "y:0");
  graph_.signature_def["mul"].inputs.clear();
  EXPECT_NE(Load().status().message().find("signature 'mul'"),
            std::string::npos);
  Sign("mul", "y:0");
  graph_.saver_def.mut().restore_op_name = "restore_all";
  EXPECT_FALSE(Load().ok());
}

TEST_F(VersionOneTest, DamagedGraphsAreErrors) {
  graph_.graph_def.mut().node[1].attr.erase("dtype");
  EXPECT_EQ(Load().status().code(), Code::kDataLoss);
  graph_.graph_def = Graph();
  graph_.graph_def.mut().node[2].input = {"w"};
  EXPECT_FALSE(Load().ok());
  graph_.graph_def = Graph();
  graph_.collection_def["variables"].mutable_bytes_list().value = {"\xff"};
  EXPECT_FALSE(Load().ok());
}

TEST(ReferenceVariables, UpdatesComeBeforeWhatTakesTheReferenceFromThem) {
  proto::GraphDef graph = Graph();
  UseResourceVariables(&graph);
  const auto node = [&](const std::string& name) {
    for (const proto::NodeDef& n : graph.node) {
      if (n.name == name) return n;
    }
    return proto::NodeDef();
  };
  EXPECT_EQ(node("v").op, "VarHandleOp");
  EXPECT_EQ(node("v/read").op, "ReadVariableOp");
  EXPECT_EQ(node("bump").op, "AssignAddVariableOp");
  ASSERT_EQ(node("new").input.size(), 1u);
  const proto::NodeDef read = node(node("new").input[0]);
  EXPECT_EQ(read.op, "ReadVariableOp");
  EXPECT_EQ(read.input, (std::vector<std::string>{"v", "^bump"}));
}

}  // namespace
}  // namespace gk
