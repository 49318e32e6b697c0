// A non-owning reference to a callable: two words, never allocates.
//
// The callable must outlive the reference; meant for parameters only.
#ifndef GK_BASE_FUNCTION_REF_H_
#define GK_BASE_FUNCTION_REF_H_

#include <type_traits>
#include <utility>

namespace gk {

template <class Signature>
class FunctionRef;

template <class R, class... Args>
class FunctionRef<R(Args...)> {
 public:
  template <class F>
  requires(!std::is_same_v<std::remove_cvref_t<F>, FunctionRef> &&
           std::is_invocable_r_v<R, F&, Args...>) FunctionRef(F&& f)
      : object_(const_cast<void*>(static_cast<const void*>(&f))),
        call_([](void* object, Args... args) -> R {
          return (*static_cast<std::remove_reference_t<F>*>(object))(
              std::forward<Args>(args)...);
        }) {}

  R operator()(Args... args) const {
    return call_(object_, std::forward<Args>(args)...);
  }

 private:
  void* object_;
  R (*call_)(void*, Args...);
};

}  // namespace gk

#endif  // GK_BASE_FUNCTION_REF_H_
