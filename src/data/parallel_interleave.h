// Interleaving of several sequences, made on threads of the TaskPool ahead of
// whoever asks.
//
// Help first, as in read_ahead.h: who asks for an element that nobody is
// making makes it itself. Destroying the iterator does not wait.
#ifndef GK_DATA_PARALLEL_INTERLEAVE_H_
#define GK_DATA_PARALLEL_INTERLEAVE_H_

#include <functional>

#include "data/dataset.h"

namespace gk {

// The sequence that the n-th element of the input stands for; must be
// thread-safe.
using OpenFn = std::function<Status(int64_t n, TensorVector element,
                                    const CancellationToken* cancellation,
                                    IteratorPtr* sequence)>;

struct InterleaveOptions {
  int64_t cycle_length = 1;  // sequences that take turns
  int64_t block_length = 1;  // elements of one before the next one's turn
  int64_t buffer = 1;        // elements of each that are made in advance
  int64_t prefetch = 1;      // sequences that are begun before their turn
  int64_t parallel = 1;      // sequences that are worked on at a time
  // Whether the order is that of interleaving without help. If not, who has
  // an element ready goes first.
  bool ordered = true;
  // Whether that is what the pass says instead.
  bool as_pass_says = false;
  // Where choices are noted if not: the context of the iterator.
  ContextRef choices = {};
  // Those of the pass; may be null.
  std::shared_ptr<PassResources> resources = {};
};

IteratorPtr ParallelInterleave(IteratorPtr input, OpenFn open,
                               const InterleaveOptions& options);

}  // namespace gk

#endif  // GK_DATA_PARALLEL_INTERLEAVE_H_
