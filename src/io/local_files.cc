#include "io/local_files.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdlib>
#include <cstring>
#include <thread>

#include "io/abandoned_files.h"
#include "io/leased_pages.h"
#include "io/path.h"

namespace gk::io {
namespace {

// The system takes no more at once; between two pieces interrupts are seen.
constexpr size_t kMostAtOnce = size_t{1} << 26;
constexpr size_t kBuffer = size_t{1} << 16;
// What the disk is given at once of a file that is synced when it is whole.
constexpr int64_t kForDisk = int64_t{1} << 23;
// What it takes from memory itself begins and ends at such places, in the file
// and in memory.
constexpr size_t kBlock = 4096;
// Of what is shorter, or lies elsewhere, so much is put together.
constexpr size_t kStage = size_t{1} << 20;

struct FreeMemory {
  void operator()(char* p) const { std::free(p); }
};

bool IsBlock(const char* p) {
  return reinterpret_cast<uintptr_t>(p) % kBlock == 0;
}

class ReadableFile final : public RandomAccessFile {
 public:
  ReadableFile(std::string path, Descriptor file)
      : path_(std::move(path)), file_(std::move(file)) {}

  StatusOr<size_t> Read(uint64_t offset, std::span<char> to) const override {
    size_t got = 0;
    while (got < to.size()) {
      const size_t piece = std::min(to.size() - got, kMostAtOnce);
      GK_ASSIGN_OR_RETURN(const ssize_t n,
                          Uninterrupted(path_, "to read it", [&] {
                            return ::pread(file_.get(), to.data() + got, piece,
                                           static_cast<off_t>(offset + got));
                          }));
      if (n == 0) break;
      got += static_cast<size_t>(n);
      if (got >= kMostAtOnce) GK_RETURN_IF_ERROR(CheckInterrupt());
    }
    return got;
  }
  Ref<Buffer> Map(uint64_t offset, size_t size) const override {
    return MapLeased(file_, offset, size);
  }
  // What a core keeps near.
  size_t best_piece() const override { return size_t{1} << 18; }
  bool reads_at_once() const override { return true; }

 private:
  const std::string path_;
  const Descriptor file_;
};

class BufferedFile : public WritableFile {
 public:
  BufferedFile(std::string path, Descriptor file, int64_t position)
      : path_(std::move(path)), file_(std::move(file)), position_(position) {}
  // A forked child has the buffer too, but it is not its to write.
  ~BufferedFile() override {
    if (file_.get() >= 0 && process_ == getpid()) Flush().ok();
  }

  Status Append(std::string_view bytes) override {
    GK_RETURN_IF_ERROR(CheckOpen());
    if (stage_ != nullptr) return AppendToDisk(bytes);
    if (buffer_.size() + bytes.size() > kBuffer) {
      GK_RETURN_IF_ERROR(Flush());
      if (bytes.size() >= kBuffer) return Write(bytes);
    }
    buffer_ += bytes;
    return OkStatus();
  }
  Status Flush() override {
    GK_RETURN_IF_ERROR(CheckOpen());
    // What comes then is no longer at the end of a block.
    if (const auto stage = std::move(stage_)) {
      return Write({stage.get(), std::exchange(staged_, 0)});
    }
    // What could not be written is not tried again by the destructor.
    const std::string bytes = std::exchange(buffer_, {});
    return Write(bytes);
  }
  Status Sync() override {
    GK_RETURN_IF_ERROR(Flush());
    const StatusOr<int> synced = Uninterrupted(
        path_, "to have it on the disk", [&] { return ::fsync(file_.get()); });
    // Pipes and some devices have no disk behind them.
    return synced.status().code() == Code::kInvalidArgument ? OkStatus()
                                                            : synced.status();
  }
  Status Close() override {
    const Status flushed = Flush();
    if (file_.get() < 0) return flushed;
    // Closed even if it fails, with EINTR too.
    if (file_.Close() != 0 && errno != EINTR && flushed.ok()) {
      return FileError(errno, path_, "to close it");
    }
    return flushed;
  }
  void ExpectSync() override {
    for_disk_ = position_;
#ifdef O_DIRECT
    if (position_ % kBlock == 0 && buffer_.empty()) {
      stage_.reset(static_cast<char*>(std::aligned_alloc(kBlock, kStage)));
    }
#endif
  }
  StatusOr<int64_t> Tell() override {
    return position_ + static_cast<int64_t>(buffer_.size() + staged_);
  }

 protected:
  bool MadeHere() const { return process_ == getpid(); }
  const Descriptor& file() const { return file_; }
  const std::string path_;

 private:
  Status CheckOpen() const {
    if (file_.get() >= 0) return OkStatus();
    return FailedPrecondition("{} is closed: open it to write more", path_);
  }
  // Without a copy in the system's memory, whose pages have to be found first
  // and are not looked at again.
  Status AppendToDisk(std::string_view bytes) {
    while (!bytes.empty()) {
      if (bytes.size() >= kStage && IsBlock(bytes.data()) &&
          staged_ % kBlock == 0) {
        const size_t whole = bytes.size() / kBlock * kBlock;
        GK_RETURN_IF_ERROR(
            WriteToDisk({stage_.get(), std::exchange(staged_, 0)}));
        GK_RETURN_IF_ERROR(WriteToDisk(bytes.substr(0, whole)));
        bytes.remove_prefix(whole);
        continue;
      }
      const size_t piece = std::min(bytes.size(), kStage - staged_);
      std::memcpy(stage_.get() + staged_, bytes.data(), piece);
      staged_ += piece;
      bytes.remove_prefix(piece);
      if (staged_ == kStage) {
        staged_ = 0;
        GK_RETURN_IF_ERROR(WriteToDisk({stage_.get(), kStage}));
      }
    }
    return OkStatus();
  }
  // Whole blocks.
  Status WriteToDisk(std::string_view bytes) {
#ifdef O_DIRECT
    // The disk keeps to the pages that were there when it began.
    CopyLeasedPages();
    while (takes_blocks_ && !bytes.empty() && position_ % kBlock == 0 &&
           SetDirect(true)) {
      const ssize_t n = ::write(file_.get(), bytes.data(),
                                std::min(bytes.size(), kMostAtOnce));
      const int error = errno;
      SetDirect(false);
      if (n < 0) {
        // Not every system can; others say what is wrong once more.
        if (error != EINTR) takes_blocks_ = false;
      } else {
        position_ += n;
        bytes.remove_prefix(static_cast<size_t>(n));
        for_disk_ = position_;
      }
      if (!bytes.empty()) GK_RETURN_IF_ERROR(CheckInterrupt());
    }
#endif
    return Write(bytes);
  }
  bool SetDirect([[maybe_unused]] bool direct) {
#ifdef O_DIRECT
    const int now = ::fcntl(file_.get(), F_GETFL);
    return now != -1 &&
           ::fcntl(file_.get(), F_SETFL,
                   direct ? now | O_DIRECT : now & ~O_DIRECT) != -1;
#else
    return false;
#endif
  }
  Status Write(std::string_view bytes) {
    while (!bytes.empty()) {
      const size_t piece = std::min(bytes.size(), kMostAtOnce);
      GK_ASSIGN_OR_RETURN(const ssize_t n,
                          Uninterrupted(path_, "to write it", [&] {
                            return ::write(file_.get(), bytes.data(), piece);
                          }));
      position_ += n;
      bytes.remove_prefix(static_cast<size_t>(n));
      BeginWriteback();
      if (!bytes.empty()) GK_RETURN_IF_ERROR(CheckInterrupt());
    }
    return OkStatus();
  }

  // The disk works while more is written, not only when Sync() waits for it.
  void BeginWriteback() {
#ifdef SYNC_FILE_RANGE_WRITE
    if (for_disk_ < 0 || position_ - for_disk_ < kForDisk) return;
    // Sync() says what went wrong.
    ::sync_file_range(file_.get(), for_disk_, position_ - for_disk_,
                      SYNC_FILE_RANGE_WRITE);
    for_disk_ = position_;
#endif
  }

  Descriptor file_;
  int64_t position_;
  int64_t for_disk_ = -1;  // where what it was not given yet begins
  std::string buffer_;
  // Of what goes to the disk at once, in place of the buffer.
  std::unique_ptr<char, FreeMemory> stage_;
  size_t staged_ = 0;
  bool takes_blocks_ = true;  // until the system says that it does not
  const pid_t process_ = getpid();
};

class ReplacingFile final : public BufferedFile {
 public:
  ReplacingFile(std::string path, Descriptor file, std::string own,
                std::string target)
      : BufferedFile(std::move(path), std::move(file), 0),
        own_(std::move(own)),
        target_(std::move(target)) {}
  ~ReplacingFile() override {
    if (!own_.empty() && MadeHere()) ::unlink(own_.c_str());
  }

  Status Close() override {
    GK_RETURN_IF_ERROR(Sync());
    GK_RETURN_IF_ERROR(BufferedFile::Close());
    if (::rename(own_.c_str(), target_.c_str()) != 0) {
      return FileError(errno, path_, "to replace it by what was written");
    }
    own_.clear();
    // The new name, too, outlives a power cut. Not every system knows how.
    const std::string folder(FolderOf(target_));
    const Descriptor of(::open(folder.empty() ? "." : folder.c_str(),
                               O_RDONLY | O_DIRECTORY | O_CLOEXEC));
    if (of.get() >= 0) ::fsync(of.get());
    return OkStatus();
  }

 private:
  std::string own_;  // empty once it has its name
  const std::string target_;
};

}  // namespace

StatusOr<Descriptor> OpenDescriptor(const std::string& path,
                                    const std::string& local, int flags,
                                    std::string_view asked) {
  int error = 0;
  const auto open = [&] {
    const int n = ::open(local.c_str(), flags | O_CLOEXEC | O_NONBLOCK, 0666);
    error = errno;
    return n;
  };
  StatusOr<int> opened = Uninterrupted(path, asked, open);
  struct stat facts;
  // Somebody has a lease of it, who was told now to give it back.
  while (!opened.ok() && error == EWOULDBLOCK &&
         ::stat(local.c_str(), &facts) == 0 && S_ISREG(facts.st_mode)) {
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
    GK_RETURN_IF_ERROR(CheckInterrupt());
    opened = Uninterrupted(path, asked, open);
  }
  GK_RETURN_IF_ERROR(opened.status());
  const int number = *opened;
  Descriptor file(number);
  if (::fstat(number, &facts) != 0) return FileError(errno, path, asked);
  if (S_ISDIR(facts.st_mode)) return FileError(EISDIR, path, asked);
  // Of those that are open, others may wait.
  if (!S_ISREG(facts.st_mode)) {
    const int now = ::fcntl(number, F_GETFL);
    if (now == -1 || ::fcntl(number, F_SETFL, now & ~O_NONBLOCK) == -1) {
      return FileError(errno, path, asked);
    }
  }
  return file;
}

std::unique_ptr<RandomAccessFile> ReadableLocal(std::string path,
                                                Descriptor file) {
  return std::make_unique<ReadableFile>(std::move(path), std::move(file));
}

std::unique_ptr<WritableFile> WritableLocal(std::string path, Descriptor file,
                                            int64_t position) {
  return std::make_unique<BufferedFile>(std::move(path), std::move(file),
                                        position);
}

StatusOr<std::unique_ptr<WritableFile>> ReplacingLocal(
    const std::string& path, const std::string& target) {
  constexpr std::string_view kAsked = "to write a new one beside it";
  static std::atomic<uint32_t> next{0};
  struct stat old;
  const bool replaces = ::stat(target.c_str(), &old) == 0;
  const std::string folder(FolderOf(target));
  RemoveAbandonedFiles(folder);
  for (;;) {
    // Short, whatever the file's name is.
    std::string own = ChildPath(
        folder, Format("{}{}-{}", kNewFilePrefix, getpid(), next.fetch_add(1)));
    const StatusOr<int> number = Uninterrupted(path, kAsked, [&] {
      return ::open(own.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
    });
    // One that a killed process with this number left.
    if (number.status().code() == Code::kAlreadyExists) continue;
    if (number.status().code() == Code::kPermissionDenied && replaces) {
      return std::unique_ptr<WritableFile>();
    }
    GK_RETURN_IF_ERROR(number.status());
    Descriptor file(*number);
    if (!OwnNewFile(file)) continue;
    if (replaces) {
      // As far as this user may.
      if (::fchown(file.get(), old.st_uid, old.st_gid) != 0) errno = 0;
      ::fchmod(file.get(), old.st_mode & 07777);
    }
    return std::unique_ptr<WritableFile>(
        new ReplacingFile(path, std::move(file), std::move(own), target));
  }
}

}  // namespace gk::io
