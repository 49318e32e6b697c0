#include "framework/host_language.h"

#include <gtest/gtest.h>

#include "base/interrupt.h"
#include "framework/tensor_text.h"

namespace gk {
namespace {

class Spoken final : public HostLanguage {
 public:
  Status CheckInterrupt() override { return Cancelled("interrupted"); }
  std::string ValueText(const Tensor&) override { return "a value"; }
};

TEST(HostLanguage, ThePlainOneAnswersWhatAProgramOfCppNeeds) {
  HostLanguage& plain = HostLanguage::Get();
  EXPECT_TRUE(CheckInterrupt().ok());
  bool waited = false;
  plain.WaitBlocking([&] { waited = true; });
  EXPECT_TRUE(waited);
  EXPECT_EQ(plain.ValueText(Tensor::Scalar(2.0f)),
            BothEndsText(Tensor::Scalar(2.0f), 3));
  EXPECT_EQ(plain.NumericsContext({}), "");
  EXPECT_EQ(plain.SourceText(1), "");
}

TEST(HostLanguage, ThePlainOneSaysWhatRunsModulesOfStableHlo) {
  const Status status = HostLanguage::Get()
                            .MakeProgram({.bytes = "module",
                                          .platform_index = -1,
                                          .shape_assertions = true,
                                          .shardy = false})
                            .status();
  EXPECT_EQ(status.code(), Code::kFailedPrecondition);
  EXPECT_NE(status.message().find("pip install jax"), std::string::npos);
}

TEST(HostLanguage, WhatIsSetIsAskedUntilItIsTakenBack) {
  static Spoken spoken;
  HostLanguage::Set(&spoken);
  EXPECT_EQ(CheckInterrupt().code(), Code::kCancelled);
  EXPECT_EQ(HostLanguage::Get().ValueText(Tensor::Scalar(2.0f)), "a value");
  HostLanguage::Set(nullptr);
  EXPECT_TRUE(CheckInterrupt().ok());
  EXPECT_NE(HostLanguage::Get().ValueText(Tensor::Scalar(2.0f)), "a value");
}

}  // namespace
}  // namespace gk
