#include "graphkiln/runtime.h"

#include "api/inner.h"
#include "base/thread_pool.h"
#include "eager/thread_settings.h"
#include "function/eager_functions.h"
#include "grappler/optimize.h"
#include "ops/random/random_seeds.h"

namespace gk::api {

void set_num_threads(int n) {
  if (n < 1 || n > 1024) {
    ThrowPublic(
        ValueError("the number of threads must be in [1, 1024], got {}", n));
  }
  ThreadPool::Global().SetNumThreads(n);
}

int num_threads() { return ThreadPool::Global().num_threads(); }

namespace config {

void run_functions_eagerly(bool run_eagerly) {
  RunFunctionsEagerly(run_eagerly);
}
bool functions_run_eagerly() { return FunctionsRunEagerly(); }

namespace threading {

void set_intra_op_parallelism_threads(int num_threads) {
  ThrowUnlessOk(SetIntraOpThreads(num_threads));
}
int get_intra_op_parallelism_threads() { return IntraOpThreads(); }
void set_inter_op_parallelism_threads(int num_threads) {
  ThrowUnlessOk(SetInterOpThreads(num_threads));
}
int get_inter_op_parallelism_threads() { return InterOpThreads(); }

}  // namespace threading

namespace optimizer {

void set_experimental_options(const ExperimentalOptions& options) {
  SetGraphPasses(!options.disable_meta_optimizer);
}
ExperimentalOptions get_experimental_options() {
  return {.disable_meta_optimizer = !RunsGraphPasses()};
}

}  // namespace optimizer

namespace experimental {

void enable_op_determinism() { SetRequiresSeeds(true); }

}  // namespace experimental
}  // namespace config

}  // namespace gk::api
