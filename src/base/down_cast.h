// DownCast: dynamic_cast, in a few instructions where the class is final.
#ifndef GK_BASE_DOWN_CAST_H_
#define GK_BASE_DOWN_CAST_H_

#include <type_traits>
#include <typeinfo>

namespace gk {

// Null if `p` is, or points to something else than a To.
template <class To, class From>
To* DownCast(From* p) {
  if constexpr (std::is_final_v<To>) {
    return p && typeid(*p) == typeid(To) ? static_cast<To*>(p) : nullptr;
  } else {
    return dynamic_cast<To*>(p);
  }
}

}  // namespace gk

#endif  // GK_BASE_DOWN_CAST_H_
