#include "io/compression.h"

#include <gtest/gtest.h>

#include "io/buffered_reader.h"
#include "io/files.h"

namespace gk::io {
namespace {

class CompressionTest : public ::testing::TestWithParam<Compression> {
 protected:
  std::string path_ = ::testing::TempDir() + "compressed";

  void TearDown() override { DeleteFile(path_).ok(); }

  void Write(const std::vector<std::string>& parts, int level = -1) {
    std::unique_ptr<WritableFile> file =
        ValueOrThrow(OpenToWrite(path_, WriteMode::kTruncate));
    file = ValueOrThrow(
        Deflate(std::move(file), {.compression = GetParam(), .level = level}));
    for (const std::string& part : parts) {
      ASSERT_TRUE(file->Append(part).ok());
    }
    ASSERT_TRUE(file->Close().ok());
  }
  std::unique_ptr<RandomAccessFile> Open() {
    return Inflate(ValueOrThrow(OpenToRead(path_)), path_, GetParam());
  }
  StatusOr<std::string> All() { return BufferedReader(Open()).ReadRest(); }
};

class EveryCompressionTest : public CompressionTest {};

TEST_P(EveryCompressionTest, RoundTrip) {
  std::string big;
  for (int i = 0; i < 300000; ++i) big += std::to_string(i * 7919 % 10007);
  for (int level : {-1, 0, 1, 9}) {
    Write({"one", "", big, "end"}, level);
    EXPECT_EQ(ValueOrThrow(All()), "one" + big + "end");
  }
  Write({});
  EXPECT_EQ(ValueOrThrow(All()), "");
}

TEST_P(EveryCompressionTest, ReadsOfAnEarlierPlace) {
  Write({"0123456789"});
  const std::unique_ptr<RandomAccessFile> file = Open();
  std::string got(3, ' ');
  for (const auto& [at, text] :
       {std::pair{4, "456"}, {7, "789"}, {0, "012"}, {5, "567"}}) {
    EXPECT_EQ(ValueOrThrow(file->Read(at, got)), 3u);
    EXPECT_EQ(got, text);
  }
  EXPECT_EQ(ValueOrThrow(file->Read(9, got)), 1u);
  EXPECT_EQ(ValueOrThrow(file->Read(99, got)), 0u);
}

TEST_P(EveryCompressionTest, FilesThatEndTooEarly) {
  const std::string text(1000, 'x');
  Write({text});
  const std::string whole = ValueOrThrow(ReadFile(path_));
  for (size_t n = 1; n < whole.size(); ++n) {
    ASSERT_TRUE(WriteFile(path_, whole.substr(0, n)).ok());
    EXPECT_EQ(All().status().code(), Code::kDataLoss) << n;
  }
  ASSERT_TRUE(WriteFile(path_, "").ok());
  EXPECT_EQ(ValueOrThrow(All()), "");
}

TEST_P(EveryCompressionTest, FilesThatAreBeingWritten) {
  std::unique_ptr<WritableFile> file =
      ValueOrThrow(OpenToWrite(path_, WriteMode::kTruncate));
  file = ValueOrThrow(Deflate(std::move(file), {.compression = GetParam()}));
  std::string text;
  for (int i = 0; i < 3; ++i) {
    const std::string part(70000, static_cast<char>('a' + i));
    ASSERT_TRUE(file->Append(part).ok());
    ASSERT_TRUE(file->Flush().ok());
    text += part;
    EXPECT_EQ(ValueOrThrow(All()), text);
  }
  ASSERT_TRUE(file->Close().ok());
  EXPECT_EQ(ValueOrThrow(All()), text);
}

TEST_P(CompressionTest, StringsOneAfterTheOther) {
  TextInflater inflater(GetParam());
  std::string big;
  for (int i = 0; i < 300000; ++i) big += std::to_string(i * 7919 % 10007);
  for (const std::string& text : {std::string("one"), big, std::string()}) {
    Write({text});
    const std::string whole = ValueOrThrow(ReadFile(path_));
    EXPECT_EQ(ValueOrThrow(inflater.Inflate(whole, "w")), text);
    // One that fails leaves nothing behind.
    const auto cut = inflater.Inflate(whole.substr(0, whole.size() / 2), "w");
    EXPECT_EQ(cut.status().code(), Code::kDataLoss);
    EXPECT_TRUE(cut.status().message().starts_with("w: the compressed"));
  }
  EXPECT_EQ(inflater.Inflate("no compressed text", "w").status().code(),
            Code::kDataLoss);
  EXPECT_EQ(ValueOrThrow(inflater.Inflate("", "w")), "");
}

TEST_P(CompressionTest, OtherFiles) {
  ASSERT_TRUE(WriteFile(path_, "no compressed file at all").ok());
  BufferedReader reader(Open());
  std::string line;
  for (int i = 0; i < 2; ++i) {
    const Status status = reader.ReadLine(&line).status();
    EXPECT_EQ(status.code(), Code::kDataLoss);
    EXPECT_NE(std::string(status.message()).find("incorrect header check"),
              std::string::npos);
  }
}

TEST_P(CompressionTest, WhatStandsBehindTheEnd) {
  Write({"first"});
  const std::string whole = ValueOrThrow(ReadFile(path_));
  ASSERT_TRUE(WriteFile(path_, whole + whole).ok());
  EXPECT_EQ(ValueOrThrow(All()),
            GetParam() == Compression::kGzip ? "firstfirst" : "first");
}

TEST_P(CompressionTest, OptionsThatZlibDoesNotKnow) {
  for (const DeflateOptions& bad : {DeflateOptions{GetParam(), 17},
                                    {GetParam(), 1, 99},
                                    {GetParam(), 1, 9, 77},
                                    {GetParam(), 1, 9, 0, 60}}) {
    const auto made =
        Deflate(ValueOrThrow(OpenToWrite(path_, WriteMode::kTruncate)), bad);
    EXPECT_EQ(made.status().code(), Code::kInvalidArgument);
  }
}

INSTANTIATE_TEST_SUITE_P(All, EveryCompressionTest,
                         ::testing::Values(Compression::kZlib,
                                           Compression::kGzip,
                                           Compression::kSnappy));
INSTANTIATE_TEST_SUITE_P(Both, CompressionTest,
                         ::testing::Values(Compression::kZlib,
                                           Compression::kGzip));

TEST(CompressionNameTest, Names) {
  EXPECT_EQ(ValueOrThrow(CompressionOf("")), Compression::kNone);
  EXPECT_EQ(ValueOrThrow(CompressionOf("GZIP")), Compression::kGzip);
  EXPECT_EQ(CompressionOf("SNAPPY").status().code(), Code::kInvalidArgument);
}

}  // namespace
}  // namespace gk::io
