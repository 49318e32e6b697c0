#include "ops/random/random_place.h"

#include <sys/random.h>

#include <array>
#include <atomic>
#include <list>
#include <mutex>
#include <random>
#include <string>
#include <unordered_map>

#include "base/fork.h"
#include "base/process_mutex.h"
#include "framework/op_record.h"

namespace gk {
namespace {

constexpr size_t kMaxPlaces = 1 << 15;

class EagerPlaces {
 public:
  static EagerPlaces& Get() {
    static EagerPlaces* places = new EagerPlaces;
    return *places;
  }

  Philox Take(std::string key, const Philox& start,
              FunctionRef<void(Philox&)> skip) {
    std::lock_guard lock(mutex_);
    auto found = by_key_.find(key);
    if (found == by_key_.end()) {
      if (recent_.size() >= kMaxPlaces) {
        by_key_.erase(recent_.back().first);
        recent_.pop_back();
      }
      recent_.emplace_front(key, start);
      found = by_key_.emplace(std::move(key), recent_.begin()).first;
    } else {
      recent_.splice(recent_.begin(), recent_, found->second);
    }
    Philox& place = found->second->second;
    const Philox now = place;
    skip(place);
    return now;
  }

  void Clear() {
    std::lock_guard lock(mutex_);
    by_key_.clear();
    recent_.clear();
  }

 private:
  using Entry = std::pair<std::string, Philox>;
  ProcessMutex mutex_;
  std::list<Entry> recent_;  // last used first
  std::unordered_map<std::string, std::list<Entry>::iterator> by_key_;
};

// How often places have been forgotten.
std::atomic<uint64_t> generation{0};

struct PlanPlace final : KernelState {
  uint64_t begun = 0;  // in which generation
  Philox place;
};

Philox FirstPlace(KernelContext& c) {
  const auto seed = static_cast<uint64_t>(c.attr<int64_t>("seed"));
  const auto seed2 = static_cast<uint64_t>(c.attr<int64_t>("seed2"));
  return seed == 0 && seed2 == 0 ? Philox::FromSeeds(RandomSeed(), RandomSeed())
                                 : Philox::FromSeeds(seed, seed2);
}

Philox TakePlanPlace(KernelContext& c, SharedKernelState& shared,
                     FunctionRef<void(Philox&)> skip) {
  ProcessMutex& mutex = ProcessMutex::Of(&shared);
  std::unique_ptr<PlanPlace> made;
  while (true) {
    {
      std::lock_guard lock(mutex);
      auto* place = static_cast<PlanPlace*>(shared.state.get());
      if (made && (!place || place->begun != made->begun)) {
        place = made.get();
        shared.state = std::move(made);
      }
      if (place && place->begun == generation.load()) {
        const Philox now = place->place;
        skip(place->place);
        return now;
      }
    }
    // Drawing a seed locks what draws it.
    made = std::make_unique<PlanPlace>();
    made->begun = generation.load();
    made->place = FirstPlace(c);
  }
}

// An op's type and attributes, whose own types are the op's.
std::string KeyOf(const KernelContext& c) {
  std::string key(c.record().name);
  key += '\0';
  const auto add = [&](const auto& value) {
    key.append(reinterpret_cast<const char*>(&value), sizeof(value));
  };
  for (const auto& [name, value] : c.attrs()) {
    if (const auto* number = std::get_if<int64_t>(&value)) {
      add(*number);
    } else if (const auto* type = std::get_if<DataType>(&value)) {
      add(*type);
    } else {
      const std::string text = AttrText(value);
      add(text.size());
      key += text;
    }
  }
  return key;
}

}  // namespace

uint64_t RandomSeed() {
  // Asking for one number costs as much as asking for many.
  struct Drawn {
    ProcessMutex mutex;
    std::random_device device;
    std::array<uint64_t, 64> words;
    size_t at = words.size();
    uint32_t generation = 0;
  };
  static auto* drawn = new Drawn;
  std::lock_guard lock(drawn->mutex);
  // Two processes share no numbers.
  if (drawn->at == drawn->words.size() ||
      drawn->generation != ProcessGeneration()) {
    constexpr ssize_t kBytes = sizeof(drawn->words);
    if (getrandom(drawn->words.data(), kBytes, 0) != kBytes) {
      for (uint64_t& word : drawn->words) {
        word = uint64_t{drawn->device()} << 32 | drawn->device();
      }
    }
    drawn->at = 0;
    drawn->generation = ProcessGeneration();
  }
  return drawn->words[drawn->at++];
}

Philox TakePlace(KernelContext& c, FunctionRef<void(Philox&)> skip) {
  if (SharedKernelState* shared = c.shared_state()) {
    return TakePlanPlace(c, *shared, skip);
  }
  const Philox first = FirstPlace(c);
  if (c.attr<int64_t>("seed") == 0 && c.attr<int64_t>("seed2") == 0) {
    return first;
  }
  return EagerPlaces::Get().Take(KeyOf(c), first, skip);
}

Philox TakePlaceForValues(KernelContext& c, int64_t n) {
  return TakePlace(c,
                   [n](Philox& g) { g.SkipValues(static_cast<uint64_t>(n)); });
}

uint64_t RandomGeneration() { return generation.load(); }

void ForgetRandomPlaces() {
  ++generation;
  EagerPlaces::Get().Clear();
}

}  // namespace gk
