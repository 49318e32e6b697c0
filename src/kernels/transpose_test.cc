#include "kernels/transpose.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>
#include <numeric>
#include <vector>

namespace gk {
namespace {

void Check(const std::vector<int64_t>& extents,
           const std::vector<int64_t>& perm, int64_t size) {
  int64_t count = 1;
  for (int64_t e : extents) count *= e;
  std::vector<unsigned char> in(count * size), got(count * size),
      want(count * size);
  for (int64_t i = 0; i < count * size; ++i) {
    in[i] = static_cast<unsigned char>((i * 2654435761u) >> 13);
  }
  const size_t rank = extents.size();
  for (int64_t o = 0; o < count; ++o) {
    int64_t rest = o, from = 0;
    for (size_t d = rank; d-- > 0;) {
      int64_t stride = 1;
      for (size_t j = perm[d] + 1; j < rank; ++j) stride *= extents[j];
      from += rest % extents[perm[d]] * stride;
      rest /= extents[perm[d]];
    }
    std::memcpy(&want[o * size], &in[from * size], size);
  }
  ThreadPool pool(3);
  Transpose(extents, perm, size, in.data(), got.data(), pool);
  EXPECT_EQ(got, want) << "element size " << size;
}

class TransposeTest : public testing::TestWithParam<int64_t> {};
INSTANTIATE_TEST_SUITE_P(ElementSizes, TransposeTest,
                         testing::Values(1, 2, 4, 8, 16));

TEST_P(TransposeTest, EveryPermutationOfSomeShapes) {
  for (const std::vector<int64_t>& extents : std::vector<std::vector<int64_t>>{
           {}, {1}, {7}, {9, 17}, {65, 130}, {3, 8, 16}, {5, 1, 20},
           {2, 3, 4, 5}, {2, 0, 3}, {2, 9, 1, 3, 11}}) {
    std::vector<int64_t> perm(extents.size());
    std::iota(perm.begin(), perm.end(), 0);
    do {
      Check(extents, perm, GetParam());
    } while (std::next_permutation(perm.begin(), perm.end()));
  }
}

TEST_P(TransposeTest, LargeEnoughForThreads) {
  Check({6, 100, 333}, {0, 2, 1}, GetParam());
  Check({6, 100, 333}, {1, 0, 2}, GetParam());
  Check({200, 3, 300}, {2, 1, 0}, GetParam());
}

}  // namespace
}  // namespace gk
