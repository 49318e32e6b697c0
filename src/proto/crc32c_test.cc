#include "proto/crc32c.h"

#include <gtest/gtest.h>

#include <random>
#include <string>

namespace gk::proto {
namespace {

TEST(Crc32cTest, KnownValues) {
  // The vectors of RFC 3720, B.4.
  EXPECT_EQ(Crc32c(std::string(32, '\0')), 0x8a9136aau);
  EXPECT_EQ(Crc32c(std::string(32, '\xff')), 0x62a8ab43u);
  std::string rising;
  for (char c = 0; c < 32; ++c) rising += c;
  EXPECT_EQ(Crc32c(rising), 0x46dd794eu);
  EXPECT_EQ(Crc32c("123456789"), 0xe3069283u);
  EXPECT_EQ(Crc32c(""), 0u);
}

TEST(Crc32cTest, TableAndInstructionAgree) {
  std::mt19937 random(1);
  std::string data(300, '\0');
  for (char& c : data) c = static_cast<char>(random());
  for (size_t start = 0; start < 9; ++start) {
    for (size_t n = 0; start + n <= data.size(); ++n) {
      std::string_view part(data.data() + start, n);
      ASSERT_EQ(ExtendCrc32c(7, part), ExtendCrc32cByTable(7, part));
    }
  }
}

// Long ones go in three pieces at once.
TEST(Crc32cTest, TableAndInstructionAgreeOnLongData) {
  std::mt19937 random(2);
  std::string data(50'000, '\0');
  for (char& c : data) c = static_cast<char>(random());
  for (const size_t n : {12'287, 12'288, 12'289, 24'583, 49'999}) {
    for (const size_t start : {0, 1}) {
      const std::string_view part(data.data() + start, n);
      ASSERT_EQ(ExtendCrc32c(7, part), ExtendCrc32cByTable(7, part)) << n;
    }
  }
}

TEST(Crc32cTest, ExtendContinues) {
  EXPECT_EQ(ExtendCrc32c(Crc32c("1234"), "56789"), Crc32c("123456789"));
}

TEST(Crc32cTest, PiecesAreJoined) {
  std::string all(3000, '\0');
  for (size_t i = 0; i < all.size(); ++i) all[i] = static_cast<char>(i * 37);
  for (const size_t at : {size_t{0}, size_t{1}, size_t{255}, all.size()}) {
    const std::string_view first = std::string_view(all).substr(0, at);
    const std::string_view second = std::string_view(all).substr(at);
    EXPECT_EQ(JoinCrc32c(Crc32c(first), Crc32c(second), second.size()),
              Crc32c(all));
  }
}

TEST(Crc32cTest, MaskIsReversible) {
  for (const uint32_t crc : {0u, 1u, ~0u, Crc32c("foo")}) {
    const uint32_t turned = MaskCrc(crc) - 0xa282ead8u;
    EXPECT_EQ(turned >> 17 | turned << 15, crc);
  }
}

}  // namespace
}  // namespace gk::proto
