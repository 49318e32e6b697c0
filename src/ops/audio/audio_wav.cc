// Sound in WAV files of 16 bits.
#include "ops/fn/audio_wav.h"

#include <algorithm>
#include <cstring>
#include <string>
#include <string_view>
#include <vector>

#include "framework/op_registry.h"
#include "kernels/wav_codec.h"
#include "ops/int32_attrs.h"

namespace gk {
namespace {

constexpr std::string_view kTooShort =
    "Data too short when trying to read string";

// Reads little-endian numbers and names, one after the other.
class Reader {
 public:
  explicit Reader(std::string_view text) : left_(text) {}
  bool done() const { return left_.empty(); }

  Status Take(uint64_t n, std::string_view* out) {
    if (n > left_.size()) return InvalidArgument("{}", kTooShort);
    *out = left_.substr(0, n);
    left_.remove_prefix(n);
    return OkStatus();
  }
  void Skip(uint64_t n) {
    left_.remove_prefix(std::min<uint64_t>(n, left_.size()));
  }
  template <class T>
  Status Number(T* out) {
    std::string_view bytes;
    GK_RETURN_IF_ERROR(Take(sizeof(T), &bytes));
    uint64_t v = 0;
    for (size_t i = 0; i < sizeof(T); ++i) {
      v |= uint64_t{static_cast<uint8_t>(bytes[i])} << (8 * i);
    }
    *out = static_cast<T>(v);
    return OkStatus();
  }
  Status Expect(std::string_view name) {
    std::string_view found;
    GK_RETURN_IF_ERROR(Take(name.size(), &found));
    if (found == name) return OkStatus();
    return InvalidArgument("Header mismatch: Expected {} but found {}", name,
                           found);
  }

 private:
  std::string_view left_;
};

struct Wav {
  int64_t channels = 0, samples = 0;
  uint32_t rate = 0;
  std::string_view data;  // samples, channel after channel of each
};

Status ReadHeader(Reader* in, Wav* wav, uint16_t* sample_bytes) {
  uint32_t file_size, header_size, bytes_per_second;
  uint16_t format, channels, bits;
  GK_RETURN_IF_ERROR(in->Expect("RIFF"));
  GK_RETURN_IF_ERROR(in->Number(&file_size));
  GK_RETURN_IF_ERROR(in->Expect("WAVE"));
  std::string_view name;
  while (true) {
    GK_RETURN_IF_ERROR(in->Take(4, &name));
    if (name == "fmt ") break;
    if (name != "JUNK" && name != "bext" && name != "iXML" && name != "qlty" &&
        name != "mext" && name != "levl" && name != "link" && name != "axml") {
      return InvalidArgument("Unexpected field {}", name);
    }
    uint32_t size;
    GK_RETURN_IF_ERROR(in->Number(&size));
    GK_RETURN_IF_ERROR(in->Take(size, &name));
  }
  GK_RETURN_IF_ERROR(in->Number(&header_size));
  if (header_size != 16 && header_size != 18) {
    return InvalidArgument(
        "Bad format chunk size for WAV: Expected 16 or 18, but got{}",
        header_size);
  }
  GK_RETURN_IF_ERROR(in->Number(&format));
  GK_RETURN_IF_ERROR(in->Number(&channels));
  GK_RETURN_IF_ERROR(in->Number(&wav->rate));
  GK_RETURN_IF_ERROR(in->Number(&bytes_per_second));
  GK_RETURN_IF_ERROR(in->Number(sample_bytes));
  GK_RETURN_IF_ERROR(in->Number(&bits));
  if (format != 1) {
    return InvalidArgument(
        "Bad audio format for WAV: Expected 1 (PCM), but got{}", format);
  }
  if (channels < 1) {
    return InvalidArgument(
        "Bad number of channels for WAV: Expected at least 1, but got {}",
        channels);
  }
  if (bits != 16) {
    return InvalidArgument("Can only read 16-bit WAV files, but received {}",
                           bits);
  }
  const uint32_t wanted = 2u * channels;
  if (*sample_bytes != wanted) {
    return InvalidArgument(
        "Bad bytes per sample in WAV header: Expected {} but got {}", wanted,
        *sample_bytes);
  }
  if (bytes_per_second != wanted * wav->rate) {
    return InvalidArgument(
        "Bad bytes per second in WAV header: Expected {} but got {} "
        "(sample_rate={}, bytes_per_sample={})",
        wanted * wav->rate, bytes_per_second, wav->rate, wanted);
  }
  wav->channels = channels;
  if (header_size == 18) in->Skip(2);
  return OkStatus();
}

Status ReadWav(std::string_view text, Wav* wav) {
  Reader in(text);
  uint16_t sample_bytes;
  GK_RETURN_IF_ERROR(ReadHeader(&in, wav, &sample_bytes));
  bool found = false;
  while (!in.done()) {
    std::string_view name;
    uint32_t size;
    GK_RETURN_IF_ERROR(in.Take(4, &name));
    GK_RETURN_IF_ERROR(in.Number(&size));
    if (name != "data") {
      in.Skip(size);
      continue;
    }
    if (found) {
      return InvalidArgument("More than one data chunk found in WAV");
    }
    found = true;
    wav->samples = size / sample_bytes;
    GK_RETURN_IF_ERROR(in.Take(wav->samples * sample_bytes, &wav->data));
  }
  if (!found) return InvalidArgument("No data chunk found in WAV");
  return OkStatus();
}

Status CheckDesired(const AttrMap& attrs) {
  return CheckInt32Attrs(attrs, {"desired_channels", "desired_samples"});
}

Status DecodeShape(InferenceContext& c) {
  PartialTensorShape contents;
  GK_RETURN_IF_ERROR(c.WithRank(0, 0, &contents));
  GK_RETURN_IF_ERROR(CheckDesired(c.attrs()));
  const int64_t channels = c.attr<int64_t>("desired_channels"),
                samples = c.attr<int64_t>("desired_samples");
  if (channels < -1) {
    return InvalidArgument("desired_channels must be >= -1, got {}", channels);
  }
  if (samples < -1) {
    return InvalidArgument("desired_samples must be >= -1, got {}", samples);
  }
  c.set_output(0, {samples, channels});
  c.set_output(1, PartialTensorShape(TensorShape()));
  return OkStatus();
}

Status ComputeDecode(KernelContext& c) {
  if (c.input(0).rank() != 0) {
    return InvalidArgument("contents must be scalar, got shape {}",
                           c.input(0).shape().DebugString());
  }
  GK_RETURN_IF_ERROR(CheckDesired(c.attrs()));
  int64_t channels = c.attr<int64_t>("desired_channels"),
          samples = c.attr<int64_t>("desired_samples");
  Wav wav;
  GK_RETURN_IF_ERROR(ReadWav(c.input(0).flat<std::string>()[0], &wav));
  if (channels < 0) channels = wav.channels;
  if (samples < 0) samples = wav.samples;
  GK_ASSIGN_OR_RETURN(
      const TensorShape shape,
      TensorShape::Make(std::vector<int64_t>{samples, channels}));
  Tensor* audio;
  GK_RETURN_IF_ERROR(c.Allocate(0, DataType::kFloat, shape, &audio));
  float* out = audio->data<float>();
  const auto* in = reinterpret_cast<const uint8_t*>(wav.data.data());
  for (int64_t i = 0; i < samples; ++i) {
    for (int64_t k = 0; k < channels; ++k) {
      float v = 0;
      if (i < wav.samples) {
        // Channels that are not there are the last one.
        const int64_t from =
            2 * (i * wav.channels + std::min(k, wav.channels - 1));
        v = static_cast<float>(
                static_cast<int16_t>(in[from] | (in[from + 1] << 8))) /
            32768;
      }
      out[i * channels + k] = v;
    }
  }
  c.set_output(1, Tensor::Scalar(static_cast<int32_t>(wav.rate)));
  return OkStatus();
}

Status EncodeShape(InferenceContext& c) {
  PartialTensorShape audio, rate;
  GK_RETURN_IF_ERROR(c.WithRank(0, 2, &audio));
  GK_RETURN_IF_ERROR(c.WithRank(1, 0, &rate));
  c.set_output(0, PartialTensorShape(TensorShape()));
  return OkStatus();
}

Status ComputeEncode(KernelContext& c) {
  const Tensor &audio = c.input(0), &rate = c.input(1);
  if (audio.rank() != 2) {
    return InvalidArgument("audio must be 2-dimensional{}",
                           audio.shape().DebugString());
  }
  if (rate.rank() != 0) {
    return InvalidArgument(
        "Input sample_rate should be a scalar tensor, got {} instead.",
        rate.shape().DebugString());
  }
  std::string out;
  GK_RETURN_IF_ERROR(WriteWav(audio.data<float>(), audio.dim(0), audio.dim(1),
                              *rate.data<int32_t>(), &out));
  c.set_output(0, Tensor::Scalar(std::move(out)));
  return OkStatus();
}

const OpRecord kRecords[] = {
    {.name = "DecodeWav",
     .inputs = "contents: string",
     .outputs = "audio: float; sample_rate: int32",
     .attrs = "desired_channels: int = -1; desired_samples: int = -1",
     .traits = kNoGradient,
     .shape = DecodeShape,
     .kernel = {.compute = ComputeDecode},
     .python = {.names = "audio.decode_wav"},
     .doc = "The samples [samples, channels] of a WAV file of 16 bits, in "
            "[-1, 1), and how many there are a second. Where more are desired "
            "than there are, zeros are added, and the last channel again.",
     .example = ">>> wav = tf.audio.encode_wav([[0.5], [-1.]], 8000)\n"
                ">>> audio, rate = tf.audio.decode_wav(wav)\n"
                ">>> audio.numpy().tolist(), rate.numpy().item()\n"
                "([[0.5], [-1.0]], 8000)"},
    {.name = "EncodeWav",
     .inputs = "audio: float; sample_rate: int32",
     .outputs = "contents: string",
     .attrs = "",
     .traits = kNoGradient,
     .shape = EncodeShape,
     .kernel = {.compute = ComputeEncode},
     .python = {.names = "audio.encode_wav"},
     .doc = "A WAV file of 16 bits of samples [samples, channels] in [-1, 1].",
     .example = ">>> len(tf.audio.encode_wav([[0.5], [-1.]], 8000).numpy())\n"
                "48"},
};

}  // namespace

GK_REGISTER_OPS(audio_wav)

}  // namespace gk
