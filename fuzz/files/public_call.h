// Calls of public functions on bytes that may be anything.
#ifndef GK_FUZZ_FILES_PUBLIC_CALL_H_
#define GK_FUZZ_FILES_PUBLIC_CALL_H_

#include <graphkiln/graphkiln.h>

#include <cstdint>
#include <functional>
#include <initializer_list>
#include <string_view>
#include <vector>

namespace gk::fuzz {

// Which options a call gets: numbers that follow from the input alone.
class Choices {
 public:
  explicit Choices(std::string_view input);
  // In [0, n).
  int64_t Below(int64_t n);
  template <typename T>
  T OneOf(std::initializer_list<T> values) {
    return values.begin()[Below(static_cast<int64_t>(values.size()))];
  }

 private:
  uint64_t state_;
};

// Calls twice. It may be refused, though not as an error of ours; what it
// gives must be the same to the bit, or it shows memory that nobody has
// written.
void CallTwice(const std::function<std::vector<Tensor>()>& call);

}  // namespace gk::fuzz

#endif  // GK_FUZZ_FILES_PUBLIC_CALL_H_
