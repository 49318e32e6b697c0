#include "runtime/noted_parts.h"

#include <algorithm>
#include <cstring>

namespace gk {

void NotedParts::Note(int64_t first, int64_t count) {
  const std::lock_guard lock(mutex_);
  parts_.emplace_back(first, count);
  const int64_t total = static_cast<int64_t>(then_.size()) / size_;
  if (first < 0 || count < 0 || first > total - count) return;
  std::memcpy(then_.data() + first * size_, result_ + first * size_,
              count * size_);
}

const char* NotedParts::WhatIsWrong() {
  std::sort(parts_.begin(), parts_.end());
  int64_t at = 0;
  for (const auto& [first, count] : parts_) {
    if (first != at) return "its parts overlap, or leave elements out";
    at += count;
  }
  if (at * size_ != static_cast<int64_t>(then_.size())) {
    return "its parts are not all of it";
  }
  if (std::memcmp(then_.data(), result_, then_.size()) != 0) {
    return "a part changed after it was done";
  }
  return nullptr;
}

}  // namespace gk
