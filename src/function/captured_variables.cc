#include "function/captured_variables.h"

#include "function/func_graph.h"

namespace gk {

void CapturedVariables::Add(std::span<const Tensor> handles) {
  if (handles.empty()) return;
  std::vector<const void*> keys;
  for (const Tensor& t : handles) keys.push_back(ResourceKey(t));
  std::lock_guard lock(mutex_);
  for (const void* key : keys) {
    number_of_.try_emplace(key, static_cast<int>(number_of_.size()) + 1);
  }
  any_.store(true, std::memory_order_release);
}

int CapturedVariables::NumberOf(const Tensor& handle) const {
  if (empty()) return 0;
  const void* const key = ResourceKey(handle);
  std::lock_guard lock(mutex_);
  const auto it = number_of_.find(key);
  return it == number_of_.end() ? 0 : it->second;
}

std::vector<int> CapturedVariables::NumbersOf(
    std::span<const Tensor> handles) const {
  std::vector<int> numbers;
  if (empty()) return numbers;
  for (const Tensor& t : handles) numbers.push_back(t ? NumberOf(t) : 0);
  while (!numbers.empty() && numbers.back() == 0) numbers.pop_back();
  return numbers;
}

void CapturedVariables::Clear() {
  std::lock_guard lock(mutex_);
  number_of_.clear();
  any_.store(false, std::memory_order_release);
}

}  // namespace gk
