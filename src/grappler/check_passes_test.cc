#include "grappler/check_passes.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <functional>

#include "base/checks.h"
#include "graph/function_for_test.h"
#include "grappler/inline_calls.h"
#include "grappler/optimize.h"
#include "grappler/prune.h"
#include "grappler/splice.h"

namespace gk {
namespace {

const AttrMap kFloat{{"dtype", DataType::kFloat}};

Output Variable(TestFunction& b) {
  const Output v = b.Arg(DataType::kResource, {});
  v.node->mutable_output(0).handle_data = {
      {DataType::kFloat, PartialTensorShape({3})}};
  return v;
}

Output Print(TestFunction& b, const char* text, std::vector<Node*> control) {
  return b.Add("PrintV2", {b.Const(Tensor::Scalar<std::string>(text))}, {},
               control);
}

// r = read(v); v += x; w += x, which waits for the read; prints; s = read(v).
class CheckPassesTest : public testing::Test {
 protected:
  CheckPassesTest() {
    const Output x = b_.Arg(DataType::kFloat, {3});
    const Output v = Variable(b_), w = Variable(b_);
    const Output read = b_.Add("ReadVariableOp", {v}, kFloat);
    const Output add =
        b_.Add("AssignAddVariableOp", {v, x}, kFloat, {read.node});
    b_.Add("AssignSubVariableOp", {w, x}, kFloat, {read.node});
    const Output first = Print(b_, "first", {add.node});
    Print(b_, "second", {first.node});
    const Output again = b_.Add("ReadVariableOp", {v}, kFloat, {add.node});
    const Output noted = b_.Add("Exp", {x});
    function_ = b_.Finish({b_.Add("Neg", {read}), b_.Add("Sin", {again})},
                          {add.node, noted.node});
  }

  using Wrong = std::function<void(RewriteGraph&)>;
  std::string After(const Wrong& wrong) {
    RewriteGraph f = RewriteGraph::CloneOf(*function_);
    const PassCheck check("wrong", &f);
    wrong(f);
    const Status s = check.Verify(f);
    if (s.ok()) return "OK";
    EXPECT_EQ(s.code(), Code::kInternal);
    EXPECT_NE(s.message().find("Pass wrong broke function f"),
              std::string::npos)
        << s.message();
    return std::string(s.message());
  }
  void ExpectFound(const Wrong& wrong, std::string_view what) {
    const std::string message = After(wrong);
    EXPECT_NE(message.find(what), std::string::npos) << message;
  }

  TestFunction b_;
  Ref<GraphFunction> function_;
};

Node* At(RewriteGraph& f, const char* name) {
  Node* n = f.graph->FindNode(name);
  EXPECT_NE(n, nullptr) << name;
  return n;
}

void Remove(RewriteGraph& f, const Node* node) {
  std::vector<bool> keep(f.graph->num_nodes(), true);
  keep[node->id()] = false;
  f.graph->RemoveNodes(keep);
}

Node* Make(RewriteGraph& f, const char* op, std::vector<Output> inputs,
           AttrMap attrs) {
  const OpRecord* record = ValueOrThrow(OpRegistry::Get().LookUp(op));
  return ValueOrThrow(f.graph->AddNode(*record, op, inputs, std::move(attrs)));
}

TEST_F(CheckPassesTest, LetsGoodPassesBe) {
  EXPECT_EQ(After([](RewriteGraph&) {}), "OK");
  EXPECT_EQ(After([](RewriteGraph& f) {
              bool changed = false;
              ThrowIfError(Prune(&f, &changed));
            }),
            "OK");
  EXPECT_EQ(After([](RewriteGraph& f) {
              ThrowIfError(OptimizeForShapes(&f));
            }),
            "OK");
}

TEST_F(CheckPassesTest, EdgesStayInTheGraph) {
  ExpectFound([](RewriteGraph& f) { Remove(f, f.arguments[0]); },
              "an input is no edge of the graph");
  ExpectFound([](RewriteGraph& f) { Remove(f, At(f, "PrintV2")); },
              "a control input is not in the graph");
  ExpectFound([](RewriteGraph& f) { Remove(f, At(f, "Neg")); },
              "a result is no edge");
  ExpectFound([](RewriteGraph& f) { Remove(f, At(f, "Exp")); },
              "a control output is not in the graph");
  RewriteGraph* other = nullptr;
  RewriteGraph clone = RewriteGraph::CloneOf(*function_);
  other = &clone;
  ExpectFound([&](RewriteGraph& f) { f.arguments[0] = other->arguments[0]; },
              "an argument is not in the graph");
  ExpectFound(
      [](RewriteGraph& f) {
        At(f, "ReadVariableOp")->AddControlInput(At(f, "PrintV2_1"));
      },
      "cycle");
}

TEST_F(CheckPassesTest, ArgumentsStay) {
  ExpectFound([](RewriteGraph& f) { f.arguments.pop_back(); },
              "it takes 2 arguments instead of 3");
  ExpectFound(
      [](RewriteGraph& f) { std::swap(f.arguments[1], f.arguments[2]); },
      "it is argument 1 instead of Placeholder_1");
  ExpectFound(
      [](RewriteGraph& f) {
        f.arguments[0]->mutable_output(0).shape = PartialTensorShape({4});
      },
      "the argument's type or shape changed");
}

TEST_F(CheckPassesTest, ResultsStay) {
  ExpectFound([](RewriteGraph& f) { f.results.pop_back(); },
              "it has 1 results instead of 2");
  ExpectFound(
      [](RewriteGraph& f) {
        f.results[0] = {f.arguments[1], 0};
      },
      "result 0 is resource instead of float");
  ExpectFound(
      [](RewriteGraph& f) {
        f.results[1].node->mutable_output(0).shape = PartialTensorShape({7});
      },
      "result 1 has shape [7] instead of [3]");
}

TEST_F(CheckPassesTest, ControlOutputsStay) {
  ExpectFound([](RewriteGraph& f) { f.control_outputs.pop_back(); },
              "at node Exp: the control output is lost");
  // An op with a side effect runs in any case.
  EXPECT_EQ(After([](RewriteGraph& f) {
              f.control_outputs.erase(f.control_outputs.begin());
            }),
            "OK");
}

TEST_F(CheckPassesTest, WhatMustRunStaysAndRunsOnce) {
  ExpectFound([](RewriteGraph& f) { Remove(f, At(f, "PrintV2_1")); },
              "at node PrintV2_1: it must run and is gone");
  ExpectFound([](RewriteGraph& f) { Remove(f, At(f, "AssignSubVariableOp")); },
              "it must run and is gone");
  ExpectFound(
      [](RewriteGraph& f) {
        Make(f, "AssignAddVariableOp",
             {{f.arguments[1], 0}, {f.arguments[0], 0}}, kFloat);
      },
      "nothing of this effect was there before");
  ExpectFound(
      [](RewriteGraph& f) {
        Make(f, "ReadVariableOp", {{f.arguments[2], 0}}, kFloat);
      },
      "nothing of this effect was there before");
}

TEST_F(CheckPassesTest, NodesDoWhatTheyDid) {
  ExpectFound(
      [](RewriteGraph& f) {
        At(f, "AssignAddVariableOp")
            ->set_op(
                ValueOrThrow(OpRegistry::Get().LookUp("AssignSubVariableOp")));
      },
      "at node AssignAddVariableOp: its op or attributes changed");
  ExpectFound(
      [](RewriteGraph& f) {
        At(f, "PrintV2")->mutable_attrs().Set("end", std::string("!"));
      },
      "its op or attributes changed");
  ExpectFound(
      [](RewriteGraph& f) {
        At(f, "Neg")->mutable_attrs().Set("new", std::string());
      },
      "its op or attributes changed");
  ExpectFound(
      [](RewriteGraph& f) {
        At(f, "AssignAddVariableOp")->set_input(0, {f.arguments[2], 0});
      },
      "input 0 is the resource Placeholder_2:0 instead of Placeholder_1:0");
  ExpectFound(
      [](RewriteGraph& f) {
        At(f, "Neg")->set_input(0, {f.arguments[1], 0});
      },
      "input 0 has another type");
  ExpectFound(
      [](RewriteGraph& f) {
        At(f, "Neg")->add_input({f.arguments[0], 0});
      },
      "it has 2 inputs instead of 1");
}

TEST_F(CheckPassesTest, OrderOfEffectsStays) {
  const auto forgets = [this](const char* node, std::string_view what) {
    ExpectFound([&](RewriteGraph& f) { At(f, node)->ClearControlInputs(); },
                what);
  };
  // A read before a write of the same, and after it.
  forgets("AssignAddVariableOp",
          "AssignAddVariableOp: it does not wait for ReadVariableOp");
  forgets("ReadVariableOp_1",
          "ReadVariableOp_1: it does not wait for AssignAddVariableOp");
  // A print after a write, and after a print.
  forgets("PrintV2", "PrintV2: it does not wait for AssignAddVariableOp");
  forgets("PrintV2_1", "PrintV2_1: it does not wait for ");
  // What the program asked for, although it would not show.
  forgets("AssignSubVariableOp",
          "AssignSubVariableOp: it waited for ReadVariableOp");
}

TEST_F(CheckPassesTest, WhatIsWaitedForStays) {
  TestFunction b("f");
  const Output x = b.Arg(DataType::kFloat, {3});
  const Output v = Variable(b);
  const Output noted = b.Add("Exp", {x});
  b.Add("AssignVariableOp", {v, x}, kFloat, {noted.node});
  function_ = b.Finish({});
  ExpectFound(
      [](RewriteGraph& f) { At(f, "AssignVariableOp")->ClearControlInputs(); },
      "it waited for Exp");
  ExpectFound(
      [](RewriteGraph& f) {
        At(f, "AssignVariableOp")->ClearControlInputs();
        Remove(f, At(f, "Exp"));
      },
      "it waited for Exp");
}

// Order that values carry counts as well: the write follows from the read.
TEST_F(CheckPassesTest, OrderThroughValuesStays) {
  TestFunction b("f");
  const Output v = Variable(b);
  const Output read = b.Add("ReadVariableOp", {v}, kFloat);
  const Output zeros = b.Add("ZerosLike", {read});
  b.Add("AssignVariableOp", {v, zeros}, kFloat);
  function_ = b.Finish({b.Add("Neg", {read})});
  ExpectFound(
      [](RewriteGraph& f) {
        const Tensor value =
            ValueOrThrow(Tensor::Zeros(DataType::kFloat, TensorShape({3})));
        Node* zeros =
            ValueOrThrow(AddConst(f.graph.get(), value, *At(f, "ZerosLike")));
        At(f, "AssignVariableOp")->set_input(1, {zeros, 0});
      },
      "AssignVariableOp: it does not wait for ReadVariableOp");
}

TEST_F(CheckPassesTest, ResourcesReachResults) {
  TestFunction b("f");
  const Output v = Variable(b), w = Variable(b);
  function_ = b.Finish({b.Add("Identity", {v}), w});
  EXPECT_EQ(After([](RewriteGraph& f) {
              f.results[0] = {f.arguments[0], 0};
            }),
            "OK");
  ExpectFound(
      [](RewriteGraph& f) {
        f.results[1] = {f.arguments[0], 0};
      },
      "result 1 is the resource Placeholder:0 instead of "
      "Placeholder_1:0");
}

// f(v, x): n = g(v, x), which reads v, adds x and prints; w = n; reads v.
class CheckSplicesTest : public CheckPassesTest {
 protected:
  CheckSplicesTest() {
    TestFunction g("g");
    const Output gv = Variable(g);
    const Output gx = g.Arg(DataType::kFloat, {3});
    const Output read = g.Add("ReadVariableOp", {gv}, kFloat);
    g.Add("AssignAddVariableOp", {gv, gx}, kFloat, {read.node});
    callee_ = g.Finish({g.Add("Neg", {read}), gx});
    TestFunction b("f");
    const Output v = Variable(b), w = Variable(b);
    b.Arg(DataType::kFloat, {3});
    const Output old = b.Add("ReadVariableOp", {v}, kFloat);
    const std::vector<DataType> out{DataType::kFloat, DataType::kFloat};
    const Output call =
        b.Add("StatefulPartitionedCall", {v, old},
              {{"Tout", out}, {"f", FunctionAttr{"g", callee_}}}, {old.node});
    const Output assign =
        b.Add("AssignVariableOp", {w, {call.node, 1}}, kFloat, {call.node});
    const Output last = b.Add("ReadVariableOp", {v}, kFloat, {call.node});
    function_ = b.Finish({call, last}, {assign.node, call.node});
  }

  static void Inline(RewriteGraph& f) {
    ThrowIfError(InlineCalls(nullptr, &f));
  }
  const ChecksScope checks_{true};
  Ref<GraphFunction> callee_;
};

TEST_F(CheckSplicesTest, InliningKeepsEffects) {
  EXPECT_EQ(After(Inline), "OK");
}

TEST_F(CheckSplicesTest, OrderAcrossCallsStays) {
  const auto forgets = [this](const char* node, std::string_view what) {
    ExpectFound(
        [&](RewriteGraph& f) {
          Inline(f);
          At(f, node)->ClearControlInputs();
        },
        what);
  };
  forgets("ReadVariableOp_1",
          "ReadVariableOp_1: it does not wait for "
          "StatefulPartitionedCall/AssignAddVariableOp");
  forgets("StatefulPartitionedCall/AssignAddVariableOp",
          "it does not wait for StatefulPartitionedCall/ReadVariableOp");
  // Unrelated, yet the program asked for it.
  forgets("AssignVariableOp",
          "AssignVariableOp: it waited for "
          "StatefulPartitionedCall/");
}

TEST_F(CheckSplicesTest, ReadsInCallsComeBeforeLaterWrites) {
  TestFunction g("g");
  const Output gv = Variable(g);
  const auto reads = g.Finish({g.Add("ReadVariableOp", {gv}, kFloat)});
  TestFunction b("f");
  const Output v = Variable(b);
  const Output x = b.Arg(DataType::kFloat, {3});
  const std::vector<DataType> out{DataType::kFloat};
  const Output call = b.Add("StatefulPartitionedCall", {v},
                            {{"Tout", out}, {"f", FunctionAttr{"g", reads}}});
  b.Add("AssignAddVariableOp", {v, x}, kFloat, {call.node});
  function_ = b.Finish({call});
  EXPECT_EQ(After(Inline), "OK");
  ExpectFound(
      [](RewriteGraph& f) {
        Inline(f);
        At(f, "AssignAddVariableOp")->ClearControlInputs();
      },
      "AssignAddVariableOp: it does not wait for "
      "StatefulPartitionedCall/ReadVariableOp");
}

TEST_F(CheckSplicesTest, BodiesAreTheCallees) {
  const auto with = [this](const std::function<void(SplicedNode&)>& change) {
    return [&](RewriteGraph& f) {
      Inline(f);
      ASSERT_EQ(f.spliced.size(), 1u);
      change(f.spliced[0]);
    };
  };
  TestFunction h("h");
  const Output hv = Variable(h);
  const Output hx = h.Arg(DataType::kFloat, {3});
  const auto other = h.Finish({h.Add("ReadVariableOp", {hv}, kFloat), hx});
  ExpectFound(with([&](SplicedNode& s) { s.body = other.get(); }),
              "it does not call what took its place");
  ExpectFound(with([](SplicedNode& s) { s.node = "no"; }),
              "it does not call what took its place");
  ExpectFound(with([](SplicedNode& s) { s.copies.pop_back(); }),
              "the record of its body does not fit");
  ExpectFound(
      [](RewriteGraph& f) {
        Inline(f);
        At(f, "StatefulPartitionedCall/Neg")
            ->set_op(ValueOrThrow(OpRegistry::Get().LookUp("Exp")));
      },
      "it is no copy of Neg of function g");
  ExpectFound([](RewriteGraph& f) { f.spliced.push_back({"ReadVariableOp"}); },
              "it was spliced and is still there");
  ExpectFound(
      [](RewriteGraph& f) {
        Inline(f);
        At(f, "StatefulPartitionedCall/ReadVariableOp")
            ->set_input(0, {f.arguments[1], 0});
      },
      "is the resource Placeholder_1:0 instead of Placeholder:0");
  ExpectFound(
      [](RewriteGraph& f) {
        Inline(f);
        Remove(f, At(f, "StatefulPartitionedCall/AssignAddVariableOp"));
      },
      "a control input is not in the graph");
}

TEST_F(CheckSplicesTest, ChecksAreRunByOptimize) {
  EXPECT_TRUE(ChecksOn());
  EXPECT_TRUE(Optimize(*function_).ok());
  RewriteGraph f = ValueOrThrow(Optimize(*function_));
  f.arguments[2]->mutable_output(0).shape = PartialTensorShape({3});
  EXPECT_TRUE(OptimizeForShapes(&f).ok());
}

TEST_F(CheckPassesTest, EdgesAreOfOutputsThatThereAre) {
  ExpectFound(
      [](RewriteGraph& f) {
        At(f, "Neg")->set_input(0, {f.arguments[0], 1});
      },
      "at node Neg: an input is no edge of the graph");
  ExpectFound([](RewriteGraph& f) { f.results[0].index = 1; },
              "a result is no edge of the graph");
}

TEST_F(CheckPassesTest, ArgumentsKeepTheirTypes) {
  ExpectFound(
      [](RewriteGraph& f) {
        f.arguments[0]->mutable_output(0).dtype = DataType::kDouble;
      },
      "the argument's type or shape changed");
}

// Of the same number, one with another name.
TEST_F(CheckPassesTest, NodesKeepTheirAttributes) {
  ExpectFound(
      [](RewriteGraph& f) {
        Node* write = At(f, "AssignAddVariableOp");
        const DataType dtype = write->attr<DataType>("dtype");
        write->mutable_attrs().Remove("dtype");
        write->mutable_attrs().Set("type", dtype);
      },
      "its op or attributes changed");
}

// A name is no function.
TEST_F(CheckPassesTest, CallsKeepTheirFunctions) {
  const auto writes = [](float value) {
    TestFunction g("g");
    const Output v = Variable(g);
    const Output x = g.Const(
        Tensor::OfValues<float>(std::vector<float>(3, value), TensorShape{3}));
    g.Add("AssignVariableOp", {v, x}, kFloat);
    return FunctionAttr{"g", g.Finish({})};
  };
  const FunctionAttr g = writes(1), h = writes(2);
  TestFunction b("f");
  const Output v = Variable(b), which = b.Arg(DataType::kInt32, {});
  const Output call = b.Add("StatefulPartitionedCall", {v},
                            {{"Tout", std::vector<DataType>{}}, {"f", g}});
  b.Add("Case", {which, v},
        {{"Tout", std::vector<DataType>{}}, {"branches", std::vector{g, h}}},
        {call.node});
  function_ = b.Finish({});
  EXPECT_EQ(After([&](RewriteGraph& f) {
              At(f, "Case")->mutable_attrs().Set("branches", std::vector{g, h});
            }),
            "OK");
  ExpectFound(
      [&](RewriteGraph& f) {
        At(f, "StatefulPartitionedCall")->mutable_attrs().Set("f", h);
      },
      "StatefulPartitionedCall: its op or attributes changed");
  ExpectFound(
      [&](RewriteGraph& f) {
        At(f, "Case")->mutable_attrs().Set("branches", std::vector{h, g});
      },
      "Case: its op or attributes changed");
}

TEST_F(CheckSplicesTest, OneRecordForEachNode) {
  ExpectFound(
      [](RewriteGraph& f) {
        Inline(f);
        f.spliced.push_back(f.spliced[0]);
      },
      "it spliced a node that was not there");
}

// A choice between functions that print; which of them is known, or not.
class CheckBranchesTest : public CheckPassesTest {
 protected:
  static FunctionAttr Branch(const char* text) {
    TestFunction g(text);
    const Output x = g.Arg(DataType::kFloat, {3});
    Print(g, text, {});
    return {text, g.Finish({g.Add("Neg", {x})})};
  }
  // What the check says if `body` is put in the place of the node.
  std::string Splicing(const FunctionAttr& body, int first_input = 1) {
    const auto& g = *body.definition;
    return After([&](RewriteGraph& f) {
      SplicedNode s{choice_, &g, first_input, {}};
      s.copies.resize(g.graph().num_nodes());
      f.spliced.push_back(s);
    });
  }
  void Choose(const char* op, Output condition, AttrMap attrs) {
    const Output x = b_.Arg(DataType::kFloat, {3});
    attrs.Set("Tout", std::vector<DataType>{DataType::kFloat});
    const Output y = b_.Add(op, {condition, x}, std::move(attrs));
    choice_ = y.node->name();
    function_ = b_.Finish({y});
  }
  void ExpectMay(bool may, const FunctionAttr& body, int first_input = 1) {
    const std::string message = Splicing(body, first_input);
    EXPECT_EQ(message.find("it does not call what took its place") ==
                  std::string::npos,
              may)
        << message;
  }
  const ChecksScope checks_{true};
  const FunctionAttr yes_ = Branch("yes"), no_ = Branch("no"),
                     other_ = Branch("other");
  std::string choice_;
};

TEST_F(CheckBranchesTest, OfKnownConditions) {
  Choose("If", b_.Const(Tensor::Scalar(true)),
         {{"then_branch", yes_}, {"else_branch", no_}});
  ExpectMay(true, yes_);
  ExpectMay(false, no_);
  ExpectMay(false, other_);
  ExpectMay(false, yes_, 0);
}

TEST_F(CheckBranchesTest, OfKnownNumbers) {
  for (int32_t i : {-1, 0, 1, 7}) {
    b_ = TestFunction("f");
    Choose("Case", b_.Const(Tensor::Scalar(i)),
           {{"branches", std::vector{yes_, no_}}});
    ExpectMay(i == 0, yes_);
    ExpectMay(i != 0, no_);
    ExpectMay(false, other_);
  }
}

// It may be known where the body is put.
TEST_F(CheckBranchesTest, OfUnknownConditions) {
  Choose("If", b_.Arg(DataType::kBool, {}),
         {{"then_branch", yes_}, {"else_branch", no_}});
  ExpectMay(true, yes_);
  ExpectMay(true, no_);
  ExpectMay(false, other_);
  b_ = TestFunction("f");
  Choose("Case", b_.Arg(DataType::kInt32, {}),
         {{"branches", std::vector{yes_, no_}}});
  ExpectMay(true, no_);
  ExpectMay(false, other_);
  ExpectMay(false, no_, 0);
}

}  // namespace
}  // namespace gk
