// Where an index goes in a permutation that nobody needs to write down.
#include "ops/fn/random_index_shuffle.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstring>
#include <span>
#include <vector>

#include "framework/op_registry.h"
#include "ops/element_moves.h"

namespace gk {
namespace {

// The block cipher Simon (Beaulieu et al., "The Simon and Speck families of
// lightweight block ciphers", 2013) of words of `width` bits: a permutation of
// all numbers of two words. W holds such a number.
template <class W>
class Simon {
 public:
  Simon(int width, const std::array<uint32_t, 3>& key, int64_t rounds)
      : width_(width),
        mask_(width == 64 ? static_cast<W>(~uint64_t{0})
                          : static_cast<W>((uint64_t{1} << width) - 1)) {
    constexpr uint64_t kSequence = 0x7369f885192c0ef5;
    const W c = static_cast<W>(0xfffffffc & mask_);
    for (uint32_t k : key) keys_.push_back(k & mask_);
    W z = static_cast<W>(kSequence & mask_);
    for (int64_t i = 3; i < rounds; ++i, z >>= 1) {
      keys_.push_back(c ^ (z & 1) ^ keys_[i - 3] ^ Right(keys_[i - 1], 3) ^
                      Right(keys_[i - 1], 4));
    }
  }

  // Where `values` go that are not larger than `last`: on until they are.
  // They go together, since the steps of one wait for one another.
  template <size_t kLanes>
  void Walk(std::array<W, kLanes>& values, W last) const {
    Step(values);
    while (std::any_of(values.begin(), values.end(),
                       [last](W v) { return v > last; })) {
      std::array<W, kLanes> next = values;
      Step(next);
      for (size_t i = 0; i < kLanes; ++i) {
        values[i] = values[i] > last ? next[i] : values[i];
      }
    }
  }

  const std::vector<W>& keys() const { return keys_; }

 private:
  template <size_t kLanes>
  void Step(std::array<W, kLanes>& values) const {
    std::array<W, kLanes> left, right;
    for (size_t l = 0; l < kLanes; ++l) {
      left[l] = (values[l] >> width_) & mask_;
      right[l] = values[l] & mask_;
    }
    for (size_t i = 0; i + 1 < keys_.size(); i += 2) {
      const W k0 = keys_[i], k1 = keys_[i + 1];
      for (size_t l = 0; l < kLanes; ++l) left[l] ^= Mixed(right[l]) ^ k0;
      for (size_t l = 0; l < kLanes; ++l) right[l] ^= Mixed(left[l]) ^ k1;
    }
    for (size_t l = 0; l < kLanes; ++l) {
      values[l] = static_cast<W>(left[l] << width_) | right[l];
    }
  }
  W Left(W x, int n) const {
    return static_cast<W>((x << n) | (x >> (width_ - n))) & mask_;
  }
  W Right(W x, int n) const { return Left(x, width_ - n); }
  W Mixed(W x) const { return (Left(x, 1) & Left(x, 8)) ^ Left(x, 2); }

  int width_;
  W mask_;
  std::vector<W> keys_;
};

// The same of words of 8 bits, for short ranges: out of 65536 numbers, a walk
// back into the range takes thousands of steps, each waiting for the one
// before. But all numbers lie on the walks from one milestone to the next, and
// those go many at a time.
class Milestones {
 public:
  Milestones(const std::vector<uint32_t>& keys, uint64_t last)
      : count_((std::max<int64_t>(last + 1, kFewest) + 255) / 256 * 256),
        next_(count_) {
    for (int64_t l = 0; l < kLanes; ++l) Begin(l);
    const auto end = static_cast<uint8_t>(count_ / 256 - 1);
    while (missing_ > 0) {
      for (size_t i = 0; i + 1 < keys.size(); i += 2) {
        const auto k0 = static_cast<uint8_t>(keys[i]),
                   k1 = static_cast<uint8_t>(keys[i + 1]);
        for (size_t g = 0; g < kGroups; ++g) {
          left_[g] ^= Mixed(right_[g]) ^ k0;
          right_[g] ^= Mixed(left_[g]) ^ k1;
        }
      }
      for (size_t g = 0; g < kGroups; ++g) {
        const auto arrived = left_[g] <= end;
        std::array<uint64_t, 2> masks;
        std::memcpy(masks.data(), &arrived, sizeof(masks));
        for (size_t half = 0; half < masks.size(); ++half) {
          while (masks[half] != 0) {
            const int bit = std::countr_zero(masks[half]) & ~7;
            masks[half] &= ~(uint64_t{0xff} << bit);
            End(g * kWidth + half * 8 + bit / 8);
          }
        }
      }
    }
  }

  // Where a number up to `last` goes.
  uint64_t Walk(uint64_t value, uint64_t last) const {
    do value = next_[value];
    while (value > last);
    return value;
  }

  // Is it less work than `n` walks each by itself?
  static bool PayFor(size_t n, uint64_t last) {
    return last < 8192 && 8 * n > last;
  }

 private:
  static constexpr int64_t kWidth = 16, kGroups = 2, kLanes = kWidth * kGroups;
  static constexpr int64_t kFewest = 512;
  using Bytes [[gnu::vector_size(kWidth)]] = uint8_t;

  static Bytes Mixed(Bytes x) {
    return (((x << 1) | (x >> 7)) & x) ^ ((x << 2) | (x >> 6));
  }

  // The next walk of a lane; without one it goes on for nothing.
  void Begin(int64_t lane) {
    from_[lane] = started_ < count_ ? started_ : -1;
    if (started_ == count_) return;
    left_[lane / kWidth][lane % kWidth] = static_cast<uint8_t>(started_ >> 8);
    right_[lane / kWidth][lane % kWidth] = static_cast<uint8_t>(started_++);
  }
  // A lane has come to a milestone.
  void End(int64_t lane) {
    if (from_[lane] < 0) return;
    next_[from_[lane]] =
        static_cast<uint16_t>(left_[lane / kWidth][lane % kWidth] << 8 |
                              right_[lane / kWidth][lane % kWidth]);
    --missing_;
    Begin(lane);
  }

  // The milestones are the numbers below this one.
  const int64_t count_;
  std::vector<uint16_t> next_;
  int64_t started_ = 0, missing_ = count_;
  std::array<int64_t, kLanes> from_;
  std::array<Bytes, kGroups> left_, right_;
};

// The width of words of which two hold all numbers up to `last`.
int WidthFor(uint64_t last) {
  const int bits =
      last == 0 ? 0 : std::ceil(std::log2(static_cast<double>(last)));
  return std::max(16, bits + bits % 2) / 2;
}

// A cipher of numbers that may be larger than `last`, until none is.
template <class W>
void Shuffle(std::span<uint64_t> indices, const std::array<uint32_t, 3>& key,
             uint64_t last, int width, int64_t rounds) {
  const Simon<W> cipher(width, key, rounds);
  if constexpr (sizeof(W) == 4) {
    if (width == 8 && Milestones::PayFor(indices.size(), last)) {
      const Milestones milestones(cipher.keys(), last);
      for (uint64_t& i : indices) i = milestones.Walk(i, last);
      return;
    }
  }
  constexpr size_t kLanes = 4;
  for (size_t i = 0; i < indices.size(); i += kLanes) {
    const size_t n = std::min(kLanes, indices.size() - i);
    if (n == 1) {
      std::array<W, 1> one = {static_cast<W>(indices[i])};
      cipher.Walk(one, static_cast<W>(last));
      indices[i] = one[0];
      continue;
    }
    std::array<W, kLanes> lanes;
    for (size_t l = 0; l < kLanes; ++l) {
      lanes[l] = static_cast<W>(indices[i + std::min(l, n - 1)]);
    }
    cipher.Walk(lanes, static_cast<W>(last));
    for (size_t l = 0; l < n; ++l) indices[i + l] = lanes[l];
  }
}

void Shuffle(std::span<uint64_t> indices, const std::array<uint32_t, 3>& key,
             uint64_t last, int64_t rounds) {
  const int width = WidthFor(last);
  if (width <= 16) {
    Shuffle<uint32_t>(indices, key, last, width, rounds);
  } else {
    Shuffle<uint64_t>(indices, key, last, width, rounds);
  }
}

Status ShuffleShape(InferenceContext& c) {
  int rank = 0;
  int64_t n = kUnknownDim;
  bool known = true;
  for (int i = 0; i < 3; ++i) {
    const PartialTensorShape& shape = c.input(i);
    if (shape.unknown_rank()) {
      known = false;
      continue;
    }
    const int own = i == 1 ? shape.rank() - 1 : shape.rank();
    if (own < 0 || own > 1) {
      return InvalidArgument("Shape must be at most rank {} but is rank {}",
                             i == 1 ? 2 : 1, shape.rank());
    }
    if (own == 0) continue;
    rank = 1;
    GK_RETURN_IF_ERROR(InferenceContext::MergeDims(n, shape.dim(0), &n));
  }
  if (rank == 1) {
    c.set_output(0, {n});
  } else if (known) {
    c.set_output(0, PartialTensorShape(TensorShape()));
  }
  return OkStatus();
}

Status ComputeShuffleIndex(KernelContext& c) {
  const Tensor &index = c.input(0), &seed = c.input(1), &last = c.input(2);
  if (index.rank() > 1) {
    return InvalidArgument("Index must be a scalar or vector.");
  }
  if (last.rank() > 1) {
    return InvalidArgument("max_index must be a scalar or vector.");
  }
  int64_t n = std::max(index.num_elements(), last.num_elements());
  if (seed.rank() == 2) n = std::max(n, seed.dim(0));
  const bool one_seed = seed.rank() == 1 && seed.dim(0) == 3;
  if (!one_seed &&
      !(seed.rank() == 2 && seed.dim(1) == 3 && seed.dim(0) == n)) {
    return InvalidArgument(
        "Seed must be a vector of size [3] or a matrix of size [{}, 3] but "
        "got {}.",
        n, seed.shape().DebugString());
  }
  for (const Tensor* t : {&index, &last}) {
    if (t->num_elements() != n && t->num_elements() != 1) {
      return InvalidArgument("{} must have 1 or {} elements but has {}",
                             t == &index ? "index" : "max_index", n,
                             t->num_elements());
    }
  }
  if (last.rank() == 1 && last.dim(0) != n) {
    return InvalidArgument(
        "Maxval must be a scalar or a vector of the same size as index but got "
        "{}",
        last.shape().DebugString());
  }
  const int64_t rounds = c.attr<int64_t>("rounds");
  if (rounds < 4 || rounds % 2 != 0 || rounds > 1024) {
    return InvalidArgument("rounds must be even and between 4 and 1024, got {}",
                           rounds);
  }
  std::vector<int64_t> indices, seeds, ends;
  GK_RETURN_IF_ERROR(IntegerValues(index, &indices));
  GK_RETURN_IF_ERROR(IntegerValues(seed, &seeds));
  GK_RETURN_IF_ERROR(IntegerValues(last, &ends));
  const bool scalar = index.rank() == 0 && last.rank() == 0 && one_seed;
  Tensor* out;
  GK_RETURN_IF_ERROR(c.Allocate(
      0, index.dtype(), scalar ? TensorShape() : TensorShape({n}), &out));
  const bool is_signed = !IsUnsigned(index.dtype());
  std::vector<uint64_t> moved(n);
  for (int64_t i = 0; i < n; ++i) {
    const int64_t at = indices[indices.size() == 1 ? 0 : i];
    const int64_t end = ends[ends.size() == 1 ? 0 : i];
    if (is_signed && at < 0) {
      return InvalidArgument("index must be >= 0 but was {}", at);
    }
    if (is_signed && end < 0) {
      return InvalidArgument("max_index must be >= 0 but was {}", end);
    }
    if (static_cast<uint64_t>(end) < static_cast<uint64_t>(at)) {
      return InvalidArgument("max_index must be >= index, but {} < {}",
                             static_cast<uint64_t>(end),
                             static_cast<uint64_t>(at));
    }
    moved[i] = at;
  }
  // Those with one seed and one last index go together.
  const bool together = seeds.size() == 3 && ends.size() == 1;
  for (int64_t i = 0; i < n; i += together ? n : 1) {
    const int64_t* s = seeds.data() + (seeds.size() == 3 ? 0 : 3 * i);
    const std::array<uint32_t, 3> key = {static_cast<uint32_t>(s[0]),
                                         static_cast<uint32_t>(s[1]),
                                         static_cast<uint32_t>(s[2])};
    Shuffle(std::span(moved).subspan(i, together ? n : 1), key,
            ends[ends.size() == 1 ? 0 : i], rounds);
  }
  VisitType<int32_t, uint32_t, int64_t, uint64_t>(out->dtype(), [&](auto t) {
    using T = decltype(t);
    std::transform(moved.begin(), moved.end(), out->data<T>(),
                   [](uint64_t v) { return static_cast<T>(v); });
  });
  return OkStatus();
}

const OpRecord kRecords[] = {
    {.name = "RandomIndexShuffle",
     .inputs = "index: dtype; seed: Tseed; max_index: dtype",
     .outputs = "output: dtype",
     .attrs = "rounds: int = 4; dtype: type in [int32, uint32, int64, uint64]; "
              "Tseed: type in [int32, uint32, int64, uint64]",
     .traits = kNoGradient,
     .shape = ShuffleShape,
     .kernel = {.compute = ComputeShuffleIndex},
     .python = {.names = "random_index_shuffle"},
     .doc = "Where index goes in a permutation of 0 to max_index that the "
            "seed, of three numbers, determines.",
     .example = ">>> tf.random_index_shuffle([0, 1, 2, 3, 4], [1, 2, 3], 4)"
                ".numpy().tolist()\n[2, 0, 3, 4, 1]"},
};

}  // namespace

GK_REGISTER_OPS(random_index_shuffle)

}  // namespace gk
