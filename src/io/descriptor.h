// Descriptor: an open file of the system, closed once, and calls that a signal
// does not end unless the host language wants it.
#ifndef GK_IO_DESCRIPTOR_H_
#define GK_IO_DESCRIPTOR_H_

#include <unistd.h>

#include <cerrno>
#include <string>
#include <utility>

#include "base/interrupt.h"
#include "io/file_error.h"

namespace gk::io {

class Descriptor {
 public:
  explicit Descriptor(int number = -1) : number_(number) {}
  Descriptor(Descriptor&& o) noexcept : number_(std::exchange(o.number_, -1)) {}
  Descriptor& operator=(Descriptor&& o) noexcept {
    std::swap(number_, o.number_);
    return *this;
  }
  ~Descriptor() {
    if (number_ >= 0) ::close(number_);
  }
  int get() const { return number_; }
  // What closing says: some disks are full only then.
  int Close() { return ::close(std::exchange(number_, -1)); }

 private:
  int number_;
};

// The result of `call`, which is -1 and sets errno if it fails.
template <class Call>
auto Uninterrupted(std::string_view path, std::string_view asked, Call call)
    -> StatusOr<decltype(call())> {
  for (;;) {
    const auto result = call();
    if (result != -1) return result;
    if (errno != EINTR) return FileError(errno, path, asked);
    GK_RETURN_IF_ERROR(CheckInterrupt());
  }
}

// FailedPrecondition for a folder. Of named pipes those are opened whose other
// end is there: nobody waits. `path` is what messages call it, `local` what the
// system does.
StatusOr<Descriptor> OpenDescriptor(const std::string& path,
                                    const std::string& local, int flags,
                                    std::string_view asked);

}  // namespace gk::io

#endif  // GK_IO_DESCRIPTOR_H_
