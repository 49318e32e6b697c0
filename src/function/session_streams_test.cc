#include "function/session_streams.h"

#include <gtest/gtest.h>

#include "framework/op_registry.h"
#include "runtime/shared_state_attr.h"

namespace gk {
namespace {

proto::NodeDef Call(const std::string& name, const std::string& function) {
  proto::NodeDef node;
  node.name = name;
  node.op = "StatefulPartitionedCall";
  node.attr["f"].mutable_func().name = function;
  return node;
}

proto::FunctionDef Function(const std::string& name,
                            std::vector<proto::NodeDef> nodes) {
  proto::FunctionDef made;
  made.signature.mut().name = name;
  made.node_def = std::move(nodes);
  return made;
}

proto::NodeDef Random() {
  proto::NodeDef node;
  node.name = "draw";
  node.op = "RandomUniform";
  return node;
}

TEST(SessionStreams, EachCallHasOneOfItsOwn) {
  proto::GraphDef graph;
  graph.node = {Call("a", "f"), Call("b", "f"), Call("c", "plain")};
  graph.library.mut().function = {Function("f", {Random()}),
                                  Function("plain", {})};
  RegisterAllOps();
  NameStreams("session", &graph);
  const auto& functions = graph.library->function;
  ASSERT_EQ(functions.size(), 4);
  EXPECT_EQ(graph.node[0].attr.at("f").func->name,
            functions[2].signature->name);
  EXPECT_EQ(functions[2].node_def[0].attr.at(kSharedStateAttr).s,
            "session/a/f/draw");
  EXPECT_EQ(functions[3].node_def[0].attr.at(kSharedStateAttr).s,
            "session/b/f/draw");
  EXPECT_EQ(graph.node[2].attr.at("f").func->name, "plain");
}

TEST(SessionStreams, FunctionsThatCallThemselvesEnd) {
  proto::GraphDef graph;
  graph.node = {Call("a", "f")};
  graph.library.mut().function = {
      Function("f", {Random(), Call("again", "f"), Call("other", "g")}),
      Function("g", {Call("back", "f")})};
  RegisterAllOps();
  NameStreams("session", &graph);
  EXPECT_EQ(graph.library->function.size(), 4);
}

TEST(SessionStreams, ManyPlacesShareTheRest) {
  proto::GraphDef graph;
  graph.node = {Call("a", "f30")};
  auto& functions = graph.library.mut().function;
  functions.push_back(Function("f0", {Random()}));
  for (int i = 1; i <= 30; ++i) {
    const std::string inner = "f" + std::to_string(i - 1);
    functions.push_back(Function("f" + std::to_string(i),
                                 {Call("x", inner), Call("y", inner)}));
  }
  RegisterAllOps();
  NameStreams("session", &graph);
  EXPECT_GT(graph.library->function.size(), 10000);
  EXPECT_LE(graph.library->function.size(), 10100);
}

}  // namespace
}  // namespace gk
