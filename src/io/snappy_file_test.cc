#include "io/snappy_file.h"

#include <gtest/gtest.h>

#include "io/buffered_reader.h"
#include "io/files.h"

namespace gk::io {
namespace {

class SnappyFileTest : public ::testing::Test {
 protected:
  std::string path_ = ::testing::TempDir() + "snappy_file";

  void TearDown() override { DeleteFile(path_).ok(); }

  std::unique_ptr<WritableFile> New() {
    return WriteSnappy(ValueOrThrow(OpenToWrite(path_, WriteMode::kTruncate)));
  }
  std::unique_ptr<RandomAccessFile> Open() {
    return ReadSnappy(ValueOrThrow(OpenToRead(path_)), path_);
  }
  StatusOr<std::string> All() { return BufferedReader(Open()).ReadRest(); }
};

TEST_F(SnappyFileTest, RoundTrip) {
  std::string big;
  for (int i = 0; i < 300000; ++i) big += std::to_string(i * 7919 % 10007);
  auto file = New();
  for (const std::string& part : {std::string("one"), std::string(), big}) {
    ASSERT_TRUE(file->Append(part).ok());
  }
  EXPECT_EQ(ValueOrThrow(file->Tell()), static_cast<int64_t>(3 + big.size()));
  ASSERT_TRUE(file->Close().ok());
  EXPECT_EQ(ValueOrThrow(All()), "one" + big);
  EXPECT_LT(ValueOrThrow(ReadFile(path_)).size(), big.size());
}

TEST_F(SnappyFileTest, WhatWasFlushedIsThere) {
  auto file = New();
  std::string text;
  for (int i = 0; i < 3; ++i) {
    const std::string part(70000, static_cast<char>('a' + i));
    ASSERT_TRUE(file->Append(part).ok());
    ASSERT_TRUE(file->Flush().ok());
    text += part;
    EXPECT_EQ(ValueOrThrow(All()), text);
  }
}

TEST_F(SnappyFileTest, ReadsOfAnEarlierPlace) {
  auto writer = New();
  ASSERT_TRUE(writer->Append("01234").ok());
  ASSERT_TRUE(writer->Flush().ok());
  ASSERT_TRUE(writer->Append("56789").ok());
  ASSERT_TRUE(writer->Close().ok());
  const auto file = Open();
  std::string got(3, ' ');
  for (const auto& [at, text] :
       {std::pair{4, "456"}, {7, "789"}, {0, "012"}, {5, "567"}}) {
    EXPECT_EQ(ValueOrThrow(file->Read(at, got)), 3u);
    EXPECT_EQ(got, text);
  }
  EXPECT_EQ(ValueOrThrow(file->Read(9, got)), 1u);
  EXPECT_EQ(ValueOrThrow(file->Read(99, got)), 0u);
}

TEST_F(SnappyFileTest, DamagedFiles) {
  auto file = New();
  ASSERT_TRUE(file->Append("some text, some text, some text").ok());
  ASSERT_TRUE(file->Close().ok());
  const std::string whole = ValueOrThrow(ReadFile(path_));
  for (size_t n = 1; n < whole.size(); ++n) {
    ASSERT_TRUE(WriteFile(path_, whole.substr(0, n)).ok());
    EXPECT_EQ(All().status().code(), Code::kDataLoss) << n;
  }
  for (const std::string& other :
       {std::string("no blocks at all"), std::string("\x00\x00\x00\x00", 4),
        std::string("\x3f\xff\xff\xff"
                    "absurd",
                    10)}) {
    ASSERT_TRUE(WriteFile(path_, other).ok());
    EXPECT_EQ(All().status().code(), Code::kDataLoss) << other;
  }
}

}  // namespace
}  // namespace gk::io
