// tf.strings: texts split into rows, matched, and made of code points.
#include <algorithm>
#include <vector>

#include "ops/composition.h"
#include "ops/dynamic_axes.h"
#include "ops/element_moves.h"
#include "ops/fn/AddV2.h"
#include "ops/fn/DecodePaddedRaw.h"
#include "ops/fn/DecodeRaw.h"
#include "ops/fn/Fingerprint.h"
#include "ops/fn/LowerBound.h"
#include "ops/fn/Mul.h"
#include "ops/fn/Range.h"
#include "ops/fn/RegexFullMatch.h"
#include "ops/fn/RegexReplace.h"
#include "ops/fn/Reshape.h"
#include "ops/fn/Shape.h"
#include "ops/fn/Slice.h"
#include "ops/fn/StaticRegexFullMatch.h"
#include "ops/fn/StaticRegexReplace.h"
#include "ops/fn/StringNGrams.h"
#include "ops/fn/StringSplit.h"
#include "ops/fn/StringSplitV2.h"
#include "ops/fn/UnicodeDecode.h"
#include "ops/fn/UnicodeDecodeWithOffsets.h"
#include "ops/fn/UnicodeEncode.h"

namespace gk {
namespace {

using Kind = RowsValue::Kind;
using Ints = std::vector<int64_t>;

Tensor WideInt(int64_t value) {
  return IntegerConstant(value, DataType::kInt64);
}
Tensor TextOf(const std::string& text) {
  return ValueOrThrow(OpBuilder::Current()->Constant(Tensor::Scalar(text), {}));
}
// An argument that is a text or a tensor of one.
Tensor TextArgument(const CompositionCall& c, int i) {
  const std::string* text = c.get<std::string>(i);
  return text != nullptr ? TextOf(*text) : c.tensor(i);
}

Tensor FlatStrings(const Tensor& t) {
  return ops::Reshape(t, IntegerVector(Ints{-1}));
}

// 0, step, ... n * step.
Tensor Steps(const Tensor& n, const Tensor& step) {
  const Tensor one = WideInt(1);
  // A step of 0 counts nothing, so the numbers are counted and stretched.
  return ops::Mul(ops::Range(WideInt(0), ops::AddV2(n, one), one), step);
}

// Values of rank 1 and the partitions that they lie in, as a composition gives
// them (function/ragged/ragged_parts.h).
struct Opened {
  Tensor flat;
  TensorVector partitions;
  bool is_scalar = false;
};

void CheckKind(const RowsValue& input) {
  if (input.kind == Kind::kSparse) {
    throw Error(TypeError("A SparseTensor cannot be converted to a Tensor."));
  }
}

// The dimensions of a tensor of known rank but the last `kept` ones, as
// partitions with rows of one length.
void OpenDense(const Tensor& t, int kept, Opened* opened) {
  const PartialTensorShape shape = t.partial_shape();
  const int rank = shape.rank();
  if (rank <= kept) return;
  const Tensor sizes = ops::Shape(t, DataType::kInt64);
  Tensor rows;
  for (int i = 0; i + kept < rank; ++i) {
    const auto size = [&](int k) {
      return shape.dim(k) >= 0
                 ? WideInt(shape.dim(k))
                 : ops::Reshape(ops::Slice(sizes, IndicesOf(Ints{k}),
                                           IndicesOf(Ints{1})),
                                IntegerVector(Ints{}));
    };
    rows = rows ? ops::Mul(rows, size(i)) : size(i);
    const Tensor splits = Steps(rows, size(i + 1));
    opened->partitions.push_back(
        opened->partitions.empty()
            ? splits
            : CastTo(splits, opened->partitions[0].dtype()));
    if (shape.dim(i + 1) >= 0) {
      opened->partitions.push_back(WideInt(shape.dim(i + 1)));
    }
  }
}

// All strings of an argument, one after the other. What is said of one of
// unknown rank; empty: it counts as a vector.
Opened Open(const RowsValue& input, std::string_view unknown) {
  CheckKind(input);
  int rank = input.values.partial_shape().rank();
  if (rank < 0) {
    if (!unknown.empty()) throw Error(ValueError("{}", unknown));
    rank = 1;
  }
  Opened opened;
  opened.partitions = input.places;
  opened.is_scalar = rank == 0;
  OpenDense(input.values, 1, &opened);
  opened.flat = rank == 1 ? input.values : FlatStrings(input.values);
  return opened;
}

// Values made of the opened ones, in one more partition.
TensorVector Closed(const Opened& opened, const Tensor& values,
                    const Tensor& splits) {
  TensorVector parts{values};
  if (opened.is_scalar) return parts;
  parts.insert(parts.end(), opened.partitions.begin(), opened.partitions.end());
  const DataType type =
      opened.partitions.empty() ? splits.dtype() : opened.partitions[0].dtype();
  parts.push_back(CastTo(splits, type));
  return parts;
}

// Where the rows begin of which a sparse matrix tells the place of each value.
Tensor SplitsOf(const Tensor& indices, const Tensor& dense_shape) {
  const auto column = [&](const Tensor& from, const Ints& begin,
                          const Ints& size, const Ints& shape) {
    return ops::Reshape(ops::Slice(from, IndicesOf(begin), IndicesOf(size)),
                        IntegerVector(shape));
  };
  const Tensor ids = column(indices, {0, 0}, {-1, 1}, {1, -1});
  const Tensor rows = column(dense_shape, {0}, {1}, {});
  const Tensor one = WideInt(1);
  const Tensor places = ops::Range(WideInt(0), ops::AddV2(rows, one), one);
  const Tensor splits = ops::LowerBound(
      ids, ops::Reshape(places, IntegerVector(Ints{1, -1})), DataType::kInt64);
  return FlatStrings(splits);
}

constexpr std::string_view kUnknownRank =
    "input must have a statically-known rank.";

TensorVector SplitStrings(CompositionCall& c) {
  const Opened in = Open(c.rows(0), {});
  const Tensor sep = c.has(1) ? TextArgument(c, 1) : TextOf("");
  const TensorVector made = ops::StringSplitV2(in.flat, sep, c.integer(2));
  return Closed(in, made[1], SplitsOf(made[0], made[2]));
}

TensorVector BytesSplit(CompositionCall& c) {
  const Opened in = Open(c.rows(0), kUnknownRank);
  const TensorVector made = ops::StringSplit(in.flat, TextOf(""), false);
  return Closed(in, made[1], SplitsOf(made[0], made[2]));
}

// ---- Code points ----

constexpr std::string_view kUnknownInput =
    "Rank of `input` must be statically known.";

struct Decoding {
  std::string encoding, errors;
  int64_t replacement;
  bool controls;
};

Decoding DecodingOf(const CompositionCall& c, bool with_controls) {
  return {c.text(1), c.text(2), c.integer(3), with_controls && c.flag(4)};
}

TensorVector Decoded(const Tensor& flat, const Decoding& d, bool offsets) {
  return offsets ? ops::UnicodeDecodeWithOffsets(flat, d.encoding, d.errors,
                                                 d.replacement, d.controls)
                 : ops::UnicodeDecode(flat, d.encoding, d.errors, d.replacement,
                                      d.controls);
}

TensorVector DecodeRows(CompositionCall& c) {
  const Opened in = Open(c.rows(0), kUnknownInput);
  const TensorVector made = Decoded(in.flat, DecodingOf(c, true), false);
  return Closed(in, made[1], made[0]);
}

TensorVector Both(const TensorVector& first, const TensorVector& second) {
  TensorVector all = first;
  all.insert(all.end(), second.begin(), second.end());
  return all;
}

TensorVector DecodeRowsWithOffsets(CompositionCall& c) {
  const Opened in = Open(c.rows(0), kUnknownInput);
  const TensorVector made = Decoded(in.flat, DecodingOf(c, true), true);
  return Both(Closed(in, made[1], made[0]), Closed(in, made[2], made[0]));
}

// A text of each code point.
Tensor Characters(const Tensor& codes, const Decoding& d) {
  const Tensor n =
      ops::Reshape(ops::Shape(codes, DataType::kInt64), IntegerVector(Ints{}));
  return ops::UnicodeEncode(codes, Steps(n, WideInt(1)), d.encoding, d.errors,
                            d.replacement);
}

TensorVector SplitCharacters(CompositionCall& c) {
  const Opened in = Open(c.rows(0), kUnknownInput);
  const Decoding d = DecodingOf(c, false);
  const TensorVector made = Decoded(in.flat, d, false);
  return Closed(in, Characters(made[1], d), made[0]);
}

TensorVector SplitCharactersWithOffsets(CompositionCall& c) {
  const Opened in = Open(c.rows(0), kUnknownInput);
  const Decoding d = DecodingOf(c, false);
  const TensorVector made = Decoded(in.flat, d, true);
  return Both(Closed(in, Characters(made[1], d), made[0]),
              Closed(in, made[2], made[0]));
}

TensorVector EncodeRows(CompositionCall& c) {
  const RowsValue& input = c.rows(0);
  CheckKind(input);
  const Tensor& values = input.values;
  const PartialTensorShape shape = values.partial_shape();
  const int rank = shape.rank();
  if (rank < 0) {
    throw Error(ValueError("Rank of input_tensor must be statically known."));
  }
  if (rank == 0) {
    throw Error(ValueError("input_tensor's rank must be at least 1."));
  }
  const auto encoded = [&](const Tensor& codes, const Tensor& splits) {
    return ops::UnicodeEncode(codes, splits, c.text(1), c.text(2),
                              c.integer(3));
  };
  if (rank == 1 && input.kind == Kind::kRagged) {
    TensorVector parts{encoded(values, input.places.back())};
    parts.insert(parts.end(), input.places.begin(), input.places.end() - 1);
    return parts;
  }
  // The last dimension of a tensor.
  Opened in;
  OpenDense(values, 1, &in);
  const Tensor sizes = ops::Shape(values, DataType::kInt64);
  const Tensor one = WideInt(1);
  Tensor splits;
  if (rank == 1) {
    splits = ops::Mul(ops::Range(WideInt(0), WideInt(2), one),
                      ops::Reshape(sizes, IntegerVector(Ints{})));
  } else {
    splits = in.partitions.back().partial_shape().rank() == 0
                 ? in.partitions[in.partitions.size() - 2]
                 : in.partitions.back();
  }
  const Tensor texts =
      encoded(rank == 1 ? values : FlatStrings(values), splits);
  TensorVector parts{ops::Reshape(texts, AllButLast(sizes))};
  parts.insert(parts.end(), input.places.begin(), input.places.end());
  return parts;
}

// ---- N-grams ----

struct Pads {
  std::string left, right;
  int64_t width = 0;
};

Pads PadsOf(const CompositionCall& c) {
  Pads pads;
  if (c.has(3)) {
    const Tensor known = KnownValue(c.tensor(3));
    if (!known || known.dtype() != DataType::kString ||
        !(known.rank() == 0 || known.num_elements() >= 2)) {
      throw Error(
          TypeError("pad_values must be a string, tuple of strings, or None."));
    }
    pads.left = known.data<std::string>()[0];
    pads.right = known.data<std::string>()[known.rank() == 0 ? 0 : 1];
    pads.width = -1;
  }
  if (c.has(4)) {
    pads.width = c.integer(4);
    if (pads.width < 1) {
      throw Error(ValueError("padding_width must be greater than 0."));
    }
    if (!c.has(3)) {
      throw Error(
          ValueError("pad_values must be provided if padding_width is set."));
    }
  }
  return pads;
}

TensorVector NGrams(CompositionCall& c) {
  const RowsValue& data = c.rows(0);
  CheckKind(data);
  const Pads pads = PadsOf(c);
  for (const int64_t width : c.ints(1)) {
    if (width < 1) {
      throw Error(
          ValueError("All ngram_widths must be greater than 0. Got {}", width));
    }
  }
  const auto grams = [&](const Tensor& flat, const Tensor& splits) {
    return ops::StringNGrams(flat, splits, c.text(2), c.ints(1), pads.left,
                             pads.right, pads.width, c.flag(5));
  };
  if (data.kind == Kind::kRagged) {
    const TensorVector made = grams(data.values, data.places.back());
    TensorVector parts{made[0]};
    parts.insert(parts.end(), data.places.begin(), data.places.end() - 1);
    parts.push_back(made[1]);
    return parts;
  }
  const int rank = data.values.partial_shape().rank();
  if (rank < 0) throw Error(ValueError("Rank of data must be known."));
  if (rank == 0) throw Error(ValueError("Data must have rank>0"));
  const Tensor sizes = ops::Shape(data.values, DataType::kInt64);
  if (rank == 1) {
    const Tensor splits =
        ops::Mul(ops::Range(WideInt(0), WideInt(2), WideInt(1)),
                 ops::Reshape(sizes, IntegerVector(Ints{})));
    return {grams(data.values, splits)[0]};
  }
  Opened in;
  OpenDense(data.values, 1, &in);
  const Tensor splits = in.partitions.back().partial_shape().rank() == 0
                            ? in.partitions[in.partitions.size() - 2]
                            : in.partitions.back();
  const TensorVector made = grams(FlatStrings(data.values), splits);
  return {ops::Reshape(
      made[0],
      Joined({AllButLast(sizes), IntegerVector(Ints{-1}, DataType::kInt64)}))};
}

// ---- Regular expressions ----

TensorVector FullMatch(CompositionCall& c) {
  if (const std::string* pattern = c.get<std::string>(1)) {
    return {ops::StaticRegexFullMatch(OpName(c.name()), c.tensor(0), *pattern)};
  }
  return {ops::RegexFullMatch(OpName(c.name()), c.tensor(0), c.tensor(1))};
}

TensorVector Replace(CompositionCall& c) {
  const std::string* pattern = c.get<std::string>(1);
  const std::string* rewrite = c.get<std::string>(2);
  if (pattern != nullptr && rewrite != nullptr) {
    return {ops::StaticRegexReplace(OpName(c.name()), c.tensor(0), *pattern,
                                    *rewrite, c.flag(3))};
  }
  return {ops::RegexReplace(OpName(c.name()), c.tensor(0), TextArgument(c, 1),
                            TextArgument(c, 2), c.flag(3))};
}

TensorVector FingerprintOf(CompositionCall& c) {
  return {ops::Fingerprint(OpName(c.name()), c.tensor(0), TextArgument(c, 1))};
}

TensorVector RawNumbers(CompositionCall& c) {
  if (!c.has(3)) {
    return {
        ops::DecodeRaw(OpName(c.name()), c.tensor(0), c.type(1), c.flag(2))};
  }
  return {
      ops::DecodePaddedRaw(OpName(c.name()), c.tensor(0),
                           ArgumentAs(c, 3, DataType::kInt32, "fixed_length"),
                           c.type(1), c.flag(2))};
}

#define ENCODING_DOC                                                          \
  "\n\nArgs:\n  input_encoding: as 'UTF-8', 'UTF-16-BE'.\n  errors: what is " \
  "done of bytes that are no character: 'replace', 'ignore' or 'strict', "    \
  "which raises InvalidArgumentError.\n  replacement_char: the code point "   \
  "that stands for them."

const CompositionRecord kRecords[] = {
    {.names = "strings.split",
     .args = "input: rows(string!); sep: native = None; maxsplit: int = -1",
     .scope = "StringSplit",
     .build = SplitStrings,
     .result = "RaggedTensor",
     .doc = "The parts of each string between separators, a ragged tensor with "
            "one dimension more; of one string a vector.\n\n"
            "Args:\n  sep: None or '' for runs of white space, which do not "
            "count at the ends.\n  maxsplit: separates so many times at most, "
            "if not -1.",
     .example = ">>> tf.strings.split(['a b', 'c']).to_list()\n"
                "[[b'a', b'b'], [b'c']]"},
    {.names = "strings.bytes_split",
     .args = "input: rows",
     .scope = "StringsByteSplit",
     .build = BytesSplit,
     .result = "RaggedTensor",
     .doc = "The bytes of each string, a ragged tensor with one dimension "
            "more; of one string a vector.",
     .example = ">>> tf.strings.bytes_split(['ab', 'c']).to_list()\n"
                "[[b'a', b'b'], [b'c']]"},
    {.names = "strings.unicode_decode",
     .args = "input: rows; input_encoding: string; errors: string = 'replace'; "
             "replacement_char: int = 65533; replace_control_characters: bool "
             "= False",
     .scope = "UnicodeDecode",
     .build = DecodeRows,
     .result = "RaggedTensor",
     .doc = "The code points of each string, a ragged tensor with one "
            "dimension more; of one string a vector." ENCODING_DOC
            "\n  replace_control_characters: replace those below 32, too.",
     .example = ">>> tf.strings.unicode_decode(['ab', 'c'], 'UTF-8').to_list()"
                "\n[[97, 98], [99]]"},
    {.names = "strings.unicode_decode_with_offsets",
     .args = "input: rows; input_encoding: string; errors: string = 'replace'; "
             "replacement_char: int = 65533; replace_control_characters: bool "
             "= False",
     .scope = "UnicodeDecodeWithOffsets",
     .build = DecodeRowsWithOffsets,
     .result = "RaggedTensors",
     .doc = "The code points of each string, and at which byte each one "
            "begins." ENCODING_DOC
            "\n  replace_control_characters: replace those below 32, too.",
     .example = ">>> tf.strings.unicode_decode_with_offsets('ab', 'UTF-8')[1]."
                "numpy().tolist()\n[0, 1]"},
    {.names = "strings.unicode_split",
     .args = "input: rows; input_encoding: string; errors: string = 'replace'; "
             "replacement_char: int = 65533",
     .scope = "UnicodeSplit",
     .build = SplitCharacters,
     .result = "RaggedTensor",
     .doc = "The characters of each string, a ragged tensor with one dimension "
            "more; of one string a vector." ENCODING_DOC,
     .example = ">>> tf.strings.unicode_split(['ab', 'c'], 'UTF-8').to_list()\n"
                "[[b'a', b'b'], [b'c']]"},
    {.names = "strings.unicode_split_with_offsets",
     .args = "input: rows; input_encoding: string; errors: string = 'replace'; "
             "replacement_char: int = 65533",
     .scope = "UnicodeSplitWithOffsets",
     .build = SplitCharactersWithOffsets,
     .result = "RaggedTensors",
     .doc = "The characters of each string, and at which byte each one "
            "begins." ENCODING_DOC,
     .example = ">>> tf.strings.unicode_split_with_offsets('ab', 'UTF-8')[0]."
                "numpy().tolist()\n[b'a', b'b']"},
    {.names = "strings.unicode_encode",
     .args = "input: rows; output_encoding: string; errors: string = "
             "'replace'; replacement_char: int = 65533",
     .scope = "UnicodeEncode",
     .build = EncodeRows,
     .result = "RaggedTensor",
     .doc = "A string of each row of code points.\n\n"
            "Args:\n  input: its last dimension are code points.\n"
            "  output_encoding: 'UTF-8', 'UTF-16-BE' or 'UTF-32-BE'.\n"
            "  errors: what is done of numbers that are no character: "
            "'replace', 'ignore' or 'strict', which raises "
            "InvalidArgumentError.\n"
            "  replacement_char: the code point that stands for them.",
     .example = ">>> tf.strings.unicode_encode([[97, 98], [99, 100]], 'UTF-8')."
                "numpy().tolist()\n[b'ab', b'cd']"},
    {.names = "strings.ngrams",
     .args = "data: rows(string!); ngram_width: ints; separator: string = ' '; "
             "pad_values: tensor? = None; padding_width: int = None; "
             "preserve_short_sequences: bool = False",
     .scope = "StringNGrams",
     .build = NGrams,
     .result = "RaggedTensor",
     .doc =
         "All neighbours along the last dimension, joined.\n\n"
         "Args:\n  ngram_width: how many are joined, or several such numbers.\n"
         "  pad_values: a string before and after each row, or two; None: "
         "nothing.\n"
         "  padding_width: how many of these, at most one less than are "
         "joined.\n"
         "  preserve_short_sequences: a row shorter than all widths gives one "
         "n-gram, of the whole row.",
     .example = ">>> tf.strings.ngrams(['a', 'b', 'c'], 2).numpy().tolist()\n"
                "[b'a b', b'b c']"},
    {.names = "strings.regex_full_match",
     .args = "input: tensor(string!); pattern: native",
     .scope = "StaticRegexFullMatch",
     .wraps_op = true,
     .maps = 1,
     .build = FullMatch,
     .doc = "Does the regular expression, in the syntax of RE2, match the "
            "whole of each string?",
     .example = ">>> tf.strings.regex_full_match(['a1', 'a'], 'a[0-9]').numpy()"
                ".tolist()\n[True, False]"},
    {.names = "strings.regex_replace",
     .args = "input: tensor(string!); pattern: native; rewrite: native; "
             "replace_global: "
             "bool = True",
     .scope = "StaticRegexReplace",
     .wraps_op = true,
     .maps = 1,
     .build = Replace,
     .doc = "Strings in which what the regular expression, in the syntax of "
            "RE2, matches is replaced.\n\n"
            "Args:\n  rewrite: what by; a backslash and a digit stand for a "
            "group of the match, 0 for all of it.\n"
            "  replace_global: every match, not the first one only.",
     .example = ">>> tf.strings.regex_replace('a-b', '[a-z]', 'x').numpy()\n"
                "b'x-x'"},
    {.names = "io.decode_raw",
     .args = "input_bytes: tensor(string!); out_type: type; little_endian: "
             "bool = True; fixed_length: native = None",
     .scope = "DecodeRaw",
     .wraps_op = true,
     .build = RawNumbers,
     .doc = "The bytes of strings as numbers, in one dimension more.\n\n"
            "Args:\n  little_endian: does the lowest byte of a number come "
            "first?\n  fixed_length: so many bytes of each string, zeros where "
            "it is shorter; None: all strings have one length.",
     .example = ">>> tf.io.decode_raw(['abc'], tf.uint8).numpy().tolist()\n"
                "[[97, 98, 99]]"},
    {.names = "fingerprint",
     .args = "data: tensor; method: native = 'farmhash64'",
     .scope = "Fingerprint",
     .wraps_op = true,
     .build = FingerprintOf,
     .doc = "Eight bytes for each row of data, made of the bytes in it.",
     .example = ">>> tf.fingerprint(['a']).numpy().tolist()\n"
                "[[227, 117, 223, 182, 101, 66, 69, 179]]"},
};

}  // namespace

GK_REGISTER_COMPOSITIONS(composition_strings)

}  // namespace gk
