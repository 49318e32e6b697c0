// Intrusive reference counting: RefCounted objects and the Ref handle.
//
// The count is atomic; the object is deleted by the last Unref. Handles are
// one pointer. Objects start with a count of one, which MakeRef adopts.
#ifndef GK_BASE_REF_H_
#define GK_BASE_REF_H_

#include <atomic>
#include <cstddef>
#include <type_traits>
#include <utility>

namespace gk {

class RefCounted {
 public:
  RefCounted() = default;
  RefCounted(const RefCounted&) = delete;
  RefCounted& operator=(const RefCounted&) = delete;

  void AddRef() const { count_.fetch_add(1, std::memory_order_relaxed); }
  void Unref() const {
    if (count_.load(std::memory_order_acquire) == 1 ||
        count_.fetch_sub(1, std::memory_order_acq_rel) == 1) {
      delete this;
    }
  }
  bool RefCountIsOne() const {
    return count_.load(std::memory_order_acquire) == 1;
  }

 protected:
  virtual ~RefCounted() = default;

 private:
  mutable std::atomic<int> count_{1};
};

template <class T>
class Ref {
 public:
  Ref() = default;
  Ref(std::nullptr_t) {}
  // Shares: adds a reference.
  explicit Ref(T* p) : p_(p) {
    if (p_) p_->AddRef();
  }
  Ref(const Ref& o) : p_(o.p_) {
    if (p_) p_->AddRef();
  }
  Ref(Ref&& o) noexcept : p_(std::exchange(o.p_, nullptr)) {}
  template <class U>
  requires std::is_convertible_v<U*, T*> Ref(const Ref<U>& o) : Ref(o.get()) {}
  template <class U>
  requires std::is_convertible_v<U*, T*> Ref(Ref<U>&& o)
  noexcept : p_(o.Release()) {}
  Ref& operator=(Ref o) noexcept {
    std::swap(p_, o.p_);
    return *this;
  }
  friend void swap(Ref& a, Ref& b) noexcept { std::swap(a.p_, b.p_); }
  ~Ref() {
    if (p_) p_->Unref();
  }

  // Takes over a reference that the caller owns.
  static Ref Adopt(T* p) {
    Ref r;
    r.p_ = p;
    return r;
  }
  // Gives the reference to the caller.
  T* Release() { return std::exchange(p_, nullptr); }

  T* get() const { return p_; }
  T* operator->() const { return p_; }
  T& operator*() const { return *p_; }
  explicit operator bool() const { return p_ != nullptr; }
  friend bool operator==(const Ref& a, const Ref& b) { return a.p_ == b.p_; }
  friend bool operator==(const Ref& a, std::nullptr_t) { return !a.p_; }

 private:
  T* p_ = nullptr;
};

template <class T, class... Args>
Ref<T> MakeRef(Args&&... args) {
  return Ref<T>::Adopt(new T(std::forward<Args>(args)...));
}

}  // namespace gk

#endif  // GK_BASE_REF_H_
