#include "io/snappy_file.h"

#include <gtest/gtest.h>

#include "io/buffered_reader.h"
#include "io/files.h"

namespace gk::io {
namespace {

// What they have in common with other compressed files: compression_test.cc.
TEST(SnappyFileTest, OtherFiles) {
  const std::string path = ::testing::TempDir() + "snappy_file";
  for (const std::string& other :
       {std::string("no blocks at all"), std::string("\x00\x00\x00\x00", 4),
        std::string("\x3f\xff\xff\xff"
                    "absurd",
                    10)}) {
    ASSERT_TRUE(WriteFile(path, other).ok());
    BufferedReader reader(ReadSnappy(ValueOrThrow(OpenToRead(path)), path));
    const Status status = reader.ReadRest().status();
    EXPECT_EQ(status.code(), Code::kDataLoss) << other;
    EXPECT_TRUE(status.message().find("the block at byte 0") !=
                std::string::npos);
  }
  DeleteFile(path).ok();
}

TEST(SnappyFileTest, WhatRepeatsTakesLess) {
  const std::string path = ::testing::TempDir() + "snappy_file";
  const auto file =
      WriteSnappy(ValueOrThrow(OpenToWrite(path, WriteMode::kTruncate)));
  ASSERT_TRUE(file->Append(std::string(300000, 'a')).ok());
  EXPECT_EQ(ValueOrThrow(file->Tell()), 300000);
  ASSERT_TRUE(file->Close().ok());
  EXPECT_LT(ValueOrThrow(ReadFile(path)).size(), 20000u);
  DeleteFile(path).ok();
}

}  // namespace
}  // namespace gk::io
