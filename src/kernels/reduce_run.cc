// Reductions run: which loops, and how they are cut among threads.
#include <algorithm>
#include <memory>

#include "kernels/reduce.h"
#include "kernels/reduce_impl.h"

namespace gk {

namespace reduce_internal {

void RunReduce(const ReduceLoops& loops, const ReduceLayout& layout,
               const void* in, ThreadPool& pool, StoreResults store) {
  if (layout.outputs() == 0) return;
  const size_t bytes = loops.accumulator_size;
  // An empty reduction still folds, over nothing, and gives the identity.
  const int64_t per_output = std::max<int64_t>(1, layout.reduced_per_output());
  const int64_t width = layout.inner_reduced ? 1 : layout.inner;
  const int64_t tile = std::min(width, kBlock);
  const int64_t tiles = (width + tile - 1) / tile;
  const int64_t group =
      std::clamp<int64_t>(kSlice / per_output / tile, 1, kBlock / tile);
  const int64_t groups = (layout.kept_count + group - 1) / group;
  const int64_t blocks = groups * tiles;
  // Few outputs of many elements: cut the reduced part as well.
  const bool cut_inner = layout.inner_reduced && layout.reduced_count == 1;
  const int64_t length = cut_inner ? layout.inner : layout.reduced_count;
  const int64_t work = per_output * tile * group;
  int64_t slices = 1;
  if (blocks < 64 && work >= 2 * kSlice) {
    slices = std::min({(work - 1) / kSlice + 1, length, int64_t{128}});
  }
  const auto run = [&](int64_t block, int64_t slice, void* acc) {
    const int64_t k0 = block / tiles * group, i0 = block % tiles * tile;
    const int64_t from =
        length / slices * slice + std::min(slice, length % slices);
    const int64_t to =
        length / slices * (slice + 1) + std::min(slice + 1, length % slices);
    Task task{&layout,
              in,
              acc,
              k0,
              std::min(k0 + group, layout.kept_count),
              i0,
              std::min(i0 + tile, width),
              cut_inner ? 0 : from,
              cut_inner ? 1 : to,
              cut_inner ? from : 0,
              cut_inner ? to : layout.inner};
    loops.fold(&task);
    return task;
  };
  // A block of several outer indices spans the whole width, so its outputs
  // are neighbours.
  const auto write = [&](const Task& t) {
    store(t.k0 * width + t.i0, (t.k1 - t.k0) * (t.i1 - t.i0), t.acc);
  };
  if (slices == 1) {
    // About 0.2 ns an element; a block is some 30,000 of them or one output.
    pool.ParallelRange(blocks, work / 4 + 1, [&](int64_t begin, int64_t end) {
      alignas(64) unsigned char acc[kBlock * kMaxAccumulator];
      for (int64_t b = begin; b < end; ++b) write(run(b, 0, acc));
    });
    return;
  }
  const size_t part_bytes = kBlock * bytes;
  const auto parts = std::make_unique_for_overwrite<unsigned char[]>(
      blocks * slices * part_bytes);
  pool.ParallelFor(blocks * slices, [&](int64_t i) {
    run(i / slices, i % slices, parts.get() + i * part_bytes);
  });
  for (int64_t b = 0; b < blocks; ++b) {
    unsigned char* first = parts.get() + b * slices * part_bytes;
    const int64_t k0 = b / tiles * group, i0 = b % tiles * tile;
    const Task task{&layout,
                    in,
                    first,
                    k0,
                    std::min(k0 + group, layout.kept_count),
                    i0,
                    std::min(i0 + tile, width),
                    0,
                    0,
                    0,
                    0};
    const int64_t n = (task.k1 - task.k0) * (task.i1 - task.i0);
    for (int64_t s = 1; s < slices; ++s) {
      loops.combine(first, first + s * part_bytes, n);
    }
    write(task);
  }
}

}  // namespace reduce_internal
}  // namespace gk
