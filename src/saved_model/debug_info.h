// Where the operations of saved functions were made: the file beside a model
// that tools show with their errors.
#ifndef GK_SAVED_MODEL_DEBUG_INFO_H_
#define GK_SAVED_MODEL_DEBUG_INFO_H_

#include <functional>
#include <string>
#include <vector>

#include "framework/graph.h"
#include "proto/graph.gk.h"
#include "saved_model/saved_objects.h"

namespace gk {

struct SourceFrame {
  std::string file;
  int line = 0;
  std::string function;
};
// The lines of a place in a program, outermost first; none if it is not known.
using FramesOfSource = std::function<std::vector<SourceFrame>(SourceId)>;

// A trace for each operation, "its name@its function's in the file".
proto::GraphDebugInfo DebugInfoOf(const SavedObjects::Names& functions,
                                  const FramesOfSource& frames);

}  // namespace gk

#endif  // GK_SAVED_MODEL_DEBUG_INFO_H_
