// Tells whoever called into the library that an op turned out to be large, so
// that the host language's lock can be given up only where it pays.
#ifndef GK_FRAMEWORK_LARGE_WORK_H_
#define GK_FRAMEWORK_LARGE_WORK_H_

#include <cstddef>
#include <cstdint>

#include "framework/types.h"

namespace gk {

// An eager op with so many elements is worth the 40 ns of giving up the lock
// and taking it back; a scalar op is about as long.
inline constexpr int64_t kLargeElements = 8192;
// Bytes that take some 20 us to make.
inline constexpr size_t kLargeWorkBytes = size_t{1} << 18;

// Listens on its thread while its Scope is the innermost one. A Scope of null
// keeps those outside from hearing anything.
class LargeWorkListener {
 public:
  // At least once when a kernel is about to make a large result.
  virtual void OnLargeWork() = 0;
  // Tells the one that listens on this thread, if a result of so many elements
  // is large.
  static void Note(DataType dtype, int64_t elements);

  class Scope {
   public:
    explicit Scope(LargeWorkListener* listener);
    ~Scope();
    Scope(const Scope&) = delete;
    Scope& operator=(const Scope&) = delete;

   private:
    LargeWorkListener* outer_;
  };

 protected:
  ~LargeWorkListener() = default;
};

}  // namespace gk

#endif  // GK_FRAMEWORK_LARGE_WORK_H_
