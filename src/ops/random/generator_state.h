// States of random generators: counter (low, high) and key, int64.
#ifndef GK_OPS_RANDOM_GENERATOR_STATE_H_
#define GK_OPS_RANDOM_GENERATOR_STATE_H_

#include <cstdint>
#include <vector>

#include "framework/tensor.h"

namespace gk {

// Of the words of a seed, the lowest first: those too many are left out, those
// too few are 0.
Tensor GeneratorState(std::vector<int64_t> seed, int64_t algorithm);
// Of a seed in a tensor of any type and shape.
Tensor GeneratorState(const Tensor& seed, int64_t algorithm);
Tensor GeneratorStateOfKey(const Tensor& key, const Tensor& counter);
// One that nothing determines.
Tensor UnpredictableGeneratorState(int64_t algorithm);
// ValueError unless it can be the state of one.
void CheckGeneratorState(const Tensor& state, int64_t algorithm);

// From the generator whose state is in the variable: keys of `count` others.
Tensor DrawGeneratorKeys(const Tensor& handle, int64_t algorithm,
                         int64_t count);
// Seeds [2, count] for stateless functions, and states of generators.
Tensor SeedsOfKeys(const Tensor& keys);
std::vector<Tensor> StatesOfKeys(const Tensor& keys, int64_t count);

}  // namespace gk

#endif  // GK_OPS_RANDOM_GENERATOR_STATE_H_
