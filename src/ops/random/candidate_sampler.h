// Distributions of class numbers from which candidate samplers draw: the same
// numbers as TensorFlow's for the same words of Philox.
#ifndef GK_OPS_RANDOM_CANDIDATE_SAMPLER_H_
#define GK_OPS_RANDOM_CANDIDATE_SAMPLER_H_

#include <cstdint>
#include <map>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "base/status.h"
#include "kernels/random.h"

namespace gk {

// A word of a generator as a number without bias.
uint32_t UniformBelow(PhiloxStream& random, uint32_t n);

// Not thread-safe.
class CandidateSampler {
 public:
  explicit CandidateSampler(int64_t range) : range_(range) {}
  virtual ~CandidateSampler() = default;

  int64_t range() const { return range_; }
  virtual int64_t Sample(PhiloxStream& random) = 0;
  virtual double Probability(int64_t value) const = 0;
  // How many different values can come up.
  virtual int64_t support() const { return range_; }

 private:
  const int64_t range_;
};

class UniformCandidates final : public CandidateSampler {
 public:
  explicit UniformCandidates(int64_t range);
  int64_t Sample(PhiloxStream& random) override;
  double Probability(int64_t value) const override;

 private:
  const uint64_t rest_;  // see Below()
};

// log((k + 2) / (k + 1)) over log(range + 1): for classes sorted by how often
// they come.
class LogUniformCandidates final : public CandidateSampler {
 public:
  explicit LogUniformCandidates(int64_t range);
  int64_t Sample(PhiloxStream& random) override;
  double Probability(int64_t value) const override;

 private:
  const double log_range_;
};

// As often as values have been learned, and once more. Ranges are below 2^31.
class LearnedCandidates final : public CandidateSampler {
 public:
  explicit LearnedCandidates(int64_t range);
  int64_t Sample(PhiloxStream& random) override;
  double Probability(int64_t value) const override;
  void Learn(std::span<const int64_t> values);

 private:
  static constexpr int64_t kMaxTree = int64_t{1} << 24;

  std::map<int64_t, int64_t> learned_;
  std::vector<int32_t> tree_;  // prefix sums of what was learned; may be empty
  int64_t total_;
};

// By weights, which Walker's alias method turns into one draw.
class WeightedCandidates final : public CandidateSampler {
 public:
  explicit WeightedCandidates(std::vector<float> weights);
  int64_t Sample(PhiloxStream& random) override;
  double Probability(int64_t value) const override;
  int64_t support() const override { return support_; }

 private:
  std::vector<float> weights_;
  float total_ = 0;
  int64_t support_ = 0;
  std::vector<float> own_;      // probability of a place's own value
  std::vector<int32_t> alias_;  // the other one
};

// The weights of values in shard `shard` of `shards`; reserved ones have none.
std::vector<float> ShardedWeights(std::span<const float> unigrams,
                                  float distortion, int64_t reserved,
                                  int64_t shards, int64_t shard);
// The last field of each line of a file with fields between commas.
StatusOr<std::vector<float>> ReadUnigrams(const std::string& file);

}  // namespace gk

#endif  // GK_OPS_RANDOM_CANDIDATE_SAMPLER_H_
