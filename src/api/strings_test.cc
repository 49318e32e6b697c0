// Functions of strings that give ragged tensors.
#include <string>
#include <vector>

#include "api/same_gradient_for_test.h"

namespace {

using gk::RaggedTensor;
using gk::Tensor;
using Texts = std::vector<std::string>;

Tensor TextsOf(const Texts& values) {
  std::vector<Tensor> parts;
  for (const std::string& v : values) parts.push_back(Tensor(v));
  return gk::stack(parts);
}

TEST(StringsTest, PiecesAreRaggedRows) {
  const RaggedTensor pieces = gk::strings::split(TextsOf({"a b", "c"}));
  EXPECT_EQ(pieces.ragged_rank(), 1);
  EXPECT_EQ(pieces.flat_values().to_vector<std::string>(),
            (Texts{"a", "b", "c"}));
  EXPECT_EQ(pieces.row_splits().to_vector<int64_t>(),
            (std::vector<int64_t>{0, 2, 3}));
  // Of one string there are no rows.
  EXPECT_EQ(gk::strings::split("a,b", ",").tensor().to_vector<std::string>(),
            (Texts{"a", "b"}));
}

TEST(StringsTest, CodePointsAndWhereTheyBegin) {
  const auto [codes, starts] = gk::strings::unicode_decode_with_offsets(
      TextsOf({"a\xC3\xA9z", ""}), "UTF-8");
  EXPECT_EQ(codes.flat_values().to_vector<int>(),
            (std::vector<int>{'a', 0xE9, 'z'}));
  EXPECT_EQ(starts.flat_values().to_vector<int64_t>(),
            (std::vector<int64_t>{0, 1, 3}));
  EXPECT_EQ(gk::strings::unicode_encode(codes, "UTF-8")
                .tensor()
                .to_vector<std::string>(),
            (Texts{"a\xC3\xA9z", ""}));
}

TEST(StringsTest, ExpressionsMatchAndRewrite) {
  EXPECT_EQ(gk::strings::regex_replace("aba", "a", "x").item<std::string>(),
            "xbx");
  EXPECT_THROW(gk::strings::regex_full_match("a", "("), gk::Error);
  const auto f = gk::function(
      [](Tensor x) { return gk::strings::regex_full_match(x, "a+"); });
  EXPECT_TRUE(f(Tensor("aaa")).item<bool>());
}

}  // namespace
