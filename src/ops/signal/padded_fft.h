// Transforms of the last dimensions as public functions have them: lengths
// may be left out, and zeros are added where there are fewer elements.
#ifndef GK_OPS_SIGNAL_PADDED_FFT_H_
#define GK_OPS_SIGNAL_PADDED_FFT_H_

#include <optional>
#include <string_view>

#include "ops/subscript.h"

namespace gk {

// `lengths` are int32 [rank], or null: those of the input. Nodes made of the
// transform itself are called `name`. All throw Error.
Tensor PaddedRfft(std::string_view name, const Tensor& x, int rank,
                  Tensor lengths);
Tensor PaddedIrfft(std::string_view name, const Tensor& x, int rank,
                   Tensor lengths);

// x[..., begin:end:stride].
Tensor LastSlice(const Tensor& x, std::optional<SubscriptBound> begin,
                 std::optional<SubscriptBound> end,
                 std::optional<SubscriptBound> stride = std::nullopt);

// The size of a dimension counted from the end, where it is known.
std::optional<int64_t> KnownSizeFromEnd(const Tensor& x, int place);
// ValueError unless x has so many dimensions.
void CheckRankAtLeast(const Tensor& x, int rank);

// Zeros behind the elements of the last dimension, up to `length` of them.
Tensor PaddedTo(const Tensor& x, const Tensor& length);

// A cosine transform of type 1 to 4 over the last dimension, of which `n`
// elements count, or all if it is null.
Tensor CosineTransform(const Tensor& x, int64_t type, const Tensor& n,
                       bool orthonormal);

}  // namespace gk

#endif  // GK_OPS_SIGNAL_PADDED_FFT_H_
