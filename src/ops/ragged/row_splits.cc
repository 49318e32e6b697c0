#include "ops/ragged/row_splits.h"

#include "ops/element_moves.h"

namespace gk {

Status ReadNestedSplits(const KernelContext& c, int first, int n, int64_t nvals,
                        bool more, std::vector<Splits>* out) {
  out->resize(n);
  for (int i = 0; i < n; ++i) {
    const Tensor& t = c.input(first + i);
    GK_RETURN_IF_ERROR(IntegerValues(t, &(*out)[i]));
  }
  for (int i = 0; i < n; ++i) {
    const Splits& splits = (*out)[i];
    if (splits.empty()) {
      return InvalidArgument("ragged splits may not be empty.");
    }
    if (splits[0] != 0) {
      return InvalidArgument("First value of ragged splits must be 0.");
    }
    for (size_t r = 1; r < splits.size(); ++r) {
      if (splits[r] < splits[r - 1]) {
        return InvalidArgument(
            "Ragged splits should be non decreasing, but we got {} followed by "
            "{}",
            splits[r - 1], splits[r]);
      }
    }
    const int64_t held =
        i + 1 < n ? static_cast<int64_t>((*out)[i + 1].size()) - 1 : nvals;
    const bool fits = more ? splits.back() <= held : splits.back() == held;
    if (!fits) {
      return InvalidArgument(
          "Final value of ragged splits must match the length the "
          "corresponding ragged values.");
    }
  }
  return OkStatus();
}

}  // namespace gk
