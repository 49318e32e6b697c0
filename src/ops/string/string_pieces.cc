// Texts split at single bytes, joined in windows and by segments.
#include "ops/fn/string_pieces.h"

#include <algorithm>
#include <cstring>
#include <vector>

#include "base/interrupt.h"
#include "framework/grad_context.h"
#include "framework/op_registry.h"
#include "framework/text_memory.h"
#include "ops/element_moves.h"
#include "ops/int32_attrs.h"
#include "ops/string/split_rows.h"

namespace gk {
namespace {

// ---- StringSplit ----

Status SplitOnceShape(InferenceContext& c) {
  PartialTensorShape s;
  GK_RETURN_IF_ERROR(c.WithRank(0, 1, &s));
  GK_RETURN_IF_ERROR(c.WithRank(1, 0, &s));
  c.set_output(0, {kUnknownDim, 2});
  c.set_output(1, {kUnknownDim});
  c.set_output(2, {2});
  return OkStatus();
}

// Any byte of `separators` separates; none: every byte is a part. A text
// without bytes has no parts.
template <class Emit>
void SplitAtAny(const std::string& separators, std::string_view s,
                bool skip_empty, Emit emit) {
  if (s.empty()) return;
  if (separators.empty()) {
    for (size_t i = 0; i < s.size(); ++i) emit(s.substr(i, 1));
    return;
  }
  for (;;) {
    // One separator, most often, without a call for each piece.
    size_t n = 0;
    if (separators.size() == 1) {
      while (n < s.size() && s[n] != separators[0]) ++n;
    } else {
      n = std::min(s.find_first_of(separators), s.size());
    }
    if (n > 0 || !skip_empty) emit(s.substr(0, n));
    if (n == s.size()) return;
    s.remove_prefix(n + 1);
  }
}

Status ComputeSplitOnce(KernelContext& c) {
  const Tensor &x = c.input(0), &delimiter = c.input(1);
  if (x.rank() != 1) {
    return InvalidArgument("input must be a vector, got shape: {}",
                           x.shape().DebugString());
  }
  if (delimiter.rank() != 0) {
    return InvalidArgument("delimiter must be a scalar, got shape: {}",
                           delimiter.shape().DebugString());
  }
  const bool skip_empty = c.attr<bool>("skip_empty");
  const std::string& separators = delimiter.scalar<std::string>();
  return OutputPieces(c, x, [&](std::string_view text, auto emit) {
    SplitAtAny(separators, text, skip_empty, emit);
  });
}

// ---- StringNGrams ----

// Windows over the texts of one row with `pads` more at each end.
struct Windows {
  const std::string& separator;
  const std::string& left;
  const std::string& right;

  static int64_t Count(int64_t n, int64_t pads, int64_t width) {
    return std::max<int64_t>(0, n + 2 * pads - width + 1);
  }

  // Takes as long as its result is, however many of its texts are empty.
  std::string At(const std::string* row, int64_t n, int64_t pads, int64_t first,
                 int64_t width) const {
    const int64_t lefts = std::clamp<int64_t>(pads - first, 0, width);
    const int64_t from = std::clamp<int64_t>(first - pads, 0, n);
    const int64_t to = std::clamp<int64_t>(first + width - pads, from, n);
    const int64_t rights = width - lefts - (to - from);
    int64_t size = Length(separator) * (width - 1) + Length(left) * lefts +
                   Length(right) * rights;
    for (int64_t k = from; k < to; ++k) size += Length(row[k]);
    CountText(size);
    std::string joined;
    joined.reserve(size);
    bool begun = false;
    const auto add = [&](const std::string& text, int64_t times) {
      if (times > 0 && text.empty() && separator.empty()) {
        begun = true;
        return;
      }
      for (int64_t k = 0; k < times; ++k) {
        if (begun) joined += separator;
        joined += text;
        begun = true;
      }
    };
    add(left, lefts);
    for (int64_t k = from; k < to; ++k) add(row[k], 1);
    add(right, rights);
    return joined;
  }

  static int64_t Length(const std::string& text) {
    return static_cast<int64_t>(text.size());
  }
};

Status NGramsShape(InferenceContext& c) {
  PartialTensorShape data, splits;
  GK_RETURN_IF_ERROR(c.WithRank(0, 1, &data));
  GK_RETURN_IF_ERROR(c.WithRank(1, 1, &splits));
  c.set_output(0, {kUnknownDim});
  c.set_output(1, std::move(splits));
  return OkStatus();
}

Status CheckDataSplits(const std::vector<int64_t>& splits, int64_t n) {
  if (splits.front() != 0) {
    return InvalidArgument("First split value must be 0, got {}",
                           splits.front());
  }
  int64_t before = 0;
  for (const int64_t split : splits) {
    if (split < before || split > n) {
      return InvalidArgument("Invalid split value {}, must be in [{}, {}]",
                             split, before, n);
    }
    before = split;
  }
  if (before != n) {
    return InvalidArgument(
        "Last split value must be data size. Expected {}, got {}", n, before);
  }
  return OkStatus();
}

Status ComputeNGrams(KernelContext& c) {
  const Tensor& data = c.input(0);
  const auto& widths = c.attr<std::vector<int64_t>>("ngram_widths");
  const Windows windows{c.attr<std::string>("separator"),
                        c.attr<std::string>("left_pad"),
                        c.attr<std::string>("right_pad")};
  GK_RETURN_IF_ERROR(CheckInt32Attrs(c.attrs(), {"pad_width"}));
  const int64_t pad_width = c.attr<int64_t>("pad_width");
  const bool preserve = c.attr<bool>("preserve_short_sequences");
  for (const int64_t width : widths) {
    if (width <= 0 || width > INT32_MAX) {
      return InvalidArgument("ngram_widths must contain positive values");
    }
  }
  const auto pads_of = [&](int64_t width) {
    return pad_width < 0 ? width - 1 : std::min(pad_width, width - 1);
  };
  std::vector<int64_t> splits;
  GK_RETURN_IF_ERROR(IntegerValues(c.input(1), &splits));
  Tensor* grams;
  if (splits.empty()) {
    GK_RETURN_IF_ERROR(c.Allocate(0, DataType::kString, data.shape(), &grams));
    ZeroElements(grams);
    c.set_output(1, c.input(1).Alias());
    return OkStatus();
  }
  GK_RETURN_IF_ERROR(CheckDataSplits(splits, data.num_elements()));
  std::vector<std::string> made;
  std::vector<int64_t> ends{0};
  // As many as one of each width at each text; of many, growing costs little.
  constexpr size_t kMostReserved = 1 << 12;
  made.reserve(std::min(widths.size() * data.num_elements(), kMostReserved));
  ends.reserve(std::min(splits.size(), kMostReserved));
  TurnPoll poll;
  for (size_t i = 0; i + 1 < splits.size(); ++i) {
    const std::string* row = data.data<std::string>() + splits[i];
    const int64_t n = splits[i + 1] - splits[i];
    const size_t before = made.size();
    for (const int64_t width : widths) {
      const int64_t pads = pads_of(width);
      if (pads >= INT32_MAX / 2) {
        return InvalidArgument(
            "Pad width could lead to integer overflow, got pad_width = {}",
            pads);
      }
      const int64_t count = Windows::Count(n, pads, width);
      GK_RETURN_IF_ERROR(
          CheckTextBytes(count * static_cast<int64_t>(sizeof(std::string))));
      for (int64_t k = 0; k < count; ++k) {
        poll();
        made.push_back(windows.At(row, n, pads, k, width));
      }
    }
    if (preserve && n > 0 && made.size() == before) {
      if (pad_width < 0) {
        return InvalidArgument(
            "Pad width should be >= 0 when preserve_short_sequences is True "
            "and ngram_widths are not provided, got {}",
            pad_width);
      }
      made.push_back(windows.At(row, n, pad_width, 0, n + 2 * pad_width));
    }
    ends.push_back(static_cast<int64_t>(made.size()));
  }
  GK_RETURN_IF_ERROR(
      c.Allocate(0, DataType::kString,
                 TensorShape({static_cast<int64_t>(made.size())}), &grams));
  std::move(made.begin(), made.end(), grams->data<std::string>());
  GK_ASSIGN_OR_RETURN(
      Tensor out, IntegerTensor(c.input(1).dtype(), ends, c.input(1).shape()));
  c.set_output(1, std::move(out));
  return OkStatus();
}

// ---- UnsortedSegmentJoin ----

Status SegmentJoinShape(InferenceContext& c) {
  const PartialTensorShape &x = c.input(0), &ids = c.input(1);
  PartialTensorShape scalar;
  GK_RETURN_IF_ERROR(c.WithRank(2, 0, &scalar));
  if (x.unknown_rank() || ids.unknown_rank()) return OkStatus();
  if (ids.rank() > x.rank()) {
    return InvalidArgument("Shape must be at least rank {} but is rank {}",
                           ids.rank(), x.rank());
  }
  for (int i = 0; i < ids.rank(); ++i) {
    int64_t dim;
    GK_RETURN_IF_ERROR(InferenceContext::MergeDims(x.dim(i), ids.dim(i), &dim));
  }
  const auto n = c.ValueAsInts(2);
  if (n && (*n)[0] < 0) {
    return InvalidArgument(
        "Dimension size, given by scalar input 2, must be "
        "non-negative but is {}",
        (*n)[0]);
  }
  PartialTensorShape out{n ? (*n)[0] : kUnknownDim};
  for (int i = ids.rank(); i < x.rank(); ++i) out.AddDim(x.dim(i));
  c.set_output(0, std::move(out));
  return OkStatus();
}

Status ComputeSegmentJoin(KernelContext& c) {
  const Tensor &x = c.input(0), &ids = c.input(1), &count = c.input(2);
  if (count.rank() != 0) {
    return InvalidArgument("Number of segments must be a scalar");
  }
  if (ids.rank() == 0) {
    return InvalidArgument("Segment_id cannot have rank 0");
  }
  if (ids.rank() > x.rank()) {
    return OutOfRange(
        "Invalid segment_id rank {} for input with {} dimension(s)", ids.rank(),
        x.rank());
  }
  for (int i = 0; i < ids.rank(); ++i) {
    if (x.dim(i) != ids.dim(i)) {
      return InvalidArgument(
          "Segment dimension is {} while input dimension is {} in rank {}",
          ids.dim(i), x.dim(i), i);
    }
  }
  std::vector<int64_t> segments, rows;
  GK_RETURN_IF_ERROR(IntegerValues(count, &segments));
  const int64_t n = segments[0];
  if (n < 0) {
    return InvalidArgument("Number of segments must be non-negative but got {}",
                           n);
  }
  GK_RETURN_IF_ERROR(IntegerValues(ids, &rows));
  for (const int64_t row : rows) {
    if (row < 0 || row >= n) {
      return InvalidArgument(
          "segment_ids are not allowed to exceed num_segments or to have "
          "negative values.");
    }
  }
  std::vector<int64_t> dims{n};
  int64_t inner = 1;
  for (int i = ids.rank(); i < x.rank(); ++i) {
    dims.push_back(x.dim(i));
    inner *= x.dim(i);
  }
  GK_ASSIGN_OR_RETURN(const TensorShape shape, TensorShape::Make(dims));
  Tensor* out;
  GK_RETURN_IF_ERROR(c.Allocate(0, DataType::kString, shape, &out));
  ZeroElements(out);
  const std::string& separator = c.attr<std::string>("separator");
  const std::string* const from = x.data<std::string>();
  std::string* const to = out->data<std::string>();
  // How long texts get, so that none grows in steps.
  struct Joined {
    int64_t size = 0;
    char* at = nullptr;
  };
  std::vector<Joined> joined(out->num_elements());
  const auto visit = [&](auto&& use) {
    TurnPoll poll;
    for (size_t i = 0; i < rows.size(); ++i) {
      for (int64_t k = 0; k < inner; ++k) {
        poll();
        use(from[i * inner + k], rows[i] * inner + k);
      }
    }
  };
  const auto length = static_cast<int64_t>(separator.size());
  // Nothing separates a text from empty ones before it.
  visit([&](const std::string& text, int64_t i) {
    int64_t& size = joined[i].size;
    size += (size > 0 ? length : 0) + static_cast<int64_t>(text.size());
  });
  for (size_t i = 0; i < joined.size(); ++i) {
    CountText(joined[i].size);
    to[i].resize(joined[i].size);
    joined[i].at = to[i].data();
  }
  visit([&](const std::string& text, int64_t i) {
    char*& at = joined[i].at;
    if (at != to[i].data()) {
      std::memcpy(at, separator.data(), length);
      at += length;
    }
    std::memcpy(at, text.data(), text.size());
    at += text.size();
  });
  return OkStatus();
}

const OpRecord kRecords[] = {
    {.name = "StringSplit",
     .inputs = "input: string; delimiter: string",
     .outputs = "indices: int64; values: string; shape: int64",
     .attrs = "skip_empty: bool = True",
     .traits = kNoGradient,
     .shape = SplitOnceShape,
     .kernel = {.compute = ComputeSplitOnce},
     .doc =
         "Strings split at each byte that is one of delimiter, or into bytes "
         "if it is empty, as the parts of a sparse matrix."},

    {.name = "StringNGrams",
     .inputs = "data: string; data_splits: Tsplits",
     .outputs = "ngrams: string; ngrams_splits: Tsplits",
     .attrs = "separator: string; ngram_widths: list(int) >= 0; left_pad: "
              "string; right_pad: string; pad_width: int; "
              "preserve_short_sequences: bool; Tsplits: type in [int32, int64] "
              "= int64",
     .traits = kNoGradient,
     .shape = NGramsShape,
     .kernel = {.compute = ComputeNGrams},
     .doc = "All neighbours in rows of strings, joined."},

    {.name = "UnsortedSegmentJoin",
     .inputs = "inputs: string; segment_ids: Tindices; num_segments: "
               "Tnumsegments",
     .outputs = "output: string",
     .attrs = "separator: string = ''; Tindices: type in [int32, int64]; "
              "Tnumsegments: type in [int32, int64] = int32",
     .traits = kNoGradient,
     .shape = SegmentJoinShape,
     .kernel = {.compute = ComputeSegmentJoin},
     .python = {.names = "strings.unsorted_segment_join",
                .args = "inputs, segment_ids, num_segments, separator"},
     .doc = "Strings of equal ids joined in the order in which they come.",
     .example = ">>> tf.strings.unsorted_segment_join(['a', 'b', 'c'], [1, 0, "
                "1], 2, ':').numpy().tolist()\n[b'b', b'a:c']"},
};

}  // namespace

GK_REGISTER_OPS(string_pieces)

}  // namespace gk
