#include "runtime/arena_space.h"

#include <algorithm>
#include <limits>

#include "framework/allocator.h"

namespace gk {
namespace {

constexpr int64_t kMaxArena = std::numeric_limits<int64_t>::max() / 4;

int64_t RoundUp(int64_t bytes) {
  return (bytes + int64_t{kAlignment} - 1) / int64_t{kAlignment} *
         int64_t{kAlignment};
}

}  // namespace

int64_t ArenaSpace::Take(int64_t bytes) {
  if (bytes > kMaxArena - bytes_) return -1;
  const int64_t size = RoundUp(bytes);
  const auto it = std::find_if(free_.begin(), free_.end(), [&](const Block& b) {
    return b.end - b.begin >= size;
  });
  if (it != free_.end()) {
    const int64_t begin = it->begin;
    it->begin += size;
    if (it->begin == it->end) free_.erase(it);
    return begin;
  }
  int64_t begin = bytes_;
  if (!free_.empty() && free_.back().end == bytes_) {
    begin = free_.back().begin;
    free_.pop_back();
  }
  bytes_ = begin + size;
  return begin;
}

void ArenaSpace::Give(int64_t begin, int64_t bytes) {
  const Block block{begin, begin + RoundUp(bytes)};
  auto it = std::lower_bound(
      free_.begin(), free_.end(), block,
      [](const Block& x, const Block& y) { return x.begin < y.begin; });
  it = free_.insert(it, block);
  if (it + 1 != free_.end() && it->end == (it + 1)->begin) {
    it->end = (it + 1)->end;
    free_.erase(it + 1);
  }
  if (it != free_.begin() && (it - 1)->end == it->begin) {
    (it - 1)->end = it->end;
    free_.erase(it);
  }
}

}  // namespace gk
