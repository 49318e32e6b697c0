#include "grappler/effect_order.h"

#include <gtest/gtest.h>

#include "graph/function_for_test.h"

namespace gk {
namespace {

using Vertex = EffectOrder::Vertex;
constexpr ResourceUse kNone = ResourceUse::kNone, kRead = ResourceUse::kRead,
                      kWrite = ResourceUse::kWrite;

// Uses resources, by name; in the order of the program with others that are.
Vertex Uses(std::vector<std::pair<std::string, ResourceUse>> resources,
            bool ordered = false) {
  Vertex v;
  v.effects.ordered = ordered;
  for (auto& [name, use] : resources) {
    v.resources.push_back(name);
    v.effects.arguments.push_back(use);
  }
  return v;
}
void ExpectShows(bool shows, const Vertex& a, const Vertex& b) {
  EXPECT_EQ(OrderShows(a, b), shows);
  EXPECT_EQ(OrderShows(b, a), shows);
}

TEST(EffectOrder, ShowsWhereOneWritesWhatTheOtherUses) {
  ExpectShows(true, Uses({{"v", kWrite}}), Uses({{"v", kRead}}));
  ExpectShows(true, Uses({{"v", kWrite}}), Uses({{"v", kWrite}}));
  ExpectShows(false, Uses({{"v", kRead}}), Uses({{"v", kRead}}));
  ExpectShows(false, Uses({{"v", kWrite}}), Uses({{"w", kWrite}}));
  ExpectShows(false, Uses({{"v", kNone}}), Uses({{"v", kWrite}}));
  ExpectShows(true, Uses({{"u", kRead}, {"v", kRead}}),
              Uses({{"w", kRead}, {"v", kWrite}}));
}

// Prints show in their order, and what a print says may follow from a write.
TEST(EffectOrder, ShowsBetweenPrintsAndWrites) {
  const Vertex print = Uses({}, true), other = Uses({}, true);
  ExpectShows(true, print, other);
  ExpectShows(true, print, Uses({{"v", kWrite}}));
  ExpectShows(false, print, Uses({{"v", kRead}}));
  ExpectShows(false, print, Uses({}));
}

Output NewHandle(TestFunction& b) {
  const Output v = b.Arg(DataType::kResource, {});
  v.node->mutable_output(0).handle_data = {
      {DataType::kFloat, PartialTensorShape({3})}};
  return v;
}

// A resource goes through a call, and out of a loop that makes no turn.
TEST(EffectOrder, ResourcesGoThroughBodiesAndDroppedLoops) {
  const std::vector<DataType> one{DataType::kResource};
  TestFunction g("g");
  NewHandle(g);
  const Output second = NewHandle(g);
  const auto callee = g.Finish({g.Add("Identity", {second})});
  TestFunction test("test"), step("step");
  NewHandle(test);
  const FunctionAttr cond{"test",
                          test.Finish({test.Const(Tensor::Scalar(false))})};
  const FunctionAttr body{"step", step.Finish({NewHandle(step)})};
  TestFunction b;
  const Output v = NewHandle(b), w = NewHandle(b);
  const Output call = b.Add("StatefulPartitionedCall", {v, w},
                            {{"Tout", one}, {"f", FunctionAttr{"g", callee}}});
  const Output loop =
      b.Add("While", {call}, {{"T", one}, {"cond", cond}, {"body", body}});
  const RewriteGraph f =
      RewriteGraph::CloneOf(*b.Finish({b.Add("Identity", {loop})}));
  const auto root = [&](std::vector<SplicedNode> spliced) {
    const EffectOrder order = ValueOrThrow(EffectOrder::Of(f, spliced));
    EXPECT_EQ(order.num_spliced(), int(spliced.size()));
    return order.RootOf(f.results[0]);
  };
  const SplicedNode called{"StatefulPartitionedCall", callee.get(), 0,
                           std::vector<std::string>{"", "", "call/Identity"}};
  EXPECT_EQ(root({}), "While:0");
  EXPECT_EQ(root({{"While"}}), "StatefulPartitionedCall:0");
  EXPECT_EQ(root({called, {"While"}}), "Placeholder_1:0");
}

TEST(EffectOrder, RecordsThatDoNotFit) {
  TestFunction g("g");
  const auto callee = g.Finish({g.Add("Neg", {g.Arg(DataType::kFloat, {3})})});
  TestFunction b;
  const Output x = b.Arg(DataType::kFloat, {3});
  const Output call = b.Add("PartitionedCall", {x},
                            {{"Tout", std::vector{DataType::kFloat}},
                             {"f", FunctionAttr{"g", callee}}});
  const RewriteGraph f = RewriteGraph::CloneOf(*b.Finish({call}));
  const auto with = [&](int first_input, size_t copies) {
    const SplicedNode s{"PartitionedCall", callee.get(), first_input,
                        std::vector<std::string>(copies, "copy")};
    return EffectOrder::Of(f, std::span(&s, 1)).status();
  };
  EXPECT_TRUE(with(0, 2).ok());
  for (const Status& s : {with(0, 1), with(1, 2)}) {
    EXPECT_EQ(s.code(), Code::kInternal);
    EXPECT_EQ(s.message(),
              "A body that does not fit was put in the place of "
              "PartitionedCall");
  }
}

// Nothing has to wait for an argument, or for a loop that is gone; what that
// waited for counts.
TEST(EffectOrder, WaitsAreBetweenNodesThatThereAre) {
  TestFunction test("test"), step("step");
  const DataType kF = DataType::kFloat;
  test.Arg(kF, {});
  const FunctionAttr cond{"test",
                          test.Finish({test.Const(Tensor::Scalar(false))})};
  const FunctionAttr body{"step", step.Finish({step.Arg(kF, {})})};
  TestFunction b;
  const Output x = b.Arg(kF, {});
  const Output first = b.Add("Exp", {x});
  const Output loop = b.Add(
      "While", {x}, {{"T", std::vector{kF}}, {"cond", cond}, {"body", body}},
      {first.node});
  const Output last = b.Add("Neg", {x}, {}, {loop.node, x.node});
  const RewriteGraph f = RewriteGraph::CloneOf(*b.Finish({last}));
  const auto waits = [&](std::vector<SplicedNode> spliced) {
    const EffectOrder order = ValueOrThrow(EffectOrder::Of(f, spliced));
    std::vector<std::string> found;
    for (const EffectOrder::Wait& w : order.waits()) {
      found.push_back(order.vertices()[w.after.first].name + " for " +
                      order.vertices()[w.before.first].name);
    }
    return found;
  };
  EXPECT_EQ(waits({}),
            (std::vector<std::string>{"While for Exp", "Neg for While"}));
  EXPECT_EQ(waits({{"While"}}), (std::vector<std::string>{"Neg for Exp"}));
}

}  // namespace
}  // namespace gk
