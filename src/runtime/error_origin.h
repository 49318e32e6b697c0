// ErrorOrigin: which node a failed run failed at, for the layer that shows
// the user's line. One per thread, set by the failing run on that thread.
#ifndef GK_RUNTIME_ERROR_ORIGIN_H_
#define GK_RUNTIME_ERROR_ORIGIN_H_

#include <string>
#include <string_view>

#include "base/status.h"
#include "framework/graph.h"

namespace gk {

struct ErrorOrigin {
  std::string node;
  std::string op;
  std::string function;
  SourceId source = 0;
};

// Of the last failed run on this thread; empty names if there was none or it
// failed outside of any node (bad arguments). Valid until the next run.
const ErrorOrigin& LastErrorOrigin();
void ClearErrorOrigin();
// What is noted on this thread.
void SetErrorOrigin(ErrorOrigin origin);

// Notes the innermost failing node and appends its name to the message.
Status AtNode(const Status& status, const Node& node,
              std::string_view function);

}  // namespace gk

#endif  // GK_RUNTIME_ERROR_ORIGIN_H_
