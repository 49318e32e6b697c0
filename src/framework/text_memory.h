// The memory of strings that does not lie in their tensor. It comes from
// `new`, which knows no budget: the system promises more than it has and ends
// the process that holds it to its word. So text is counted before it is made.
//
// Thread-safe.
#ifndef GK_FRAMEWORK_TEXT_MEMORY_H_
#define GK_FRAMEWORK_TEXT_MEMORY_H_

#include <cstdint>
#include <string>

#include "framework/tensor.h"

namespace gk {

// Text of so many bytes is about to be made. Throws std::bad_alloc if the
// system has less. It is asked once in a while only.
void CountText(int64_t bytes);

// ResourceExhausted if the system has less.
Status CheckTextBytes(int64_t bytes);

// ResourceExhausted if the system has less than `copies` times the text of a
// tensor of strings. Tensors of other types need none.
Status CheckText(const Tensor& from, int64_t copies);

// An element of a tensor of strings whose copies are counted.
struct CountedString : std::string {
  CountedString() = default;
  CountedString(const CountedString& o) : std::string(Counted(o)) {}
  CountedString(CountedString&&) = default;
  CountedString& operator=(const CountedString& o) {
    std::string::operator=(Counted(o));
    return *this;
  }
  CountedString& operator=(CountedString&&) = default;

 private:
  static const std::string& Counted(const std::string& s) {
    // Shorter ones lie in the tensor.
    if (s.size() > 15) CountText(s.size());
    return s;
  }
};
static_assert(sizeof(CountedString) == sizeof(std::string));

}  // namespace gk

#endif  // GK_FRAMEWORK_TEXT_MEMORY_H_
