#include "graph/automatic_control.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "graph/function_for_test.h"

namespace gk {
namespace {

constexpr DataType kF = DataType::kFloat;

// A program: what it says first is made first.
struct Program : TestFunction {
  Output Variable() {
    const Output v = Arg(DataType::kResource, TensorShape());
    v.node->mutable_output(0).handle_data = {{kF, TensorShape{3}}};
    return v;
  }
  Node* Do(std::string_view op, std::vector<Output> inputs,
           AttrMap attrs = {}) {
    Node* node = TestFunction::Add(op, std::move(inputs), attrs).node;
    control.Add(node);
    return node;
  }
  Node* Read(Output v) { return Do("ReadVariableOp", {v}, {{"dtype", kF}}); }
  Node* Write(Output v) { return Do("AssignAddVariableOp", {v, value}); }
  Node* Print() {
    return Do("PrintV2", {Const(Tensor::Scalar<std::string>("text"))});
  }

  AutomaticControl control;
  const Output value = Arg(kF, TensorShape{3});
};

// Whether `late` comes after `early`.
bool Waits(const Node* late, const Node* early) {
  if (late == early) return true;
  const auto& before = late->control_inputs();
  return std::any_of(before.begin(), before.end(),
                     [&](const Node* n) { return Waits(n, early); });
}

TEST(AutomaticControl, ReadsAndWritesOfOneResource) {
  Program p;
  const Output v = p.Variable(), w = p.Variable();
  const Node* first = p.Read(v);
  const Node* second = p.Read(v);
  const Node* write = p.Write(v);
  const Node* again = p.Read(v);
  const Node* last = p.Write(v);
  const Node* other = p.Write(w);
  EXPECT_FALSE(Waits(second, first));
  EXPECT_TRUE(Waits(write, first));
  EXPECT_TRUE(Waits(write, second));
  EXPECT_TRUE(Waits(again, write));
  EXPECT_TRUE(Waits(last, again));
  EXPECT_TRUE(Waits(last, write));
  EXPECT_FALSE(Waits(other, last)) << "another variable";
  EXPECT_EQ(p.control.must_run().size(), 3u);
}

TEST(AutomaticControl, PrintsKeepTheirOrderAndThatOfWrites) {
  Program p;
  const Output v = p.Variable(), w = p.Variable();
  const Node* first = p.Print();
  const Node* read = p.Read(v);
  const Node* second = p.Print();
  const Node* write = p.Write(v);
  const Node* other = p.Write(w);
  const Node* last = p.Print();
  EXPECT_TRUE(Waits(second, first));
  EXPECT_FALSE(Waits(second, read)) << "a read shows in no print";
  EXPECT_TRUE(Waits(write, second));
  EXPECT_TRUE(Waits(other, second));
  EXPECT_FALSE(Waits(other, write));
  EXPECT_TRUE(Waits(last, write));
  EXPECT_TRUE(Waits(last, other));
}

// A caller may give a variable that the function has captured.
TEST(AutomaticControl, ArgumentsMayBeWhatWasCaptured) {
  Program p;
  const Output captured = p.Variable(), other = p.Variable(),
               argument = p.Variable();
  p.control.AddArgument(argument.node);
  const Node* read = p.Read(captured);
  const Node* write = p.Write(argument);
  const Node* again = p.Read(captured);
  const Node* apart = p.Write(other);
  const Node* last = p.Read(argument);
  EXPECT_TRUE(Waits(write, read));
  EXPECT_TRUE(Waits(again, write));
  EXPECT_TRUE(Waits(apart, write));
  EXPECT_TRUE(Waits(last, apart));
  EXPECT_FALSE(Waits(apart, again)) << "two that were captured";
}

}  // namespace
}  // namespace gk
