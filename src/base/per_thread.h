// PerThread<T>: an object of each thread, made where the thread first asks for
// it and destroyed when the thread ends.
//
// `thread_local T` would do the same with what the C library gives for it, but
// that ends the process where memory is short: the thread's copy of a loaded
// library's variables, and the note of what to destroy, are allocated on first
// use, and whoever fails there aborts. Here what is missing is std::bad_alloc.
// Variables without destructors may be `thread_local`; all of them together
// have to stay small (see per_thread.cc).
#ifndef GK_BASE_PER_THREAD_H_
#define GK_BASE_PER_THREAD_H_

#include <memory>

namespace gk {
namespace per_thread_internal {

struct Item {
  virtual ~Item() = default;
  Item* next = nullptr;
};

// Throws std::bad_alloc if that cannot be promised.
void DestroyWithThread(std::unique_ptr<Item> item);

}  // namespace per_thread_internal

// `Tag` tells objects of the same type apart: a type of the file that uses it.
template <class T, class Tag>
class PerThread {
 public:
  // This thread's; throws std::bad_alloc if it cannot be made. Objects that
  // are made later are destroyed earlier.
  static T& Get() {
    if (object_ != nullptr) [[likely]]
      return *object_;
    return Make();
  }
  // Null if this thread has none, yet or any more.
  static T* IfMade() { return object_; }

 private:
  struct Holder final : per_thread_internal::Item {
    ~Holder() override { object_ = nullptr; }
    T object{};
  };

  [[gnu::noinline]] static T& Make() {
    auto holder = std::make_unique<Holder>();
    T* const made = &holder->object;
    per_thread_internal::DestroyWithThread(std::move(holder));
    return *(object_ = made);
  }

  static inline constinit thread_local T* object_ = nullptr;
};

}  // namespace gk

#endif  // GK_BASE_PER_THREAD_H_
