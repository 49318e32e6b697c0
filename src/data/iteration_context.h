// IterationContext: what all iterators of one pass over a pipeline share,
// those made later on the way included: functions whose random streams begin
// anew in each pass, and which seeds the pass has drawn, so that one that was
// saved can be gone through again.
//
// Thread-safe.
#ifndef GK_DATA_ITERATION_CONTEXT_H_
#define GK_DATA_ITERATION_CONTEXT_H_

#include <atomic>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <unordered_map>
#include <vector>

#include "base/process_mutex.h"
#include "framework/function_runner.h"
#include "framework/graph.h"
#include "proto/checkpoint.gk.h"

namespace gk {

class PassResources;

// Where the iterators of a dataset get their seeds from. Whoever calls holds
// SeedSource::Lock.
class SeedSource {
 public:
  using Seeds = proto::IteratorState_Seeds;
  virtual ~SeedSource() = default;
  // What comes next, and how it is made to come next.
  virtual Seeds Now() const = 0;
  virtual void Continue(const Seeds& seeds) = 0;
  // The one behind that is next.
  virtual void Advance() = 0;
  // Whether its seeds may be any, and nobody has drawn from it yet.
  virtual bool Free() const { return false; }

  // Of all sources, and of what passes have drawn of them.
  static ProcessMutex& Lock();
};
using SeedSources = std::vector<std::shared_ptr<SeedSource>>;

class IterationContext final : public RefCounted {
 public:
  IterationContext() : pass_(std::make_shared<Pass>()) {}

  // The function as this pass calls it. One that draws random numbers from
  // seeds begins its streams anew in each pass.
  Ref<GraphFunction> Own(const Ref<GraphFunction>& function);
  // The context of the i-th of several inputs: the same function begins anew
  // in each.
  Ref<IterationContext> Part(int i);

  // Datasets are named by their depths, which differ within a context.

  // Of one iterator over a dataset, in this context: what Opened is asked of.
  Ref<IterationContext> Within(int depth);
  // The context of a dataset that a function made, which draws from `sources`:
  // the n-th of those that are gone through in this context.
  Ref<IterationContext> Opened(int64_t n, const SeedSources& sources);

  // The seeds of the next iterator over a dataset, which draws them from
  // `source`; those that were drawn where this pass is one that was saved.
  SeedSource::Seeds Draw(int depth, SeedSource& source);

  // Choices that may differ from pass to pass, as that of whose element comes
  // first, are noted, so that they are the same where this pass is gone through
  // again. Of one iterator, whose context this is.
  struct Choice {
    uint64_t step = 0;    // before which it was made
    uint64_t chosen = 0;  // kNothing: none was made from the last one on
    static constexpr uint64_t kNothing = ~uint64_t{0};
  };
  // The next one that was saved; null behind the last.
  std::optional<Choice> SavedChoice();
  // False if so many are noted that this one is not: then it is not to be made.
  bool Note(Choice choice);
  // How many steps the iterator has made: kept by it, saved with its choices.
  std::shared_ptr<std::atomic<uint64_t>> Steps();

  // What the pass may use (pass_resources.h); null: whatever there is. Set
  // before it begins.
  const std::shared_ptr<PassResources>& resources() const {
    return pass_->resources;
  }
  void SetResources(std::shared_ptr<PassResources> resources) {
    pass_->resources = std::move(resources);
  }

  // A function that may not be run again where the pass is, of those that were
  // asked for, and what of it may not; null if there is none.
  const Node* Effect();

  // Of the whole pass, of which this is the context, over a dataset that draws
  // from `sources`. Loads into one that has not begun; DataLoss for the state
  // of another dataset.
  void SaveSeeds(const SeedSources& sources, proto::IteratorState* state);
  Status LoadSeeds(const SeedSources& sources,
                   const proto::IteratorState& state);

 private:
  using Place = std::vector<int64_t>;
  struct Drawn {
    std::vector<SeedSource::Seeds> seeds;
    size_t used = 0;                               // of those that were loaded
    std::shared_ptr<std::atomic<uint64_t>> steps;  // of who makes choices
  };
  struct Pass {
    // Under SeedSource::Lock:
    std::map<Place, Drawn> drawn;
    int64_t choices = 0;  // that are noted
    uint64_t random = 0;  // what free seeds are made of; 0: not chosen yet

    uint64_t Random();

    std::shared_ptr<PassResources> resources;
  };

  IterationContext(std::shared_ptr<Pass> pass, Place place)
      : pass_(std::move(pass)), place_(std::move(place)) {}
  Ref<IterationContext> Inside(Place place);
  Drawn& Choices();  // under the lock
  // Under the lock: the seeds that were drawn there, or `now` noted.
  SeedSource::Seeds Noted(int64_t what, const SeedSource::Seeds& now,
                          bool* loaded);

  struct Entry {
    Ref<GraphFunction> original, own;
  };
  const std::shared_ptr<Pass> pass_;
  const Place place_;                   // in the pass
  Ref<IterationContext> functions_of_;  // null: its own
  bool opened_ = false;                 // of a dataset that a function made
  ProcessMutex& mutex_ = ProcessMutex::Of(this);
  std::unordered_map<const GraphFunction*, Entry> functions_;
  std::vector<Ref<IterationContext>> parts_;
  std::unordered_map<int, int64_t> within_;  // by depth: how many
};
using ContextRef = Ref<IterationContext>;

}  // namespace gk

#endif  // GK_DATA_ITERATION_CONTEXT_H_
