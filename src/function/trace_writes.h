// TraceWrites: writes to TensorArrays in a trace whose result nobody has used
// yet: the array that was written to does not change, so what was written
// would be lost.
#ifndef GK_FUNCTION_TRACE_WRITES_H_
#define GK_FUNCTION_TRACE_WRITES_H_

#include <memory>
#include <string>
#include <string_view>

#include "base/status.h"

namespace gk {

struct UnusedWrite {
  std::string text;  // "write at net.cc:12"
  bool used = false;
};

// Those of a function that this thread is in the middle of tracing, for as
// long as it lives; they nest.
class TraceWrites {
 public:
  TraceWrites();
  ~TraceWrites();
  TraceWrites(const TraceWrites&) = delete;

  // Does this thread build a graph of such a function?
  static bool AreWatched();
  // One of the innermost, where they are watched.
  static std::shared_ptr<UnusedWrite> Add(std::string text);

  // ValueError if the result of one was not used.
  Status Check() const;
};

// The text of the error about a write, "write at net.cc:12", that is lost.
std::string LostWrite(std::string_view write);

}  // namespace gk

#endif  // GK_FUNCTION_TRACE_WRITES_H_
