#include "ops/random/candidate_sampler.h"

#include <bit>
#include <cmath>
#include <cstring>
#include <limits>

#include "io/buffered_reader.h"

namespace gk {
namespace {

// The words below the remainder would come up once too often.
template <class Int>
Int RestOf(Int n) {
  return std::numeric_limits<Int>::max() % n + 1;
}
template <class Int, class Draw>
Int Below(Int n, Int rest, Draw&& draw) {
  if ((n & (n - 1)) == 0) return draw() & (n - 1);
  Int word;
  do {
    word = draw();
  } while (word < rest);
  return word % n;
}

// In [0, 1).
float UniformFloat(PhiloxStream& random) {
  return std::bit_cast<float>((random.Word() & 0x7fffffu) | 0x3f800000u) - 1;
}

}  // namespace

uint32_t UniformBelow(PhiloxStream& random, uint32_t n) {
  return Below<uint32_t>(n, RestOf(n), [&] { return random.Word(); });
}

UniformCandidates::UniformCandidates(int64_t range)
    : CandidateSampler(range), rest_(RestOf(static_cast<uint64_t>(range))) {}

int64_t UniformCandidates::Sample(PhiloxStream& random) {
  const auto n = static_cast<uint64_t>(range());
  return static_cast<int64_t>(Below<uint64_t>(n, rest_, [&] {
    const uint64_t low = random.Word();
    return low | uint64_t{random.Word()} << 32;
  }));
}

double UniformCandidates::Probability(int64_t) const {
  return static_cast<float>(1.0 / static_cast<double>(range()));
}

LogUniformCandidates::LogUniformCandidates(int64_t range)
    : CandidateSampler(range), log_range_(std::log1p(range)) {}

int64_t LogUniformCandidates::Sample(PhiloxStream& random) {
  const auto value =
      static_cast<int64_t>(std::exp(random.Double() * log_range_)) - 1;
  return value % range();  // rounding may reach the range itself
}

double LogUniformCandidates::Probability(int64_t value) const {
  const auto v = static_cast<double>(value);
  return static_cast<float>(std::log((v + 2) / (v + 1)) / log_range_);
}

LearnedCandidates::LearnedCandidates(int64_t range)
    : CandidateSampler(range), total_(range) {
  if (range <= kMaxTree) {
    tree_.resize(std::bit_ceil(static_cast<uint64_t>(range)) + 1);
  }
}

// The first value whose weights, with all before it, are more than a place.
int64_t LearnedCandidates::Sample(PhiloxStream& random) {
  int64_t place = UniformBelow(random, static_cast<uint32_t>(total_));
  if (!tree_.empty()) {
    int64_t at = 0;
    for (auto step = static_cast<int64_t>(tree_.size() - 1); step > 0;
         step /= 2) {
      if (at + step >= static_cast<int64_t>(tree_.size())) continue;
      const int64_t weight = step + tree_[at + step];
      if (weight > place) continue;
      place -= weight;
      at += step;
    }
    return at;
  }
  int64_t first = 0;  // of those that are left
  for (const auto& [value, count] : learned_) {
    if (place < value - first) return first + place;
    place -= value - first;
    if (place <= count) return value;
    place -= count + 1;
    first = value + 1;
  }
  return first + place;
}

double LearnedCandidates::Probability(int64_t value) const {
  const auto found = learned_.find(value);
  const int64_t weight = 1 + (found == learned_.end() ? 0 : found->second);
  return static_cast<float>(static_cast<double>(weight) /
                            static_cast<double>(total_));
}

void LearnedCandidates::Learn(std::span<const int64_t> values) {
  for (const int64_t value : values) {
    if (total_ >= std::numeric_limits<int32_t>::max()) return;
    ++total_;
    ++learned_[value];
    for (auto at = static_cast<uint64_t>(value) + 1; at < tree_.size();
         at += at & -at) {
      ++tree_[at];
    }
  }
}

WeightedCandidates::WeightedCandidates(std::vector<float> weights)
    : CandidateSampler(static_cast<int64_t>(weights.size())),
      weights_(std::move(weights)) {
  const auto n = static_cast<int64_t>(weights_.size());
  double sum = 0;
  for (const float w : weights_) {
    total_ += w;
    sum += w;
  }
  std::vector<double> share(n);
  std::vector<int32_t> high, low;
  for (int64_t i = 0; i < n; ++i) {
    share[i] = static_cast<double>(weights_[i] * static_cast<float>(n)) / sum;
    (share[i] < 1 ? low : high).push_back(static_cast<int32_t>(i));
    // Only of positive weights is it plain which values never come.
    support_ += weights_[i] != 0 || !(sum > 0);
  }
  own_.resize(n);
  alias_.assign(n, -1);
  while (!high.empty() && !low.empty()) {
    const int32_t l = low.back(), h = high.back();
    low.pop_back();
    high.pop_back();
    alias_[l] = h;
    share[h] -= 1 - share[l];
    (share[h] < 1 ? low : high).push_back(h);
  }
  for (int64_t i = 0; i < n; ++i) own_[i] = static_cast<float>(share[i]);
  for (const std::vector<int32_t>* rest : {&high, &low}) {
    for (const int32_t i : *rest) {
      own_[i] = 1;
      alias_[i] = i;
    }
  }
}

int64_t WeightedCandidates::Sample(PhiloxStream& random) {
  const float r = UniformFloat(random);
  const uint32_t at =
      UniformBelow(random, static_cast<uint32_t>(weights_.size()));
  return r < own_[at] ? static_cast<int64_t>(at) : alias_[at];
}

double WeightedCandidates::Probability(int64_t value) const {
  return weights_[value] / total_;
}

std::vector<float> ShardedWeights(std::span<const float> unigrams,
                                  float distortion, int64_t reserved,
                                  int64_t shards, int64_t shard) {
  std::vector<float> weights;
  for (int64_t i = 0; i < reserved; ++i) {
    if (i % shards == shard) weights.push_back(0);
  }
  auto number = static_cast<int64_t>(weights.size());
  for (const float w : unigrams) {
    if (number++ % shards == shard) weights.push_back(std::pow(w, distortion));
  }
  return weights;
}

StatusOr<std::vector<float>> ReadUnigrams(const std::string& file) {
  GK_ASSIGN_OR_RETURN(io::BufferedReader lines, io::BufferedReader::Open(file));
  std::vector<float> weights;
  std::string line;
  for (;;) {
    GK_ASSIGN_OR_RETURN(const bool more, lines.ReadLine(&line));
    if (!more) return weights;
    if (line.empty()) continue;
    const size_t comma = line.rfind(',');
    const char* field = line.c_str() + (comma == line.npos ? 0 : comma + 1);
    char* end;
    const float w = std::strtof(field, &end);
    if (end == field) {
      return InvalidArgument("Wrong vocabulary format at line: {}", line);
    }
    weights.push_back(w);
  }
}

}  // namespace gk
