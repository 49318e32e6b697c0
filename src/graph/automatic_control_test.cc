#include "graph/automatic_control.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "graph/function_for_test.h"

namespace gk {
namespace {


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

// What the host language does may change any variable.
TEST(AutomaticControl, CallsIntoTheHostKeepTheirPlace) {
  Program p;
  const Output v = p.Variable();
  const auto call = [&] {
    return p.Do("PyFunc", {p.value},
                {{"token", std::string("f")}, {"Tout", std::vector{kF}}});
  };
  const Node* read = p.Read(v);
  const Node* first = call();
  const Node* again = p.Read(v);
  const Node* second = call();
  EXPECT_TRUE(Waits(first, read));
  EXPECT_TRUE(Waits(again, first));
  EXPECT_TRUE(Waits(second, first));
  EXPECT_TRUE(Waits(second, again));
  // A print calls nobody, a function that calls does.
  const Node* print = p.Print();
  const Node* last = p.Read(v);
  EXPECT_FALSE(Waits(last, print));
  TestFunction g("g");
  g.Add("PyFunc", {g.Arg(kF, TensorShape{3})},
        {{"token", std::string("f")}, {"Tout", std::vector{kF}}});
  const Node* inner = p.Do("StatefulPartitionedCall", {p.value},
                           {{"Tout", std::vector<DataType>()},
                            {"f", FunctionAttr{"g", g.Finish({})}}});
  const Node* behind = p.Read(v);
  EXPECT_TRUE(Waits(inner, last));
  EXPECT_TRUE(Waits(behind, inner));
}

// Programs with datasets of 0, 1, 2, of each of which a function is called.
struct DatasetProgram : Program {
  static constexpr DataType kL = DataType::kInt64;
  AttrMap Elements() const {
    return {{"output_types", std::vector{kL}},
            {"output_shapes", std::vector{PartialTensorShape(TensorShape())}}};
  }
  Output Range() {
    const auto number = [&](int64_t n) { return Const(Tensor::Scalar(n)); };
    return {Do("RangeDataset", {number(0), number(3), number(1)}, Elements()),
            0};
  }
  // `op`, null or an access to the variable that is captured.
  Output Map(Output dataset, Output v, const char* op) {
    TestFunction g("g");
    const Output x = g.Arg(kL, TensorShape());
    const Output w = g.Arg(DataType::kResource, TensorShape());
    w.node->mutable_output(0).handle_data = {{kF, TensorShape{3}}};
    const Output some = g.Const(*Tensor::Zeros(kF, TensorShape{3}));
    if (op != nullptr) {
      g.Add(op,
            std::string_view(op) == "ReadVariableOp" ? std::vector{w}
                                                     : std::vector{w, some},
            {{"dtype", kF}});
    }
    AttrMap attrs = Elements();
    attrs.Set("f", FunctionAttr{"g", g.Finish({x})});
    return {Do("MapDataset", {dataset, v}, std::move(attrs)), 0};
  }
  Node* Single(Output dataset) {
    return Do("DatasetToSingleElement", {dataset}, Elements());
  }
};

// Whoever iterates over a dataset does what its functions do.
TEST(AutomaticControl, DatasetsAreUsedWhereTheyAreIteratedOver) {
  for (const bool several : {false, true}) {
    DatasetProgram p;
    const Output v = p.Variable(), w = p.Variable();
    Output dataset = p.Map(p.Range(), v, "AssignAddVariableOp");
    if (several) dataset = p.Map(dataset, w, nullptr);
    const Node* before = p.Read(v);
    const Node* other = p.Read(w);
    const Node* uses = p.Single(dataset);
    const Node* after = p.Read(v);
    EXPECT_TRUE(Waits(uses, before));
    EXPECT_TRUE(Waits(after, uses));
    EXPECT_FALSE(Waits(uses, other)) << "another variable";
    EXPECT_FALSE(Waits(p.Read(w), uses));
  }
  DatasetProgram p;  // functions that only read
  const Output v = p.Variable();
  const Output dataset = p.Map(p.Range(), v, "ReadVariableOp");
  const Node* before = p.Read(v);
  const Node* uses = p.Single(dataset);
  EXPECT_FALSE(Waits(uses, before));
  EXPECT_FALSE(Waits(p.Read(v), uses));
  EXPECT_TRUE(Waits(p.Write(v), uses));
}

// An iterator does so in each of its steps.
TEST(AutomaticControl, IteratorsUseWhatTheirDatasetsUse) {
  DatasetProgram p;
  const Output v = p.Variable();
  const Output dataset = p.Map(p.Range(), v, "AssignAddVariableOp");
  const Output iterator{p.Do("AnonymousIteratorV3", {}, p.Elements()), 0};
  const Output other{p.Do("AnonymousIteratorV3", {}, p.Elements()), 0};
  const Node* make = p.Do("MakeIterator", {dataset, iterator});
  p.Do("MakeIterator", {p.Range(), other});
  const Node* before = p.Read(v);
  const Node* next = p.Do("IteratorGetNext", {iterator}, p.Elements());
  const Node* after = p.Read(v);
  EXPECT_TRUE(Waits(next, make));
  EXPECT_TRUE(Waits(next, before));
  EXPECT_TRUE(Waits(after, next));
  const Node* apart = p.Do("IteratorGetNext", {other}, p.Elements());
  EXPECT_FALSE(Waits(p.Read(v), apart)) << "another iterator";
}

}  // namespace
}  // namespace gk
