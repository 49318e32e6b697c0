// ImportBudget: how much a message may ask for beyond what it holds.
//
// A constant names a shape and one value to fill it with, a node names how
// many outputs it has: a few bytes stand for gigabytes. One budget for all
// that is read from a message; not thread-safe.
#ifndef GK_GRAPH_IMPORT_BUDGET_H_
#define GK_GRAPH_IMPORT_BUDGET_H_

#include <cstdint>

#include "base/status.h"

namespace gk {

class ImportBudget {
 public:
  // A tensor whose elements take `bytes` of which the message holds `held`.
  // Called before memory is asked for.
  Status TakeTensor(int64_t bytes, int64_t held);
  Status TakeOutputs(int64_t n);

 private:
  // What the message holds is worth some repetition of its own.
  static constexpr int64_t kWorth = 16;
  int64_t bytes_ = int64_t{256} << 20;
  int64_t outputs_ = 1 << 20;
};

}  // namespace gk

#endif  // GK_GRAPH_IMPORT_BUDGET_H_
