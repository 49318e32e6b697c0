#include "io/leased_pages.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <functional>
#include <memory>
#include <thread>
#include <vector>

#include "io/files.h"

namespace gk::io {
namespace {

constexpr size_t kSize = (size_t{3} << 20) + 100;

char ByteAt(size_t i) { return static_cast<char>(i * 31 + i / 4096); }

class LeasedPagesTest : public ::testing::Test {
 protected:
  void SetUp() override {
    std::string name = ::testing::TempDir() + "leasedXXXXXX";
    ASSERT_NE(::mkdtemp(name.data()), nullptr);
    folder_ = name;
    path_ = folder_ + "/f";
    bytes_.resize(kSize);
    for (size_t i = 0; i < kSize; ++i) bytes_[i] = ByteAt(i);
    ASSERT_TRUE(WriteFile(path_, bytes_).ok());
  }
  void TearDown() override { std::filesystem::remove_all(folder_); }

  Ref<Buffer> Map(size_t offset = 0, size_t size = kSize) {
    file_ = ValueOrThrow(OpenToRead(path_));
    return file_->Map(offset, size);
  }
  bool IsTheFile(const Buffer& pages, size_t offset = 0) const {
    return std::memcmp(pages.data(), bytes_.data() + offset, pages.size()) == 0;
  }

  std::string folder_, path_, bytes_;
  std::unique_ptr<RandomAccessFile> file_;
};

// What follows needs leases, which this system may not give.
#define MAP_OR_SKIP(name, ...)               \
  const Ref<Buffer> name = Map(__VA_ARGS__); \
  if (name == nullptr) GTEST_SKIP() << "no leases here"

TEST_F(LeasedPagesTest, PagesAreTheFileAndThenTheirOwners) {
  MAP_OR_SKIP(pages);
  EXPECT_TRUE(IsTheFile(*pages));
  EXPECT_FALSE(pages->is_foreign());
  CopyLeasedPages();
  EXPECT_EQ(LeasedBytes(), 0);
  ASSERT_TRUE(pages->IsExclusive());
  EXPECT_TRUE(IsTheFile(*pages));
  auto* const data = static_cast<char*>(pages->data());
  data[5000] = 'x';
  data[kSize - 1] = 'y';
  EXPECT_EQ(ValueOrThrow(ReadFile(path_)), bytes_);
}

// While a thread looks at them.
TEST_F(LeasedPagesTest, CopiesTakeTheirPlaceInOneStep) {
  bytes_.resize(size_t{20} << 20);
  for (size_t i = 0; i < bytes_.size(); ++i) bytes_[i] = ByteAt(i);
  ThrowIfError(WriteFile(path_, bytes_));
  for (int i = 0; i < 10; ++i) {
    MAP_OR_SKIP(pages, 64, bytes_.size() - 64);
    std::atomic<bool> done{false};
    std::atomic<int> wrong{0};
    std::thread reader([&] {
      while (!done) {
        if (!IsTheFile(*pages, 64)) ++wrong;
      }
      if (!IsTheFile(*pages, 64)) ++wrong;
    });
    CopyLeasedPages();
    done = true;
    reader.join();
    EXPECT_EQ(wrong, 0);
  }
}

TEST_F(LeasedPagesTest, PartsBeginAtAnyAlignedPlace) {
  for (const size_t offset : {size_t{64}, size_t{4096}, size_t{8128}}) {
    MAP_OR_SKIP(pages, offset, kSize - 9000);
    EXPECT_TRUE(IsTheFile(*pages, offset));
    CopyLeasedPages();
    EXPECT_TRUE(IsTheFile(*pages, offset));
  }
  EXPECT_EQ(Map(4, kSize - 4), nullptr);
  EXPECT_EQ(Map(0, 1000), nullptr);
  EXPECT_EQ(Map(0, kSize + 1), nullptr);
  EXPECT_EQ(Map(kSize / 64 * 64, size_t{2} << 20), nullptr);
}

// Whoever changes the file waits until it is copied.
TEST_F(LeasedPagesTest, FilesMayChange) {
  const auto overwrite = [&] {
    std::fstream file(path_, std::ios::in | std::ios::out | std::ios::binary);
    file << std::string(kSize, 'z');
  };
  const auto cut = [&] { std::filesystem::resize_file(path_, 10); };
  const auto begin_anew = [&] { std::ofstream(path_) << "short"; };
  const auto remove = [&] { std::filesystem::remove(path_); };
  const auto rename_over = [&] {
    std::ofstream(folder_ + "/g") << "another one";
    std::filesystem::rename(folder_ + "/g", path_);
  };
  const auto replace = [&] { ThrowIfError(WriteFile(path_, "another one")); };
  // Opened so that it would not wait.
  const auto write_ours = [&] {
    const auto file = ValueOrThrow(OpenToWrite(path_, WriteMode::kTruncate));
    ThrowIfError(file->Append("another one"));
    ThrowIfError(file->Close());
  };
  const std::vector<std::function<void()>> changes = {
      overwrite, cut, begin_anew, remove, rename_over, replace, write_ours};
  for (size_t i = 0; i < changes.size(); ++i) {
    std::filesystem::remove(path_);
    ThrowIfError(WriteFile(path_, bytes_));
    MAP_OR_SKIP(pages);
    changes[i]();
    EXPECT_TRUE(IsTheFile(*pages)) << i;
    CopyLeasedPages();
    EXPECT_TRUE(IsTheFile(*pages)) << i;
  }
}

TEST_F(LeasedPagesTest, NoneOfAFileThatIsOpenForWriting) {
  {
    const std::ofstream writer(path_, std::ios::in | std::ios::out);
    EXPECT_EQ(Map(), nullptr);
  }
  MAP_OR_SKIP(pages);
  EXPECT_EQ(::open(path_.c_str(), O_WRONLY | O_NONBLOCK), -1);
  EXPECT_EQ(errno, EWOULDBLOCK);
  CopyLeasedPages();
  const int file = ::open(path_.c_str(), O_WRONLY | O_NONBLOCK);
  EXPECT_GE(file, 0);
  ::close(file);
}

TEST_F(LeasedPagesTest, CopiesAreMadeWithoutBeingAskedFor) {
  MAP_OR_SKIP(pages);
  EXPECT_GT(LeasedBytes(), 0);
  for (int i = 0; i < 1000 && LeasedBytes() > 0; ++i) {
    std::this_thread::sleep_for(std::chrono::milliseconds(10));
  }
  EXPECT_EQ(LeasedBytes(), 0);
  EXPECT_TRUE(IsTheFile(*pages));
}

TEST_F(LeasedPagesTest, WhatIsLetGoOfNeedsNoCopy) {
  { MAP_OR_SKIP(pages); }
  EXPECT_EQ(LeasedBytes(), 0);
  const int file = ::open(path_.c_str(), O_WRONLY | O_NONBLOCK);
  EXPECT_GE(file, 0);
  ::close(file);
}

// A child has no lease: it has copies.
TEST_F(LeasedPagesTest, ChildrenHaveCopies) {
  MAP_OR_SKIP(pages);
  int told[2];
  ASSERT_EQ(::pipe(told), 0);
  const pid_t child = ::fork();
  if (child == 0) {
    char changed;
    const bool read = ::read(told[0], &changed, 1) == 1;
    ::_exit(read && IsTheFile(*pages) && LeasedBytes() == 0 ? 0 : 1);
  }
  EXPECT_EQ(LeasedBytes(), 0);
  std::ofstream(path_) << "short";
  EXPECT_EQ(::write(told[1], "x", 1), 1);
  int status = 0;
  ASSERT_EQ(::waitpid(child, &status, 0), child);
  EXPECT_TRUE(WIFEXITED(status) && WEXITSTATUS(status) == 0);
  EXPECT_TRUE(IsTheFile(*pages));
  ::close(told[0]);
  ::close(told[1]);
}

// And may map on its own.
TEST_F(LeasedPagesTest, ChildrenMap) {
  MAP_OR_SKIP(pages);
  const pid_t child = ::fork();
  if (child == 0) {
    const Ref<Buffer> own = file_->Map(0, kSize);
    const bool held = ::open(path_.c_str(), O_WRONLY | O_NONBLOCK) == -1;
    CopyLeasedPages();
    const bool free = ::open(path_.c_str(), O_WRONLY | O_NONBLOCK) != -1;
    ::_exit(own != nullptr && held && free && IsTheFile(*own) ? 0 : 1);
  }
  int status = 0;
  ASSERT_EQ(::waitpid(child, &status, 0), child);
  EXPECT_TRUE(WIFEXITED(status) && WEXITSTATUS(status) == 0);
}

TEST_F(LeasedPagesTest, ThreadsMapWriteAndLetGo) {
  MAP_OR_SKIP(first);
  std::vector<std::thread> threads;
  std::atomic<int> wrong{0};
  for (int t = 0; t < 4; ++t) {
    threads.emplace_back([&, t] {
      for (int i = 0; i < 20; ++i) {
        const Ref<Buffer> pages = file_->Map(0, kSize);
        if (pages == nullptr) continue;  // a child of another test's, say
        if (!IsTheFile(*pages)) ++wrong;
        if (i % 3 != t % 3) continue;
        CopyLeasedPages();
        if (!IsTheFile(*pages) || !pages->IsExclusive()) ++wrong;
        std::memset(pages->data(), 'q', kSize);
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(wrong, 0);
  EXPECT_TRUE(IsTheFile(*first));
  EXPECT_EQ(ValueOrThrow(ReadFile(path_)), bytes_);
}

}  // namespace
}  // namespace gk::io
