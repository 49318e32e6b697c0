#include "runtime/variable_update.h"

#include "runtime/variable_update_for_test.h"

namespace gk::variable_update {
namespace {

TEST(VariableUpdate, OptimizerStepIsOneInstructionInPlace) {
  Program b;
  const Output p = b.Variable(), m = b.Variable();
  const Output g = b.Arg(DataType::kFloat, TensorShape{kSize});
  const Output old = b.Read(m);
  const Output next = b.Add("AddV2", {b.Add("Mul", {old, b.Number(0.9f)}),
                                      b.Add("Mul", {g, b.Number(0.1f)})});
  Node* write = b.Write("AssignVariableOp", m, next, {old.node});
  const Output again = b.Read(m, {write});
  Node* step = b.Write(
      "AssignSubVariableOp", p,
      b.Add("Mul", {again, b.Add("Sqrt", {b.Add("Abs", {again})})}));
  const auto f = b.Finish({}, {write, step});
  ExpectSame(*f, {Ramp(1), Ramp(2)}, {Ramp(-3)},
             "AssignVariableOp %1 in place");

  // The memory stays the variables' own.
  const Tensor hp = NewVariable(Ramp(1)), hm = NewVariable(Ramp(2));
  const void* place = ValueOrThrow(Of(hp)->Read()).raw_data();
  const void* other = ValueOrThrow(Of(hm)->Read()).raw_data();
  TensorVector out;
  ASSERT_TRUE(RunFunction(*f, TensorVector{hp, hm, Ramp(3)}, &out).ok());
  EXPECT_EQ(ValueOrThrow(Of(hp)->Read()).raw_data(), place);
  EXPECT_EQ(ValueOrThrow(Of(hm)->Read()).raw_data(), other);
  // Unless somebody else looks at it.
  const Tensor held = ValueOrThrow(Of(hp)->Read());
  const std::vector<float> before = FloatsOf(held);
  ASSERT_TRUE(RunFunction(*f, TensorVector{hp, hm, Ramp(3)}, &out).ok());
  EXPECT_EQ(FloatsOf(held), before);
  EXPECT_NE(FloatsOf(ValueOrThrow(Of(hp)->Read())), before);
}

TEST(VariableUpdate, OldValueReadWithinAndAfterTheCluster) {
  Program b;
  const Output v = b.Variable(), w = b.Variable();
  const Output old = b.Read(v);
  const Output twice = b.Add("AddV2", {old, old});
  Node* write = b.Write("AssignVariableOp", v, twice, {old.node});
  // Reads the old value after the new one was computed.
  const Output mixed = b.Add("Sub", {b.Add("Neg", {twice}), old});
  Node* other = b.Write("AssignAddVariableOp", w, mixed);
  const auto f = b.Finish({old}, {write, other});
  ExpectSame(*f, {Ramp(1), Ramp(2)}, {}, "AssignVariableOp %0");
}

TEST(VariableUpdate, DecayReadsTheVariableThatItChanges) {
  Program b;
  const Output v = b.Variable();
  const Output old = b.Read(v);
  Node* write = b.Write("AssignSubVariableOp", v,
                        b.Add("Mul", {old, b.Number(0.01f)}), {old.node});
  const auto f = b.Finish({}, {write});
  ExpectSame(*f, {Ramp(1)}, {}, "AssignSubVariableOp %0 in place");
}

TEST(VariableUpdate, ChainsOfWritesAndReadsThatLeave) {
  Program b;
  const Output v = b.Variable(), w = b.Variable(), u = b.Variable();
  const Output x = b.Arg(DataType::kFloat, TensorShape{kSize});
  Node* first =
      b.Write("AssignVariableOp", v, b.Add("Mul", {x, b.Number(3)}));
  Node* second = b.Write("AssignSubVariableOp", v, x, {first});
  const Output middle = b.Read(v, {second});
  Node* third = b.Write("AssignAddVariableOp", v, b.Add("Neg", {middle}),
                        {middle.node});
  const Output last = b.Read(v, {third});
  Node* copy = b.Write("AssignVariableOp", w, b.Add("Square", {middle}));
  // One value for two variables, and a value that is a result as well.
  const Output both = b.Add("Exp", {last});
  Node* one = b.Write("AssignVariableOp", w, both, {copy});
  Node* two = b.Write("AssignVariableOp", u, both);
  const auto f = b.Finish({middle, last}, {third, one, two});
  ExpectSame(*f, {Ramp(1), Ramp(2), Ramp(3)}, {Ramp(4)}, "AssignVariableOp_2");
  const auto g = b.Finish({middle, both}, {third, one, two});
  ExpectSame(*g, {Ramp(1), Ramp(2), Ramp(3)}, {Ramp(4)}, "AssignVariableOp_2");
}

TEST(VariableUpdate, AssignedArgumentsAreShared) {
  Program b;
  const Output v = b.Variable(), w = b.Variable();
  const Output x = b.Arg(DataType::kFloat, TensorShape{kSize});
  Node* first = b.Write("AssignVariableOp", v, x);
  const Output read = b.Read(v, {first});
  Node* second = b.Write("AssignAddVariableOp", w, b.Add("Neg", {read}));
  const auto f = b.Finish({read}, {first, second});
  ExpectSame(*f, {Ramp(1), Ramp(2)}, {Ramp(4)}, "AssignAddVariableOp");
}

// The old value goes into another variable, while its own is written.
TEST(VariableUpdate, OldValuesMoveToOtherVariables) {
  Program b;
  const Output v = b.Variable(), w = b.Variable();
  const Output old = b.Read(v);
  const Output twice = b.Add("AddV2", {old, old});
  Node* write = b.Write("AssignVariableOp", v, twice, {old.node});
  Node* other = b.Write("AssignVariableOp", w, old);
  const auto f = b.Finish({}, {write, other});
  ExpectSame(*f, {Ramp(1), Ramp(2)}, {}, "AssignVariableOp_1 %1");
  const auto g = b.Finish({b.Add("Neg", {old})}, {write, other});
  ExpectSame(*g, {Ramp(1), Ramp(2)}, {}, "AssignVariableOp_1 %1");
}

TEST(VariableUpdate, OneVariableUnderTwoArguments) {
  Program b;
  const Output v = b.Variable(), w = b.Variable();
  const Output x = b.Arg(DataType::kFloat, TensorShape{kSize});
  Node* first = b.Write("AssignAddVariableOp", v, b.Add("Neg", {x}));
  Node* second = b.Write("AssignAddVariableOp", w, b.Add("Neg", {x}), {first});
  const auto f = b.Finish({}, {first, second});
  const Tensor handle = NewVariable(Ramp(1));
  TensorVector out;
  ASSERT_TRUE(
      RunFunction(*f, TensorVector{handle, handle, Ramp(5)}, &out).ok());
  const std::vector<float> got = FloatsOf(ValueOrThrow(Of(handle)->Read()));
  const std::vector<float> start = FloatsOf(Ramp(1)), x5 = FloatsOf(Ramp(5));
  for (int64_t i = 0; i < kSize; ++i) {
    ASSERT_EQ(got[i], start[i] - x5[i] - x5[i]);
  }
}

TEST(VariableUpdate, FailureLeavesEveryVariableAsItWas) {
  Program b;
  const Output v = b.Variable(DataType::kInt32),
               w = b.Variable(DataType::kInt32);
  const Output x = b.Arg(DataType::kInt32, TensorShape{kSize});
  const Output old = b.Read(v, {}, DataType::kInt32);
  Node* first = b.Write("AssignVariableOp", v, b.Add("Neg", {old}), {old.node});
  const Output negative = b.Read(v, {first}, DataType::kInt32);
  Node* second =
      b.Write("AssignSubVariableOp", w, b.Add("FloorDiv", {negative, x}));
  const auto f = b.Finish({}, {first, second});
  const Tensor sevens = Tensor::OfValues<int32_t>(
      std::vector<int32_t>(kSize, 7), TensorShape{kSize});
  const Tensor hv = NewVariable(sevens), hw = NewVariable(sevens);
  std::vector<int32_t> divisors(kSize, 2);
  divisors[kSize - 1] = 0;
  InitRuntime();
  TensorVector out;
  const Status s = RunFunction(
      *f, TensorVector{hv, hw, Tensor::OfValues<int32_t>(divisors, {kSize})},
      &out);
  EXPECT_EQ(s.code(), Code::kInvalidArgument);
  EXPECT_NE(s.message().find("[[{{node FloorDiv}}]]"), std::string::npos);
  for (const Tensor& h : {hv, hw}) {
    const Tensor value = ValueOrThrow(Of(h)->Read());
    for (int64_t i = 0; i < kSize; ++i) {
      ASSERT_EQ(value.data<int32_t>()[i], 7);
    }
  }
  Of(hw)->Clear();
  divisors[kSize - 1] = 1;
  const Status none = RunFunction(
      *f, TensorVector{hv, hw, Tensor::OfValues<int32_t>(divisors, {kSize})},
      &out);
  EXPECT_EQ(none.code(), Code::kFailedPrecondition);
  EXPECT_FALSE(Of(hw)->IsInitialized());
  EXPECT_EQ(ValueOrThrow(Of(hv)->Read()).data<int32_t>()[0], 7);
}

// The same below a branch and in a loop, which have plans of their own.
TEST(VariableUpdate, OneVariableUnderTwoArgumentsOfABody) {
  const auto twice = [](Program& b, Output v, Output w, Output x) {
    Node* first = b.Write("AssignAddVariableOp", v, b.Add("Neg", {x}));
    return b.Write("AssignAddVariableOp", w, b.Add("Neg", {x}), {first});
  };
  const TensorVector values{Ramp(1), Ramp(5)};
  const auto expect = [&](const GraphFunction& f, TensorVector in, int times) {
    const Tensor handle = NewVariable(values[0]);
    in.insert(in.end(), {handle, handle, values[1]});
    TensorVector out;
    InitRuntime();
    const Status s = RunFunction(f, in, &out);
    ASSERT_TRUE(s.ok()) << s.ToString();
    std::vector<float> want = FloatsOf(values[0]);
    for (int64_t i = 0; i < kSize; ++i) {
      for (int k = 0; k < times; ++k) want[i] -= values[1].data<float>()[i];
    }
    EXPECT_EQ(FloatsOf(ValueOrThrow(Of(handle)->Read())), want);
  };
  {
    Program g, b;
    const Output gv = g.Variable(), gw = g.Variable();
    Node* last = twice(g, gv, gw, g.Arg(DataType::kFloat, {kSize}));
    const FunctionAttr branch{"twice", g.Finish({}, {last})};
    const Output c = b.Arg(DataType::kBool, TensorShape());
    const Output v = b.Variable(), w = b.Variable();
    const Output x = b.Arg(DataType::kFloat, {kSize});
    Node* choice = b.Add("If", {c, v, w, x},
                         {{"Tout", std::vector<DataType>{}},
                          {"then_branch", branch},
                          {"else_branch", branch}})
                       .node;
    expect(*b.Finish({}, {choice}), {Tensor::Scalar(true)}, 2);
  }
  Program test, step, b;
  const auto arguments = [](Program& p) {
    const Output i = p.Arg(DataType::kInt32, TensorShape());
    const Output v = p.Variable(), w = p.Variable();
    return std::vector{i, v, w, p.Arg(DataType::kFloat, {kSize})};
  };
  const Output limit = test.Const(Tensor::Scalar<int32_t>(3));
  const std::vector<Output> t = arguments(test), s = arguments(step),
                            in = arguments(b);
  Node* last = twice(step, s[1], s[2], s[3]);
  const Output one = step.Const(Tensor::Scalar<int32_t>(1));
  std::vector<DataType> types;
  for (const Output& o : in) types.push_back(o.node->output(0).dtype);
  Node* loop =
      b.Add("While", in,
            {{"T", types},
             {"cond", FunctionAttr{"test", test.Finish({test.Add(
                                               "Less", {t[0], limit})})}},
             {"body",
              FunctionAttr{"step", step.Finish({step.Add("AddV2", {s[0], one}),
                                                s[1], s[2], s[3]},
                                               {last})}}})
          .node;
  expect(*b.Finish({}, {loop}), {Tensor::Scalar<int32_t>(0)}, 6);
}

// A write of what no turn changes happens in every turn, as others write to
// the variable meanwhile.
TEST(VariableUpdate, BodiesOfLoopsWriteInEveryTurn) {
  InitRuntime();
  Program test, step, b;
  const auto arguments = [](Program& p) {
    const Output i = p.Arg(DataType::kInt32, TensorShape()), v = p.Variable();
    const Output x = p.Arg(DataType::kFloat, {kSize});
    return std::vector{i, v, x, p.Arg(DataType::kFloat, {kSize})};
  };
  const std::vector<Output> t = arguments(test), s = arguments(step),
                            in = arguments(b);
  const Output limit = test.Const(Tensor::Scalar<int32_t>(3));
  const Output one = step.Const(Tensor::Scalar<int32_t>(1));
  Node* reset =
      step.Write("AssignVariableOp", s[1], step.Add("Neg", {s[2]}));
  const Output rows = step.Const(Tensor::Vector<int32_t>(std::vector{7}));
  const Output more = step.Const(Tensor::Scalar(100.0f));
  Node* scatter =
      step.Add("ResourceScatterAdd", {s[1], rows, more}, {}, {reset}).node;
  const Output changed = step.Read(s[1], {scatter});
  const Output sum = step.Add("AddV2", {s[3], changed});
  std::vector<DataType> types;
  for (const Output& o : in) types.push_back(o.node->output(0).dtype);
  const Output loop = b.Add(
      "While", in,
      {{"T", types},
       {"cond",
        FunctionAttr{"test", test.Finish({test.Add("Less", {t[0], limit})})}},
       {"body",
        FunctionAttr{"step", step.Finish({step.Add("AddV2", {s[0], one}), s[1],
                                          s[2], sum},
                                         {scatter})}}});
  const auto f = b.Finish({{loop.node, 3}}, {loop.node});
  const Tensor zeros = ValueOrThrow(Tensor::Zeros(DataType::kFloat, {kSize}));
  const Tensor handle = NewVariable(zeros);
  for (int i = 0; i < 2; ++i) {
    TensorVector out;
    const Status status = RunFunction(
        *f, TensorVector{Tensor::Scalar<int32_t>(0), handle, Ramp(1), zeros},
        &out);
    ASSERT_TRUE(status.ok()) << status.ToString();
    const std::vector<float> x = FloatsOf(Ramp(1));
    EXPECT_EQ(out[0].data<float>()[8], -3 * x[8]);
    EXPECT_EQ(out[0].data<float>()[7], 3 * (100 - x[7]));
    EXPECT_EQ(ValueOrThrow(Of(handle)->Read()).data<float>()[7], 100 - x[7]);
  }
}

// What is declared of a variable is held against it.
TEST(VariableUpdate, VariablesThatAreOthersThanDeclared) {
  InitRuntime();
  const auto run = [](const char* op, const Tensor& handle) {
    Program b;
    const Output v = b.Variable();
    const Output x = b.Arg(DataType::kFloat, {kSize});
    Node* write = b.Write(op, v, b.Add("Neg", {x}));
    const auto f = b.Finish({}, {write});
    TensorVector out;
    return RunFunction(*f, TensorVector{handle, Ramp(1)}, &out);
  };
  const Tensor doubles =
      NewVariable(ValueOrThrow(Tensor::Zeros(DataType::kDouble, {kSize})));
  const Tensor few = NewVariable(ValueOrThrow(
      Tensor::Zeros(DataType::kFloat, TensorShape{100})));
  for (const char* op : {"AssignVariableOp", "AssignAddVariableOp"}) {
    const Status dtype = run(op, doubles), shape = run(op, few);
    EXPECT_EQ(dtype.code(), Code::kInvalidArgument) << dtype.ToString();
    EXPECT_EQ(shape.code(), Code::kInvalidArgument) << shape.ToString();
    EXPECT_NE(shape.message().find("{{node Assign"), std::string::npos);
    const Status none = run(op, Tensor::OfValues<ResourceHandle>(
                                    std::vector<ResourceHandle>(1), {}));
    EXPECT_FALSE(none.ok());
  }
  EXPECT_EQ(ValueOrThrow(Of(few)->Read()).num_elements(), 100);
}

// A snapshot that is older than the value which the cluster writes over.
TEST(VariableUpdate, ValuesAssignedSinceTheyWereRead) {
  Program b;
  const Output v = b.Variable();
  const Output old = b.Read(v);
  const Output rows = b.Const(Tensor::Vector<int32_t>(std::vector{0, 4999}));
  Node* scatter = b.Add("ResourceScatterAdd",
                        {v, rows, b.Const(Tensor::Vector<float>(
                                      std::vector<float>{100, 200}))},
                        {}, {old.node})
                      .node;
  Node* write = b.Write("AssignVariableOp", v,
                        b.Add("Sub", {b.Add("Neg", {old}), b.Number(1)}),
                        {scatter});
  const auto f = b.Finish({}, {write});
  ExpectSame(*f, {Ramp(1)}, {}, "AssignVariableOp %0");
}

}  // namespace
}  // namespace gk::variable_update
