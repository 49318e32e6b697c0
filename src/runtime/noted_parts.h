// NotedParts: what a kernel told of parts of its result, in a checked run, to
// be compared with the result when the kernel has ended. Thread-safe.
#ifndef GK_RUNTIME_NOTED_PARTS_H_
#define GK_RUNTIME_NOTED_PARTS_H_

#include <cstdint>
#include <mutex>
#include <utility>
#include <vector>

namespace gk {

class NotedParts {
 public:
  // Elements of `size` bytes at `result`, of so many bytes together.
  NotedParts(const void* result, int64_t bytes, int64_t size)
      : result_(static_cast<const char*>(result)), size_(size), then_(bytes) {}

  // A part is done: keeps what it holds.
  void Note(int64_t first, int64_t count);

  // Once the kernel has ended: what it told that is not so; null if all is.
  // Then each element was told of once.
  const char* WhatIsWrong();
  // First elements and their numbers, in the order of elements.
  const std::vector<std::pair<int64_t, int64_t>>& Parts() const {
    return parts_;
  }

 private:
  const char* const result_;
  const int64_t size_;
  std::vector<char> then_;  // the bytes of parts when they were told of
  std::mutex mutex_;
  std::vector<std::pair<int64_t, int64_t>> parts_;
};

}  // namespace gk

#endif  // GK_RUNTIME_NOTED_PARTS_H_
