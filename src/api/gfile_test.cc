#include "graphkiln/gfile.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <map>
#include <mutex>

#include "graphkiln/functions.h"
#include "graphkiln/tensor.h"

namespace gk {
namespace {

namespace gfile = gk::io::gfile;

ErrorCode CodeOf(const std::function<void()>& body) {
  try {
    body();
  } catch (const Error& e) {
    return e.code();
  }
  return ErrorCode{};
}

// A file system of a C++ program: names and bytes.
class Memory final : public io::FileSystem {
 public:
  size_t read(const std::string& path, uint64_t offset,
              std::span<char> to) override {
    const std::lock_guard lock(mutex_);
    const std::string& bytes = File(path);
    if (offset >= bytes.size()) return 0;
    return bytes.copy(to.data(), to.size(), offset);
  }
  void write(const std::string& path, std::string_view bytes,
             bool append) override {
    const std::lock_guard lock(mutex_);
    std::string& file = files_[path];
    if (!append) file.clear();
    file += bytes;
  }
  io::FileStatistics stat(const std::string& path) override {
    const std::lock_guard lock(mutex_);
    if (folders_.contains(path) || path == "mem://") return {0, 0, true};
    return {static_cast<int64_t>(File(path).size()), 7, false};
  }
  std::vector<std::string> list(const std::string& path) override {
    const std::lock_guard lock(mutex_);
    std::vector<std::string> names;
    const auto add = [&](const std::string& name) {
      const std::string start = path.ends_with('/') ? path : path + "/";
      if (!name.starts_with(start)) return;
      const std::string rest = name.substr(start.size());
      if (rest.find('/') == rest.npos) names.push_back(rest);
    };
    for (const auto& [name, bytes] : files_) add(name);
    for (const auto& [name, there] : folders_) add(name);
    return names;
  }
  void make_directory(const std::string& path) override {
    const std::lock_guard lock(mutex_);
    if (folders_.contains(path)) throw Error(ErrorCode::kAlreadyExists, path);
    folders_[path] = true;
  }
  void delete_file(const std::string& path) override {
    const std::lock_guard lock(mutex_);
    File(path);
    files_.erase(path);
  }
  void delete_directory(const std::string& path) override {
    const std::lock_guard lock(mutex_);
    folders_.erase(path);
  }

 private:
  std::string& File(const std::string& path) {
    const auto it = files_.find(path);
    if (it == files_.end()) throw Error(ErrorCode::kNotFound, path);
    return it->second;
  }
  std::mutex mutex_;
  std::map<std::string, std::string> files_;
  std::map<std::string, bool> folders_;
};

TEST(GFile, FilesAndFolders) {
  const std::string top = gfile::join(
      {::testing::TempDir(), "gfile_api" + std::to_string(getpid())});
  gfile::makedirs(gfile::join({top, "a", "b"}));
  const std::string path = gfile::join({top, "a", "f.txt"});
  gfile::GFile file(path, "w");
  file.write("one\ntwo\n");
  file.close();
  EXPECT_EQ(gfile::GFile(path).readlines(),
            (std::vector<std::string>{"one\n", "two\n"}));
  EXPECT_EQ(gfile::stat(path).length, 8);
  EXPECT_EQ(gfile::glob(top + "/*/*.txt"), std::vector<std::string>{path});
  EXPECT_EQ(io::MappedFile(path).bytes(), "one\ntwo\n");
  std::vector<std::string> visited;
  gfile::walk(top, [&](gfile::Folder& f) {
    visited.push_back(f.path.substr(top.size()));
    std::erase(f.folders, "b");
  });
  EXPECT_EQ(visited, (std::vector<std::string>{"", "/a"}));
  EXPECT_EQ(io::read_file(path).to_vector<std::string>()[0], "one\ntwo\n");
  EXPECT_EQ(CodeOf([&] { gfile::copy(path, path + "x"); }), ErrorCode{});
  EXPECT_EQ(CodeOf([&] { gfile::copy(path, path + "x"); }),
            ErrorCode::kAlreadyExists);
  gfile::rmtree(top);
  EXPECT_FALSE(gfile::exists(top));
  EXPECT_EQ(CodeOf([&] { gfile::listdir(top); }), ErrorCode::kNotFound);
}

TEST(GFile, AProgramsFileSystemServesFunctionsAndOps) {
  io::register_file_system("mem", std::make_shared<Memory>());
  EXPECT_EQ(CodeOf([] {
              io::register_file_system("mem", std::make_shared<Memory>());
            }),
            ErrorCode::kAlreadyExists);
  gfile::makedirs("mem://h/a/b");
  io::write_file("mem://h/a/f.txt", "text");
  EXPECT_EQ(io::read_file("mem://h/a/f.txt").to_vector<std::string>()[0],
            "text");
  gfile::GFile more("mem://h/a/f.txt", "a");
  EXPECT_EQ(more.tell(), 4);
  more.write(" and more");
  more.close();
  EXPECT_EQ(gfile::GFile("mem://h/a/f.txt").read(), "text and more");
  EXPECT_EQ(io::MappedFile("mem://h/a/f.txt").bytes(), "text and more");
  EXPECT_EQ(gfile::listdir("mem://h/a"),
            (std::vector<std::string>{"b", "f.txt"}));
  EXPECT_EQ(gfile::glob("mem://h/*/*.txt"),
            std::vector<std::string>{"mem://h/a/f.txt"});
  // To this machine and back.
  const std::string local =
      ::testing::TempDir() + "from_mem" + std::to_string(getpid());
  gfile::copy("mem://h/a/f.txt", local);
  gfile::rename(local, "mem://h/a/g.txt");
  EXPECT_FALSE(gfile::exists(local));
  gfile::rename("mem://h/a/g.txt", "mem://h/a/h.txt");
  EXPECT_EQ(gfile::stat("mem://h/a/h.txt").length, 13);
  EXPECT_EQ(CodeOf([] { gfile::GFile("mem://h/a").read(); }),
            ErrorCode::kFailedPrecondition);
  EXPECT_EQ(CodeOf([] { gfile::remove("mem://h/no"); }), ErrorCode::kNotFound);
  EXPECT_EQ(CodeOf([] { gfile::exists("unknown://a"); }),
            ErrorCode::kUnimplemented);
  gfile::rmtree("mem://h/a");
  EXPECT_FALSE(gfile::exists("mem://h/a/f.txt"));
}

}  // namespace
}  // namespace gk
