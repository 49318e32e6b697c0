#include "saved_model/op_namespaces.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace gk {
namespace {

proto::GraphDef GraphOf(const std::string& op, const std::string& in_function) {
  proto::GraphDef graph;
  graph.node.emplace_back().op = op;
  graph.library.mut().function.emplace_back().node_def.emplace_back().op =
      in_function;
  return graph;
}

TEST(OpNamespacesTest, OwnOpsAreInNone) {
  EXPECT_TRUE(CheckOpNamespaces(GraphOf("Add", "Neg"), {}).ok());
  EXPECT_TRUE(CheckOpNamespaces(proto::GraphDef(), {}).ok());
}

TEST(OpNamespacesTest, OthersAreNamedOnceEach) {
  const std::vector<std::string> allowed = {"Mine"};
  EXPECT_TRUE(CheckOpNamespaces(GraphOf("Mine>A", "Mine>>B"), allowed).ok());
  const Status status =
      CheckOpNamespaces(GraphOf("Yours>A", "Mine>B"), allowed);
  EXPECT_EQ(status.code(), Code::kValueError);
  EXPECT_NE(status.message().find("['Yours>A']"), std::string::npos);
  EXPECT_NE(status.message().find("{'Yours'}"), std::string::npos);
  EXPECT_EQ(status.message().find("Mine>B"), std::string::npos);
}

TEST(OpNamespacesTest, FunctionsAreLookedThrough) {
  const Status status = CheckOpNamespaces(GraphOf("Add", "Theirs>B"), {});
  EXPECT_NE(status.message().find("'Theirs>B'"), std::string::npos);
}

}  // namespace
}  // namespace gk
