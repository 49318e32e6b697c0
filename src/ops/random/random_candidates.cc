// Candidate samplers: classes to compare the true ones with.
#include "ops/fn/random_candidates.h"

#include <cmath>
#include <list>
#include <unordered_map>

#include "base/interrupt.h"
#include "base/process_mutex.h"
#include "framework/op_registry.h"
#include "ops/int32_attrs.h"
#include "ops/random/candidate_sampler.h"
#include "ops/random/class_places.h"
#include "ops/random/random_place.h"

namespace gk {
namespace {

constexpr int64_t kBlocksPerSample = 512;

StatusOr<int64_t> CheckTrueClasses(KernelContext& c) {
  GK_RETURN_IF_ERROR(CheckInt32Attrs(
      c.attrs(),
      {"num_true", "num_sampled", "num_reserved_ids", "num_shards", "shard"}));
  const Tensor& classes = c.input(0);
  if (classes.rank() != 2) {
    return InvalidArgument("true_classes must be a matrix");
  }
  const int64_t num_true = c.attr<int64_t>("num_true");
  if (classes.dim(1) != num_true) {
    return InvalidArgument(
        "true_classes must have num_true columns, expected: {} was: {}",
        classes.dim(1), num_true);
  }
  return num_true;
}

// How often a value of probability p is expected among so many tries, of
// which as many as `wanted` gave a new one.
float ExpectedCount(double p, int64_t wanted, int64_t tries) {
  if (tries == wanted) return static_cast<float>(p * wanted);
  return static_cast<float>(-std::expm1(tries * std::log1p(-p)));
}

// `all`: the sample is the whole range in order.
Status SampleFrom(KernelContext& c, CandidateSampler& sampler, bool all) {
  const Tensor& classes = c.input(0);
  const int64_t wanted = c.attr<int64_t>("num_sampled");
  const bool unique = c.attr<bool>("unique");
  if (unique && wanted > sampler.range()) {
    return InvalidArgument("Sampler's range is too small.");
  }
  if (unique && !all && wanted > sampler.support()) {
    return InvalidArgument(
        "Sampler's range is too small: {} values have a weight, but {} are "
        "wanted",
        sampler.support(), wanted);
  }
  for (const int64_t value : classes.flat<int64_t>()) {
    if (value >= 0 && value < sampler.range()) continue;
    return InvalidArgument("`true_candidate` out of range [0, {}), received {}",
                           sampler.range(), value);
  }
  Tensor *samples, *of_true, *of_samples;
  GK_RETURN_IF_ERROR(
      c.Allocate(0, DataType::kInt64, TensorShape({wanted}), &samples));
  GK_RETURN_IF_ERROR(
      c.Allocate(1, DataType::kFloat, classes.shape(), &of_true));
  GK_RETURN_IF_ERROR(
      c.Allocate(2, DataType::kFloat, TensorShape({wanted}), &of_samples));
  const Philox gen = TakePlace(c, [wanted](Philox& g) {
    g.Skip(static_cast<uint64_t>(kBlocksPerSample * wanted));
  });
  int64_t* sample = samples->data<int64_t>();
  if (all) {
    for (int64_t i = 0; i < wanted; ++i) {
      sample[i] = i;
      of_samples->data<float>()[i] = 1;
    }
    for (float& count : of_true->flat<float>()) count = 1;
    return OkStatus();
  }
  PhiloxStream random(gen);
  TurnPoll poll;
  int64_t tries = 0;
  ClassPlaces seen;
  for (int64_t n = 0; n < wanted;) {
    poll();
    if (c.cancellation() != nullptr && c.cancellation()->IsCancelled()) {
      return Cancelled("Sampling of candidates was cancelled");
    }
    if (++tries >= std::numeric_limits<int32_t>::max()) {
      return InvalidArgument("Too many tries for {} different candidates",
                             wanted);
    }
    const int64_t value = sampler.Sample(random);
    if (unique && !seen.Add(value)) continue;
    sample[n++] = value;
  }
  // Many values have the same probability.
  double last_p = -1;
  float last_count = 0;
  const auto expected = [&](int64_t value) {
    const double p = sampler.Probability(value);
    if (p != last_p) {
      last_p = p;
      last_count = ExpectedCount(p, wanted, tries);
    }
    return last_count;
  };
  for (int64_t i = 0; i < wanted; ++i) {
    of_samples->data<float>()[i] = expected(sample[i]);
  }
  for (int64_t i = 0; i < classes.num_elements(); ++i) {
    of_true->data<float>()[i] = expected(classes.data<int64_t>()[i]);
  }
  return OkStatus();
}

template <class Sampler>
Status ComputeRange(KernelContext& c) {
  GK_RETURN_IF_ERROR(CheckTrueClasses(c).status());
  Sampler sampler(c.attr<int64_t>("range_max"));
  return SampleFrom(c, sampler, false);
}

Status ComputeAll(KernelContext& c) {
  GK_RETURN_IF_ERROR(CheckTrueClasses(c).status());
  UniformCandidates sampler(c.attr<int64_t>("num_sampled"));
  return SampleFrom(c, sampler, true);
}

// What samplers have learned, by the op's type and attributes: the places
// used longest ago are forgotten where there are very many, and all when the
// global seed is set.
class LearnedTable {
 public:
  static LearnedTable& Get() {
    static LearnedTable* table = new LearnedTable;
    return *table;
  }

  Status Run(KernelContext& c) {
    std::string key(c.record().name);
    for (const auto& [name, value] : c.attrs()) key += '\n' + AttrText(value);
    std::lock_guard lock(mutex_);
    if (generation_ != RandomGeneration()) {
      generation_ = RandomGeneration();
      by_key_.clear();
      recent_.clear();
    }
    auto found = by_key_.find(key);
    if (found == by_key_.end()) {
      if (recent_.size() >= kMaxSamplers) {
        by_key_.erase(recent_.back().first);
        recent_.pop_back();
      }
      recent_.emplace_front(key, std::make_unique<LearnedCandidates>(
                                     c.attr<int64_t>("range_max")));
      found = by_key_.emplace(std::move(key), recent_.begin()).first;
    } else {
      recent_.splice(recent_.begin(), recent_, found->second);
    }
    LearnedCandidates& sampler = *found->second->second;
    GK_RETURN_IF_ERROR(SampleFrom(c, sampler, false));
    sampler.Learn(c.input(0).flat<int64_t>());
    return OkStatus();
  }

 private:
  static constexpr size_t kMaxSamplers = 64;
  using Entry = std::pair<std::string, std::unique_ptr<LearnedCandidates>>;

  ProcessMutex mutex_;
  uint64_t generation_ = 0;
  std::list<Entry> recent_;  // last used first
  std::unordered_map<std::string, std::list<Entry>::iterator> by_key_;
};

Status ComputeLearned(KernelContext& c) {
  GK_RETURN_IF_ERROR(CheckTrueClasses(c).status());
  GK_RETURN_IF_ERROR(CheckInt32Attrs(c.attrs(), {"range_max"}));
  return LearnedTable::Get().Run(c);
}

struct FixedState final : KernelState {
  Status status;
  std::unique_ptr<WeightedCandidates> sampler;
};

Status MakeFixed(KernelContext& c, FixedState* state) {
  const auto& file = c.attr<std::string>("vocab_file");
  std::vector<float> unigrams = c.attr<std::vector<float>>("unigrams");
  if (file.empty() && unigrams.empty()) {
    return InvalidArgument("Must provide either vocab_file or unigrams.");
  }
  if (!file.empty() && !unigrams.empty()) {
    return InvalidArgument("Must only provide one of vocab_file and unigrams.");
  }
  if (!file.empty()) {
    GK_ASSIGN_OR_RETURN(unigrams, ReadUnigrams(file));
  }
  const int64_t range = c.attr<int64_t>("range_max");
  const int64_t reserved = c.attr<int64_t>("num_reserved_ids");
  if (reserved > range) {
    return InvalidArgument("range is {} but {} ids are reserved", range,
                           reserved);
  }
  std::vector<float> weights =
      ShardedWeights(unigrams, c.attr<float>("distortion"), reserved,
                     c.attr<int64_t>("num_shards"), c.attr<int64_t>("shard"));
  if (static_cast<int64_t>(weights.size()) != range) {
    return InvalidArgument("range is {} must be equal to weights size  {}",
                           range, weights.size());
  }
  state->sampler = std::make_unique<WeightedCandidates>(std::move(weights));
  return OkStatus();
}

Status ComputeFixed(KernelContext& c) {
  GK_RETURN_IF_ERROR(CheckTrueClasses(c).status());
  FixedState& state = c.state<FixedState>([&] {
    auto made = std::make_unique<FixedState>();
    made->status = MakeFixed(c, made.get());
    return made;
  });
  GK_RETURN_IF_ERROR(state.status);
  return SampleFrom(c, *state.sampler, false);
}

Status SamplerShape(InferenceContext& c) {
  PartialTensorShape classes;
  GK_RETURN_IF_ERROR(c.WithRank(0, 2, &classes));
  const int64_t rows = classes.unknown_rank() ? kUnknownDim : classes.dim(0);
  c.set_output(0, {c.attr<int64_t>("num_sampled")});
  c.set_output(1, {rows, c.attr<int64_t>("num_true")});
  c.set_output(2, {c.attr<int64_t>("num_sampled")});
  return OkStatus();
}

Status ComputeHits(KernelContext& c) {
  const Tensor &classes = c.input(0), &samples = c.input(1);
  const int64_t num_true = c.attr<int64_t>("num_true");
  if (classes.rank() != 2 || classes.dim(1) != num_true) {
    return InvalidArgument(
        "true_candidates must be a batch_size * num_true matrix");
  }
  if (samples.rank() != 1) {
    return InvalidArgument(
        "sampled_candidates must be a vector, which is typically an output "
        "from CandidateSampler");
  }
  // A sample that came twice counts where it came last.
  ClassPlaces places;
  for (int64_t i = 0; i < samples.num_elements(); ++i) {
    places[samples.data<int64_t>()[i]] = i;
  }
  std::vector<std::pair<int32_t, int64_t>> hits;
  for (int64_t r = 0; r < classes.dim(0); ++r) {
    for (int64_t k = 0; k < num_true; ++k) {
      const int64_t place =
          places.Find(classes.data<int64_t>()[r * num_true + k]);
      if (place >= 0) hits.emplace_back(static_cast<int32_t>(r), place);
    }
  }
  const TensorShape shape({static_cast<int64_t>(hits.size())});
  Tensor *rows, *ids, *weights;
  GK_RETURN_IF_ERROR(c.Allocate(0, DataType::kInt32, shape, &rows));
  GK_RETURN_IF_ERROR(c.Allocate(1, DataType::kInt64, shape, &ids));
  GK_RETURN_IF_ERROR(c.Allocate(2, DataType::kFloat, shape, &weights));
  for (size_t i = 0; i < hits.size(); ++i) {
    rows->data<int32_t>()[i] = hits[i].first;
    ids->data<int64_t>()[i] = hits[i].second;
    weights->data<float>()[i] = -std::numeric_limits<float>::max();
  }
  return OkStatus();
}

Status HitsShape(InferenceContext& c) {
  PartialTensorShape classes, samples;
  GK_RETURN_IF_ERROR(c.WithRank(0, 2, &classes));
  GK_RETURN_IF_ERROR(c.WithRank(1, 1, &samples));
  const int64_t num_true = c.attr<int64_t>("num_true");
  if (!classes.unknown_rank()) {
    int64_t same;
    GK_RETURN_IF_ERROR(
        InferenceContext::MergeDims(classes.dim(1), num_true, &same));
  }
  for (int i = 0; i < 3; ++i) c.set_output(i, {kUnknownDim});
  return OkStatus();
}

#define CANDIDATES                                          \
  "sampled_candidates: int64; true_expected_count: float; " \
  "sampled_expected_count: float"
#define CANDIDATE_COUNTS \
  "num_true: int >= 1; num_sampled: int >= 1; unique: bool; "
#define CANDIDATE_SEEDS "seed: int = 0; seed2: int = 0"

const OpRecord kRecords[] = {
    {.name = "UniformCandidateSampler",
     .inputs = "true_classes: int64",
     .outputs = CANDIDATES,
     .attrs = CANDIDATE_COUNTS "range_max: int >= 1; " CANDIDATE_SEEDS,
     .traits = kStateful | kRandom | kNoGradient,
     .shape = SamplerShape,
     .kernel = {.compute = ComputeRange<UniformCandidates>},
     .doc = "Classes that are all equally likely."},

    {.name = "LogUniformCandidateSampler",
     .inputs = "true_classes: int64",
     .outputs = CANDIDATES,
     .attrs = CANDIDATE_COUNTS "range_max: int >= 1; " CANDIDATE_SEEDS,
     .traits = kStateful | kRandom | kNoGradient,
     .shape = SamplerShape,
     .kernel = {.compute = ComputeRange<LogUniformCandidates>},
     .doc = "Classes of which low numbers are more likely."},

    {.name = "LearnedUnigramCandidateSampler",
     .inputs = "true_classes: int64",
     .outputs = CANDIDATES,
     .attrs = CANDIDATE_COUNTS "range_max: int >= 1; " CANDIDATE_SEEDS,
     .traits = kStateful | kRandom | kNoGradient,
     .shape = SamplerShape,
     .kernel = {.compute = ComputeLearned},
     .doc = "Classes as likely as they have been true ones before."},

    {.name = "ThreadUnsafeUnigramCandidateSampler",
     .inputs = "true_classes: int64",
     .outputs = CANDIDATES,
     .attrs = CANDIDATE_COUNTS "range_max: int >= 1; " CANDIDATE_SEEDS,
     .traits = kStateful | kRandom | kNoGradient,
     .shape = SamplerShape,
     .kernel = {.compute = ComputeLearned},
     .doc = "The same as LearnedUnigramCandidateSampler."},

    {.name = "FixedUnigramCandidateSampler",
     .inputs = "true_classes: int64",
     .outputs = CANDIDATES,
     .attrs = CANDIDATE_COUNTS
     "range_max: int >= 1; vocab_file: string = ''; "
     "distortion: float = 1.0; num_reserved_ids: int = 0; "
     "num_shards: int >= 1 = 1; shard: int >= 0 = 0; unigrams: "
     "list(float) = []; " CANDIDATE_SEEDS,
     .traits = kStateful | kRandom | kNoGradient,
     .shape = SamplerShape,
     .kernel = {.compute = ComputeFixed},
     .doc = "Classes as likely as given weights say."},

    {.name = "AllCandidateSampler",
     .inputs = "true_classes: int64",
     .outputs = CANDIDATES,
     .attrs = CANDIDATE_COUNTS CANDIDATE_SEEDS,
     .traits = kStateful | kRandom | kNoGradient,
     .shape = SamplerShape,
     .kernel = {.compute = ComputeAll},
     .doc = "All classes in order."},

    {.name = "ComputeAccidentalHits",
     .inputs = "true_classes: int64; sampled_candidates: int64",
     .outputs = "indices: int32; ids: int64; weights: float",
     .attrs = "num_true: int; " CANDIDATE_SEEDS,
     .traits = kNoGradient,
     .shape = HitsShape,
     .kernel = {.compute = ComputeHits},
     .doc = "Which samples are true classes: rows, places among the samples, "
            "and weights that take them out of a softmax."},
};

}  // namespace

GK_REGISTER_OPS(random_candidates)

}  // namespace gk
