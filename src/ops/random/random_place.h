// Where stateful random ops stand in their streams.
//
// An op in a plan keeps one place that all runs of the plan share. An eager
// op keeps its place in a process-wide table under its type and attributes,
// so that the same call with the same seeds goes on where it was; the places
// used longest ago are dropped when there are very many. Thread-safe.
#ifndef GK_OPS_RANDOM_RANDOM_PLACE_H_
#define GK_OPS_RANDOM_RANDOM_PLACE_H_

#include "base/function_ref.h"
#include "framework/kernel_context.h"
#include "kernels/random.h"

namespace gk {

// The generator at the place of this op (attrs seed, seed2), which `skip`
// then moves for the runs to come. Without seeds it starts anywhere.
Philox TakePlace(KernelContext& c, FunctionRef<void(Philox&)> skip);

// The same for a run of n values of an op that sets aside the usual number of
// blocks for each.
Philox TakePlaceForValues(KernelContext& c, int64_t n);

// All ops begin their streams anew: the global seed has been set.
void ForgetRandomPlaces();

// How often places have been forgotten.
uint64_t RandomGeneration();

// A word that no seed determines.
uint64_t RandomSeed();

}  // namespace gk

#endif  // GK_OPS_RANDOM_RANDOM_PLACE_H_
