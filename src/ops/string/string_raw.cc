// The bytes of strings as numbers.
#include "ops/fn/string_raw.h"

#include <algorithm>
#include <cstring>
#include <vector>

#include "base/interrupt.h"
#include "framework/grad_context.h"
#include "framework/op_registry.h"
#include "ops/element_moves.h"

namespace gk {
namespace {

// How many bytes are turned around where the first one is the highest.
int64_t SwappedBytes(DataType t) {
  const int64_t size = DataTypeSize(t);
  return IsComplex(t) ? size / 2 : size;
}

// Are numbers the bytes they are made of?
bool AreBytes(DataType t, bool little) {
  return t != DataType::kBool && (little || SwappedBytes(t) == 1);
}

// Short texts, most of them, without a call.
void CopyBytes(const char* from, int64_t n, char* to) {
  if (n < 8 || n > 16) {
    std::memcpy(to, from, n);
    return;
  }
  uint64_t first, last;
  std::memcpy(&first, from, 8);
  std::memcpy(&last, from + n - 8, 8);
  std::memcpy(to, &first, 8);
  std::memcpy(to + n - 8, &last, 8);
}

// Bytes become numbers as they lie in memory; others than 0 and 1 are true.
void TurnNumbers(int64_t n, DataType t, bool little, char* to) {
  if (t == DataType::kBool) {
    for (int64_t i = 0; i < n; ++i) to[i] = to[i] != 0;
  }
  const int64_t size = SwappedBytes(t);
  if (little || size == 1) return;
  for (int64_t i = 0; i + size <= n; i += size) {
    std::reverse(to + i, to + i + size);
  }
}

StatusOr<TensorShape> WithNumbers(const TensorShape& shape, int64_t n) {
  std::vector<int64_t> dims(shape.dims().begin(), shape.dims().end());
  dims.push_back(n);
  return TensorShape::Make(dims);
}

Status ComputeDecodeRaw(KernelContext& c) {
  const Tensor& x = c.input(0);
  const DataType t = c.attr<DataType>("out_type");
  const bool little = c.attr<bool>("little_endian");
  const std::string* texts = x.data<std::string>();
  const auto n =
      static_cast<int64_t>(x.num_elements() == 0 ? 0 : texts[0].size());
  for (int64_t i = 1; i < x.num_elements(); ++i) {
    if (static_cast<int64_t>(texts[i].size()) != n) {
      return InvalidArgument(
          "DecodeRaw requires input strings to all be the same size, but "
          "element {} has size {} != {}",
          i, texts[i].size(), n);
    }
  }
  if (n % DataTypeSize(t) != 0) {
    return InvalidArgument(
        "Input to DecodeRaw has length {} that is not a multiple of {}, the "
        "size of {}",
        n, DataTypeSize(t), DataTypeString(t));
  }
  GK_ASSIGN_OR_RETURN(const TensorShape shape,
                      WithNumbers(x.shape(), n / DataTypeSize(t)));
  Tensor* out;
  GK_RETURN_IF_ERROR(c.Allocate(0, t, shape, &out));
  char* to = static_cast<char*>(out->raw_data());
  TurnPoll poll;
  const bool as_they_are = AreBytes(t, little);
  for (int64_t i = 0; n > 0 && i < x.num_elements(); ++i) {
    poll();
    if (as_they_are) {
      CopyBytes(texts[i].data(), n, to + i * n);
    } else {
      std::memcpy(to + i * n, texts[i].data(), n);
      TurnNumbers(n, t, little, to + i * n);
    }
  }
  return OkStatus();
}

Status CheckLength(int64_t n, DataType t) {
  if (n <= 0) {
    return InvalidArgument("fixed_length ({}) must be greater than zero.", n);
  }
  if (n % DataTypeSize(t) != 0) {
    return InvalidArgument(
        "fixed_length ({}) must be a multiple of the size of out_type ({})", n,
        DataTypeSize(t));
  }
  return OkStatus();
}

Status ComputeDecodePaddedRaw(KernelContext& c) {
  const Tensor &x = c.input(0), &length = c.input(1);
  if (length.rank() != 0) {
    return InvalidArgument("fixed_length must be a scalar, but has shape {}",
                           length.shape().DebugString());
  }
  const DataType t = c.attr<DataType>("out_type");
  const bool little = c.attr<bool>("little_endian");
  int64_t n = 0;
  GK_RETURN_IF_ERROR(IntegerValue(length, "fixed_length", &n));
  GK_RETURN_IF_ERROR(CheckLength(n, t));
  GK_ASSIGN_OR_RETURN(const TensorShape shape,
                      WithNumbers(x.shape(), n / DataTypeSize(t)));
  Tensor* out;
  GK_RETURN_IF_ERROR(c.Allocate(0, t, shape, &out));
  char* to = static_cast<char*>(out->raw_data());
  TurnPoll poll;
  const std::string* const texts = x.data<std::string>();
  const bool as_they_are = AreBytes(t, little);
  for (int64_t i = 0; i < x.num_elements(); ++i, to += n) {
    poll();
    const auto size = std::min(n, static_cast<int64_t>(texts[i].size()));
    CopyBytes(texts[i].data(), size, to);
    if (size < n) std::memset(to + size, 0, n - size);
    if (!as_they_are) TurnNumbers(n, t, little, to);
  }
  return OkStatus();
}

Status RawShape(InferenceContext& c) {
  PartialTensorShape shape = c.input(0);
  if (shape.unknown_rank()) return OkStatus();
  shape.AddDim(kUnknownDim);
  c.set_output(0, std::move(shape));
  return OkStatus();
}

Status PaddedRawShape(InferenceContext& c) {
  PartialTensorShape scalar;
  GK_RETURN_IF_ERROR(c.WithRank(1, 0, &scalar));
  PartialTensorShape shape = c.input(0);
  const auto length = c.ValueAsInts(1);
  const DataType t = c.attr<DataType>("out_type");
  int64_t n = kUnknownDim;
  if (length) {
    GK_RETURN_IF_ERROR(CheckLength((*length)[0], t));
    n = (*length)[0] / DataTypeSize(t);
  }
  if (shape.unknown_rank()) return OkStatus();
  shape.AddDim(n);
  c.set_output(0, std::move(shape));
  return OkStatus();
}

const OpRecord kRecords[] = {
    {.name = "DecodeRaw",
     .inputs = "bytes: string",
     .outputs = "output: out_type",
     .attrs = "out_type: type in [half, float, double, int32, uint16, uint8, "
              "int16, int8, int64, complex64, complex128, bool, bfloat16]; "
              "little_endian: bool = True",
     .traits = kNoGradient,
     .shape = RawShape,
     .kernel = {.compute = ComputeDecodeRaw},
     .doc = "The bytes of strings of one length as numbers."},

    {.name = "DecodePaddedRaw",
     .inputs = "input_bytes: string; fixed_length: int32",
     .outputs = "output: out_type",
     .attrs = "out_type: type in [half, float, double, int32, uint16, uint8, "
              "int16, int8, int64, bfloat16]; little_endian: bool = True",
     .traits = kNoGradient,
     .shape = PaddedRawShape,
     .kernel = {.compute = ComputeDecodePaddedRaw},
     .doc = "The first fixed_length bytes of strings, zeros where they are "
            "shorter, as numbers."},
};

}  // namespace

GK_REGISTER_OPS(string_raw)

}  // namespace gk
