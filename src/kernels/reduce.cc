#include "kernels/reduce.h"

#include <algorithm>

namespace gk {

ReduceLayout CollapseReduction(std::span<const int64_t> extents,
                               std::span<const bool> is_reduced) {
  struct Group {
    int64_t extent;
    bool reduced;
  };
  std::vector<Group> groups;
  for (size_t i = 0; i < extents.size(); ++i) {
    if (extents[i] == 1) continue;
    if (!groups.empty() && groups.back().reduced == is_reduced[i]) {
      groups.back().extent *= extents[i];
    } else {
      groups.push_back({extents[i], is_reduced[i]});
    }
  }
  ReduceLayout layout;
  if (groups.empty()) return layout;
  layout.inner = groups.back().extent;
  layout.inner_reduced = groups.back().reduced;
  int64_t stride = layout.inner;
  for (size_t i = groups.size() - 1; i-- > 0;) {
    auto& axes = groups[i].reduced ? layout.reduced : layout.kept;
    auto& count = groups[i].reduced ? layout.reduced_count : layout.kept_count;
    axes.push_back({groups[i].extent, stride});
    count *= groups[i].extent;
    stride *= groups[i].extent;
  }
  std::reverse(layout.kept.begin(), layout.kept.end());
  std::reverse(layout.reduced.begin(), layout.reduced.end());
  return layout;
}

}  // namespace gk
