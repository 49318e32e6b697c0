// What options may be, and which of two names counts.
#include "function/function_options.h"

#include <gtest/gtest.h>

#include <map>
#include <string>

namespace gk {
namespace {

using Given = std::map<std::string, GivenOption, std::less<>>;

StatusOr<PolymorphicFunctionOptions> Settle(const Given& given) {
  return SettleOptions("f", [&](const OptionRecord&, std::string_view name) {
    const auto at = given.find(name);
    return at == given.end() ? GivenOption() : at->second;
  });
}
std::string ErrorOf(const Given& given) {
  const auto settled = Settle(given);
  EXPECT_EQ(settled.status().code(), Code::kValueError);
  return settled.ok() ? "" : settled.status().message();
}

TEST(FunctionOptionsTest, NothingGivenIsNothingAsked) {
  const auto settled = Settle({});
  ASSERT_TRUE(settled.ok());
  EXPECT_EQ(settled->name, "f");
  EXPECT_EQ(settled->jit_compile, std::nullopt);
  EXPECT_FALSE(settled->reduce_retracing);
  EXPECT_EQ(settled->max_traces, 0u);
  EXPECT_EQ(settled->on_baked_change, OnBakedChange::kIgnore);
}

TEST(FunctionOptionsTest, EachIsSettled) {
  const auto settled =
      Settle({{"experimental_compile", {true, ""}},
              {"reduce_retracing", {true, ""}},
              {"max_traces", {int64_t{3}, "3"}},
              {"on_baked_change", {std::string("retrace"), "'retrace'"}}});
  ASSERT_TRUE(settled.ok());
  EXPECT_EQ(settled->jit_compile, true);
  EXPECT_TRUE(settled->reduce_retracing);
  EXPECT_EQ(settled->max_traces, 3u);
  EXPECT_EQ(settled->on_baked_change, OnBakedChange::kRetrace);
}

TEST(FunctionOptionsTest, OfTwoNamesOneCountsOrNone) {
  EXPECT_EQ(ErrorOf({{"jit_compile", {false, ""}},
                     {"experimental_compile", {false, ""}}}),
            "Cannot specify both 'experimental_compile' and 'jit_compile'.");
  const auto settled = Settle({{"reduce_retracing", {true, ""}},
                               {"experimental_relax_shapes", {false, ""}}});
  ASSERT_TRUE(settled.ok());
  EXPECT_FALSE(settled->reduce_retracing);
}

TEST(FunctionOptionsTest, RefusesWhatOneMayNotBe) {
  const std::string limit = "max_traces must be a positive integer or None, ";
  EXPECT_EQ(ErrorOf({{"max_traces", {int64_t{0}, "0"}}}), limit + "got 0.");
  EXPECT_EQ(ErrorOf({{"max_traces", {true, "True"}}}), limit + "got True.");
  EXPECT_EQ(ErrorOf({{"max_traces", {GivenOption::Other(), "2.0"}}}),
            limit + "got 2.0.");
  EXPECT_EQ(
      ErrorOf({{"on_baked_change", {std::string("always"), "'always'"}}}),
      "on_baked_change must be None or one of 'warn', 'retrace', 'error', got "
      "'always'.");
}

}  // namespace
}  // namespace gk
