// RowAccess: x[i], as loops over a tensor ask for it each turn, found in a
// StridedSlice while a plan is made: then it is one copy.
#ifndef GK_RUNTIME_ROW_ACCESS_H_
#define GK_RUNTIME_ROW_ACCESS_H_

#include <cstdint>
#include <optional>

#include "framework/op_record.h"
#include "framework/graph.h"

namespace gk {

// A tile call over inputs 0 (x) and 1 (the index). It fails, and nothing is
// written, where the index is out of range: the op's kernel has the error.
struct RowAccess {
  TileFn tile = nullptr;
  TileParams params;
  int64_t num_bytes = 0;
};

std::optional<RowAccess> RowAccessOf(const Node& node);

}  // namespace gk

#endif  // GK_RUNTIME_ROW_ACCESS_H_
