// The error that a call throws.
#ifndef GK_API_THROWN_FOR_TEST_H_
#define GK_API_THROWN_FOR_TEST_H_

#include <gtest/gtest.h>

#include "graphkiln/error.h"

namespace gk {

// Fails the test if there is none.
template <class F>
Error Thrown(F&& f) {
  try {
    f();
  } catch (const Error& e) {
    return e;
  }
  ADD_FAILURE() << "nothing was thrown";
  return Error(ErrorCode::kUnknown, "");
}

}  // namespace gk

#endif  // GK_API_THROWN_FOR_TEST_H_
