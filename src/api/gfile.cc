// gk::io::gfile, and file systems that C++ programs register.
#include "graphkiln/gfile.h"

#include <utility>

#include "api/inner.h"
#include "base/caught.h"
#include "io/file_systems.h"
#include "io/files.h"
#include "io/gfile.h"
#include "io/path.h"

namespace gk::api::io {
namespace {

namespace inner = ::gk::io;

// What `body` throws, as a status.
template <class F>
Status StatusOf(F&& body) {
  try {
    Inward([&] { body(); });
    return OkStatus();
  } catch (...) {
    return CaughtStatus();
  }
}
template <class T, class F>
StatusOr<T> ResultOf(F&& body) {
  T result{};
  GK_RETURN_IF_ERROR(StatusOf([&] { result = body(); }));
  return result;
}

FileStatistics OuterStatistics(const inner::FileStatistics& s) {
  return {s.length, s.mtime_nsec, s.is_directory};
}

// ---- A program's file system, for the library ----

class PublicRandomAccess final : public inner::RandomAccessFile {
 public:
  PublicRandomAccess(std::shared_ptr<FileSystem> system, std::string path)
      : system_(std::move(system)), path_(std::move(path)) {}
  StatusOr<size_t> Read(uint64_t offset, std::span<char> to) const override {
    GK_ASSIGN_OR_RETURN(const size_t got, ResultOf<size_t>([&] {
                          return system_->read(path_, offset, to);
                        }));
    if (got <= to.size()) return got;
    return Internal("{}: {} bytes were read where {} were asked for", path_,
                    got, to.size());
  }

 private:
  const std::shared_ptr<FileSystem> system_;
  const std::string path_;
};

// Its bytes go there when it is flushed.
class PublicWritable final : public inner::WritableFile {
 public:
  PublicWritable(std::shared_ptr<FileSystem> system, std::string path,
                 bool append, int64_t position)
      : system_(std::move(system)),
        path_(std::move(path)),
        append_(append),
        position_(position) {}
  ~PublicWritable() override { Flush().ok(); }

  Status Append(std::string_view bytes) override {
    buffer_ += bytes;
    return buffer_.size() < kBuffer ? OkStatus() : Flush();
  }
  Status Flush() override {
    if (append_ && buffer_.empty()) return OkStatus();
    const std::string bytes = std::exchange(buffer_, {});
    const bool append = std::exchange(append_, true);
    position_ += static_cast<int64_t>(bytes.size());
    return StatusOf([&] { system_->write(path_, bytes, append); });
  }
  Status Sync() override { return Flush(); }
  Status Close() override { return Flush(); }
  StatusOr<int64_t> Tell() override {
    return position_ + static_cast<int64_t>(buffer_.size());
  }

 private:
  static constexpr size_t kBuffer = size_t{1} << 22;
  const std::shared_ptr<FileSystem> system_;
  const std::string path_;
  bool append_;  // or it becomes what is written first
  int64_t position_;
  std::string buffer_;
};

class PublicFileSystem final : public inner::FileSystem {
 public:
  explicit PublicFileSystem(std::shared_ptr<io::FileSystem> system)
      : system_(std::move(system)) {}

  StatusOr<std::unique_ptr<inner::RandomAccessFile>> OpenToRead(
      const std::string& path) override {
    GK_ASSIGN_OR_RETURN(const inner::FileStatistics facts, Stat(path));
    if (facts.is_directory) {
      return FailedPrecondition("{}; Is a directory (to open it for reading)",
                                path);
    }
    return std::unique_ptr<inner::RandomAccessFile>(
        new PublicRandomAccess(system_, path));
  }
  StatusOr<std::unique_ptr<inner::WritableFile>> OpenToWrite(
      const std::string& path, inner::WriteMode mode) override {
    const StatusOr<inner::FileStatistics> facts = Stat(path);
    if (!facts.ok() && facts.status().code() != Code::kNotFound) {
      return facts.status();
    }
    if (facts.ok() && facts->is_directory) {
      return FailedPrecondition("{}; Is a directory (to open it for writing)",
                                path);
    }
    if (facts.ok() && mode == inner::WriteMode::kCreate) {
      return AlreadyExists("{}; File exists (to make it)", path);
    }
    const bool append = facts.ok() && mode == inner::WriteMode::kAppend;
    return std::unique_ptr<inner::WritableFile>(
        new PublicWritable(system_, path, append, append ? facts->length : 0));
  }
  StatusOr<inner::FileStatistics> Stat(const std::string& path) override {
    return ResultOf<inner::FileStatistics>([&] {
      const FileStatistics s = system_->stat(path);
      return inner::FileStatistics{s.length, s.mtime_nsec, s.is_directory};
    });
  }
  StatusOr<std::vector<std::string>> List(const std::string& path) override {
    return ResultOf<std::vector<std::string>>(
        [&] { return system_->list(path); });
  }
  Status MakeDirectory(const std::string& path) override {
    return StatusOf([&] { system_->make_directory(path); });
  }
  Status DeleteFile(const std::string& path) override {
    return StatusOf([&] { system_->delete_file(path); });
  }
  Status DeleteDirectory(const std::string& path) override {
    return StatusOf([&] { system_->delete_directory(path); });
  }
  Status Rename(const std::string& from, const std::string& to) override {
    return StatusOf([&] { system_->rename(from, to); });
  }

 private:
  const std::shared_ptr<io::FileSystem> system_;
};

}  // namespace

FileSystem::~FileSystem() = default;

void FileSystem::rename(const std::string& from, const std::string& to) {
  throw Error(ErrorCode::kUnimplemented, from + "; cannot be renamed to " + to +
                                             ": its file system only copies");
}

void register_file_system(const std::string& scheme,
                          std::shared_ptr<FileSystem> file_system) {
  Guarded([&] {
    if (file_system == nullptr) {
      ThrowIfError(inner::RegisterFileSystem(scheme, nullptr));
    }
    ThrowIfError(inner::RegisterFileSystem(
        scheme, std::make_shared<PublicFileSystem>(std::move(file_system))));
  });
}

MappedFile::MappedFile(const std::string& path) {
  Guarded([&] {
    std::shared_ptr<const inner::MappedFile> file =
        ValueOrThrow(inner::MapFile(path));
    bytes_ = file->bytes();
    rep_ = std::move(file);
  });
}

}  // namespace gk::api::io

namespace gk::api::io::gfile {

namespace inner = ::gk::io;

struct GFile::Rep {
  std::shared_ptr<inner::GFile> file;
};

GFile::GFile(const std::string& name, const std::string& mode) {
  Guarded([&] {
    rep_ = std::make_shared<Rep>(
        Rep{ValueOrThrow(inner::GFile::Make(name, mode))});
  });
}
const std::string& GFile::name() const { return rep_->file->name(); }
const std::string& GFile::mode() const { return rep_->file->mode(); }
int64_t GFile::size() const {
  return Guarded([&] { return ValueOrThrow(rep_->file->Size()); });
}
std::string GFile::read(int64_t n) const {
  return Guarded([&] { return ValueOrThrow(rep_->file->Read(n)); });
}
std::string GFile::readline() const {
  return Guarded([&] { return ValueOrThrow(rep_->file->ReadLine()); });
}
std::vector<std::string> GFile::readlines() const {
  std::vector<std::string> lines;
  for (;;) {
    std::string line = readline();
    if (line.empty()) return lines;
    lines.push_back(std::move(line));
  }
}
void GFile::seek(int64_t offset, int whence) const {
  Guarded([&] { ThrowIfError(rep_->file->Seek(offset, whence)); });
}
int64_t GFile::tell() const {
  return Guarded([&] { return ValueOrThrow(rep_->file->Tell()); });
}
void GFile::write(std::string_view bytes) const {
  Guarded([&] { ThrowIfError(rep_->file->Write(bytes)); });
}
void GFile::flush() const {
  Guarded([&] { ThrowIfError(rep_->file->Flush()); });
}
void GFile::close() const {
  Guarded([&] { ThrowIfError(rep_->file->Close()); });
}

void copy(const std::string& src, const std::string& dst, bool overwrite) {
  Guarded([&] { ThrowIfError(inner::Copy(src, dst, overwrite)); });
}
bool exists(const std::string& path) {
  return Guarded([&] { return ValueOrThrow(inner::Exists(path)); });
}
bool isdir(const std::string& path) {
  return Guarded([&] { return inner::IsDirectory(path); });
}
std::vector<std::string> listdir(const std::string& path) {
  return Guarded([&] { return ValueOrThrow(inner::List(path)); });
}
void makedirs(const std::string& path) {
  Guarded([&] { ThrowIfError(inner::MakeDirectories(path)); });
}
void mkdir(const std::string& path) {
  Guarded([&] { ThrowIfError(inner::MakeDirectory(path)); });
}
void remove(const std::string& path) {
  Guarded([&] { ThrowIfError(inner::DeleteFile(path)); });
}
void rename(const std::string& src, const std::string& dst, bool overwrite) {
  Guarded([&] { ThrowIfError(inner::Rename(src, dst, overwrite)); });
}
void rmtree(const std::string& path) {
  Guarded([&] { ThrowIfError(inner::DeleteRecursively(path)); });
}
FileStatistics stat(const std::string& path) {
  return Guarded(
      [&] { return OuterStatistics(ValueOrThrow(inner::Stat(path))); });
}
std::vector<std::string> glob(const std::string& pattern) {
  return Guarded([&] { return ValueOrThrow(inner::Glob(pattern)); });
}
std::vector<std::string> glob(const std::vector<std::string>& patterns) {
  std::vector<std::string> all;
  for (const std::string& pattern : patterns) {
    std::vector<std::string> files = glob(pattern);
    all.insert(all.end(), std::make_move_iterator(files.begin()),
               std::make_move_iterator(files.end()));
  }
  return all;
}
std::string join(const std::vector<std::string>& paths) {
  return inner::JoinPaths(paths);
}
std::vector<std::string> get_registered_schemes() {
  return inner::RegisteredSchemes();
}

void walk(const std::string& top, const std::function<void(Folder&)>& visit,
          bool topdown, const std::function<void(const Error&)>& onerror) {
  inner::FolderWalk walk(top, topdown);
  for (;;) {
    const StatusOr<inner::VisitedFolder*> next = walk.Next();
    if (!next.ok()) {
      if (next.status().code() == Code::kCancelled) ThrowPublic(next.status());
      if (!onerror) continue;
      onerror(Error(static_cast<ErrorCode>(next.status().code()),
                    next.status().message()));
      continue;
    }
    if (*next == nullptr) return;
    Folder folder{(*next)->path, std::move((*next)->folders),
                  std::move((*next)->files)};
    visit(folder);
    (*next)->folders = std::move(folder.folders);
  }
}

}  // namespace gk::api::io::gfile
