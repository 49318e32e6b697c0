// CapturedVariables: which variables the traces of a function capture.
//
// A function that is given a variable which it also captures has one variable
// where it otherwise has two: its gradients are others. So calls are told
// apart by which of their variables the function captures; only functions that
// are given variables and capture some have to. Thread-safe. Holds nothing: a
// trace holds what it captures, and a number that is left over from a trace
// that is gone tells apart too much, never too little.
#ifndef GK_FUNCTION_CAPTURED_VARIABLES_H_
#define GK_FUNCTION_CAPTURED_VARIABLES_H_

#include <atomic>
#include <span>
#include <unordered_map>
#include <vector>

#include "base/process_mutex.h"
#include "framework/tensor.h"

namespace gk {

class CapturedVariables {
 public:
  // Whether none was added. Takes no lock.
  bool empty() const { return !any_.load(std::memory_order_acquire); }
  // Handles of variables. Those known already keep their numbers.
  void Add(std::span<const Tensor> handles);
  // The number of a variable, from 1 on; 0 if it is not captured.
  int NumberOf(const Tensor& handle) const;
  // Numbers of the variables of a call (0 for null tensors); empty if all are
  // 0.
  std::vector<int> NumbersOf(std::span<const Tensor> handles) const;
  void Clear();

 private:
  std::atomic<bool> any_{false};
  std::unordered_map<const void*, int> number_of_;
  ProcessMutex& mutex_ = ProcessMutex::Of(this);
};

}  // namespace gk

#endif  // GK_FUNCTION_CAPTURED_VARIABLES_H_
