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

namespace config {

// Calls of functions run their lambdas as they are, untraced, to look at what
// happens inside.
GK_EXPORT void run_functions_eagerly(bool run_eagerly);
GK_EXPORT bool functions_run_eagerly();

namespace threading {

// How many threads one operation may use; 0: as many as there are processors.
// Throws Error unless in [0, 1024].
GK_EXPORT void set_intra_op_parallelism_threads(int num_threads);
GK_EXPORT int get_intra_op_parallelism_threads();
// How many operations may run at once. It is kept, and changes nothing: a
// function chooses itself. Throws Error if it is negative.
GK_EXPORT void set_inter_op_parallelism_threads(int num_threads);
GK_EXPORT int get_inter_op_parallelism_threads();

}  // namespace threading

namespace optimizer {

// Of the passes over graphs.
struct ExperimentalOptions {
  // Leaves all of them out of functions that run for the first time from now
  // on. Results are the same.
  bool disable_meta_optimizer = false;
};
GK_EXPORT void set_experimental_options(const ExperimentalOptions& options);
GK_EXPORT ExperimentalOptions get_experimental_options();

}  // namespace optimizer

namespace experimental {

// Makes random ops without any seed an error. All other ops give the same
// results every time as they are.
GK_EXPORT void enable_op_determinism();

}  // namespace experimental
}  // namespace config

}  // GK_API_NAMESPACE
}  // namespace gk

#endif  // GRAPHKILN_RUNTIME_H_
