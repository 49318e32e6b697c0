#include "ops/summary/summary_values.h"

#include <algorithm>
#include <cfloat>
#include <cmath>
#include <vector>

#include "graph/tensor_proto.h"
#include "kernels/picture_codec.h"
#include "kernels/wav_codec.h"

namespace gk {
namespace {

template <class Fn>
bool VisitSummaryNumbers(DataType t, Fn&& fn) {
  return VisitType<float, double, half, bfloat16, int8_t, int16_t, int32_t,
                   int64_t, uint8_t, uint16_t, uint32_t, uint64_t, bool>(
      t, std::forward<Fn>(fn));
}

// Ends of the buckets: 1e-12, and each a tenth further, on both sides of 0.
const std::vector<double>& BucketEnds() {
  static const auto* const ends = [] {
    std::vector<double> positive;
    for (double v = 1e-12; v < 1e20; v *= 1.1) positive.push_back(v);
    positive.push_back(DBL_MAX);
    auto* all = new std::vector<double>;
    for (auto v = positive.rbegin(); v != positive.rend(); ++v) {
      all->push_back(-*v);
    }
    all->push_back(0);
    all->insert(all->end(), positive.begin(), positive.end());
    return all;
  }();
  return *ends;
}

// Runs of empty buckets are one.
void PutBuckets(const std::vector<double>& counts,
                proto::HistogramProto* histogram) {
  const std::vector<double>& ends = BucketEnds();
  for (size_t i = 0; i < counts.size(); ++i) {
    if (counts[i] == 0) {
      while (i + 1 < counts.size() && counts[i + 1] == 0) ++i;
    }
    histogram->bucket_limit.push_back(ends[i]);
    histogram->bucket.push_back(counts[i]);
  }
}

std::string NumberedTag(const std::string& tag, const char* kind, int64_t i,
                        int64_t most) {
  const std::string first = tag + "/" + kind;
  return most > 1 ? first + "/" + std::to_string(i) : first;
}

struct SummaryPicture {
  int64_t height, width, channels;
  int64_t pixels() const { return height * width; }
};

// Numbers as bytes: those with negatives around 128, others from 0 on, so that
// the greatest has the end of the range.
template <class T>
void ScaleToBytes(const T* in, const SummaryPicture& p, const uint8_t* bad,
                  uint8_t* out) {
  const int64_t n = p.pixels() * p.channels;
  float least = 0, greatest = 0;
  bool any = false;
  const auto is_bad = [&](const T* pixel) {
    for (int64_t c = 0; c < p.channels; ++c) {
      if (!std::isfinite(static_cast<float>(pixel[c]))) return true;
    }
    return false;
  };
  for (int64_t i = 0; i < n; i += p.channels) {
    if (is_bad(in + i)) continue;
    for (int64_t c = 0; c < p.channels; ++c) {
      const auto v = static_cast<float>(in[i + c]);
      least = any ? std::min(least, v) : v;
      greatest = any ? std::max(greatest, v) : v;
      any = true;
    }
  }
  constexpr float kTiny = 1e-6f;
  float scale, offset;
  if (least < 0) {
    const float extreme = std::max(std::fabs(least), std::fabs(greatest));
    scale = extreme < kTiny ? 0 : 127 / extreme;
    offset = 128;
  } else {
    scale = greatest < kTiny ? 0 : 255 / greatest;
    offset = 0;
  }
  using Wide = std::conditional_t<std::is_same_v<T, double>, double, float>;
  const auto by = static_cast<Wide>(T(scale)), from = static_cast<Wide>(offset);
  for (int64_t i = 0; i < n; i += p.channels) {
    if (is_bad(in + i)) {
      std::copy_n(bad, p.channels, out + i);
      continue;
    }
    for (int64_t c = 0; c < p.channels; ++c) {
      // Each step in the type of the picture.
      const auto scaled = T(static_cast<Wide>(in[i + c]) * by);
      const auto v = T(static_cast<Wide>(scaled) + from);
      out[i + c] = static_cast<uint8_t>(
          std::clamp(static_cast<Wide>(v), Wide(0), Wide(255)));
    }
  }
}

// Bytes of picture i.
Status PictureBytes(const Tensor& images, int64_t i, const SummaryPicture& p,
                    const uint8_t* bad, std::vector<uint8_t>* out) {
  const int64_t n = p.pixels() * p.channels;
  out->resize(n);
  const bool known =
      VisitType<uint8_t, float, half, double>(images.dtype(), [&]<class T>(T) {
        const T* in = images.data<T>() + i * n;
        if constexpr (std::is_same_v<T, uint8_t>) {
          std::copy_n(in, n, out->data());
        } else {
          ScaleToBytes(in, p, bad, out->data());
        }
      });
  if (known) return OkStatus();
  return InvalidArgument(
      "Only DT_FLOAT, DT_HALF, DT_DOUBLE and DT_UINT8 "
      "images are supported. Got {}",
      DataTypeString(images.dtype()));
}

}  // namespace

float NumberAt(const Tensor& t, int64_t i) {
  float number = 0;
  VisitSummaryNumbers(t.dtype(), [&]<class T>(T) {
    number = static_cast<float>(t.data<T>()[i]);
  });
  return number;
}

StatusOr<proto::HistogramProto> HistogramOf(const Tensor& values,
                                            std::string_view what) {
  const std::vector<double>& ends = BucketEnds();
  std::vector<double> counts(ends.size(), 0);
  proto::HistogramProto h;
  h.min = DBL_MAX;
  h.max = -DBL_MAX;
  double bad = 0;
  const bool known = VisitSummaryNumbers(values.dtype(), [&]<class T>(T) {
    const T* in = values.data<T>();
    for (int64_t i = 0; i < values.num_elements(); ++i) {
      const auto v = static_cast<double>(in[i]);
      if (!std::isfinite(v)) {
        bad = v;
        return;
      }
      const auto at = std::upper_bound(ends.begin(), ends.end(), v);
      counts[std::min<size_t>(at - ends.begin(), ends.size() - 1)] += 1;
      h.min = std::min(h.min, v);
      h.max = std::max(h.max, v);
      h.num += 1;
      h.sum += v;
      h.sum_squares += v * v;
    }
  });
  if (!known) {
    return InvalidArgument("A histogram needs numbers, got {} for: {}",
                           DataTypeString(values.dtype()), what);
  }
  if (std::isnan(bad)) {
    return InvalidArgument("Nan in summary histogram for: {}", what);
  }
  if (bad != 0) {
    return InvalidArgument("Infinity in summary histogram for: {}", what);
  }
  PutBuckets(counts, &h);
  return h;
}

Status AddImages(const std::string& tag, const Tensor& images, int64_t most,
                 const Tensor& bad_color, proto::Summary* to) {
  const bool fits =
      images.rank() == 4 &&
      (images.dim(3) == 1 || images.dim(3) == 3 || images.dim(3) == 4);
  if (!fits) {
    return InvalidArgument(
        "Tensor must be 4-D with last dim 1, 3, or 4, not {}",
        images.shape().DebugString());
  }
  const SummaryPicture p{images.dim(1), images.dim(2), images.dim(3)};
  if (p.height > INT32_MAX || p.width > INT32_MAX ||
      p.pixels() > kMaxPictureSize) {
    return InvalidArgument("Tensor too large for summary {}",
                           images.shape().DebugString());
  }
  if (bad_color.dtype() != DataType::kUint8 ||
      bad_color.num_elements() < p.channels) {
    return InvalidArgument(
        "expected depth <= bad_color.size, got depth = {}, bad_color.size = {}",
        p.channels, bad_color.num_elements());
  }
  const int64_t count = std::min(most, images.dim(0));
  std::vector<uint8_t> bytes;
  for (int64_t i = 0; i < count; ++i) {
    GK_RETURN_IF_ERROR(
        PictureBytes(images, i, p, bad_color.data<uint8_t>(), &bytes));
    proto::Summary_Value& value = to->value.emplace_back();
    value.tag = NumberedTag(tag, "image", i, most);
    proto::Summary_Image& image = value.mutable_image();
    image.height = static_cast<int32_t>(p.height);
    image.width = static_cast<int32_t>(p.width);
    image.colorspace = static_cast<int32_t>(p.channels);
    GK_RETURN_IF_ERROR(WritePng(bytes.data(),
                                {1, p.height, p.width, p.channels}, 8, -1,
                                &image.encoded_image_string));
  }
  return OkStatus();
}

Status AddSounds(const std::string& tag, const Tensor& sounds, int64_t most,
                 float rate, proto::Summary* to) {
  if (sounds.rank() != 2 && sounds.rank() != 3) {
    return InvalidArgument("Tensor must be 3-D or 2-D, got: {}",
                           sounds.shape().DebugString());
  }
  if (!(rate > 0) || rate >= 4294967296.0f) {
    return InvalidArgument("sample_rate must be > 0");
  }
  const int64_t frames = sounds.dim(1);
  const int64_t channels = sounds.rank() == 3 ? sounds.dim(2) : 1;
  const int64_t count = std::min(most, sounds.dim(0));
  for (int64_t i = 0; i < count; ++i) {
    proto::Summary_Value& value = to->value.emplace_back();
    value.tag = NumberedTag(tag, "audio", i, most);
    proto::Summary_Audio& audio = value.mutable_audio();
    audio.sample_rate = rate;
    audio.num_channels = channels;
    audio.length_frames = frames;
    audio.content_type = "audio/wav";
    GK_RETURN_IF_ERROR(WriteWav(sounds.data<float>() + i * frames * channels,
                                frames, channels, std::llrint(rate),
                                &audio.encoded_audio_string));
  }
  return OkStatus();
}

StatusOr<proto::TensorProto> SummaryTensor(const Tensor& t) {
  if (t.dtype() == DataType::kString || DataTypeSize(t.dtype()) == 0 ||
      t.dtype() == DataType::kResource || t.dtype() == DataType::kVariant) {
    return TensorToProto(t);
  }
  proto::TensorProto message;
  message.dtype = static_cast<proto::DataType>(t.dtype());
  message.tensor_shape = ShapeToProto(PartialTensorShape(t.shape()));
  message.tensor_content.assign(static_cast<const char*>(t.raw_data()),
                                t.num_elements() * DataTypeSize(t.dtype()));
  return message;
}

}  // namespace gk
