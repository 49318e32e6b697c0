// PassResources: what the options of a dataset say of how one pass over it may
// use the machine: threads, memory, and whether elements may change places.
//
// Thread-safe.
#ifndef GK_DATA_PASS_RESOURCES_H_
#define GK_DATA_PASS_RESOURCES_H_

#include <deque>
#include <functional>
#include <memory>
#include <mutex>

#include "data/dataset_options.h"

namespace gk {

class PassResources : public std::enable_shared_from_this<PassResources> {
 public:
  // Null where the options, which may be null, say nothing of this. `begins`:
  // at the first element, and not behind some that are passed over.
  static std::shared_ptr<PassResources> Of(const DatasetOptions* options,
                                           bool begins);

  // Whether what works ahead begins when it is made, and not when it is asked.
  bool warm_start() const { return warm_start_; }

  // Whether elements keep their order where nobody else says.
  bool deterministic() const { return deterministic_; }
  // Are parallelism and buffers that nobody says adapted to the consumer?
  bool autotune() const { return autotune_; }
  // How much may work at a time where nobody says.
  int64_t parallelism() const;
  // Bytes that elements made in advance may take in one stage, as far as they
  // are tuned; 0: the library's choice.
  int64_t ram_budget() const { return ram_budget_; }

  // Runs a task on a thread of the TaskPool, no more at a time than a private
  // pool has threads; false if there is none.
  bool Schedule(std::function<void()> task);

 private:
  void Run(const std::function<void()>& first);

  bool deterministic_ = true, autotune_ = true, warm_start_ = false;
  int64_t threads_ = 0;  // 0: as many as there are
  int64_t cpu_budget_ = 0, ram_budget_ = 0;
  std::mutex mutex_;
  int64_t running_ = 0;
  std::deque<std::function<void()>> waiting_;
};

}  // namespace gk

#endif  // GK_DATA_PASS_RESOURCES_H_
