#include "proto/sstable.h"

#include <gtest/gtest.h>

#include <map>
#include <random>

#include "proto/checkpoint.gk.h"
#include "proto/crc32c.h"
#include "proto/snappy.h"
#include "proto/wire.h"

namespace gk::proto {
namespace {

using Entries = std::map<std::string, std::string>;

// The index that TensorFlow 2.21 writes for one float tensor `w` of shape [2].
constexpr std::string_view kIndexHex =
    "00000608011a02080100010f770801120412020802280835593ce53500000000"
    "01000000000921adc3000000000100000000c0f2a1b000010278002400000000"
    "0100000000ab30707f2908360e00000000000000000000000000000000000000"
    "000000000000000000000000000000000057fb808b247547db";

std::string FromHex(std::string_view hex) {
  std::string out;
  for (size_t i = 0; i < hex.size(); i += 2) {
    out += static_cast<char>(
        std::stoi(std::string(hex.substr(i, 2)), nullptr, 16));
  }
  return out;
}

std::string Write(const Entries& entries) {
  TableWriter writer;
  for (const auto& [key, value] : entries) {
    EXPECT_TRUE(writer.Add(key, value).ok());
  }
  return writer.Finish();
}

StatusOr<Entries> ReadAll(std::string_view file) {
  GK_ASSIGN_OR_RETURN(Table table, Table::Open(file));
  Entries out;
  GK_RETURN_IF_ERROR(
      table.ForEach([&](std::string_view key, std::string_view value) {
        out.emplace(key, value);
        return OkStatus();
      }));
  return out;
}

Entries Many(int count) {
  std::mt19937 random(5);
  Entries out;
  for (int i = 0; i < count; ++i) {
    std::string value(random() % 300, static_cast<char>(i));
    out["layer/" + std::to_string(random() % 1000000) + "/v"] = value;
  }
  return out;
}

TEST(TableTest, ReadsAndWritesWhatTensorFlowWrites) {
  std::string file = FromHex(kIndexHex);
  StatusOr<Entries> entries = ReadAll(file);
  ASSERT_TRUE(entries.ok()) << entries.status().message();
  ASSERT_EQ(entries->size(), 2u);
  BundleHeaderProto header;
  ASSERT_TRUE(header.Parse(entries->at("")).ok());
  EXPECT_EQ(header.num_shards, 1);
  BundleEntryProto entry;
  ASSERT_TRUE(entry.Parse(entries->at("w")).ok());
  EXPECT_EQ(entry.dtype, DT_FLOAT);
  ASSERT_EQ(entry.shape->dim.size(), 1u);
  EXPECT_EQ(entry.shape->dim[0].size, 2);
  const float data[] = {1, 2};
  EXPECT_EQ(entry.crc32c,
            MaskedCrc32c({reinterpret_cast<const char*>(data), 8}));
  EXPECT_EQ(Write(*entries), file);
}

TEST(TableTest, RoundTripOverManyBlocks) {
  Entries entries = Many(5000);
  std::string file = Write(entries);
  ASSERT_GT(file.size(), size_t{2} << 18) << "more than two blocks";
  StatusOr<Entries> again = ReadAll(file);
  ASSERT_TRUE(again.ok()) << again.status().message();
  EXPECT_EQ(*again, entries);
  Table table = ValueOrThrow(Table::Open(file));
  int i = 0;
  for (const auto& [key, value] : entries) {
    if (i++ % 100 != 0) continue;
    StatusOr<std::string> found = table.Find(key);
    ASSERT_TRUE(found.ok()) << key;
    EXPECT_EQ(*found, value);
    EXPECT_EQ(table.Find(key + "x").status().code(), Code::kNotFound);
  }
  EXPECT_EQ(table.Find("").status().code(), Code::kNotFound);
  EXPECT_EQ(table.Find("zzz").status().code(), Code::kNotFound);
}

TEST(TableTest, EmptyTable) {
  StatusOr<Entries> entries = ReadAll(Write({}));
  ASSERT_TRUE(entries.ok());
  EXPECT_TRUE(entries->empty());
}

TEST(TableTest, KeysMustAscend) {
  TableWriter writer;
  EXPECT_TRUE(writer.Add("b", "1").ok());
  EXPECT_EQ(writer.Add("b", "2").code(), Code::kInvalidArgument);
  EXPECT_EQ(writer.Add("a", "2").code(), Code::kInvalidArgument);
}

TEST(TableTest, DamageIsSeen) {
  std::string good = FromHex(kIndexHex);
  Entries entries = *ReadAll(good);
  int unnoticed = 0;
  for (size_t i = 0; i < good.size(); ++i) {
    std::string bad = good;
    bad[i] ^= 0x11;
    StatusOr<Entries> got = ReadAll(bad);
    if (got.ok()) {
      // The metaindex is not used, and padding carries nothing.
      EXPECT_EQ(*got, entries);
      ++unnoticed;
    } else {
      EXPECT_EQ(got.status().code(), Code::kDataLoss);
    }
  }
  EXPECT_LT(unnoticed, 55);
  for (size_t n = 0; n < good.size(); ++n) {
    EXPECT_FALSE(ReadAll(good.substr(0, n)).ok()) << n;
  }
}

// Damage below intact checksums: the block decoder itself must hold.
TEST(TableTest, MutatedBlocksAreSafe) {
  const std::string good = Write(Many(40));
  std::mt19937 random(9);
  for (int round = 0; round < 4000; ++round) {
    std::string bad = good;
    Reader footer(std::string_view(good).substr(good.size() - 48));
    uint64_t handles[4];
    for (uint64_t& part : handles) ASSERT_TRUE(footer.Varint(&part));
    // The data block, or the index block.
    size_t offset = round % 2 ? handles[2] : 0;
    size_t size = round % 2 ? handles[3] : handles[0] - 5;
    for (int k = 0; k < 3; ++k) {
      bad[offset + random() % (size + 1)] = static_cast<char>(random() % 5);
    }
    uint32_t crc = MaskedCrc32c({bad.data() + offset, size + 1});
    std::memcpy(bad.data() + offset + size + 1, &crc, 4);
    StatusOr<Entries> got = ReadAll(bad);
    if (got.ok()) continue;
    EXPECT_EQ(got.status().code(), Code::kDataLoss);
  }
}

TEST(SnappyTest, LiteralsAndCopies) {
  std::string out;
  // "abcd", then copies with one, two and four offset bytes; overlapping ones.
  ASSERT_TRUE(SnappyUncompress(
      std::string("\x16\x0c"
                  "abcd\x01\x04\x1e\x01\x00\x17\x04\x00\x00\x00",
                  16),
      &out));
  EXPECT_EQ(out, "abcdabcdddddddddddddd" + std::string("d"));
}

TEST(SnappyTest, WhatIsCompressedComesBack) {
  std::mt19937 random(5);
  for (const int letters : {1, 2, 30, 256}) {
    for (const size_t size : {0, 1, 3, 4, 5, 59, 60, 61, 255, 256, 257, 65535,
                              65536, 65537, 300000}) {
      std::string text(size, '\0');
      for (char& c : text) c = static_cast<char>(random() % letters);
      // The second half repeats the first, further away than a part is long.
      for (size_t i = size / 2; i < size; ++i) text[i] = text[i - size / 2];
      const std::string block = SnappyCompress(text);
      std::string out;
      ASSERT_TRUE(SnappyUncompress(block, &out));
      EXPECT_EQ(out, text);
      EXPECT_LE(block.size(), size + size / 1000 + 16);
      if (letters == 1 && size > 1000) {
        EXPECT_LT(block.size(), size / 15);
      }
    }
  }
}

TEST(SnappyTest, MalformedInputIsRefused) {
  std::string out;
  const std::string bad[] = {
      "",
      "\x04\x0c" "ab",                       // Literal past the end.
      std::string("\x04\x01\x00", 3),         // Offset zero.
      "\x05\x00" "a\x01\x02",                // Offset before the start.
      "\x03\x0c" "abcd",                     // More than announced.
      "\x06\x0c" "abcd",                     // Less than announced.
      "\xff\xff\xff\xff\x0f\x0c" "abcd",     // Absurd length.
      "\x04\xf4\xff",                        // Cut length.
  };
  for (const std::string& in : bad) EXPECT_FALSE(SnappyUncompress(in, &out));
  std::mt19937 random(3);
  for (int i = 0; i < 20000; ++i) {
    std::string in(1 + random() % 40, '\0');
    for (char& c : in) c = static_cast<char>(random());
    in[0] = static_cast<char>(random() % 128);
    if (SnappyUncompress(in, &out)) {
      EXPECT_EQ(out.size(), static_cast<size_t>(in[0]));
    }
  }
}

}  // namespace
}  // namespace gk::proto
