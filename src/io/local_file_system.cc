#include "io/local_file_system.h"

#include <dirent.h>
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <utility>

#include "io/local_files.h"
#include "io/path.h"

namespace gk::io {
namespace {

// As the system names it.
std::string Local(const std::string& path) {
  return std::string(ParsePath(path).path);
}

class MappedPages final : public MappedFile {
 public:
  MappedPages(const void* start, size_t size) : start_(start), size_(size) {}
  ~MappedPages() override { ::munmap(const_cast<void*>(start_), size_); }
  std::string_view bytes() const override {
    return {static_cast<const char*>(start_), size_};
  }

 private:
  const void* const start_;
  const size_t size_;
};

// The names in a folder that is open.
class Folder {
 public:
  static StatusOr<Folder> Open(const std::string& path) {
    DIR* const open = ::opendir(Local(path).c_str());
    if (open == nullptr) return FileError(errno, path, "to list it");
    return Folder(open, path);
  }
  Folder(Folder&& o) noexcept
      : open_(std::exchange(o.open_, nullptr)), path_(std::move(o.path_)) {}
  ~Folder() {
    if (open_ != nullptr) ::closedir(open_);
  }

  StatusOr<std::vector<std::string>> Names() {
    std::vector<std::string> names;
    for (;;) {
      errno = 0;
      const dirent* const entry = ::readdir(open_);
      if (entry == nullptr) {
        if (errno == 0) return names;
        if (errno != EINTR) return FileError(errno, path_, "to list it");
        GK_RETURN_IF_ERROR(CheckInterrupt());
        continue;
      }
      const std::string_view name = entry->d_name;
      if (name != "." && name != "..") names.emplace_back(name);
    }
  }

 private:
  Folder(DIR* open, std::string path) : open_(open), path_(std::move(path)) {}
  DIR* open_;
  std::string path_;
};

bool IsOneFile(const std::string& a, const std::string& b) {
  struct stat of_a, of_b;
  return ::stat(a.c_str(), &of_a) == 0 && ::stat(b.c_str(), &of_b) == 0 &&
         of_a.st_dev == of_b.st_dev && of_a.st_ino == of_b.st_ino;
}

}  // namespace

StatusOr<std::unique_ptr<RandomAccessFile>> LocalFileSystem::OpenToRead(
    const std::string& path) {
  GK_ASSIGN_OR_RETURN(
      Descriptor file,
      OpenDescriptor(path, Local(path), O_RDONLY, "to open it for reading"));
  return ReadableLocal(path, std::move(file));
}

StatusOr<std::unique_ptr<WritableFile>> LocalFileSystem::OpenToWrite(
    const std::string& path, WriteMode mode) {
  const int flags = O_WRONLY | O_CREAT |
                    (mode == WriteMode::kAppend   ? O_APPEND
                     : mode == WriteMode::kCreate ? O_EXCL
                                                  : O_TRUNC);
  GK_ASSIGN_OR_RETURN(
      Descriptor file,
      OpenDescriptor(path, Local(path), flags, "to open it for writing"));
  const off_t end = ::lseek(file.get(), 0, SEEK_END);
  return WritableLocal(path, std::move(file), end < 0 ? 0 : end);
}

StatusOr<std::unique_ptr<WritableFile>> LocalFileSystem::OpenToReplace(
    const std::string& path) {
  std::string target = Local(path);
  struct stat link, facts;
  if (::lstat(target.c_str(), &link) == 0) {
    const bool there = ::stat(target.c_str(), &facts) == 0;
    if (there && S_ISDIR(facts.st_mode)) {
      return FileError(EISDIR, path, "to open it for writing");
    }
    if (there && ::access(target.c_str(), W_OK) != 0) {
      return FileError(errno, path, "to open it for writing");
    }
    // Devices and pipes, and links to what is not there yet.
    if (!there || !S_ISREG(facts.st_mode)) {
      return OpenToWrite(path, WriteMode::kTruncate);
    }
    if (S_ISLNK(link.st_mode)) {
      // What a link names is replaced, the link stays.
      char* const real = ::realpath(target.c_str(), nullptr);
      if (real == nullptr) return FileError(errno, path, "to follow the link");
      target = real;
      std::free(real);
    }
  } else if (NameOf(target).empty()) {
    return FileError(target.empty() ? ENOENT : EISDIR, path,
                     "to open it for writing");
  }
  GK_ASSIGN_OR_RETURN(std::unique_ptr<WritableFile> file,
                      ReplacingLocal(path, target));
  return file ? StatusOr<std::unique_ptr<WritableFile>>(std::move(file))
              : OpenToWrite(path, WriteMode::kTruncate);
}

StatusOr<std::unique_ptr<MappedFile>> LocalFileSystem::Map(
    const std::string& path) {
  GK_ASSIGN_OR_RETURN(
      Descriptor file,
      OpenDescriptor(path, Local(path), O_RDONLY, "to open it for reading"));
  struct stat facts;
  if (::fstat(file.get(), &facts) != 0) {
    return FileError(errno, path, "to ask for its length");
  }
  if (!S_ISREG(facts.st_mode) || facts.st_size == 0) {
    GK_ASSIGN_OR_RETURN(std::string bytes,
                        ReadToEnd(*ReadableLocal(path, std::move(file))));
    return BytesAsMapped(std::move(bytes));
  }
  const auto size = static_cast<size_t>(facts.st_size);
  void* const start =
      ::mmap(nullptr, size, PROT_READ, MAP_PRIVATE, file.get(), 0);
  if (start == MAP_FAILED) return FileError(errno, path, "to map it");
  return std::unique_ptr<MappedFile>(new MappedPages(start, size));
}

StatusOr<FileStatistics> LocalFileSystem::Stat(const std::string& path) {
  struct stat facts;
  if (::stat(Local(path).c_str(), &facts) != 0) {
    return FileError(errno, path, "to ask what it is");
  }
  constexpr int64_t kNanoseconds = 1'000'000'000;
  return FileStatistics{
      facts.st_size,
      facts.st_mtim.tv_sec * kNanoseconds + facts.st_mtim.tv_nsec,
      S_ISDIR(facts.st_mode)};
}

StatusOr<std::vector<std::string>> LocalFileSystem::List(
    const std::string& path) {
  GK_ASSIGN_OR_RETURN(Folder folder, Folder::Open(path));
  return folder.Names();
}

Status LocalFileSystem::MakeDirectory(const std::string& path) {
  if (::mkdir(Local(path).c_str(), 0777) == 0) return OkStatus();
  return FileError(errno, path, "to make the folder");
}

Status LocalFileSystem::DeleteFile(const std::string& path) {
  if (::unlink(Local(path).c_str()) == 0) return OkStatus();
  // Some systems say EPERM of folders.
  const int error = errno;
  const StatusOr<bool> is_folder = IsFolderItself(path);
  return FileError(is_folder.ok() && *is_folder ? EISDIR : error, path,
                   "to delete the file");
}

Status LocalFileSystem::DeleteDirectory(const std::string& path) {
  if (::rmdir(Local(path).c_str()) == 0) return OkStatus();
  return FileError(errno, path, "to delete the folder");
}

StatusOr<bool> LocalFileSystem::IsFolderItself(const std::string& path) {
  struct stat facts;
  if (::lstat(Local(path).c_str(), &facts) != 0) {
    return FileError(errno, path, "to delete it and what is in it");
  }
  return S_ISDIR(facts.st_mode);
}

Status LocalFileSystem::Rename(const std::string& from, const std::string& to) {
  if (::rename(Local(from).c_str(), Local(to).c_str()) == 0) return OkStatus();
  return FileError(errno, from, Format("to rename it to {}", to));
}

Status LocalFileSystem::Copy(const std::string& from, const std::string& to) {
  struct stat facts;
  const std::string source = Local(from), target = Local(to);
  if (::stat(source.c_str(), &facts) != 0) {
    return FileError(errno, from, "to open it for reading");
  }
  if (S_ISDIR(facts.st_mode)) {
    return InvalidArgument(
        "{}; Invalid argument (to copy {} there; that is a folder: copy its "
        "files one by one)",
        to, from);
  }
  if (IsOneFile(source, target)) return OkStatus();
  struct stat old;
  const bool made = ::stat(target.c_str(), &old) != 0;
  GK_RETURN_IF_ERROR(FileSystem::Copy(from, to));
  if (made) ::chmod(target.c_str(), facts.st_mode & 07777);
  return OkStatus();
}

std::string LocalFileSystem::Identity(const std::string& path) {
  struct stat facts;
  if (::stat(Local(path).c_str(), &facts) != 0) return path;
  return Format("{}:{}", facts.st_dev, facts.st_ino);
}

}  // namespace gk::io
