// Tensor: a handle to a value (eager) or to a graph edge (symbolic).
//
// A handle is one pointer; copying shares. The identity of a tensor is its
// TensorImpl: tapes, captures and Python wrappers key on it. Values of up to
// kInlineBytes live inside the TensorImpl, larger ones in a shared Buffer.
// Elements are written only by whoever made the tensor, before sharing it;
// afterwards a value is immutable, so reading needs no lock.
#ifndef GK_FRAMEWORK_TENSOR_H_
#define GK_FRAMEWORK_TENSOR_H_

#include <atomic>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "base/ref.h"
#include "base/status.h"
#include "framework/allocator.h"
#include "framework/tensor_shape.h"
#include "framework/types.h"

namespace gk {

class Graph;
class Node;

inline constexpr int kInlineBytes = 64;

class TensorImpl {
 public:
  TensorImpl(DataType dtype, const TensorShape& shape);
  TensorImpl(const TensorImpl&) = delete;
  TensorImpl& operator=(const TensorImpl&) = delete;

  void AddRef() const { refs_.fetch_add(1, std::memory_order_relaxed); }
  void Unref() const {
    if (refs_.load(std::memory_order_acquire) == 1 ||
        refs_.fetch_sub(1, std::memory_order_acq_rel) == 1) {
      delete this;
    }
  }
  int RefCount() const { return refs_.load(std::memory_order_acquire); }

  DataType dtype() const { return dtype_; }
  const TensorShape& shape() const { return shape_; }
  void* data() const { return data_; }
  uint64_t id() const { return id_; }
  bool is_symbolic() const { return symbolic_; }

  // The one object of the host language that stands for this tensor, held
  // weakly: the language clears it when that object dies.
  std::atomic<void*>& wrapper() { return wrapper_; }

  static void* operator new(size_t size);
  static void operator delete(void* p, size_t size);

 protected:
  friend class Tensor;
  struct SymbolicTag {};
  TensorImpl(SymbolicTag, DataType dtype);
  virtual ~TensorImpl();

  mutable std::atomic<int32_t> refs_{1};
  DataType dtype_;
  bool symbolic_ = false;
  void* data_ = nullptr;
  Ref<Buffer> buffer_;
  TensorShape shape_;
  uint64_t id_;
  std::atomic<void*> wrapper_{nullptr};
  alignas(kAlignment) unsigned char inline_[kInlineBytes];
};

class Tensor {
 public:
  Tensor() = default;
  explicit Tensor(TensorImpl* impl) : p_(impl) {}  // shares
  static Tensor Adopt(TensorImpl* impl) {
    Tensor t;
    t.p_ = Ref<TensorImpl>::Adopt(impl);
    return t;
  }

  // Uninitialised elements (objects are default-constructed).
  // ResourceExhausted if the memory cannot be had.
  static StatusOr<Tensor> Allocate(DataType dtype, const TensorShape& shape);
  // All bytes zero (empty strings).
  static StatusOr<Tensor> Zeros(DataType dtype, const TensorShape& shape);
  // Shares `buffer` from byte `offset` on.
  static Tensor FromBuffer(DataType dtype, const TensorShape& shape,
                           Ref<Buffer> buffer, size_t offset = 0);
  // Borrows memory that outlives the tensor (arena slots); never escapes.
  static Tensor Borrow(DataType dtype, const TensorShape& shape, void* data);

  template <class T>
  static Tensor Scalar(T value) {
    return OfValues<T>(std::span<const T>(&value, 1), TensorShape());
  }
  template <class T>
  static Tensor Vector(std::span<const T> values) {
    const int64_t n = values.size();
    return OfValues<T>(values, TensorShape({n}));
  }
  // Throws Error if memory runs out.
  template <class T>
  static Tensor OfValues(std::span<const T> values, const TensorShape& shape) {
    Tensor t = ValueOrThrow(Allocate(kTypeOf<T>, shape));
    std::copy(values.begin(), values.end(), t.data<T>());
    return t;
  }

  // At no moment is either of them null that will not be.
  friend void swap(Tensor& a, Tensor& b) noexcept { swap(a.p_, b.p_); }

  explicit operator bool() const { return static_cast<bool>(p_); }
  TensorImpl* impl() const { return p_.get(); }
  TensorImpl* Release() { return p_.Release(); }
  uint64_t id() const { return p_->id(); }
  bool is_symbolic() const { return p_->is_symbolic(); }

  DataType dtype() const { return p_->dtype_; }
  // Of values only; a symbolic tensor has a partial_shape().
  const TensorShape& shape() const { return p_->shape_; }
  int rank() const { return p_->shape_.rank(); }
  int64_t dim(int i) const { return p_->shape_.dim(i); }
  int64_t num_elements() const { return p_->shape_.num_elements(); }
  // Of values and of symbolic tensors.
  PartialTensorShape partial_shape() const;
  // The value: itself, or what is known of a symbolic tensor while its graph
  // is built (constants and what follows from them); else null.
  Tensor KnownValue() const;

  // Elements, row-major. The caller has checked dtype.
  template <class T>
  T* data() {
    return static_cast<T*>(p_->data_);
  }
  template <class T>
  const T* data() const {
    return static_cast<const T*>(p_->data_);
  }
  template <class T>
  std::span<const T> flat() const {
    return {data<T>(), static_cast<size_t>(num_elements())};
  }
  template <class T>
  std::span<T> flat() {
    return {data<T>(), static_cast<size_t>(num_elements())};
  }
  template <class T>
  const T& scalar() const {
    return *data<T>();
  }
  void* raw_data() const { return p_->data_; }
  int64_t byte_size() const { return num_elements() * DataTypeSize(dtype()); }
  const Ref<Buffer>& buffer() const { return p_->buffer_; }

  // Nobody else can see the elements: they may be overwritten.
  bool IsExclusive() const {
    return p_->RefCount() == 1 &&
           (p_->buffer_ == nullptr ? p_->data_ == p_->inline_
                                   : p_->buffer_->IsExclusive());
  }
  // The same elements under another shape of equal size, as a new tensor.
  Tensor WithShape(const TensorShape& shape) const;
  // The same elements as a new tensor with its own identity.
  Tensor Alias() const { return WithShape(shape()); }
  // A copy with its own memory.
  StatusOr<Tensor> Copy() const;

  // "<tf.Tensor ...>"-free short form for messages: dtype, shape, values.
  std::string DebugString(int max_values = 6) const;

  friend bool operator==(const Tensor& a, const Tensor& b) = delete;
  bool Is(const Tensor& o) const { return p_.get() == o.p_.get(); }

 private:
  Ref<TensorImpl> p_;
};

using TensorVector = std::vector<Tensor>;

}  // namespace gk

#endif  // GK_FRAMEWORK_TENSOR_H_
