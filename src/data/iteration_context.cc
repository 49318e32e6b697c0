#include "data/iteration_context.h"

#include <random>

#include "base/hash.h"
#include "data/fresh_function.h"
#include "data/repeated_effects.h"

namespace gk {
namespace {

// Places: inputs are numbered from 0 on, as are iterators and what they open;
// what belongs to a dataset of the chain stands at its depth below 0, and the
// sources of seeds of one that was opened from here on down.
constexpr int64_t kSources = -(int64_t{1} << 32);
// Choices stand there.
constexpr int64_t kChoices = 2 * kSources;
// So many are noted in a pass: some 50 MB.
constexpr int64_t kMostChoices = int64_t{1} << 20;

}  // namespace

ProcessMutex& SeedSource::Lock() {
  static ProcessMutex* const lock = new ProcessMutex;
  return *lock;
}

Ref<GraphFunction> IterationContext::Own(const Ref<GraphFunction>& function) {
  if (functions_of_) return functions_of_->Own(function);
  {
    std::lock_guard lock(mutex_);
    const auto known = functions_.find(function.get());
    if (known != functions_.end()) return known->second.own;
  }
  // When nothing is locked; one of two that are made goes then, too.
  Entry made{function, FreshFunction(function)};
  std::lock_guard lock(mutex_);
  return functions_.try_emplace(function.get(), std::move(made))
      .first->second.own;
}

Ref<IterationContext> IterationContext::Inside(Place place) {
  Place whole = place_;
  whole.insert(whole.end(), place.begin(), place.end());
  return Ref<IterationContext>::Adopt(
      new IterationContext(pass_, std::move(whole)));
}

Ref<IterationContext> IterationContext::Part(int i) {
  Ref<IterationContext> made = Inside({i});
  made->opened_ = opened_;
  std::lock_guard lock(mutex_);
  if (i >= static_cast<int>(parts_.size())) parts_.resize(i + 1);
  if (!parts_[i]) parts_[i] = std::move(made);
  return parts_[i];
}

uint64_t IterationContext::Pass::Random() {
  while (random == 0) {
    std::random_device device;
    random = uint64_t{device()} << 32 | device();
  }
  return random;
}

Ref<IterationContext> IterationContext::Within(int depth) {
  int64_t number = 0;
  {
    std::lock_guard lock(mutex_);
    number = within_[depth]++;
  }
  Ref<IterationContext> made = Inside({-depth, number});
  made->functions_of_ =
      functions_of_ ? functions_of_ : Ref<IterationContext>(this);
  made->opened_ = opened_;
  return made;
}

Ref<IterationContext> IterationContext::Opened(int64_t n,
                                               const SeedSources& sources) {
  Ref<IterationContext> context = Inside({n});
  context->functions_of_ =
      functions_of_ ? functions_of_ : Ref<IterationContext>(this);
  context->opened_ = true;
  if (sources.empty()) return context;
  std::lock_guard lock(SeedSource::Lock());
  for (size_t i = 0; i < sources.size(); ++i) {
    SeedSource& source = *sources[i];
    const bool free = source.Free();
    SeedSource::Seeds seeds = source.Now();
    if (free) {
      seeds.seed = pass_->Random();
      for (const int64_t step : context->place_) {
        seeds.seed = HashCombine(seeds.seed, static_cast<uint64_t>(step));
      }
      seeds.seed2 = HashCombine(seeds.seed, i + 1);
    }
    bool loaded = false;
    seeds = context->Noted(kSources - static_cast<int64_t>(i), seeds, &loaded);
    if (loaded || free) source.Continue(seeds);
  }
  return context;
}

SeedSource::Seeds IterationContext::Noted(int64_t what,
                                          const SeedSource::Seeds& now,
                                          bool* loaded) {
  Place place = place_;
  place.push_back(what);
  Drawn& drawn = pass_->drawn[std::move(place)];
  *loaded = drawn.used < drawn.seeds.size();
  if (!*loaded) drawn.seeds.push_back(now);
  return drawn.seeds[drawn.used++];
}

SeedSource::Seeds IterationContext::Draw(int depth, SeedSource& source) {
  std::lock_guard lock(SeedSource::Lock());
  bool loaded = false;
  const SeedSource::Seeds seeds = Noted(-depth, source.Now(), &loaded);
  // Sources of the whole pipeline are where they were when it was saved.
  if (loaded && !opened_) return seeds;
  if (loaded) source.Continue(seeds);
  source.Advance();
  return seeds;
}

IterationContext::Drawn& IterationContext::Choices() {
  Place place = place_;
  place.push_back(kChoices);
  return pass_->drawn[std::move(place)];
}

std::optional<IterationContext::Choice> IterationContext::SavedChoice() {
  std::lock_guard lock(SeedSource::Lock());
  Drawn& all = Choices();
  while (all.used < all.seeds.size()) {
    const SeedSource::Seeds& next = all.seeds[all.used++];
    // Where a state was saved on the way says nothing.
    if (next.seed2 == Choice::kNothing && all.used < all.seeds.size()) continue;
    return Choice{next.seed, next.seed2};
  }
  return std::nullopt;
}

bool IterationContext::Note(Choice choice) {
  std::lock_guard lock(SeedSource::Lock());
  if (pass_->choices >= kMostChoices) return false;
  ++pass_->choices;
  SeedSource::Seeds noted;
  noted.seed = choice.step;
  noted.seed2 = choice.chosen;
  Drawn& all = Choices();
  all.seeds.push_back(std::move(noted));
  all.used = all.seeds.size();
  return true;
}

std::shared_ptr<std::atomic<uint64_t>> IterationContext::Steps() {
  std::lock_guard lock(SeedSource::Lock());
  Drawn& all = Choices();
  if (all.steps == nullptr) {
    all.steps = std::make_shared<std::atomic<uint64_t>>(0);
  }
  return all.steps;
}

const Node* IterationContext::Effect() {
  std::vector<Ref<IterationContext>> parts;
  {
    std::lock_guard lock(mutex_);
    for (const auto& [function, entry] : functions_) {
      if (const Node* found = EffectOf(*entry.original)) return found;
    }
    parts = parts_;
  }
  for (const Ref<IterationContext>& part : parts) {
    if (!part) continue;
    if (const Node* found = part->Effect()) return found;
  }
  return nullptr;
}

void IterationContext::SaveSeeds(const SeedSources& sources,
                                 proto::IteratorState* state) {
  std::lock_guard lock(SeedSource::Lock());
  for (const auto& [place, drawn] : pass_->drawn) {
    proto::IteratorState_Part& saved = state->parts.emplace_back();
    saved.place = {place.begin(), place.end()};
    saved.seeds = {drawn.seeds.begin(), drawn.seeds.end()};
    if (drawn.steps == nullptr) continue;
    SeedSource::Seeds& reached = saved.seeds.emplace_back();
    reached.seed = drawn.steps->load(std::memory_order_relaxed);
    reached.seed2 = Choice::kNothing;
  }
  state->random = pass_->Random();
  for (const auto& source : sources) {
    state->sources.push_back(source->Now());
  }
}

Status IterationContext::LoadSeeds(const SeedSources& sources,
                                   const proto::IteratorState& state) {
  if (state.sources.size() != sources.size()) {
    return DataLoss(
        "The state is of an iterator over another dataset: it draws from {} "
        "random generators, this one from {}",
        state.sources.size(), sources.size());
  }
  std::lock_guard lock(SeedSource::Lock());
  pass_->random = state.random;
  for (const proto::IteratorState_Part& saved : state.parts) {
    Drawn& drawn = pass_->drawn[{saved.place.begin(), saved.place.end()}];
    drawn.seeds.assign(saved.seeds.begin(), saved.seeds.end());
    if (!saved.place.empty() && saved.place.back() == kChoices) {
      pass_->choices += static_cast<int64_t>(drawn.seeds.size());
    }
  }
  for (size_t i = 0; i < sources.size(); ++i) {
    sources[i]->Continue(state.sources[i]);
  }
  return OkStatus();
}

}  // namespace gk
