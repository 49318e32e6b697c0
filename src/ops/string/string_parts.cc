// Parts of strings, and strings joined along dimensions.
#include "ops/fn/string_parts.h"

#include <algorithm>

#include "base/interrupt.h"
#include "framework/grad_context.h"
#include "framework/op_registry.h"
#include "framework/text_memory.h"
#include "ops/broadcast_strings.h"
#include "ops/element_moves.h"
#include "ops/int32_attrs.h"
#include "ops/string/put_text.h"
#include "ops/string/split_rows.h"

namespace gk {
namespace {

// ---- Substr ----

Status SubstrShape(InferenceContext& c) {
  GK_ASSIGN_OR_RETURN(PartialTensorShape at, c.input(1).MergeWith(c.input(2)));
  GK_ASSIGN_OR_RETURN(PartialTensorShape out,
                      BroadcastPartialShapes(c.input(0), at));
  c.set_output(0, std::move(out));
  return OkStatus();
}

// Where characters begin, and the end of the text.
void FindCharacterStarts(const std::string& s, std::vector<size_t>* starts) {
  starts->resize(s.size() + 1);
  size_t n = 0;
  for (size_t i = 0; i < s.size(); ++i) {
    (*starts)[n] = i;
    n += (s[i] & 0xC0) != 0x80;
  }
  (*starts)[n] = s.size();
  starts->resize(n + 1);
}

Status ComputeSubstr(KernelContext& c) {
  const Tensor &x = c.input(0), &pos_in = c.input(1), &len_in = c.input(2);
  if (!(pos_in.shape() == len_in.shape())) {
    return InvalidArgument(
        "pos and len should have the same shape, got: {} vs. {}",
        pos_in.shape().DebugString(), len_in.shape().DebugString());
  }
  const bool characters = c.attr<std::string>("unit") == "UTF8_CHAR";
  std::vector<int64_t> pos, len;
  GK_RETURN_IF_ERROR(IntegerValues(pos_in, &pos));
  GK_RETURN_IF_ERROR(IntegerValues(len_in, &len));
  GK_ASSIGN_OR_RETURN(const TensorShape shape,
                      BroadcastShapes(x.shape(), pos_in.shape()));
  Tensor* out;
  GK_RETURN_IF_ERROR(c.Allocate(0, DataType::kString, shape, &out));
  const std::string* const texts = x.data<std::string>();
  std::string* const parts = out->data<std::string>();
  Status status;
  std::vector<size_t> starts;
  VisitBroadcast(
      x.shape(), pos_in.shape(), shape, [&](int64_t i, int64_t k, int64_t p) {
        if (!status.ok()) return;
        const std::string& s = texts[k];
        if (characters) FindCharacterStarts(s, &starts);
        const int64_t size =
            static_cast<int64_t>(characters ? starts.size() - 1 : s.size());
        if (pos[p] < -size || pos[p] > size) {
          status =
              characters
                  ? InvalidArgument(
                        "pos {} out of range for string at index {}", pos[p], i)
                  : InvalidArgument(
                        "pos {} out of range for string b'{}' at index {}",
                        pos[p], s, i);
          return;
        }
        const int64_t first = pos[p] < 0 ? pos[p] + size : pos[p];
        // A negative length reaches to the end in bytes, and is none in
        // characters.
        const int64_t none = characters ? 0 : size - first;
        const int64_t n = len[p] < 0 ? none : std::min(len[p], size - first);
        const size_t begin = characters ? starts[first] : first;
        const size_t end = characters ? starts[first + n] : first + n;
        CountText(end - begin);
        PutText(std::string_view(s).substr(begin, end - begin), &parts[i]);
      });
  return status;
}

// ---- ReduceJoin ----

Status CheckReducedDim(int64_t dim, int rank, std::vector<bool>* reduced,
                       int* at) {
  *at = NormalAxis(dim, rank);
  if (*at < 0) {
    return OutOfRange(
        "Invalid reduction dimension {} for input with {} dimension(s)", dim,
        rank);
  }
  if ((*reduced)[*at]) {
    return InvalidArgument("Duplicate reduction dimension {}", *at);
  }
  (*reduced)[*at] = true;
  return OkStatus();
}

Status ReduceJoinShape(InferenceContext& c) {
  const PartialTensorShape& x = c.input(0);
  auto dims = c.ValueAsInts(1);
  if (x.unknown_rank()) return OkStatus();
  const bool keep = c.attr<bool>("keep_dims");
  if (!dims) {
    if (keep) c.set_output(0, PartialTensorShape::UnknownOfRank(x.rank()));
    return OkStatus();
  }
  std::vector<bool> reduced(x.rank());
  for (int64_t d : *dims) {
    const int at = NormalAxis(d, x.rank());
    if (at < 0) {
      return InvalidArgument(
          "Invalid reduction dimension {} for input with {} dimension(s)", d,
          x.rank());
    }
    reduced[at] = true;
  }
  PartialTensorShape out = PartialTensorShape::UnknownOfRank(0);
  for (int i = 0; i < x.rank(); ++i) {
    if (!reduced[i]) {
      out.AddDim(x.dim(i));
    } else if (keep) {
      out.AddDim(1);
    }
  }
  c.set_output(0, std::move(out));
  return OkStatus();
}

Status ComputeReduceJoin(KernelContext& c) {
  const Tensor& x = c.input(0);
  const std::string& separator = c.attr<std::string>("separator");
  std::vector<int64_t> dims;
  GK_RETURN_IF_ERROR(IntegerValues(c.input(1), &dims));
  std::vector<bool> reduced(x.rank());
  std::vector<int> axes;
  for (int64_t d : dims) {
    int at;
    GK_RETURN_IF_ERROR(CheckReducedDim(d, x.rank(), &reduced, &at));
    axes.push_back(at);
  }
  const auto strides = StridesOf(x.shape());
  InlinedVector<int64_t, 8> out_dims;
  std::vector<int> kept;
  for (int i = 0; i < x.rank(); ++i) {
    if (!reduced[i]) {
      kept.push_back(i);
      out_dims.push_back(x.dim(i));
    } else if (c.attr<bool>("keep_dims")) {
      out_dims.push_back(1);
    }
  }
  GK_ASSIGN_OR_RETURN(TensorShape shape, TensorShape::Make(out_dims));
  Tensor* out;
  GK_RETURN_IF_ERROR(c.Allocate(0, DataType::kString, shape, &out));
  int64_t count = 1;
  for (int axis : axes) count = MultiplyWithoutOverflow(count, x.dim(axis));
  TurnPoll poll;
  for (int64_t i = 0; i < shape.num_elements(); ++i) {
    poll();
    int64_t base = 0, rest = i;
    for (size_t k = kept.size(); k-- > 0;) {
      base += rest % x.dim(kept[k]) * strides[kept[k]];
      rest /= x.dim(kept[k]);
    }
    std::string joined;
    for (int64_t j = 0; j < count; ++j) {
      // The dimension named first is the innermost one.
      int64_t at = base, place = j;
      for (int axis : axes) {
        at += place % x.dim(axis) * strides[axis];
        place /= x.dim(axis);
      }
      if (j > 0) joined += separator;
      const std::string& part = x.data<std::string>()[at];
      CountText(separator.size() + part.size());
      joined += part;
    }
    out->data<std::string>()[i] = std::move(joined);
  }
  return OkStatus();
}

// ---- StringSplitV2 ----

Status SplitShape(InferenceContext& c) {
  PartialTensorShape s;
  GK_RETURN_IF_ERROR(c.WithRank(0, 1, &s));
  GK_RETURN_IF_ERROR(c.WithRank(1, 0, &s));
  c.set_output(0, {kUnknownDim, 2});
  c.set_output(1, {kUnknownDim});
  c.set_output(2, {2});
  return OkStatus();
}

// Runs of white space separate; those at the ends do not count.
template <class Emit>
void SplitAtSpaces(std::string_view s, int64_t maxsplit, Emit emit) {
  const auto is_space = [](char c) {
    return c == ' ' || static_cast<uint8_t>(c - '\t') <= '\r' - '\t';
  };
  const auto length_of = [&](bool spaces) {
    size_t n = 0;
    while (n < s.size() && is_space(s[n]) == spaces) ++n;
    return n;
  };
  const auto skip = [&] { s.remove_prefix(length_of(true)); };
  skip();
  for (int64_t splits = 1; !s.empty(); ++splits) {
    const size_t n = length_of(false);
    emit(s.substr(0, n));
    s.remove_prefix(n);
    skip();
    if (splits == maxsplit) {
      emit(s);
      return;
    }
  }
}

template <class Emit>
void SplitAt(std::string_view separator, std::string_view s, int64_t maxsplit,
             Emit emit) {
  for (int64_t splits = 0; splits != maxsplit; ++splits) {
    const size_t n = s.find(separator);
    if (n == std::string_view::npos) break;
    emit(s.substr(0, n));
    s.remove_prefix(n + separator.size());
  }
  emit(s);
}

Status ComputeSplit(KernelContext& c) {
  const Tensor &x = c.input(0), &separator = c.input(1);
  if (x.rank() != 1) {
    return InvalidArgument("input must be a vector, got shape: {}",
                           x.shape().DebugString());
  }
  if (separator.rank() != 0) {
    return InvalidArgument("sep must be a scalar, got shape: {}",
                           separator.shape().DebugString());
  }
  GK_RETURN_IF_ERROR(CheckInt32Attrs(c.attrs(), {"maxsplit"}));
  const int64_t maxsplit = std::max<int64_t>(c.attr<int64_t>("maxsplit"), -1);
  const std::string& sep = separator.scalar<std::string>();
  return OutputPieces(c, x, [&](std::string_view text, auto emit) {
    if (maxsplit == 0) {
      emit(text);
    } else if (sep.empty()) {
      SplitAtSpaces(text, maxsplit, emit);
    } else {
      SplitAt(sep, text, maxsplit, emit);
    }
  });
}

const OpRecord kRecords[] = {
    {.name = "Substr",
     .inputs = "input: string; pos: T; len: T",
     .outputs = "output: string",
     .attrs = "T: type in [int32, int64]; unit: string in [BYTE, UTF8_CHAR] = "
              "'BYTE'",
     .traits = kNoGradient | kElementwise,
     .shape = SubstrShape,
     .kernel = {.compute = ComputeSubstr},
     .python = {.names = "strings.substr"},
     .doc = "The parts of strings that begin at pos and are at most len long; "
            "negative positions count from the end.",
     .example = ">>> tf.strings.substr('Hello', 1, 3).numpy()\nb'ell'"},

    {.name = "ReduceJoin",
     .inputs = "inputs: string; reduction_indices: int32",
     .outputs = "output: string",
     .attrs = "keep_dims: bool = False; separator: string = ''",
     .traits = kNoGradient,
     .shape = ReduceJoinShape,
     .kernel = {.compute = ComputeReduceJoin},
     .doc = "Strings joined along dimensions, the one named first innermost."},

    {.name = "StringSplitV2",
     .inputs = "input: string; sep: string",
     .outputs = "indices: int64; values: string; shape: int64",
     .attrs = "maxsplit: int = -1",
     .traits = kNoGradient,
     .shape = SplitShape,
     .kernel = {.compute = ComputeSplit},
     .doc = "Strings split at sep, or at white space if it is empty, as the "
            "parts of a sparse matrix."},
};

}  // namespace

GK_REGISTER_OPS(string_parts)

}  // namespace gk
