#include "runtime/scalar_code.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <cstring>
#include <functional>
#include <random>
#include <thread>

#include "base/sanitizer.h"
#include "graph/function_for_test.h"
#include "grappler/optimize.h"
#include "runtime/compiled_function.h"
#include "runtime/error_origin.h"
#include "runtime/executor.h"
#include "runtime/frame.h"
#include "runtime/interrupts_for_test.h"
#include "runtime/loop_poll.h"
#include "runtime/scalar_code_builder.h"
#include "runtime/scalars_for_test.h"

namespace gk {
namespace {

using scalars::Body;
using scalars::CodeOf;
using scalars::Function;
using scalars::If;
using scalars::Int;
using scalars::Outcome;
using scalars::RunBoth;
using scalars::TypesOf;
using scalars::While;

// i = s = 0; while i < n: s = i % 3 == 0 ? s + i : s - 1; i += 1
const Body kLoopWithIf = [](TestFunction& b, const std::vector<Output>& in) {
  const std::vector<Output> end = While(
      b, {Int(b, 0), Int(b, 0), in[0]},
      [](TestFunction& c, const std::vector<Output>& s) {
        return std::vector{c.Add("Less", {s[0], s[2]})};
      },
      [](TestFunction& c, const std::vector<Output>& s) {
        const Output third =
            c.Add("Equal", {c.Add("FloorMod", {s[0], Int(c, 3)}), Int(c, 0)});
        const Output sum = If(
            c, third, {s[1], s[0]}, {kI},
            [](TestFunction& d, const std::vector<Output>& a) {
              return std::vector{d.Add("AddV2", {a[0], a[1]})};
            },
            [](TestFunction& d, const std::vector<Output>& a) {
              return std::vector{d.Add("Sub", {a[0], Int(d, 1)})};
            })[0];
        return std::vector{c.Add("AddV2", {s[0], Int(c, 1)}), sum, s[2]};
      });
  return std::vector{end[1]};
};

TEST(ScalarCode, LoopWithIf) {
  for (int n : {-1, 0, 1, 2, 3, 1000}) {
    int want = 0;
    for (int i = 0; i < n; ++i) want = i % 3 == 0 ? want + i : want - 1;
    const Outcome o = RunBoth({kI}, kLoopWithIf, {Tensor::Scalar<int32_t>(n)});
    ASSERT_TRUE(o.status.ok()) << o.status.ToString();
    EXPECT_EQ(o.values[0].scalar<int32_t>(), want) << n;
  }
}

// As few operations as there are: five calls a turn and no moves.
TEST(ScalarCode, LoopWithIfAsCode) {
  const std::string code = CodeOf({kI}, kLoopWithIf);
  EXPECT_NE(code.find("FloorMod"), std::string::npos) << code;
  EXPECT_NE(code.find("; go to"), std::string::npos) << code;
  EXPECT_NE(code.find("; back to"), std::string::npos) << code;
  const size_t top = code.find("FloorMod"), end = code.find("; back to");
  const std::string turn = code.substr(top, end - top);
  EXPECT_EQ(std::count(turn.begin(), turn.end(), '\n'), 5) << code;
}

TEST(ScalarCode, UnusedStateAndInvariants) {
  // A counter that nobody asks for; a product that no turn changes.
  const Body make = [](TestFunction& b, const std::vector<Output>& in) {
    const std::vector<Output> end = While(
        b, {b.Const(Tensor::Scalar(0.0f)), Int(b, 0), in[0], in[1]},
        [](TestFunction& c, const std::vector<Output>& s) {
          return std::vector{c.Add("Less", {s[0], s[2]})};
        },
        [](TestFunction& c, const std::vector<Output>& s) {
          const Output step = c.Add("Mul", {s[3], s[3]});
          return std::vector{c.Add("AddV2", {s[0], step}),
                             c.Add("AddV2", {s[1], Int(c, 1)}), s[2], s[3]};
        });
    return std::vector{end[0], end[3]};
  };
  const Outcome o =
      RunBoth({kF, kF}, make, {Tensor::Scalar(10.0f), Tensor::Scalar(1.5f)});
  EXPECT_EQ(o.values[0].scalar<float>(), 11.25f);
  EXPECT_EQ(o.values[1].scalar<float>(), 1.5f);
  const std::string code = CodeOf({kF, kF}, make);
  EXPECT_LT(code.find("Mul"), code.find("Less")) << code;
  EXPECT_EQ(code.find("AddV2"), code.rfind("AddV2")) << code;
}

TEST(ScalarCode, SwapsState) {
  const Body make = [](TestFunction& b, const std::vector<Output>& in) {
    const std::vector<Output> end = While(
        b, {Int(b, 0), Int(b, 1), in[0]},
        [](TestFunction& c, const std::vector<Output>& s) {
          return std::vector{c.Add("Greater", {s[2], Int(c, 0)})};
        },
        [](TestFunction& c, const std::vector<Output>& s) {
          return std::vector{s[1], c.Add("AddV2", {s[0], s[1]}),
                             c.Add("Sub", {s[2], Int(c, 1)})};
        });
    return std::vector{end[0], end[1]};
  };
  const Outcome o = RunBoth({kI}, make, {Tensor::Scalar<int32_t>(10)});
  EXPECT_EQ(o.values[0].scalar<int32_t>(), 55);
  EXPECT_EQ(o.values[1].scalar<int32_t>(), 89);
}

// Errors come from the node that failed, in the function it is in.
TEST(ScalarCode, DivisionByZeroNamesTheNode) {
  const Body make = [](TestFunction& b, const std::vector<Output>& in) {
    const std::vector<Output> end = While(
        b, {in[0], Int(b, 0)},
        [](TestFunction& c, const std::vector<Output>& s) {
          return std::vector{c.Add("Greater", {s[0], Int(c, -5)})};
        },
        [](TestFunction& c, const std::vector<Output>& s) {
          return std::vector{c.Add("Sub", {s[0], Int(c, 1)}),
                             c.Add("FloorDiv", {Int(c, 100), s[0]})};
        });
    return std::vector{end[0]};  // what may fail is computed all the same
  };
  const Outcome o = RunBoth({kI}, make, {Tensor::Scalar<int32_t>(3)});
  EXPECT_EQ(o.status.code(), Code::kInvalidArgument);
  EXPECT_NE(o.status.message().find("Integer division by zero"),
            std::string::npos);
  EXPECT_EQ(o.origin, "step:FloorDiv");
  EXPECT_TRUE(RunBoth({kI}, make, {Tensor::Scalar<int32_t>(-6)}).status.ok());
}

TEST(ScalarCode, CaseTakesTheLastBranchOutOfRange) {
  const Body make = [](TestFunction& b, const std::vector<Output>& in) {
    std::vector<FunctionAttr> branches;
    for (int k : {10, 20, 30}) {
      branches.push_back(Function(
          "branch", {kI}, [k](TestFunction& c, const std::vector<Output>& a) {
            return std::vector{c.Add("AddV2", {a[0], Int(c, k)})};
          }));
    }
    return std::vector{
        b.Add("StatelessCase", {in[0], in[0]},
              {{"Tout", std::vector<DataType>{kI}}, {"branches", branches}})};
  };
  EXPECT_NE(CodeOf({kI}, make), "");
  for (int i : {-7, -1, 0, 1, 2, 3, 100}) {
    const Outcome o = RunBoth({kI}, make, {Tensor::Scalar<int32_t>(i)});
    EXPECT_EQ(o.values[0].scalar<int32_t>(), i + (i == 0   ? 10
                                                  : i == 1 ? 20
                                                           : 30));
  }
}

// A condition that calls functions stands once, at the top.
TEST(ScalarCode, ConditionsThatBranch) {
  const Body make = [](TestFunction& b, const std::vector<Output>& in) {
    return While(
        b, {Int(b, 0), in[0]},
        [](TestFunction& c, const std::vector<Output>& s) {
          const Output odd =
              c.Add("Equal", {c.Add("FloorMod", {s[1], Int(c, 2)}), Int(c, 1)});
          const Output limit = If(
              c, odd, {s[1]}, {kI},
              [](TestFunction& d, const std::vector<Output>& a) {
                return std::vector{d.Add("Mul", {a[0], Int(d, 2)})};
              },
              [](TestFunction& d, const std::vector<Output>& a) {
                return std::vector{d.Add("Sub", {a[0], Int(d, 3)})};
              })[0];
          return std::vector{c.Add("Less", {s[0], limit})};
        },
        [](TestFunction& c, const std::vector<Output>& s) {
          return std::vector{c.Add("AddV2", {s[0], Int(c, 1)}), s[1]};
        });
  };
  EXPECT_NE(CodeOf({kI}, make).find("back to"), std::string::npos)
      << CodeOf({kI}, make);
  for (int n : {-4, 0, 1, 2, 7, 8, 100}) {
    const Outcome o = RunBoth({kI}, make, {Tensor::Scalar<int32_t>(n)});
    ASSERT_TRUE(o.status.ok()) << o.status.ToString();
    EXPECT_EQ(o.values[0].scalar<int32_t>(),
              std::max(0, n % 2 ? 2 * n : n - 3));
  }
}

// Graphs as they are, with views and choices that are known.
TEST(ScalarCode, WithoutPasses) {
  const Body same = [](TestFunction& c, const std::vector<Output>& a) {
    return std::vector{c.Add("Identity", {a[0]})};
  };
  const Body less = [](TestFunction& c, const std::vector<Output>& a) {
    return std::vector{c.Add("Sub", {a[0], Int(c, 1)})};
  };
  const Body make = [&](TestFunction& b, const std::vector<Output>& in) {
    return While(
        b, {Int(b, 0), in[0], in[0]},
        [](TestFunction& c, const std::vector<Output>& s) {
          return std::vector{
              c.Add("Less", {c.Add("Identity", {s[0]}), Int(c, 5)})};
        },
        [&](TestFunction& c, const std::vector<Output>& s) {
          Output x = s[1];
          for (bool truth : {true, false}) {
            x = If(c, c.Const(Tensor::Scalar(truth)), {x}, {kI}, less, same)[0];
          }
          for (int k : {-1, 0, 1, 9}) {
            const std::vector<FunctionAttr> branches{
                Function("same", {kI}, same), Function("less", {kI}, less)};
            x = c.Add("StatelessCase", {Int(c, k), x},
                      {{"Tout", std::vector{kI}}, {"branches", branches}});
          }
          return std::vector{c.Add("AddV2", {s[0], Int(c, 1)}), x,
                             c.Add("Identity", {s[2]})};
        });
  };
  SetGraphPasses(false);
  EXPECT_NE(CodeOf({kI}, make), "");
  const Outcome o = RunBoth({kI}, make, {Tensor::Scalar<int32_t>(50)});
  SetGraphPasses(true);
  ASSERT_TRUE(o.status.ok()) << o.status.ToString();
  EXPECT_EQ(o.values[1].scalar<int32_t>(), 50 - 5 * 4);
  EXPECT_EQ(o.values[2].scalar<int32_t>(), 50);
}

// Values of each size that a register may have.
TEST(ScalarCode, RegistersOfAllSizes) {
  for (DataType t : {DataType::kInt8, DataType::kHalf, kF, DataType::kDouble,
                     DataType::kComplex128}) {
    const Body make = [&](TestFunction& b, const std::vector<Output>& in) {
      const std::vector<Output> end = While(
          b, {Int(b, 0), in[0], in[1]},
          [](TestFunction& c, const std::vector<Output>& s) {
            return std::vector{c.Add("Less", {s[0], Int(c, 3)})};
          },
          [](TestFunction& c, const std::vector<Output>& s) {
            return std::vector{c.Add("AddV2", {s[0], Int(c, 1)}), s[2],
                               c.Add("AddV2", {s[1], s[2]})};
          });
      return std::vector{end[1], end[2]};
    };
    const Tensor x = ValueOrThrow(Tensor::Zeros(t, {}));
    Tensor y = ValueOrThrow(Tensor::Zeros(t, {}));
    std::memset(y.raw_data(), 1, y.byte_size());
    EXPECT_NE(CodeOf({t, t}, make), "") << DataTypeString(t);
    const Outcome o = RunBoth({t, t}, make, {x, y});
    EXPECT_TRUE(o.status.ok()) << o.status.ToString();
  }
}

// Sums 1..n by a function that calls itself: no byte code, and an end.
TEST(ScalarCode, RecursiveBranches) {
  InitRuntime();
  TestFunction b("sum");
  const Output n = b.Arg(kI, TensorShape());
  const FunctionAttr zero =
      Function("zero", {kI}, [](TestFunction& c, const std::vector<Output>&) {
        return std::vector{Int(c, 0)};
      });
  const Output more = b.Add("Greater", {n, Int(b, 0)});
  const Output rest = b.Add("StatelessIf", {more, b.Add("Sub", {n, Int(b, 1)})},
                            {{"Tout", std::vector{kI}},
                             {"then_branch", zero},
                             {"else_branch", zero}});
  const Output sum = b.Add("Mul", {b.Add("AddV2", {n, rest}),
                                   b.Add("Cast", {more}, {{"DstT", kI}})});
  const auto f = b.Finish({sum});
  rest.node->mutable_attrs().Set("then_branch", FunctionAttr{"sum", f});
  for (int depth : {0, 1, 5, 200}) {
    const Tensor in = Tensor::Scalar<int32_t>(depth);
    TensorVector out;
    const Status s = RunFunction(*f, {&in, 1}, &out);
    ASSERT_TRUE(s.ok()) << s.ToString();
    EXPECT_EQ(out[0].scalar<int32_t>(), depth * (depth + 1) / 2);
  }
#ifndef GK_THREAD_SANITIZER
  // Which keeps the whole stack of each allocation: 16 GB of them.
  const Tensor in = Tensor::Scalar<int32_t>(100000);
  TensorVector out;
  const Status s = RunFunction(*f, {&in, 1}, &out);
  EXPECT_EQ(s.code(), Code::kResourceExhausted) << s.ToString();
#endif
  // Its frames are back where they came from: one that kept another would keep
  // the plan, and so itself.
  const Ref<Plan> plan = *(*CompiledFunction::Of(*f))->DeclaredPlan();
  std::vector<std::unique_ptr<Frame>> idle;
  while (auto frame = plan->frames.Take()) idle.push_back(std::move(frame));
  EXPECT_GE(idle.size(), 2u);
  idle.clear();
  // Breaks the circles, so that the function goes away.
  rest.node->mutable_attrs().Set("then_branch", zero);
  const Ref<Graph> planned = (*CompiledFunction::Of(*f))->graph().graph;
  for (const auto& node : planned->nodes()) {
    if (node->type() == "StatelessIf") {
      node->mutable_attrs().Set("then_branch", zero);
    }
  }
}

// A number is true unless it is zero.
TEST(ScalarCode, ConditionsOfAnyNumber) {
  for (DataType t : {DataType::kFloat, DataType::kDouble, DataType::kInt8,
                     DataType::kInt64, DataType::kUint16, DataType::kHalf,
                     DataType::kBfloat16, DataType::kBool}) {
    const Body make = [](TestFunction& b, const std::vector<Output>& in) {
      return If(
          b, in[0], {}, {kI},
          [](TestFunction& c, const std::vector<Output>&) {
            return std::vector{Int(c, 1)};
          },
          [](TestFunction& c, const std::vector<Output>&) {
            return std::vector{Int(c, 2)};
          });
    };
    EXPECT_NE(CodeOf({t}, make), "") << DataTypeString(t);
    Tensor zero = *Tensor::Zeros(t, {}), other = *Tensor::Zeros(t, {});
    *static_cast<char*>(other.raw_data()) = 1;
    EXPECT_EQ(RunBoth({t}, make, {zero}).values[0].scalar<int32_t>(), 2);
    EXPECT_EQ(RunBoth({t}, make, {other}).values[0].scalar<int32_t>(), 1);
  }
}

// Loops in loops, with branches and every kind of move between them.
class RandomProgram {
 public:
  explicit RandomProgram(unsigned seed) : random_(seed) {}

  Body Make() {
    const unsigned seed = random_();
    return [seed](TestFunction& b, const std::vector<Output>& in) {
      RandomProgram p(seed);
      return p.Statements(b, in, 3);
    };
  }

 private:
  int Pick(int n) { return random_() % n; }

  Output Expression(TestFunction& b, const std::vector<Output>& v) {
    static constexpr const char* kOps[] = {"AddV2",   "Sub",      "Mul",
                                           "Maximum", "FloorMod", "FloorDiv"};
    const Output x = v[Pick(v.size())];
    const int op = Pick(6);
    const Output y =
        op >= 4 ? (Pick(8) ? Int(b, 1 + Pick(7)) : v[Pick(v.size())])
                : (Pick(2) ? v[Pick(v.size())] : Int(b, Pick(20) - 10));
    return b.Add(kOps[op], {x, y});
  }
  Output Condition(TestFunction& b, const std::vector<Output>& v) {
    return b.Add(Pick(2) ? "Less" : "NotEqual",
                 {Expression(b, v), v[Pick(v.size())]});
  }
  Body Nested(int depth) {
    const unsigned seed = random_();
    return [seed, depth](TestFunction& b, const std::vector<Output>& in) {
      RandomProgram p(seed);
      return p.Statements(b, in, depth);
    };
  }

  std::vector<Output> Statements(TestFunction& b, std::vector<Output> v,
                                 int depth) {
    for (int k = 1 + Pick(4); k > 0; --k) {
      switch (depth > 0 ? Pick(5) : Pick(3)) {
        case 0:
          std::swap(v[Pick(v.size())], v[Pick(v.size())]);
          break;
        case 1:
        case 2:
          v[Pick(v.size())] = Expression(b, v);
          break;
        case 3:
          v = If(b, Condition(b, v), v, TypesOf(v), Nested(depth - 1),
                 Nested(depth - 1));
          break;
        case 4: {
          // The last state counts down, so that the loop ends.
          std::vector<Output> state = v;
          state.push_back(Int(b, Pick(6)));
          const Body inner = Nested(depth - 1);
          state = While(
              b, state,
              [](TestFunction& c, const std::vector<Output>& s) {
                return std::vector{c.Add("Greater", {s.back(), Int(c, 0)})};
              },
              [inner](TestFunction& c, const std::vector<Output>& s) {
                std::vector<Output> next = inner(c, {s.begin(), s.end() - 1});
                next.push_back(c.Add("Sub", {s.back(), Int(c, 1)}));
                return next;
              });
          state.pop_back();
          v = state;
          break;
        }
      }
    }
    return v;
  }

  std::mt19937 random_;
};

TEST(ScalarCode, RandomProgramsGiveTheSameBitsAndErrors) {
  int failed = 0, compiled = 0;
  for (unsigned seed = 0; seed < 150; ++seed) {
    SCOPED_TRACE(seed);
    const Body make = RandomProgram(seed).Make();
    compiled += !CodeOf({kI, kI, kI}, make).empty();
    for (int x : {0, 3, -7}) {
      const Outcome o =
          RunBoth({kI, kI, kI}, make,
                  {Tensor::Scalar<int32_t>(x), Tensor::Scalar<int32_t>(5 - x),
                   Tensor::Scalar<int32_t>(1)});
      failed += !o.status.ok();
    }
    if (HasFailure()) break;
  }
  EXPECT_GT(compiled, 50);
  EXPECT_GT(failed, 3);
}

const Body kEndless = [](TestFunction& b, const std::vector<Output>& in) {
  return While(
      b, {in[0]},
      [](TestFunction& c, const std::vector<Output>&) {
        return std::vector{c.Const(Tensor::Scalar(true))};
      },
      [](TestFunction& c, const std::vector<Output>& s) {
        return std::vector{c.Add("Add", {s[0], Int(c, 1)})};
      });
};

TEST(ScalarCode, CancelsAnEndlessLoop) {
  for (bool on : {true, false}) {
    SetControlFlowLowering(on);
    const FunctionAttr f = Function("main", {kI}, kEndless);
    const auto& graph = *f.definition;
    CancellationToken token;
    std::thread stop([&] {
      std::this_thread::sleep_for(std::chrono::milliseconds(30));
      token.Cancel();
    });
    TensorVector out;
    const Tensor in = Tensor::Scalar<int32_t>(0);
    EXPECT_EQ(RunFunction(graph, {&in, 1}, &out, &token).code(),
              Code::kCancelled);
    stop.join();
  }
  SetControlFlowLowering(true);
}

TEST(ScalarCode, InterruptsAnEndlessLoop) {
  for (bool on : {true, false}) {
    SetControlFlowLowering(on);
    const FunctionAttr f = Function("main", {kI}, kEndless);
    const auto& graph = *f.definition;
    int asked = 0;
    const InterruptsForTest interrupts(
        [&] { return ++asked < 3 ? OkStatus() : Internal("enough"); });
    TensorVector out;
    const Tensor in = Tensor::Scalar<int32_t>(0);
    const Status s = RunFunction(graph, {&in, 1}, &out);
    EXPECT_EQ(s.code(), Code::kInternal) << s.ToString();
    EXPECT_EQ(asked, 3);
  }
  SetControlFlowLowering(true);
}

}  // namespace
}  // namespace gk
