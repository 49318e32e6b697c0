// Draws from distributions that take a varying number of words: gamma,
// Poisson, categorical. Each value has 256 blocks of its own, so slices may
// be filled in any order and on any thread. An op that draws `count` values
// for each of several parameters gives draw i of parameter p the index
// p * count + i, wherever the value stands in its output. Results are those of
// TensorFlow's operations on a CPU.
#ifndef GK_KERNELS_RANDOM_DISTRIBUTIONS_H_
#define GK_KERNELS_RANDOM_DISTRIBUTIONS_H_

#include <cstdint>

#include "kernels/random.h"

namespace gk {

// One gamma deviate of shape `alpha` and rate 1: value number `index` of the
// stream. NaN unless alpha is positive and finite.
double RandomGamma(const Philox& gen, uint64_t index, double alpha);

// One Poisson deviate of mean `rate`: NaN unless that is at least zero, and
// infinite where it is. Other results stay at or below `limit`, the largest
// value of the type that will hold them.
double RandomPoisson(const Philox& gen, uint64_t index, double rate,
                     double limit);

// One binomial deviate: how many of `count` trials succeed, each with
// probability `chance`. `many`: at least ten of the rarer outcome are
// expected, by the arithmetic of the type that the numbers came in. NaN of
// NaN and of infinite counts.
double RandomBinomial(const Philox& gen, uint64_t index, double count,
                      double chance, bool many);

// Draws `samples` classes for each row of log weights [rows, classes], row
// after row from one stream. Infinite and NaN weights are never drawn.
// `scratch` holds `classes` doubles; `classes` is positive. T: float, double.
template <class T>
void RandomCategorical(const Philox& gen, const T* logits, int64_t rows,
                       int64_t classes, int64_t samples, double* scratch,
                       int64_t* out);

}  // namespace gk

#endif  // GK_KERNELS_RANDOM_DISTRIBUTIONS_H_
