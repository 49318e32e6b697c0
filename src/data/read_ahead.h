// Iterators that work ahead of whoever asks them, on threads of the TaskPool.
//
// Help first: who asks for an element that nobody is making makes it itself,
// so nothing depends on a thread being free, and a pipeline of any depth
// cannot block itself. Elements keep the order of the input. Destroying such
// an iterator does not wait: it cancels what runs, and the last one to be done
// drops the input.
#ifndef GK_DATA_READ_AHEAD_H_
#define GK_DATA_READ_AHEAD_H_

#include <functional>

#include "data/ahead_tuner.h"
#include "data/dataset.h"

namespace gk {

// Keeps up to `limit` elements of `input` ready.
IteratorPtr Prefetch(IteratorPtr input, const AheadOptions& options);

// An element's function; must be thread-safe. `end`: the sequence ends here.
using ElementFn = std::function<Status(TensorVector element,
                                       const CancellationToken* cancellation,
                                       TensorVector* result, bool* end)>;

// What becomes of `fn` where elements are passed over: it runs; it runs if
// somebody wants to know of its errors; it does not run.
enum class PassedOver { kRuns, kRunsForErrors, kNothing };

// fn of each element of `input`, up to `parallel` of them at work or ready.
IteratorPtr ParallelMap(IteratorPtr input, ElementFn fn,
                        const AheadOptions& options,
                        PassedOver passed_over = PassedOver::kRuns);

}  // namespace gk

#endif  // GK_DATA_READ_AHEAD_H_
