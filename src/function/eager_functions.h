// tf.config.run_functions_eagerly, for both languages: calls of functions run
// the user's body as it is.
#ifndef GK_FUNCTION_EAGER_FUNCTIONS_H_
#define GK_FUNCTION_EAGER_FUNCTIONS_H_

#include <atomic>

namespace gk {

inline std::atomic<bool> functions_run_eagerly{false};

inline bool FunctionsRunEagerly() {
  return functions_run_eagerly.load(std::memory_order_relaxed);
}
inline void RunFunctionsEagerly(bool on) { functions_run_eagerly = on; }

}  // namespace gk

#endif  // GK_FUNCTION_EAGER_FUNCTIONS_H_
