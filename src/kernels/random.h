// Random numbers over raw memory: Philox 4x32-10 (Salmon et al., "Parallel
// random numbers: as easy as 1, 2, 3", SC 2011) and what is drawn from it.
//
// Every fill is a pure function of (generator, index): filling [begin, end)
// in slices on several threads gives the same bits as one serial fill. A
// slice's `begin` is a multiple of kRandomGroup; `out` points to the value of
// index `begin`. The numbers are those of TensorFlow's operations on a CPU.
#ifndef GK_KERNELS_RANDOM_H_
#define GK_KERNELS_RANDOM_H_

#include <cstdint>

#include "base/half.h"

namespace gk {

inline constexpr int64_t kRandomGroup = 4;

// Blocks of the counter set aside for each value that a run produces,
// whatever it uses: a run of n values moves a stateful counter by 256 n.
inline constexpr uint64_t kBlocksPerValue = 256;

// A 128-bit little-endian counter and a 64-bit key. One block is four words.
struct Philox {
  uint32_t counter[4] = {0, 0, 0, 0};
  uint32_t key[2] = {0, 0};

  // The generator of a stateful op with the seeds (seed, seed2).
  static Philox FromSeeds(uint64_t seed, uint64_t seed2);
  // The generator with this key and counter (low, high half).
  static Philox FromKeyCounter(uint64_t key, uint64_t low, uint64_t high);

  uint64_t Key() const { return key[0] | uint64_t{key[1]} << 32; }
  uint64_t CounterLow() const {
    return counter[0] | uint64_t{counter[1]} << 32;
  }
  uint64_t CounterHigh() const {
    return counter[2] | uint64_t{counter[3]} << 32;
  }
  // Moves the counter by n blocks, modulo 2^128.
  void Skip(uint64_t n);
  // Moves the counter by 256 n blocks: what a run of n values takes.
  void SkipValues(uint64_t n);
  // The four words at the counter, which does not move.
  void Block(uint32_t out[4]) const;
};

// The words of blocks [first, first + blocks): out[0 .. 4 * blocks).
void PhiloxWords(const Philox& gen, uint64_t first, int64_t blocks,
                 uint32_t* out);

// The generator that the stateless ops derive from a pair of seeds.
Philox PhiloxFromStatelessSeed(uint64_t seed0, uint64_t seed1);

// Draws single words in order, block by block.
class PhiloxStream {
 public:
  explicit PhiloxStream(const Philox& gen) : gen_(gen) {}
  uint32_t Word() {
    if (used_ == 4) {
      gen_.Block(words_);
      gen_.Skip(1);
      used_ = 0;
    }
    return words_[used_++];
  }
  // In [0, 1), from two words.
  double Double();

 private:
  Philox gen_;
  uint32_t words_[4] = {0, 0, 0, 0};
  int used_ = 4;
};

// Uniform in [0, 1). T: float, double, half, bfloat16.
template <class T>
void FillUniform(const Philox& gen, int64_t begin, int64_t end, T* out);

// Mean 0, deviation 1. T as above.
template <class T>
void FillNormal(const Philox& gen, int64_t begin, int64_t end, T* out);

// The same without the values two or more deviations away. T as above.
template <class T>
void FillTruncatedNormal(const Philox& gen, int64_t begin, int64_t end, T* out);

// Uniform in [low, high); the range must not be empty. T: int32_t, int64_t,
// uint32_t, uint64_t.
template <class T>
void FillUniformInt(const Philox& gen, T low, T high, int64_t begin,
                    int64_t end, T* out);

// Every value of the type is equally likely. T as for FillUniformInt.
template <class T>
void FillFullInt(const Philox& gen, int64_t begin, int64_t end, T* out);

}  // namespace gk

#endif  // GK_KERNELS_RANDOM_H_
