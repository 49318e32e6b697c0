// How one call is run: until when, and who may end it before.
//
//   gk::CancellationToken stop;  // another thread may call stop.Cancel()
//   using std::chrono::steady_clock, std::chrono::milliseconds;
//   signature.Call({x}, {.cancellation = stop,
//                        .deadline = steady_clock::now() + milliseconds(5)});
#ifndef GRAPHKILN_RUN_OPTIONS_H_
#define GRAPHKILN_RUN_OPTIONS_H_

#include <graphkiln/export.h>

#include <chrono>
#include <memory>
#include <optional>

namespace gk {
GK_API_NAMESPACE {
// Ends calls that were given it. A handle; copying shares it. Thread-safe.
class GK_EXPORT CancellationToken {
 public:
  // Not cancelled.
  CancellationToken();
  // From now on calls with this token end soon: between two operations, after
  // a turn of a loop, or within one that takes long. There is no way back.
  void Cancel() const;
  bool is_cancelled() const;

  // --- For the library itself.
  struct Rep;
  const Rep& rep() const { return *rep_; }

 private:
  std::shared_ptr<Rep> rep_;
};

// Of one call. A call that is made into the graph of a traced function has
// none of these: the call of that function has.
struct RunOptions {
  // Throws Error (Cancelled) when it is cancelled.
  std::optional<CancellationToken> cancellation = {};
  // Throws Error (DeadlineExceeded) if it takes longer.
  std::optional<std::chrono::steady_clock::time_point> deadline = {};
};

}  // GK_API_NAMESPACE
}  // namespace gk

#endif  // GRAPHKILN_RUN_OPTIONS_H_
