// What assertions, formats and checks of values say.
#include <gtest/gtest.h>

#include <cmath>

#include "eager/eager_context.h"
#include "eager/op_outcomes_for_test.h"
#include "framework/host_language.h"
#include "framework/tensor_text.h"
#include "ops/fn/PrintV2.h"
#include "ops/fn/StringFormat.h"

namespace gk {
namespace {

Tensor Range(std::initializer_list<int64_t> dims) {
  const TensorShape shape(dims);
  Tensor t = ValueOrThrow(Tensor::Allocate(DataType::kInt32, shape));
  for (int i = 0; i < t.num_elements(); ++i) t.data<int32_t>()[i] = i;
  return t;
}

TEST(TensorText, BothEnds) {
  EXPECT_EQ(BothEndsText(Range({10}), 3), "[0 1 2 ... 7 8 9]");
  EXPECT_EQ(BothEndsText(Range({6}), 3), "[0 1 2 3 4 5]");
  EXPECT_EQ(BothEndsText(Range({2, 3, 2}), -1),
            "[[[0 1]\n  [2 3]\n  [4 5]]\n\n [[6 7]\n  [8 9]\n  [10 11]]]");
  EXPECT_EQ(BothEndsText(Range({4, 4, 4}), 1),
            "[[[0 ... 3]\n  ...\n  [12 ... 15]]\n\n ...\n\n [[48 ... 51]\n  "
            "...\n  [60 ... 63]]]");
  EXPECT_EQ(BothEndsText(Range({2, 0}), 3), "[\n ...]");
  EXPECT_EQ(BothEndsText(Range({0, 2}), 3), "[]");
  EXPECT_EQ(BothEndsText(Range({}), 0), "...");
  EXPECT_EQ(BothEndsText(Range({4}), 0), "[ ...]");
  EXPECT_EQ(BothEndsText(Tensor::Scalar(std::string("h\n\"a\\")), 3),
            "\"h\\n\\\"a\\\\\"");
}

TEST(TensorText, Numbers) {
  const Tensor t = Tensor::Vector<float>(
      std::array<float, 10>{1.5f, 1e10f, 1e-5f, NAN, INFINITY, -0.f, 0.1f,
                            1 / 3.f, 16777216.f, 123456789.f});
  EXPECT_EQ(BothEndsText(t, -1),
            "[1.5 1e+10 1e-05 nan inf -0 0.1 0.333333343 16777216 123456792]");
  EXPECT_EQ(BothEndsText(Tensor::Scalar(1 / 3.0), 3), "0.33333333333333331");
  EXPECT_EQ(BothEndsText(Tensor::Scalar(1e10), 3), "10000000000");
}

TEST(TensorText, FirstValues) {
  EXPECT_EQ(FirstValuesText(Range({5}), 3), "0 1 2...");
  EXPECT_EQ(FirstValuesText(Range({2, 2}), 3), "[0 1][2...]...");
  EXPECT_EQ(FirstValuesText(Range({2, 2}), -1), "[0 1][2 3]");
}

std::string MessageOf(std::string_view op, const TensorVector& in,
                      AttrMap attrs = {}) {
  try {
    MakeOp(op, in, std::move(attrs));
  } catch (const Error& e) {
    EXPECT_EQ(e.status().code(), Code::kInvalidArgument);
    return MessageWithoutOp(e);
  }
  return "";
}

TEST(Effects, Messages) {
  InitEager();
  EXPECT_EQ(
      MessageOf("Assert", {Tensor::Scalar(false),
                           Tensor::Scalar<std::string>("boo"), Range({5})}),
      "assertion failed: [boo] [0 1 2...]");
  EXPECT_EQ(MessageOf("Assert", {Tensor::Scalar(true), Range({5})}), "");
  const Tensor bad =
      Tensor::Vector<float>(std::array<float, 4>{1, NAN, INFINITY, -INFINITY});
  EXPECT_EQ(MessageOf("CheckNumerics", {bad}, {{"message", "m"}}),
            "m : Tensor had Inf and NaN values");
  EXPECT_EQ(MessageOf("CheckNumericsV2", {bad}, {{"message", "m"}}),
            "m : Tensor had -Inf, +Inf, and NaN values");
}

class NotingLanguage final : public HostLanguage {
 public:
  Status Print(PrintStream stream, std::string_view text) override {
    printed += stream == PrintStream::kStdout ? "out:" : "err:";
    printed += text;
    return OkStatus();
  }
  std::string printed;
};

TEST(Effects, PrintsThroughTheLanguage) {
  InitEager();
  NotingLanguage language;
  HostLanguage::Set(&language);
  const Tensor values[] = {Range({2}), Range({})};
  const Tensor text = ops::StringFormat(values, "a {} b {}!", "{}");
  ops::PrintV2(text, "stdout");
  ops::PrintV2(text, "stderr", "");
  HostLanguage::Set(nullptr);
  EXPECT_EQ(language.printed, "out:a [0 1] b 0!\nerr:a [0 1] b 0!");
}

}  // namespace
}  // namespace gk
