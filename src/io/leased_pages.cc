#include "io/leased_pages.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#if defined(__linux__) && defined(F_SETLEASE) && defined(F_SETOWN_EX)
#include <sys/syscall.h>
#include <sys/vfs.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdio>
#include <iterator>
#include <list>
#include <map>
#include <mutex>
#include <string>
#include <system_error>
#include <thread>
#include <utility>

#include "base/blocked_signals.h"
#include "base/fork.h"
#include "framework/charged_memory.h"

#ifndef MADV_POPULATE_READ
#define MADV_POPULATE_READ 22
#endif

namespace gk::io {
namespace {

using Clock = std::chrono::steady_clock;

constexpr size_t kLeastMapped = size_t{1} << 20;
// What is copied while others wait to map.
constexpr size_t kChunk = size_t{256} << 10;
// What takes the place of the file's pages at once, and is there twice until
// then.
constexpr size_t kPiece = size_t{8} << 20;
// How long after the last one was mapped the copies begin, and how long after
// the first one at the latest: a program that loads is not disturbed.
constexpr auto kQuiet = std::chrono::milliseconds(100);
constexpr auto kLongest = std::chrono::seconds(1);
constexpr auto kLook = std::chrono::milliseconds(5);
// Copied in any second that a busy machine gives.
constexpr int64_t kCopiedPerSecond = int64_t{100} << 20;

size_t PageSize() {
  static const auto size = static_cast<size_t>(::sysconf(_SC_PAGESIZE));
  return size;
}

bool SystemFindsPages() {
  // Of nothing: whether it knows the word, Linux 5.14.
  static const bool does = ::madvise(nullptr, 0, MADV_POPULATE_READ) == 0;
  return does;
}

// Those whose files change by way of this system alone.
bool HasLeases(int file) {
  constexpr int64_t kKinds[] = {0xef53,       // ext2 to ext4
                                0x58465342,   // XFS
                                0x9123683e,   // Btrfs
                                0xf2f52010,   // F2FS
                                0x01021994};  // tmpfs
  struct statfs facts;
  if (::fstatfs(file, &facts) != 0) return false;
  return std::ranges::count(kKinds, static_cast<int64_t>(facts.f_type)) > 0;
}

// As much as is copied before the system takes a lease away.
int64_t MostLeased() {
  static const int64_t most = [] {
    int64_t seconds = -1;
    if (std::FILE* f = std::fopen("/proc/sys/fs/lease-break-time", "re")) {
      long long read = 0;
      if (std::fscanf(f, "%lld", &read) == 1) seconds = read;
      std::fclose(f);
    }
    constexpr int64_t kForEver = 0, kUsual = 45;
    return (seconds == kForEver ? kUsual
                                : std::clamp<int64_t>(seconds, 0, 45)) *
           kCopiedPerSecond;
  }();
  return most;
}

// A file that has a lease, and how many of its parts have no copies.
struct LeasedFile {
  Descriptor own;  // no process but this one has it
  int parts = 0;
};
using Files = std::map<std::pair<dev_t, ino_t>, LeasedFile>;

class LeasedPages final : public Buffer {
 public:
  LeasedPages(char* pages, size_t length, size_t before, size_t size,
              uint64_t begin, Files::iterator file)
      : Buffer(pages + before, size),
        pages_(pages),
        length_(length),
        begin_(begin),
        file_(file) {}
  ~LeasedPages() override {
    if (fresh_ != nullptr) ::munmap(fresh_, piece());
    ::munmap(pages_, length_);
    PoolDischarge(size());
  }

 private:
  friend class Copies;
  size_t piece() const { return std::min(kPiece, length_ - copied_); }

  char* const pages_;
  const size_t length_;
  const uint64_t begin_;        // in the file
  const Files::iterator file_;  // until all is copied
  size_t copied_ = 0;           // what has memory of its own
  char* fresh_ = nullptr;       // that of the next piece
  size_t filled_ = 0;           // of it
};

// Those that have no copies, and who makes them. The lock is one of the last.
class Copies {
 public:
  static Copies& Get() {
    static Copies* const copies = new Copies;  // outlives every static tensor
    return *copies;
  }

  Ref<Buffer> Map(int file, uint64_t offset, size_t size);
  void CopyAll() {
    const Lock lock(*this);
    CopyRest();
  }
  int64_t left() {
    const Lock lock(*this);
    ForgetUnused();
    return left_;
  }

 private:
  // The thread that copies lets the others in.
  void Enter() {
    waiting_.fetch_add(1);
    mutex_.lock();
    waiting_.fetch_sub(1);
  }
  struct Lock {
    explicit Lock(Copies& c) : copies(c) { copies.Enter(); }
    ~Lock() { copies.mutex_.unlock(); }
    Copies& copies;
  };

  Copies() {
    OnFork(
        ForkStage::kMemory,
        [] {
          Get().Enter();
          Get().CopyRest();
        },
        [] { Get().mutex_.unlock(); },
        [] {
          Get().thread_ = 0;
          Get().waiting_ = 0;
          Get().mutex_.unlock();
        });
  }

  bool Start();
  void Run();
  bool CopyNext();
  // Under the lock.
  void CopyRest() {
    while (!parts_.empty() && CopyNext()) {
    }
  }
  void ForgetUnused();
  bool IsWanted() const;
  Files::iterator Lease(int file, const struct stat& facts);
  void Return(Files::iterator file);
  void Forget(std::list<Ref<LeasedPages>>::iterator part);

  std::mutex mutex_;
  std::atomic<int> waiting_{0};
  std::atomic<pid_t> thread_{0};
  Files files_;
  // Held here too, so that nobody takes them for his own and writes to them.
  std::list<Ref<LeasedPages>> parts_;
  int64_t left_ = 0;
  Clock::time_point first_, last_;  // when they were mapped
};

Ref<Buffer> Copies::Map(int file, uint64_t offset, size_t size) {
  const size_t before = offset % PageSize();
  const size_t pages = (before + size + PageSize() - 1) / PageSize();
  const size_t length = pages * PageSize();
  struct stat facts;
  if (::fstat(file, &facts) != 0 || !S_ISREG(facts.st_mode)) return nullptr;
  const Lock lock(*this);
  ForgetUnused();
  if (left_ + static_cast<int64_t>(length) > MostLeased() || !Start()) {
    return nullptr;
  }
  const auto leased = Lease(file, facts);
  if (leased == files_.end()) return nullptr;
  const int own = leased->second.own.get();
  void* start = MAP_FAILED;
  // Only now its length stays what it is.
  if (::fstat(own, &facts) == 0 &&
      static_cast<uint64_t>(facts.st_size) >= offset + size) {
    start = ::mmap(nullptr, length, PROT_READ, MAP_PRIVATE, own,
                   static_cast<off_t>(offset - before));
  }
  if (start == MAP_FAILED) {
    if (leased->second.parts == 0) Return(leased);
    return nullptr;
  }
  last_ = Clock::now();
  if (parts_.empty()) first_ = last_;
  ++leased->second.parts;
  left_ += static_cast<int64_t>(length);
  return parts_.emplace_back(MakeRef<LeasedPages>(static_cast<char*>(start),
                                                  length, before, size,
                                                  offset - before, leased));
}

void Copies::Forget(std::list<Ref<LeasedPages>>::iterator part) {
  const LeasedPages& pages = **part;
  left_ -= static_cast<int64_t>(pages.length_ - pages.copied_);
  const auto file = pages.file_;
  parts_.erase(part);
  if (--file->second.parts == 0) Return(file);
}

// Whose tensors are gone.
void Copies::ForgetUnused() {
  for (auto part = parts_.begin(); part != parts_.end();) {
    const auto next = std::next(part);
    if ((*part)->IsExclusive()) Forget(part);
    part = next;
  }
}

// The file's lease, a new one if it has none. None at the end if it cannot be
// had, or somebody waits for it already.
Files::iterator Copies::Lease(int file, const struct stat& facts) {
  const std::pair key(facts.st_dev, facts.st_ino);
  if (const auto known = files_.find(key); known != files_.end()) {
    const bool free = ::fcntl(known->second.own.get(), F_GETLEASE) == F_RDLCK;
    return free ? known : files_.end();
  }
  // Opened anew: a descriptor that others share would share the lease.
  Descriptor own(::open(Format("/proc/self/fd/{}", file).c_str(),
                        O_RDONLY | O_CLOEXEC | O_NONBLOCK));
  // The system's word that somebody waits goes to the thread that copies, which
  // gets no signals.
  f_owner_ex owner{F_OWNER_TID, thread_};
  if (own.get() < 0 || !HasLeases(own.get()) ||
      ::fcntl(own.get(), F_SETOWN_EX, &owner) != 0 ||
      ::fcntl(own.get(), F_SETLEASE, F_RDLCK) != 0) {
    return files_.end();
  }
  return files_.emplace(key, LeasedFile{std::move(own)}).first;
}

void Copies::Return(Files::iterator file) {
  if (::fcntl(file->second.own.get(), F_SETLEASE, F_UNLCK) != 0) {
    // The copies were not made in time: the process stood still.
    std::fprintf(stderr,
                 "graphkiln: a file of weights may have been changed while "
                 "this process was stopped and had not copied them yet: load "
                 "them again\n");
  }
  files_.erase(file);
}

bool Copies::IsWanted() const {
  return std::ranges::any_of(files_, [](const auto& file) {
    return ::fcntl(file.second.own.get(), F_GETLEASE) != F_RDLCK;
  });
}

// Under the lock. False if there is no copy now: no memory, or a disk that
// cannot be read.
bool Copies::CopyNext() {
  LeasedPages& pages = *parts_.front();
  const size_t size = pages.piece();
  if (pages.fresh_ == nullptr) {
    void* const fresh = ::mmap(nullptr, size, PROT_READ | PROT_WRITE,
                               MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (fresh == MAP_FAILED) return false;
    pages.fresh_ = static_cast<char*>(fresh);
    pages.filled_ = 0;
  }
  // Read, not looked at: what is wrong with the disk is an error, no signal.
  const ssize_t got =
      ::pread(pages.file_->second.own.get(), pages.fresh_ + pages.filled_,
              std::min(kChunk, size - pages.filled_),
              static_cast<off_t>(pages.begin_ + pages.copied_ + pages.filled_));
  if (got < 0) return errno == EINTR;
  pages.filled_ += static_cast<size_t>(got);
  // The last page goes on behind the end of the file, with zeros.
  if (got > 0 && pages.filled_ < size) return true;
  // In one step for all who read it: they wait for the table of mappings.
  if (::mremap(pages.fresh_, size, size, MREMAP_MAYMOVE | MREMAP_FIXED,
               pages.pages_ + pages.copied_) == MAP_FAILED) {
    return false;
  }
  pages.fresh_ = nullptr;
  pages.copied_ += size;
  left_ -= static_cast<int64_t>(size);
  if (pages.copied_ == pages.length_) Forget(parts_.begin());
  return true;
}

// Under the lock. False if there is no thread to be had.
bool Copies::Start() {
  if (thread_ != 0) return true;
  try {
    const BlockedSignals blocked(/*samples=*/false);
    std::thread([this] {
      thread_ = static_cast<pid_t>(::syscall(SYS_gettid));
      thread_.notify_all();
      Run();
    }).detach();
  } catch (const std::system_error&) {
    return false;
  }
  thread_.wait(0);
  return true;
}

void Copies::Run() {
  std::unique_lock lock(mutex_);
  for (;;) {
    const auto now = Clock::now();
    ForgetUnused();
    const bool quiet = now - last_ >= kQuiet;
    if (parts_.empty() && quiet) break;
    bool copied = false;
    if (!parts_.empty() && (quiet || now - first_ >= kLongest || IsWanted())) {
      copied = CopyNext();
    }
    lock.unlock();
    if (!copied) std::this_thread::sleep_for(kLook);
    while (waiting_.load() > 0) std::this_thread::yield();
    lock.lock();
  }
  thread_ = 0;
}

}  // namespace

Ref<Buffer> MapLeased(const Descriptor& file, uint64_t offset, size_t size) {
  if (size < kLeastMapped || offset % kAlignment != 0 || !SystemFindsPages() ||
      !PoolCharge(size)) {
    return nullptr;
  }
  Ref<Buffer> mapped = Copies::Get().Map(file.get(), offset, size);
  if (mapped == nullptr) PoolDischarge(size);
  return mapped;
}

bool FindPages(const void* bytes, size_t size) {
  const auto begin = reinterpret_cast<uintptr_t>(bytes);
  const size_t before = begin % PageSize();
  for (;;) {
    if (::madvise(reinterpret_cast<void*>(begin - before), before + size,
                  MADV_POPULATE_READ) == 0) {
      return true;
    }
    if (errno != EINTR) return false;
  }
}

void CopyLeasedPages() { Copies::Get().CopyAll(); }
int64_t LeasedBytes() { return Copies::Get().left(); }

}  // namespace gk::io

#else

namespace gk::io {

Ref<Buffer> MapLeased(const Descriptor&, uint64_t, size_t) { return nullptr; }
bool FindPages(const void*, size_t) { return true; }
void CopyLeasedPages() {}
int64_t LeasedBytes() { return 0; }

}  // namespace gk::io

#endif
