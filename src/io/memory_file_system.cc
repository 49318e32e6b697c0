#include "io/memory_file_system.h"

#include <algorithm>
#include <chrono>
#include <utility>

namespace gk::io {
namespace {

int64_t Now() {
  return std::chrono::duration_cast<std::chrono::nanoseconds>(
             std::chrono::system_clock::now().time_since_epoch())
      .count();
}

// "ram://a//b/" is "a/b".
std::string NameOfPath(std::string_view path) {
  const size_t scheme = path.find("://");
  if (scheme != std::string_view::npos) path.remove_prefix(scheme + 3);
  std::string name;
  for (const char c : path) {
    if (c == '/' && (name.empty() || name.back() == '/')) continue;
    name += c;
  }
  if (name.ends_with('/')) name.pop_back();
  return name;
}

std::string FolderOfName(const std::string& name) {
  const size_t slash = name.rfind('/');
  return slash == std::string::npos ? "" : name.substr(0, slash);
}

Status Missing(const std::string& path) {
  return NotFound("{}; No such file or directory", path);
}
Status IsFolder(const std::string& path) {
  return FailedPrecondition("{}; Is a directory", path);
}

}  // namespace

struct MemoryFileSystem::Content {
  std::mutex mutex;
  std::string bytes;
  int64_t mtime_nsec = Now();
};

namespace {

using Content = MemoryFileSystem::Content;

class MemoryReader final : public RandomAccessFile {
 public:
  explicit MemoryReader(std::shared_ptr<Content> content)
      : content_(std::move(content)) {}
  StatusOr<size_t> Read(uint64_t offset, std::span<char> to) const override {
    const std::lock_guard lock(content_->mutex);
    const std::string& bytes = content_->bytes;
    if (offset >= bytes.size()) return size_t{0};
    return bytes.copy(to.data(), to.size(), static_cast<size_t>(offset));
  }
  bool reads_at_once() const override { return true; }

 private:
  const std::shared_ptr<Content> content_;
};

class MemoryWriter final : public WritableFile {
 public:
  explicit MemoryWriter(std::shared_ptr<Content> content)
      : content_(std::move(content)) {}
  Status Append(std::string_view bytes) override {
    const std::lock_guard lock(content_->mutex);
    content_->bytes.append(bytes);
    content_->mtime_nsec = Now();
    return OkStatus();
  }
  Status Flush() override { return OkStatus(); }
  Status Sync() override { return OkStatus(); }
  Status Close() override { return OkStatus(); }
  StatusOr<int64_t> Tell() override {
    const std::lock_guard lock(content_->mutex);
    return static_cast<int64_t>(content_->bytes.size());
  }

 private:
  const std::shared_ptr<Content> content_;
};

}  // namespace

// Appears when it is closed.
class MemoryFileSystem::Replacing final : public WritableFile {
 public:
  Replacing(MemoryFileSystem* system, std::string name)
      : system_(system),
        name_(std::move(name)),
        writer_(new MemoryWriter(content_)) {}
  Status Append(std::string_view bytes) override {
    return writer_->Append(bytes);
  }
  Status Flush() override { return OkStatus(); }
  Status Sync() override { return OkStatus(); }
  Status Close() override {
    const std::lock_guard lock(system_->mutex_);
    return system_->Put(name_, content_);
  }
  StatusOr<int64_t> Tell() override { return writer_->Tell(); }

 private:
  MemoryFileSystem* const system_;  // lives as long as the process
  const std::string name_;
  const std::shared_ptr<Content> content_ = std::make_shared<Content>();
  const std::unique_ptr<WritableFile> writer_;
};

const MemoryFileSystem::Node* MemoryFileSystem::Find(
    const std::string& name) const {
  static const Node root;
  if (name.empty()) return &root;
  const auto found = nodes_.find(name);
  return found == nodes_.end() ? nullptr : &found->second;
}

Status MemoryFileSystem::MakeFolder(const std::string& name) {
  if (const Node* there = Find(name)) {
    if (there->file == nullptr) return OkStatus();
    return FailedPrecondition("ram://{}; Not a directory", name);
  }
  GK_RETURN_IF_ERROR(MakeFolder(FolderOfName(name)));
  nodes_[name] = {};
  return OkStatus();
}

bool MemoryFileSystem::HasEntries(const std::string& name) const {
  const std::string prefix = name.empty() ? "" : name + "/";
  const auto next = nodes_.lower_bound(prefix);
  return next != nodes_.end() && next->first.starts_with(prefix);
}

Status MemoryFileSystem::Put(const std::string& name,
                             std::shared_ptr<Content> file) {
  const Node* there = Find(name);
  if (there != nullptr && there->file == nullptr) {
    return IsFolder("ram://" + name);
  }
  GK_RETURN_IF_ERROR(MakeFolder(FolderOfName(name)));
  nodes_[name] = {std::move(file)};
  return OkStatus();
}

StatusOr<std::unique_ptr<RandomAccessFile>> MemoryFileSystem::OpenToRead(
    const std::string& path) {
  const std::lock_guard lock(mutex_);
  const Node* node = Find(NameOfPath(path));
  if (node == nullptr) return Missing(path);
  if (node->file == nullptr) return IsFolder(path);
  return std::unique_ptr<RandomAccessFile>(new MemoryReader(node->file));
}

StatusOr<std::unique_ptr<WritableFile>> MemoryFileSystem::OpenToWrite(
    const std::string& path, WriteMode mode) {
  const std::lock_guard lock(mutex_);
  const std::string name = NameOfPath(path);
  const Node* node = Find(name);
  if (node != nullptr && mode == WriteMode::kCreate) {
    return AlreadyExists("{}; File exists", path);
  }
  std::shared_ptr<Content> content;
  if (node != nullptr && mode == WriteMode::kAppend) content = node->file;
  if (content == nullptr) {
    content = std::make_shared<Content>();
    GK_RETURN_IF_ERROR(Put(name, content));
  }
  return std::unique_ptr<WritableFile>(new MemoryWriter(std::move(content)));
}

StatusOr<std::unique_ptr<WritableFile>> MemoryFileSystem::OpenToReplace(
    const std::string& path) {
  const std::lock_guard lock(mutex_);
  const std::string name = NameOfPath(path);
  const Node* node = Find(name);
  if (node != nullptr && node->file == nullptr) return IsFolder(path);
  return std::unique_ptr<WritableFile>(new Replacing(this, name));
}

StatusOr<FileStatistics> MemoryFileSystem::Stat(const std::string& path) {
  const std::lock_guard lock(mutex_);
  const Node* node = Find(NameOfPath(path));
  if (node == nullptr) return Missing(path);
  FileStatistics found;
  found.is_directory = node->file == nullptr;
  if (!found.is_directory) {
    const std::lock_guard own(node->file->mutex);
    found.length = static_cast<int64_t>(node->file->bytes.size());
    found.mtime_nsec = node->file->mtime_nsec;
  }
  return found;
}

StatusOr<std::vector<std::string>> MemoryFileSystem::List(
    const std::string& path) {
  const std::lock_guard lock(mutex_);
  const std::string name = NameOfPath(path);
  const Node* node = Find(name);
  if (node == nullptr || node->file != nullptr) {
    return NotFound("Could not find directory {}", path);
  }
  const std::string prefix = name.empty() ? "" : name + "/";
  std::vector<std::string> names;
  for (auto next = nodes_.lower_bound(prefix);
       next != nodes_.end() && next->first.starts_with(prefix); ++next) {
    const std::string rest = next->first.substr(prefix.size());
    if (rest.find('/') == std::string::npos) names.push_back(rest);
  }
  return names;
}

Status MemoryFileSystem::MakeDirectory(const std::string& path) {
  const std::lock_guard lock(mutex_);
  const std::string name = NameOfPath(path);
  if (Find(name) != nullptr) return AlreadyExists("{}; File exists", path);
  return MakeFolder(name);
}

Status MemoryFileSystem::DeleteFile(const std::string& path) {
  const std::lock_guard lock(mutex_);
  const std::string name = NameOfPath(path);
  const Node* node = Find(name);
  if (node == nullptr) return Missing(path);
  if (node->file == nullptr) return IsFolder(path);
  nodes_.erase(name);
  return OkStatus();
}

Status MemoryFileSystem::DeleteDirectory(const std::string& path) {
  const std::lock_guard lock(mutex_);
  const std::string name = NameOfPath(path);
  const Node* node = Find(name);
  if (node == nullptr) return Missing(path);
  if (node->file != nullptr) {
    return FailedPrecondition("{}; Not a directory", path);
  }
  if (HasEntries(name)) {
    return FailedPrecondition("{}; Directory not empty", path);
  }
  nodes_.erase(name);
  return OkStatus();
}

Status MemoryFileSystem::Rename(const std::string& from,
                                const std::string& to) {
  const std::lock_guard lock(mutex_);
  const std::string old = NameOfPath(from), now = NameOfPath(to);
  const Node* node = Find(old);
  if (node == nullptr || old.empty()) return Missing(from);
  if (old == now) return OkStatus();
  if (node->file != nullptr) {
    GK_RETURN_IF_ERROR(Put(now, node->file));
    nodes_.erase(old);
    return OkStatus();
  }
  if (now.starts_with(old + "/")) {
    return InvalidArgument("{}; it would be within itself", to);
  }
  if (Find(now) != nullptr && (Find(now)->file != nullptr || HasEntries(now))) {
    return FailedPrecondition("{}; Directory not empty", to);
  }
  GK_RETURN_IF_ERROR(MakeFolder(now));
  std::vector<std::pair<std::string, Node>> moved;
  for (const auto& [name, entry] : nodes_) {
    if (name == old || name.starts_with(old + "/")) {
      moved.emplace_back(name, entry);
    }
  }
  for (const auto& [name, entry] : moved) {
    nodes_.erase(name);
    nodes_[now + name.substr(old.size())] = entry;
  }
  return OkStatus();
}

}  // namespace gk::io
