// Arrays continued beyond their edges by what lies inside.
//
// Raw memory and sizes.
#ifndef GK_KERNELS_MIRROR_H_
#define GK_KERNELS_MIRROR_H_

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace gk {

// Which element of an axis stands at each place of the longer one; `reflect`:
// the edge is not repeated.
inline std::vector<int64_t> MirrorMap(int64_t size, int64_t before,
                                      int64_t after, bool reflect) {
  std::vector<int64_t> map;
  const int64_t skip = reflect ? 1 : 0;
  for (int64_t i = before; i-- > 0;) map.push_back(i + skip);
  for (int64_t i = 0; i < size; ++i) map.push_back(i);
  for (int64_t i = 0; i < after; ++i) map.push_back(size - 1 - skip - i);
  return map;
}

// Calls fn(padded, original) with the places of all elements. strides: of the
// original; a map for each axis.
template <class Fn>
void VisitMirrored(std::span<const int64_t> strides,
                   const std::vector<std::vector<int64_t>>& maps, Fn&& fn) {
  const int rank = static_cast<int>(maps.size());
  int64_t total = 1;
  for (const auto& m : maps) total *= static_cast<int64_t>(m.size());
  if (total == 0) return;
  std::vector<int64_t> index(rank);
  const int64_t width =
      rank > 0 ? static_cast<int64_t>(maps[rank - 1].size()) : 1;
  for (int64_t at = 0; at < total; at += width) {
    int64_t base = 0;
    for (int d = 0; d + 1 < rank; ++d) base += maps[d][index[d]] * strides[d];
    if (rank == 0) {
      fn(at, base);
    } else {
      for (int64_t i = 0; i < width; ++i) {
        fn(at + i, base + maps[rank - 1][i]);
      }
    }
    for (int d = rank - 2; d >= 0; --d) {
      if (++index[d] < static_cast<int64_t>(maps[d].size())) break;
      index[d] = 0;
    }
  }
}

}  // namespace gk

#endif  // GK_KERNELS_MIRROR_H_
