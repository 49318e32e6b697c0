// Settings of the process.
#ifndef GRAPHKILN_RUNTIME_H_
#define GRAPHKILN_RUNTIME_H_

#include <graphkiln/export.h>

namespace gk {
GK_API_NAMESPACE {

// How many threads operations may use together, the caller included. Throws
// Error unless in [1, 1024]. At first: the processors that the process may
// use.
GK_EXPORT void set_num_threads(int n);
GK_EXPORT int num_threads();

}  // GK_API_NAMESPACE
}  // namespace gk

#endif  // GRAPHKILN_RUNTIME_H_
