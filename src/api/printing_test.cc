#include "graphkiln/printing.h"

#include <gtest/gtest.h>

#include <cstdio>
#include <fstream>
#include <iterator>

#include "graphkiln/graphkiln.h"

namespace {

// A file of its own for what one test prints.
class Printed {
 public:
  explicit Printed(const std::string& name)
      : path_(testing::TempDir() + "/printing_" + name) {
    std::remove(path_.c_str());
  }
  ~Printed() { std::remove(path_.c_str()); }
  gk::PrintOptions options() const {
    return {.output_stream = "file://" + path_};
  }
  std::string text() const {
    std::ifstream file(path_);
    return {std::istreambuf_iterator<char>(file), {}};
  }

 private:
  std::string path_;
};

TEST(PrintingTest, PrintsTextsAndValues) {
  Printed printed("values");
  gk::print({"x:", gk::Tensor({1, 2}), 3, 1.5, gk::Tensor("text")},
            printed.options());
  gk::PrintOptions options = printed.options();
  options.sep = "";
  options.end = "!";
  options.summarize = 1;
  gk::print({gk::range(9), "{}"}, options);
  EXPECT_EQ(printed.text(), "x: [1 2] 3 1.5 \"text\"\n[0 ... 8]{}!");
}

TEST(PrintingTest, PrintsWheneverAFunctionRuns) {
  Printed printed("runs");
  auto f = gk::function([&](const gk::Tensor& x) {
    gk::print({"x is", x}, printed.options());
    return x;
  });
  f(gk::Tensor(1));
  f(gk::Tensor(2));
  EXPECT_EQ(f.tracing_count(), 1);
  EXPECT_EQ(printed.text(), "x is 1\nx is 2\n");
}

TEST(PrintingTest, Formats) {
  EXPECT_EQ(gk::strings::format("{} of {}", {gk::Tensor(1), gk::Tensor({2, 3})})
                .item<std::string>(),
            "1 of [2 3]");
  EXPECT_EQ(
      gk::strings::format("a%b", {gk::Tensor(1)}, "%").item<std::string>(),
      "a1b");
  try {
    gk::strings::format("{}", {});
    FAIL();
  } catch (const gk::Error& e) {
    EXPECT_EQ(e.code(), gk::ErrorCode::kValueError);
    EXPECT_STREQ(e.what(),
                 "The template expects 1 tensors, but the inputs only has 0. "
                 "Please ensure the number of placeholders in template matches "
                 "inputs length.");
  }
}

TEST(PrintingTest, RefusesFilesThatCannotBeOpened) {
  try {
    gk::print({"x"}, {.output_stream = "file:///nowhere/at/all"});
    FAIL();
  } catch (const gk::Error& e) {
    EXPECT_EQ(e.code(), gk::ErrorCode::kNotFound);
  }
}

}  // namespace
