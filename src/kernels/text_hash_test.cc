#include "kernels/text_hash.h"

#include <gtest/gtest.h>

#include <string>

namespace gk {
namespace {

// What TensorFlow's ops give.
TEST(TextHashTest, ThoseOfTensorFlow) {
  constexpr uint64_t kBuckets = 1000000007;
  const std::string text =
      "hello world and much more text to be hashed here and even more than "
      "sixty four";
  EXPECT_EQ(TextHash("a") % kBuckets, 395105680u);
  EXPECT_EQ(TextHash(text) % kBuckets, 528152994u);
  EXPECT_EQ(TextFingerprint("a") % kBuckets, 384735799u);
  EXPECT_EQ(TextFingerprint("") % kBuckets, 912170738u);
  EXPECT_EQ(TextFingerprint(text) % kBuckets, 486830515u);
  EXPECT_EQ(KeyedTextHash("a", 1, 2) % kBuckets, 142192448u);
  EXPECT_EQ(KeyedTextHash("", 1, 2) % kBuckets, 436933189u);
  EXPECT_EQ(KeyedTextHash("hello world and much", 1, 2) % kBuckets, 334469240u);
  EXPECT_EQ(KeyedTextHash("a", ~uint64_t{0}, 2) % kBuckets, 794505402u);
}

}  // namespace
}  // namespace gk
