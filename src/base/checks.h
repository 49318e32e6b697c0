// Checked runs: whether graph passes and plans prove what they claim, at a
// cost in time (docs/internals/passes.md and plans.md).
#ifndef GK_BASE_CHECKS_H_
#define GK_BASE_CHECKS_H_

namespace gk {

// Of passes that run, and plans that are made, from now on. They are checked
// if the environment variable GK_CHECK_PLANS is 1.
bool ChecksOn();
void SetChecks(bool on);

// For a test: as said while it lives, then as before.
class ChecksScope {
 public:
  explicit ChecksScope(bool on) : before_(ChecksOn()) { SetChecks(on); }
  ~ChecksScope() { SetChecks(before_); }
  ChecksScope(const ChecksScope&) = delete;
  ChecksScope& operator=(const ChecksScope&) = delete;

 private:
  const bool before_;
};

}  // namespace gk

#endif  // GK_BASE_CHECKS_H_
