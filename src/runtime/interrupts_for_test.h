// What a host language that wants to interrupt answers, for tests.
#ifndef GK_RUNTIME_INTERRUPTS_FOR_TEST_H_
#define GK_RUNTIME_INTERRUPTS_FOR_TEST_H_

#include <functional>
#include <utility>

#include "framework/host_language.h"

namespace gk {

// While one lives it is the language of the program.
class InterruptsForTest final : public HostLanguage {
 public:
  explicit InterruptsForTest(std::function<Status()> check)
      : check_(std::move(check)) {
    Set(this);
  }
  ~InterruptsForTest() { Set(nullptr); }
  Status CheckInterrupt() override { return check_(); }

 private:
  const std::function<Status()> check_;
};

}  // namespace gk

#endif  // GK_RUNTIME_INTERRUPTS_FOR_TEST_H_
