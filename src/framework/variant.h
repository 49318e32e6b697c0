// Variant: the element of a DT_VARIANT tensor; a shared, immutable-by-
// convention object of any kind (TensorList, Optional, Dataset).
#ifndef GK_FRAMEWORK_VARIANT_H_
#define GK_FRAMEWORK_VARIANT_H_

#include <string>
#include <string_view>

#include "base/down_cast.h"
#include "base/ref.h"
#include "base/status.h"

namespace gk {

class VariantObject : public RefCounted {
 public:
  // "tensorflow::TensorList": the name written into files and messages.
  virtual std::string_view type_name() const = 0;
  // What is shown of it where a tensor is printed: appended to `text`, which
  // gets no longer once it has reached `limit`. type_name() unless the kind
  // says more.
  virtual void AppendText(std::string* text, size_t limit) const;
  // What gradients of such objects are made of; Unimplemented unless the
  // kind has them.
  virtual StatusOr<Ref<VariantObject>> ZerosLike() const;
  virtual StatusOr<Ref<VariantObject>> Add(const VariantObject& other) const;
};

class Variant {
 public:
  Variant() = default;
  explicit Variant(Ref<VariantObject> object) : object_(std::move(object)) {}
  VariantObject* get() const { return object_.get(); }
  // For changing in place: true if nobody else holds the object.
  bool IsExclusive() const { return object_ && object_->RefCountIsOne(); }
  template <class T>
  T* As() const {
    return DownCast<T>(object_.get());
  }

 private:
  Ref<VariantObject> object_;
};

}  // namespace gk

#endif  // GK_FRAMEWORK_VARIANT_H_
