// LanguageValue: a value of the host language inside of what the core keeps.
#ifndef GK_FRAMEWORK_LANGUAGE_VALUE_H_
#define GK_FRAMEWORK_LANGUAGE_VALUE_H_

#include <string>

#include "base/ref.h"

namespace gk {

// Drops what it holds on whatever thread the last reference goes.
class LanguageValue : public RefCounted {
 public:
  // May run the user's code: never called under a lock.
  virtual size_t Hash() const { return reinterpret_cast<size_t>(this); }
  virtual bool Equals(const LanguageValue& other) const {
    return this == &other;
  }
  virtual std::string Text() const { return {}; }
  // False once it can never equal another value: what it stood for is gone.
  virtual bool IsAlive() const { return true; }
};

// A type that the host language defines, with its own relations.
class LanguageType : public LanguageValue {
 public:
  // How many tensors a value is made of.
  virtual size_t NumTensors() const { return 0; }
  // May a value of `other` be one of this type, as far as is known?
  virtual bool IsCompatibleWith(const LanguageType& other) const {
    return other.IsSubtypeOf(*this);
  }
  virtual bool IsSubtypeOf(const LanguageType& other) const {
    return Equals(other);
  }
  // Null if there is none.
  virtual Ref<LanguageType> CommonSupertype(const LanguageType& other) const {
    return Equals(other) ? Ref<LanguageType>(const_cast<LanguageType*>(this))
                         : nullptr;
  }
};

}  // namespace gk

#endif  // GK_FRAMEWORK_LANGUAGE_VALUE_H_
