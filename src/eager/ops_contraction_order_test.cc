#include "ops/math/contraction_order.h"

#include <gtest/gtest.h>

namespace gk {
namespace {

std::vector<std::string> Steps(std::string_view equation,
                               std::vector<PartialTensorShape> shapes,
                               std::string_view strategy) {
  std::vector<std::string> steps;
  const ContractionOrder order = ValueOrThrow(OrderContractions(
      ValueOrThrow(ParseEinsum(equation)), shapes, strategy));
  for (const Contraction& step : order.steps) {
    steps.push_back(Format("{},{} {}", step.first, step.second,
                           step.equation.Text()));
  }
  return steps;
}

using Texts = std::vector<std::string>;

TEST(ContractionOrderTest, GreedyMakesSmallTensorsFirst) {
  EXPECT_EQ(Steps("ij,jk,kl->il", {{2, 3}, {3, 4}, {4, 2}}, "greedy"),
            (Texts{"1,2 kl,jk->lj", "0,1 lj,ij->il"}));
  EXPECT_EQ(Steps("ij,jk,kl->il", {{20, 30}, {30, 4}, {4, 2}}, "greedy"),
            (Texts{"0,1 jk,ij->ki", "0,1 ki,kl->il"}));
}

TEST(ContractionOrderTest, SearchingFindsTheFewestMultiplications) {
  // (ab)(cd) needs 2 * 100 * 2 + ... less than any chain from one end.
  EXPECT_EQ(Steps("ij,jk,kl->il", {{2, 100}, {100, 2}, {2, 100}}, "optimal"),
            (Texts{"0,1 jk,ij->ik", "0,1 ik,kl->il"}));
  for (const char* strategy : {"branch-1", "branch-2", "branch-all", "dp",
                               "auto", "auto-hq", "random-greedy"}) {
    EXPECT_EQ(Steps("ab,bc,cd,de->ae", {{2, 3}, {3, 4}, {4, 5}, {5, 6}},
                    strategy)
                  .size(),
              3u);
  }
}

TEST(ContractionOrderTest, UnknownSizesAndEllipses) {
  EXPECT_EQ(Steps("...i,...ij,j->...", {PartialTensorShape(), {-1, 2, 3}, {3}},
                  "greedy")
                .back(),
            "0,1 ...i,...i->...");
  EXPECT_EQ(Steps("a,b,c->abc", {{2}, {3}, {4}}, "optimal").size(), 2u);
}

TEST(ContractionOrderTest, StrategiesAreChecked) {
  const auto order = OrderContractions(ValueOrThrow(ParseEinsum("a,a,a->a")),
                                       std::vector<PartialTensorShape>(3),
                                       "best");
  EXPECT_EQ(order.status().code(), Code::kValueError);
}

TEST(EinsumEquationTest, MalformedOnesAreRefused) {
  for (const char* text : {"ij", "i->j->k", "i.j->i", "...i...->i"}) {
    EXPECT_EQ(ParseEinsum(text).status().code(), Code::kInvalidArgument)
        << text;
  }
  EXPECT_EQ(ValueOrThrow(ParseEinsum("...ij,jk->...ik")).Text(),
            "...ij,jk->...ik");
}

}  // namespace
}  // namespace gk
