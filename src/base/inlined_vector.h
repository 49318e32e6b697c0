// A vector of trivially copyable elements with room for N in place.
//
// Owns its elements; not thread-safe. Used where a heap allocation per small
// list (dims, node inputs) would cost more than the work itself.
#ifndef GK_BASE_INLINED_VECTOR_H_
#define GK_BASE_INLINED_VECTOR_H_

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <initializer_list>
#include <span>
#include <type_traits>

namespace gk {

template <class T, int N>
class InlinedVector {
  static_assert(std::is_trivially_copyable_v<T>);

 public:
  InlinedVector() = default;
  InlinedVector(std::initializer_list<T> v)
      : InlinedVector(v.begin(), v.end()) {}
  explicit InlinedVector(std::span<const T> v)
      : InlinedVector(v.data(), v.data() + v.size()) {}
  InlinedVector(const T* first, const T* last) { Assign(first, last); }
  InlinedVector(const InlinedVector& o) { Assign(o.begin(), o.end()); }
  InlinedVector(InlinedVector&& o) noexcept { Steal(o); }
  InlinedVector& operator=(const InlinedVector& o) {
    if (this != &o) Assign(o.begin(), o.end());
    return *this;
  }
  InlinedVector& operator=(InlinedVector&& o) noexcept {
    if (this != &o) {
      Free();
      Steal(o);
    }
    return *this;
  }
  ~InlinedVector() { Free(); }

  int size() const { return size_; }
  bool empty() const { return size_ == 0; }
  T* data() { return heap_ ? heap_ : Inline(); }
  const T* data() const { return heap_ ? heap_ : Inline(); }
  T* begin() { return data(); }
  T* end() { return data() + size_; }
  const T* begin() const { return data(); }
  const T* end() const { return data() + size_; }
  T& operator[](int i) { return data()[i]; }
  const T& operator[](int i) const { return data()[i]; }
  T& back() { return data()[size_ - 1]; }
  const T& back() const { return data()[size_ - 1]; }
  operator std::span<const T>() const {
    return {data(), static_cast<size_t>(size_)};
  }

  void push_back(T v) {
    if (size_ == capacity_) Grow(size_ + 1);
    data()[size_++] = v;
  }
  void pop_back() { --size_; }
  void clear() { size_ = 0; }
  void resize(int n, T fill = T()) {
    if (n > capacity_) Grow(n);
    for (int i = size_; i < n; ++i) data()[i] = fill;
    size_ = n;
  }
  void insert(int at, T v) {
    push_back(v);
    std::rotate(begin() + at, end() - 1, end());
  }
  void erase(int at) {
    std::move(begin() + at + 1, end(), begin() + at);
    --size_;
  }
  void Assign(const T* first, const T* last) {
    const int n = static_cast<int>(last - first);
    if (n > capacity_) Grow(n);
    if (n > 0) std::memmove(data(), first, sizeof(T) * n);
    size_ = n;
  }

  friend bool operator==(const InlinedVector& a, const InlinedVector& b) {
    return std::equal(a.begin(), a.end(), b.begin(), b.end());
  }

 private:
  T* Inline() { return reinterpret_cast<T*>(inline_); }
  const T* Inline() const { return reinterpret_cast<const T*>(inline_); }
  void Grow(int n) {
    int capacity = std::max(n, capacity_ * 2);
    T* p = static_cast<T*>(::operator new(sizeof(T) * capacity));
    if (size_ > 0) std::memcpy(p, data(), sizeof(T) * size_);
    Free();
    heap_ = p;
    capacity_ = capacity;
  }
  void Free() {
    ::operator delete(heap_);
    heap_ = nullptr;
    capacity_ = N;
  }
  void Steal(InlinedVector& o) {
    heap_ = o.heap_;
    size_ = o.size_;
    capacity_ = o.capacity_;
    if (!heap_ && size_ > 0) {
      std::memcpy(inline_, o.inline_, sizeof(T) * size_);
    }
    o.heap_ = nullptr;
    o.size_ = 0;
    o.capacity_ = N;
  }

  T* heap_ = nullptr;
  int size_ = 0;
  int capacity_ = N;
  alignas(T) unsigned char inline_[sizeof(T) * N];
};

}  // namespace gk

#endif  // GK_BASE_INLINED_VECTOR_H_
