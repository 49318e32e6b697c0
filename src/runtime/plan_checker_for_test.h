// A fixture for tests of plan checks, and functions whose plans have what is
// checked.
#ifndef GK_RUNTIME_PLAN_CHECKER_FOR_TEST_H_
#define GK_RUNTIME_PLAN_CHECKER_FOR_TEST_H_

#include <gtest/gtest.h>

#include <memory>
#include <string>

#include "base/checks.h"
#include "graph/function_for_test.h"
#include "runtime/executor.h"
#include "runtime/frame.h"
#include "runtime/plan_checker.h"

namespace gk {

inline const TensorShape kMatrix{5, 5};


// Plans made in a test are checked, whatever the environment says.
class PlanCheckerTest : public testing::Test {
 protected:
  PlanCheckerTest() { InitRuntime(); }

  static Ref<Plan> Make(const GraphFunction& f) {
    return ValueOrThrow(Plan::Make(RewriteGraph::CloneOf(f)));
  }
  static Ref<Plan> MakeBody(const GraphFunction& f) {
    return ValueOrThrow(Plan::MakeLoopBody(RewriteGraph::CloneOf(f)));
  }

  // Some turns of a loop's body.
  static Status RunTurns(const Plan& plan, const TensorVector& states,
                         int turns) {
    GK_ASSIGN_OR_RETURN(const std::unique_ptr<Frame> frame, Frame::Make(plan));
    for (size_t i = 0; i < states.size(); ++i) {
      const SlotId s = plan.arguments[i];
      frame->slots[s] = ValueOrThrow(states[i].Copy());
      frame->data[s] = frame->slots[s].raw_data();
    }
    TensorVector scratch;
    for (int i = 0; i < turns; ++i) {
      GK_RETURN_IF_ERROR(RunTurnInFrame(plan, *frame, &scratch, nullptr,
                                        i == 0 ? Turn::kFirst : Turn::kLater));
    }
    return OkStatus();
  }
  static Status Run(const Plan& plan, const TensorVector& in) {
    TensorVector copies, out;
    for (const Tensor& t : in) copies.push_back(ValueOrThrow(t.Copy()));
    return RunPlan(plan, copies, &out, nullptr);
  }

  static int Find(const Plan& plan, const std::string& node) {
    for (size_t i = 0; i < plan.instructions.size(); ++i) {
      if (plan.instructions[i].node->name() == node) return i;
    }
    ADD_FAILURE() << "no " << node << " in\n" << plan.DebugString();
    return 0;
  }
  static SlotId ResultOf(const Plan& plan, const std::string& node) {
    return plan.instructions[Find(plan, node)].first_output;
  }

  const ChecksScope checks_{true};
};

inline void ExpectBroken(const Status& s, const std::string& rule,
                         const std::string& instruction) {
  EXPECT_EQ(s.code(), Code::kInternal);
  const std::string text = s.ToString();
  EXPECT_NE(text.find("breaks the rule '" + rule + "'"), std::string::npos)
      << text;
  EXPECT_NE(text.find(instruction), std::string::npos) << text;
}

// x = softmax(x x) (w w), and w stays: w w is computed once.
inline Ref<GraphFunction> Body() {
  TestFunction b("body");
  const Output x = b.Arg(kF, kMatrix), w = b.Arg(kF, kMatrix);
  const Output square = b.Add("MatMul", {x, x});
  const Output soft = b.Add("Softmax", {square});
  const Output fixed = b.Add("MatMul", {w, w});
  return b.Finish({b.Add("MatMul", {soft, fixed}), w});
}

// A plan whose runs are to find what is wrong, without the proof.
inline Ref<Plan> Unproven(Ref<Plan> plan) {
  plan->proven = true;
  return plan;
}

// a, b, c are products of matrices; the result is a softmax of them all.
inline Ref<GraphFunction> Products() {
  TestFunction b("products");
  const Output x = b.Arg(kF, kMatrix);
  const Output p = b.Add("MatMul", {x, x}), q = b.Add("MatMul", {p, x});
  const Output r = b.Add("MatMul", {q, p});
  return b.Finish({b.Add("Softmax", {b.Add("MatMul", {r, q})})});
}

}  // namespace gk

#endif  // GK_RUNTIME_PLAN_CHECKER_FOR_TEST_H_
