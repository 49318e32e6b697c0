#include "runtime/error_origin.h"

#include <gtest/gtest.h>

#include <thread>

#include "graph/function_for_test.h"
#include "runtime/executor.h"

namespace gk {
namespace {


// The node under another name, as passes and imported graphs give them.
std::string Noted(const std::string& name) {
  TestFunction b;
  const Output x = b.Arg(kI, TensorShape());
  const OpRecord* neg = ValueOrThrow(OpRegistry::Get().LookUp("Neg"));
  const Node* node =
      ValueOrThrow(b.graph().AddNode(*neg, name, std::vector{x}, {{"T", kI}}));
  const Status s = AtNode(InvalidArgument("wrong"), *node, "f");
  EXPECT_EQ(LastErrorOrigin().op, "Neg");
  EXPECT_EQ(LastErrorOrigin().function, "f");
  EXPECT_EQ(s.message(),
            "wrong\n\t [[{{node " + LastErrorOrigin().node + "}}]]");
  return LastErrorOrigin().node;
}

TEST(ErrorOrigin, NodesHaveTheirNamesInTheirFunction) {
  InitRuntime();
  EXPECT_EQ(Noted("Gather"), "Gather");
  EXPECT_EQ(Noted("PartitionedCall/Gather"), "Gather");
  EXPECT_EQ(Noted("PartitionedCall_12/Gather"), "Gather");
  EXPECT_EQ(Noted("scope/StatefulPartitionedCall_1/inner/Gather"),
            "inner/Gather");
  EXPECT_EQ(Noted("StatefulPartitionedCall/PartitionedCall_3/Gather"),
            "Gather");
  // Scopes of the user's, which only look alike.
  EXPECT_EQ(Noted("scope/Gather"), "scope/Gather");
  EXPECT_EQ(Noted("scope_1/Gather"), "scope_1/Gather");
  EXPECT_EQ(Noted("12/Gather"), "12/Gather");
  EXPECT_EQ(Noted("PartitionedCall1/Gather"), "PartitionedCall1/Gather");
  EXPECT_EQ(Noted("PartitionedCall_/Gather"), "PartitionedCall_/Gather");
  EXPECT_EQ(Noted("PartitionedCall_1"), "PartitionedCall_1");
}

// 1 / x, called by a function that is called: both are inlined.
TEST(ErrorOrigin, OfWhatFailedInACall) {
  InitRuntime();
  TestFunction inner("inner");
  const Output x = inner.Arg(kI, TensorShape());
  const Output one = inner.Const(Tensor::Scalar<int32_t>(1));
  const FunctionAttr g{"inner",
                       inner.Finish({inner.Add("FloorDiv", {one, x})})};
  TestFunction outer("outer");
  const Output y = outer.Arg(kI, TensorShape());
  const FunctionAttr h{
      "outer",
      outer.Finish({outer.Add("PartitionedCall", {y},
                              {{"Tout", std::vector{kI}}, {"f", g}})})};
  TestFunction b("main");
  const Output z = b.Arg(kI, TensorShape());
  const auto f = b.Finish(
      {b.Add("PartitionedCall", {z}, {{"Tout", std::vector{kI}}, {"f", h}})});
  const Tensor zero = Tensor::Scalar<int32_t>(0);
  TensorVector out;
  const Status s = RunFunction(*f, {&zero, 1}, &out);
  EXPECT_EQ(s.code(), Code::kInvalidArgument);
  EXPECT_NE(s.message().find("Integer division by zero"), std::string::npos);
  EXPECT_NE(s.message().find("[[{{node FloorDiv}}]]"), std::string::npos)
      << s.message();
  EXPECT_EQ(LastErrorOrigin().node, "FloorDiv");
  EXPECT_EQ(LastErrorOrigin().op, "FloorDiv");
  // Another thread knows nothing of it; nor does this one any more.
  std::thread([] { EXPECT_EQ(LastErrorOrigin().node, ""); }).join();
  ClearErrorOrigin();
  EXPECT_EQ(LastErrorOrigin().node, "");
}

TEST(ErrorOrigin, CallsPassOnWhereTheyFailed) {
  InitRuntime();
  TestFunction callee("callee");
  const Output a = callee.Arg(kI, TensorShape());
  const FunctionAttr g{"callee", callee.Finish({callee.Add("Neg", {a})})};
  TestFunction b;
  const Output x = b.Arg(kI, TensorShape());
  const Node& call =
      *b.Add("PartitionedCall", {x}, {{"Tout", std::vector{kI}}, {"f", g}})
           .node;
  const Node& neg = *b.Add("Neg", {x}).node;
  const Status inner = AtNode(InvalidArgument("wrong"), neg, "callee");
  EXPECT_EQ(AtNode(inner, call, "f").message(), inner.message());
  EXPECT_EQ(LastErrorOrigin().node, "Neg");
  EXPECT_EQ(LastErrorOrigin().function, "callee");
  // A call that failed itself is where it failed.
  ClearErrorOrigin();
  EXPECT_NE(AtNode(InvalidArgument("wrong"), call, "f")
                .message()
                .find("{{node PartitionedCall}}"),
            std::string::npos);
  EXPECT_EQ(LastErrorOrigin().function, "f");
}

// What the host language raised keeps its text.
TEST(ErrorOrigin, ExceptionsOfTheHostKeepTheirText) {
  InitRuntime();
  TestFunction b;
  const Node& neg = *b.Add("Neg", {b.Arg(kI, TensorShape())}).node;
  const Status s = AtNode(Status(Code::kPythonException, "raised"), neg, "f");
  EXPECT_EQ(s.message(), "raised");
  EXPECT_EQ(s.code(), Code::kPythonException);
  EXPECT_EQ(LastErrorOrigin().node, "Neg");
}

}  // namespace
}  // namespace gk
