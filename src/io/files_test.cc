#include "io/files.h"

#include <gtest/gtest.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <cstdlib>
#include <map>

#include "io/file_systems.h"
#include "io/path.h"

namespace gk::io {
namespace {

class FilesTest : public ::testing::Test {
 protected:
  void SetUp() override {
    std::string name = ::testing::TempDir() + "filesXXXXXX";
    ASSERT_NE(::mkdtemp(name.data()), nullptr);
    folder_ = name;
  }
  void TearDown() override { EXPECT_TRUE(DeleteRecursively(folder_).ok()); }

  std::string At(std::string_view name) const {
    return ChildPath(folder_, name);
  }
  void Put(std::string_view name, std::string_view bytes) const {
    ASSERT_TRUE(MakeDirectories(std::string(FolderOf(At(name)))).ok());
    ASSERT_TRUE(WriteFile(At(name), bytes).ok());
  }
  std::string Get(std::string_view name) const {
    return ValueOrThrow(ReadFile(At(name)));
  }
  std::vector<std::string> Found(std::string_view pattern) const {
    std::vector<std::string> found = ValueOrThrow(Glob(At(pattern)));
    for (std::string& path : found) path.erase(0, folder_.size() + 1);
    return found;
  }

  std::string folder_;
};

using Names = std::vector<std::string>;

TEST_F(FilesTest, WrittenFilesAreRead) {
  const std::string large(3'000'001, 'x');
  for (const std::string& bytes :
       {std::string(), std::string("a\0b", 3), large}) {
    Put("f", bytes);
    EXPECT_EQ(Get("f"), bytes);
    EXPECT_EQ((*MapFile(At("f")))->bytes(), bytes);
    EXPECT_EQ(Stat(At("f"))->length, static_cast<int64_t>(bytes.size()));
  }
  EXPECT_EQ(ValueOrThrow(List(folder_)), Names{"f"});
}

TEST_F(FilesTest, WhatIsNotClosedReplacesNothing) {
  Put("f", "old");
  {
    const auto file = ValueOrThrow(OpenToReplace(At("f")));
    ASSERT_TRUE(file->Append("new").ok());
    ASSERT_TRUE(file->Flush().ok());
    EXPECT_EQ(Get("f"), "old");
  }
  EXPECT_EQ(Get("f"), "old");
  EXPECT_EQ(ValueOrThrow(List(folder_)), Names{"f"});
}

// A disk that is full: what could not be written leaves the old file.
TEST_F(FilesTest, AFailedWriteLeavesTheOldFile) {
  Put("f", "old");
  const pid_t child = ::fork();
  if (child == 0) {
    std::signal(SIGXFSZ, SIG_IGN);
    const rlimit most{100'000, 100'000};
    ::setrlimit(RLIMIT_FSIZE, &most);
    const Status status = WriteFile(At("f"), std::string(1'000'000, 'n'));
    ::_exit(status.code() == Code::kOutOfRange &&
                    status.message().starts_with(At("f") + "; File too large")
                ? 0
                : 1);
  }
  int result;
  ASSERT_EQ(::waitpid(child, &result, 0), child);
  EXPECT_EQ(result, 0);
  EXPECT_EQ(Get("f"), "old");
  EXPECT_EQ(ValueOrThrow(List(folder_)), Names{"f"});
}

TEST_F(FilesTest, AKilledWriterLeavesAWholeFile) {
  const std::string before(500'000, 'a'), after(700'000, 'b');
  Put("f", before);
  std::srand(11);
  for (int i = 0; i < 40; ++i) {
    const pid_t child = ::fork();
    if (child == 0) {
      for (int turn = 0;; ++turn) {
        WriteFile(At("f"), turn % 2 == 0 ? after : before).ok();
      }
    }
    ::usleep(static_cast<useconds_t>(std::rand() % 5'000));
    ::kill(child, SIGKILL);
    ::waitpid(child, nullptr, 0);
    const std::string now = Get("f");
    ASSERT_TRUE(now == before || now == after) << now.size();
  }
}

TEST_F(FilesTest, ReplacingKeepsModeAndLink) {
  Put("real", "old");
  ASSERT_EQ(::chmod(At("real").c_str(), 0640), 0);
  ASSERT_EQ(::symlink("real", At("link").c_str()), 0);
  ASSERT_TRUE(WriteFile(At("link"), "new").ok());
  EXPECT_EQ(Get("real"), "new");
  struct stat facts;
  ASSERT_EQ(::lstat(At("link").c_str(), &facts), 0);
  EXPECT_TRUE(S_ISLNK(facts.st_mode));
  ASSERT_EQ(::stat(At("real").c_str(), &facts), 0);
  EXPECT_EQ(facts.st_mode & 0777, 0640u);
}

TEST_F(FilesTest, AForkedChildWritesNothingTwice) {
  auto file = ValueOrThrow(OpenToWrite(At("f"), WriteMode::kAppend));
  ASSERT_TRUE(file->Append("once").ok());
  const pid_t child = ::fork();
  if (child == 0) {
    file.reset();
    ::_exit(0);
  }
  ::waitpid(child, nullptr, 0);
  ASSERT_TRUE(file->Close().ok());
  EXPECT_EQ(Get("f"), "once");
}

TEST_F(FilesTest, ErrorsNameThePathAndWhatWasAsked) {
  const Status missing = ReadFile(At("no/f")).status();
  EXPECT_EQ(missing.code(), Code::kNotFound);
  EXPECT_TRUE(missing.message().starts_with(
      At("no/f") + "; No such file or directory (to open it for reading"))
      << missing.message();
  EXPECT_EQ(ReadFile(folder_).status().code(), Code::kFailedPrecondition);
  EXPECT_EQ(WriteFile(folder_, "").code(), Code::kFailedPrecondition);
  EXPECT_EQ(WriteFile("", "").code(), Code::kNotFound);
  EXPECT_EQ(WriteFile(At("no/f"), "").code(), Code::kNotFound);
  Put("f", "");
  EXPECT_EQ(WriteFile(At("f/g"), "").code(), Code::kFailedPrecondition);
  EXPECT_EQ(MakeDirectories(At("f/g")).code(), Code::kFailedPrecondition);
  EXPECT_EQ(List(At("f")).status().code(), Code::kNotFound);
  EXPECT_EQ(DeleteFile(folder_).code(), Code::kFailedPrecondition);
  EXPECT_EQ(ReadFile(At(std::string(300, 'n'))).status().code(),
            Code::kInvalidArgument);
  EXPECT_EQ(ReadFile(std::string("a\0b", 3)).status().code(),
            Code::kInvalidArgument);
  EXPECT_EQ(ReadFile("nobody://f").status().code(), Code::kUnimplemented);
  EXPECT_EQ(OpenToWrite(At("f"), WriteMode::kCreate).status().code(),
            Code::kAlreadyExists);
  EXPECT_EQ(WriteFile("/dev/full", "x").code(), Code::kResourceExhausted);
}

TEST_F(FilesTest, NothingWaitsForAPipe) {
  ASSERT_EQ(::mkfifo(At("pipe").c_str(), 0600), 0);
  EXPECT_FALSE(ReadFile(At("pipe")).ok());
  EXPECT_FALSE(MapFile(At("pipe")).ok());
  EXPECT_EQ(WriteFile(At("pipe"), "x").code(), Code::kNotFound);
}

TEST_F(FilesTest, FilesLargerThanFourGigabytes) {
  Put("big", "start");
  constexpr off_t kEnd = off_t{5} << 30;
  ASSERT_EQ(::truncate(At("big").c_str(), kEnd), 0);
  auto file = ValueOrThrow(OpenToWrite(At("big"), WriteMode::kAppend));
  EXPECT_EQ(*file->Tell(), kEnd);
  ASSERT_TRUE(file->Append("end").ok());
  ASSERT_TRUE(file->Close().ok());
  char end[8];
  EXPECT_EQ(*(*OpenToRead(At("big")))->Read(kEnd, end), 3u);
  EXPECT_EQ(std::string_view(end, 3), "end");
  EXPECT_EQ((*MapFile(At("big")))->bytes().substr(kEnd), "end");
}

TEST_F(FilesTest, Patterns) {
  for (const char* name :
       {"1.txt", ".hid", "n/2.txt", "n/o/[b].txt", "n/o/a*b"}) {
    Put(name, "");
  }
  EXPECT_EQ(Found("*"), (Names{".hid", "1.txt", "n"}));
  EXPECT_EQ(Found("*/"), (Names{".hid", "1.txt", "n"}));
  EXPECT_EQ(Found("*/*"), (Names{"n/2.txt", "n/o"}));
  EXPECT_EQ(Found("[!0-9]*"), (Names{".hid", "n"}));
  EXPECT_EQ(Found("n/o/a\\*b"), (Names{"n/o/a*b"}));
  EXPECT_EQ(Found("n/o/[[]b*"), (Names{"n/o/[b].txt"}));
  EXPECT_EQ(Found("?.txt"), (Names{"1.txt"}));
  EXPECT_EQ(Found("**/o/*"), (Names{"n/o/[b].txt", "n/o/a*b"}));
  for (const char* none :
       {"[", "[]", "*//*", "q/*", "1.txt/*", "{1}.txt", "*//"}) {
    EXPECT_EQ(Found(none), Names()) << none;
  }
  EXPECT_EQ(*Glob(""), Names());
  EXPECT_EQ(*Glob("/etc/host[s]"), Names{"/etc/hosts"});
  EXPECT_EQ(*Glob("file:///etc/host[s]"), Names{"file:///etc/hosts"});
}

TEST_F(FilesTest, WalksEndInSpiteOfLinksThatGoBack) {
  Put("a/b/f", "");
  ASSERT_EQ(::symlink("..", At("a/b/up").c_str()), 0);
  ASSERT_EQ(::symlink("../..", At("a/b/top").c_str()), 0);
  ASSERT_EQ(::symlink("self", At("self").c_str()), 0);
  FolderWalk down(folder_, true), up(folder_, false);
  Names visited;
  while (const VisitedFolder* v = ValueOrThrow(down.Next())) {
    visited.push_back(v->path.substr(folder_.size()));
  }
  EXPECT_EQ(visited, (Names{"", "/a", "/a/b"}));
  visited.clear();
  while (const VisitedFolder* v = ValueOrThrow(up.Next())) {
    visited.push_back(v->path.substr(folder_.size()));
  }
  EXPECT_EQ(visited, (Names{"/a/b", "/a", ""}));
  EXPECT_EQ(ReadFile(At("self")).status().code(), Code::kUnknown);
}

TEST_F(FilesTest, LinksAreDeletedAndNotFollowed) {
  Put("kept/f", "");
  Put("gone/g", "");
  ASSERT_EQ(::symlink("../kept", At("gone/link").c_str()), 0);
  ASSERT_EQ(::symlink("loop", At("gone/loop").c_str()), 0);
  ASSERT_TRUE(DeleteRecursively(At("gone")).ok());
  EXPECT_FALSE(*Exists(At("gone")));
  EXPECT_TRUE(*Exists(At("kept/f")));
  EXPECT_EQ(DeleteRecursively(At("gone")).code(), Code::kNotFound);
}

TEST_F(FilesTest, CopiesAndNames) {
  Put("a", "text");
  Put("b", "old");
  EXPECT_EQ(Copy(At("a"), At("b"), false).code(), Code::kAlreadyExists);
  ASSERT_TRUE(Copy(At("a"), At("b"), true).ok());
  EXPECT_EQ(Get("b"), "text");
  ASSERT_TRUE(Copy(At("a"), At("a"), true).ok());
  EXPECT_EQ(Get("a"), "text");
  EXPECT_EQ(Copy(folder_, At("c"), false).code(), Code::kInvalidArgument);
  EXPECT_FALSE(*Exists(At("c")));
  EXPECT_EQ(Rename(At("a"), At("b"), false).code(), Code::kAlreadyExists);
  ASSERT_TRUE(Rename(At("a"), At("b"), true).ok());
  EXPECT_FALSE(*Exists(At("a")));
}

// A child that has begun to replace a file; a byte comes when it has.
pid_t BeginToReplace(const std::string& path, bool then_die) {
  int begun[2];
  EXPECT_EQ(::pipe(begun), 0);
  const pid_t child = ::fork();
  if (child == 0) {
    const auto file = OpenToReplace(path);
    if (!file.ok() || !(*file)->Append("half").ok()) ::_exit(1);
    if (::write(begun[1], "x", 1) != 1) ::_exit(1);
    if (then_die) ::raise(SIGKILL);
    for (;;) ::pause();
  }
  char byte;
  EXPECT_EQ(::read(begun[0], &byte, 1), 1);
  ::close(begun[0]);
  ::close(begun[1]);
  return child;
}

TEST_F(FilesTest, WhatKilledWritersLeftGoesWithTheNext) {
  const pid_t alive = BeginToReplace(At("a"), false);
  const pid_t killed = BeginToReplace(At("b"), true);
  ASSERT_EQ(::waitpid(killed, nullptr, 0), killed);
  EXPECT_EQ(Found("*").size(), 2);
  Put("c", "x");
  EXPECT_EQ(Found("*").size(), 2);
  const std::string own = Format(".gk-new-{}-", alive);
  EXPECT_EQ(Found(own + "*").size(), 1);
  ::kill(alive, SIGKILL);
  ASSERT_EQ(::waitpid(alive, nullptr, 0), alive);
}

TEST(Paths, AreTakenApart) {
  const PathParts parts = ParsePath("s3://bucket/a/b");
  EXPECT_EQ(parts.scheme, "s3");
  EXPECT_EQ(parts.host, "bucket");
  EXPECT_EQ(parts.path, "/a/b");
  for (const char* local : {"a://", "://a", "1a://b", "a/b", "", "a b://c"}) {
    EXPECT_EQ(ParsePath(local).scheme, local == std::string("a://") ? "a" : "");
  }
  EXPECT_EQ(FolderOf("s3://bucket/a"), "s3://bucket/");
  EXPECT_EQ(FolderOf("/a"), "/");
  EXPECT_EQ(FolderOf("a"), "");
  EXPECT_EQ(NameOf("s3://bucket"), "");
  EXPECT_EQ(JoinPaths({"a", "b/", "c"}), "a/b/c");
  EXPECT_EQ(JoinPaths({"a", "/b"}), "/b");
}

TEST(FileSystems, SchemesAreRegisteredOnce) {
  EXPECT_EQ(RegisterFileSystem("no scheme", nullptr).code(),
            Code::kInvalidArgument);
  EXPECT_EQ(RegisterFileSystem("null", nullptr).code(), Code::kInvalidArgument);
  EXPECT_EQ(RegisterFileSystem("file", *FileSystemOf("/a")).code(),
            Code::kAlreadyExists);
}

TEST(MemoryFiles, FoldersFilesAndTheirNames) {
  ASSERT_TRUE(WriteFile("ram://a/b/c", "one").ok());
  EXPECT_EQ(ValueOrThrow(ReadFile("ram://a/b/c")), "one");
  const auto system = ValueOrThrow(FileSystemOf("ram://a"));
  EXPECT_TRUE(ValueOrThrow(system->Stat("ram://a/b/")).is_directory);
  EXPECT_EQ(ValueOrThrow(system->Stat("ram://a//b/c")).length, 3);
  EXPECT_EQ(ValueOrThrow(system->List("ram://a")),
            std::vector<std::string>{"b"});
  EXPECT_EQ(system->DeleteDirectory("ram://a").code(),
            Code::kFailedPrecondition);
  EXPECT_EQ(system->MakeDirectory("ram://a/b").code(), Code::kAlreadyExists);
  EXPECT_EQ(WriteFile("ram://a/b", "x").code(), Code::kFailedPrecondition);
  EXPECT_EQ(WriteFile("ram://a/b/c/d", "x").code(), Code::kFailedPrecondition);
  EXPECT_EQ(ReadFile("ram://a/b").status().code(), Code::kFailedPrecondition);
  EXPECT_EQ(system->Rename("ram://a", "ram://a/b/z").code(),
            Code::kInvalidArgument);
  ASSERT_TRUE(system->Rename("ram://a", "ram://z").ok());
  EXPECT_EQ(ValueOrThrow(ReadFile("ram://z/b/c")), "one");
  EXPECT_EQ(ReadFile("ram://a/b/c").status().code(), Code::kNotFound);
  // One that is open stays what it is.
  const auto open = ValueOrThrow(OpenToRead("ram://z/b/c"));
  ASSERT_TRUE(WriteFile("ram://z/b/c", "other").ok());
  ASSERT_TRUE(system->DeleteRecursively("ram://z").ok());
  std::string got(9, ' ');
  EXPECT_EQ(ValueOrThrow(open->Read(1, got)), 2u);
  EXPECT_EQ(system->Stat("ram://z").status().code(), Code::kNotFound);
}

}  // namespace
}  // namespace gk::io
