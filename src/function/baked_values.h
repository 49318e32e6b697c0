// BakedValues: values of the host language that traces froze, and what calls do
// when they change.
#ifndef GK_FUNCTION_BAKED_VALUES_H_
#define GK_FUNCTION_BAKED_VALUES_H_

#include <functional>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/status.h"
#include "function/trace_history.h"

namespace gk {

class Trace;
class TraceCache;
struct HostWords;

enum class OnBakedChange : uint8_t {
  kIgnore,  // the values are not looked at
  kWarn,    // once for each change; the trace goes on with the earlier value
  kRetrace,
  kError,
};
// The words for all but the first, in order.
inline constexpr std::string_view kOnBakedChange[] = {"warn", "retrace",
                                                      "error"};
// kIgnore for any other word.
OnBakedChange OnBakedChangeNamed(std::string_view word);

// A value that is another one than when the trace was made.
struct BakedChange {
  std::string name;         // as the code has it
  std::string before, now;  // shown
  CallSite read;
  // Of the functions that are called on the way to it.
  std::vector<std::shared_ptr<TraceCache>> caches;
  // From now on it is compared with what it is now.
  std::function<void()> accept;
  // It is not compared any more.
  std::function<void()> ignore;
};

// What the host knows of them.
class BakedValues {
 public:
  virtual StatusOr<std::vector<BakedChange>> ChangesOf(const Trace& trace) = 0;
  virtual Status Warn(const std::string& text) = 0;

 protected:
  ~BakedValues() = default;
};

// Tells of changes, a line each: function `name` goes on with the earlier
// values.
std::string BakedChangesText(std::string_view name,
                             std::span<const BakedChange> changes,
                             const HostWords& words);

// The functions that are called on the way to what changed keep no trace that
// froze it.
Status DropStale(std::span<const BakedChange> changes, BakedValues* values);

}  // namespace gk

#endif  // GK_FUNCTION_BAKED_VALUES_H_
