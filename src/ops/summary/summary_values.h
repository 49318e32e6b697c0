// Values of summaries as messages: numbers, histograms, pictures and sounds in
// the forms of TensorFlow 1, and tensors.
//
// Thread-safe. Errors are InvalidArgument; `what` names the summary in them.
#ifndef GK_OPS_SUMMARY_SUMMARY_VALUES_H_
#define GK_OPS_SUMMARY_SUMMARY_VALUES_H_

#include <string>
#include <string_view>

#include "framework/tensor.h"
#include "proto/event.gk.h"

namespace gk {

// Element i of a numeric tensor.
float NumberAt(const Tensor& t, int64_t i);

// How the elements are spread over buckets that grow by a tenth each; none may
// be infinite or NaN.
StatusOr<proto::HistogramProto> HistogramOf(const Tensor& values,
                                            std::string_view what);

// Up to `most` pictures of a tensor [batch, height, width, channels], uint8 as
// they are, others scaled to the range of bytes; `bad_color` shows where a
// number is not finite. Their tags are "tag/image", "tag/image/1" ...
Status AddImages(const std::string& tag, const Tensor& images, int64_t most,
                 const Tensor& bad_color, proto::Summary* to);

// Up to `most` sounds of a tensor [batch, frames, channels] or [batch, frames].
Status AddSounds(const std::string& tag, const Tensor& sounds, int64_t most,
                 float rate, proto::Summary* to);

// As summaries hold tensors: strings one by one, all else as bytes.
StatusOr<proto::TensorProto> SummaryTensor(const Tensor& t);

}  // namespace gk

#endif  // GK_OPS_SUMMARY_SUMMARY_VALUES_H_
