// Guarded<F>: F as Python may call it. What F throws becomes Python's error:
// an exception that reached CPython's own frames would end the process.
//
// Every entry of a table of methods, attributes or slots, every vectorcall
// and every callback is one; what nanobind binds goes through its translators
// (AddExceptionTranslator). Nothing is added to a call that throws nothing.
#ifndef GK_PYTHON_GUARDED_H_
#define GK_PYTHON_GUARDED_H_

#include <type_traits>

#include "python/src/binding/errors.h"
#include "python/src/binding/py_ref.h"

namespace gk::py {

template <auto kFunction>
struct GuardedCall;

template <class R, class... Args, R (*kFunction)(Args...)>
struct GuardedCall<kFunction> {
  static R Call(Args... args) {
    try {
      return kFunction(args...);
    } catch (...) {
      RaiseCaught();
    }
    if constexpr (std::is_void_v<R>) {
      PyErr_WriteUnraisable(nullptr);  // Nobody above could take it.
    } else if constexpr (std::is_pointer_v<R>) {
      return nullptr;
    } else {
      return static_cast<R>(-1);
    }
  }
};

template <auto kFunction>
inline constexpr auto Guarded = &GuardedCall<kFunction>::Call;

// For PyType_Slot: a guarded function, or a table.
template <auto kPart>
void* Slot() {
  using Target = std::remove_pointer_t<decltype(kPart)>;
  if constexpr (std::is_function_v<Target>) {
    return reinterpret_cast<void*>(Guarded<kPart>);
  } else {
    return kPart;
  }
}
// For functions of Python's own.
template <class F>
void* PlainSlot(F* function) {
  return reinterpret_cast<void*>(function);
}
// For Py_tp_doc, which Python copies.
inline void* Doc(const char* text) { return const_cast<char*>(text); }

}  // namespace gk::py

#endif  // GK_PYTHON_GUARDED_H_
