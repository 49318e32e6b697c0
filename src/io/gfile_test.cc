#include "io/gfile.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include "io/files.h"

namespace gk::io {
namespace {

class GFileTest : public ::testing::Test {
 protected:
  std::string path_ = ::testing::TempDir() + Format("gfile{}", getpid());
  void TearDown() override { ::unlink(path_.c_str()); }
  std::shared_ptr<GFile> Open(const std::string& mode) {
    return ValueOrThrow(GFile::Make(path_, mode));
  }
};

TEST_F(GFileTest, LinesAndPositions) {
  ASSERT_TRUE(WriteFile(path_, "line1\nline2\r\n\nlast").ok());
  const auto file = Open("r");
  EXPECT_EQ(*file->ReadLine(), "line1\n");
  EXPECT_EQ(*file->Tell(), 6);
  EXPECT_EQ(*file->ReadLine(), "line2\n");
  EXPECT_EQ(*file->ReadLine(), "\n");
  EXPECT_EQ(*file->ReadLine(), "last");
  EXPECT_EQ(*file->ReadLine(), "");
  ASSERT_TRUE(file->Seek(3, 0).ok());
  ASSERT_TRUE(file->Seek(1, 1).ok());
  EXPECT_EQ(*file->Read(2), "1\n");
  ASSERT_TRUE(file->Seek(-2, 2).ok());
  EXPECT_EQ(*file->Read(), "st");
  EXPECT_EQ(file->Seek(1000, 0).code(), Code::kOutOfRange);
  EXPECT_EQ(*file->Tell(), *file->Size());
  EXPECT_EQ(file->Seek(INT64_MAX, 2).code(), Code::kOutOfRange);
  EXPECT_EQ(file->Seek(-1, 0).code(), Code::kInvalidArgument);
  EXPECT_EQ(file->Seek(0, 7).code(), Code::kInvalidArgument);
  EXPECT_EQ(file->Read(-5).status().code(), Code::kInvalidArgument);
  EXPECT_EQ(file->Write("x").code(), Code::kPermissionDenied);
}

TEST_F(GFileTest, ModesWriteFromTheBeginningOrTheEnd) {
  for (const char* mode : {"w", "wb", "w+", "r+", "bw"}) {
    ASSERT_TRUE(WriteFile(path_, "old").ok());
    ASSERT_TRUE(Open(mode)->Write("n").ok());
    EXPECT_EQ(*ReadFile(path_), "n") << mode;
  }
  for (const char* mode : {"a", "ab", "a+"}) {
    ASSERT_TRUE(WriteFile(path_, "old").ok());
    ASSERT_TRUE(Open(mode)->Write("n").ok());
    EXPECT_EQ(*ReadFile(path_), "oldn") << mode;
  }
  for (const char* mode : {"", "x", "rw", "rt", "+", "r++"}) {
    EXPECT_EQ(GFile::Make(path_, mode).status().code(), Code::kInvalidArgument);
  }
}

TEST_F(GFileTest, ReadsWhatItHasWritten) {
  const auto file = Open("w+");
  ASSERT_TRUE(file->Write("hello").ok());
  EXPECT_EQ(*file->Read(), "hello");
  ASSERT_TRUE(file->Write(" you").ok());
  EXPECT_EQ(*file->Read(), " you");
  ASSERT_TRUE(file->Close().ok());
  // It opens again, and empties the file when it writes.
  ASSERT_TRUE(file->Write("new").ok());
  ASSERT_TRUE(file->Flush().ok());
  EXPECT_EQ(*ReadFile(path_), "new");
}

}  // namespace
}  // namespace gk::io
