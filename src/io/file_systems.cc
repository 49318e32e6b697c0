#include "io/file_systems.h"

#include <map>
#include <mutex>
#include <utility>

#include "base/process_mutex.h"
#include "io/file_error.h"
#include "io/local_file_system.h"
#include "io/memory_file_system.h"
#include "io/path.h"

namespace gk::io {
namespace {

class FileSystems {
 public:
  static FileSystems& Get() {
    // Threads may still run when the process ends.
    static auto* const all = new FileSystems;
    return *all;
  }

  Status Register(const std::string& scheme,
                  std::shared_ptr<FileSystem> file_system) {
    const std::lock_guard lock(mutex_);
    if (!known_.try_emplace(scheme, std::move(file_system)).second) {
      return AlreadyExists(
          "File system for {} already registered: it stays; choose another "
          "scheme",
          scheme);
    }
    return OkStatus();
  }

  void Add(std::unique_ptr<FileSystemFinder> finder) {
    const std::lock_guard lock(mutex_);
    finders_.push_back(std::move(finder));
  }

  std::vector<std::string> Schemes() {
    const std::lock_guard lock(mutex_);
    std::vector<std::string> schemes;
    for (const auto& [scheme, system] : known_) schemes.push_back(scheme);
    return schemes;
  }

  // Null if there is none.
  StatusOr<std::shared_ptr<FileSystem>> Find(const std::string& scheme) {
    if (auto known = Known(scheme)) return known;
    // Finders run code of others: not under the lock.
    for (size_t i = 0; FileSystemFinder* finder = FinderAt(i); ++i) {
      GK_ASSIGN_OR_RETURN(std::shared_ptr<FileSystem> found,
                          finder->Find(scheme));
      if (found == nullptr) continue;
      const std::lock_guard lock(mutex_);
      return known_.try_emplace(scheme, std::move(found)).first->second;
    }
    return std::shared_ptr<FileSystem>();
  }

 private:
  FileSystems() {
    auto local = std::make_shared<LocalFileSystem>();
    known_ = {{"", local},
              {"file", local},
              {"ram", std::make_shared<MemoryFileSystem>()}};
  }
  std::shared_ptr<FileSystem> Known(const std::string& scheme) {
    const std::lock_guard lock(mutex_);
    const auto it = known_.find(scheme);
    return it == known_.end() ? nullptr : it->second;
  }
  FileSystemFinder* FinderAt(size_t i) {
    const std::lock_guard lock(mutex_);
    return i < finders_.size() ? finders_[i].get() : nullptr;
  }

  ProcessMutex mutex_;
  std::map<std::string, std::shared_ptr<FileSystem>> known_;
  std::vector<std::unique_ptr<FileSystemFinder>> finders_;  // never fewer
};

}  // namespace

Status RegisterFileSystem(const std::string& scheme,
                          std::shared_ptr<FileSystem> file_system) {
  if (scheme.empty() || ParsePath(scheme + "://").scheme != scheme) {
    return InvalidArgument(
        "'{}' is no scheme of a file system: letters, digits, '.', '+' and '-' "
        "after a letter are expected",
        scheme);
  }
  if (file_system == nullptr) {
    return InvalidArgument("The file system for {} is null", scheme);
  }
  return FileSystems::Get().Register(scheme, std::move(file_system));
}

void AddFileSystemFinder(std::unique_ptr<FileSystemFinder> finder) {
  FileSystems::Get().Add(std::move(finder));
}

std::vector<std::string> RegisteredSchemes() {
  return FileSystems::Get().Schemes();
}

StatusOr<std::shared_ptr<FileSystem>> FileSystemOf(std::string_view path) {
  GK_RETURN_IF_ERROR(CheckPath(path));
  const std::string scheme(ParsePath(path).scheme);
  GK_ASSIGN_OR_RETURN(std::shared_ptr<FileSystem> found,
                      FileSystems::Get().Find(scheme));
  if (found != nullptr) return found;
  return Unimplemented(
      "File system scheme '{}' not implemented (file: '{}'): register a file "
      "system for it, or install fsspec where Python runs",
      scheme, path);
}

}  // namespace gk::io
