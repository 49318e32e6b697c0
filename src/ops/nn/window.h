// Geometry of sliding windows: how convolutions and pools read their attrs.
#ifndef GK_OPS_NN_WINDOW_H_
#define GK_OPS_NN_WINDOW_H_

#include <initializer_list>
#include <string>
#include <string_view>
#include <vector>

#include "base/status.h"
#include "framework/attr_value.h"

namespace gk {

// One spatial dimension of an output.
struct WindowDim {
  int64_t out = 0;
  int64_t pad = 0;  // before the input
};

// `explicit_before`/`_after` count for padding "EXPLICIT" only. The input
// size is not negative. InvalidArgument for windows, strides and dilations
// that are not positive and for sizes that overflow.
StatusOr<WindowDim> SlideWindow(int64_t input, int64_t window, int64_t stride,
                                int64_t dilation, const std::string& padding,
                                int64_t explicit_before = 0,
                                int64_t explicit_after = 0);

// Those of an op's attributes that its gradient's ops have as well.
AttrMap SharedAttrs(const AttrMap& attrs,
                    std::initializer_list<std::string_view> names);

// "NCHW", "NCDHW": the channels come second.
bool IsChannelsFirst(const AttrMap& attrs);

}  // namespace gk

#endif  // GK_OPS_NN_WINDOW_H_
