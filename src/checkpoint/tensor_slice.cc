#include "checkpoint/tensor_slice.h"

#include <algorithm>
#include <charconv>
#include <cstring>
#include <optional>
#include <set>

namespace gk {
namespace {

std::optional<int64_t> SliceNumber(std::string_view text) {
  int64_t value = 0;
  const char* end = text.data() + text.size();
  const auto [stop, error] = std::from_chars(text.data(), end, value);
  if (error != std::errc() || stop != end || value < 0) return std::nullopt;
  return value;
}

// The text up to `separator`, taken off its front.
std::string_view TakePiece(std::string_view* text, char separator) {
  const size_t at = text->find(separator);
  const std::string_view piece = text->substr(0, at);
  *text = at == text->npos ? std::string_view() : text->substr(at + 1);
  return piece;
}

// Numbers whose bytes sort as they do: the count of bytes, then the bytes.
void AppendOrdered(uint64_t value, std::string* out) {
  std::string bytes;
  for (; value > 0; value >>= 8) {
    bytes.insert(bytes.begin(), static_cast<char>(value));
  }
  out->push_back(static_cast<char>(bytes.size()));
  *out += bytes;
}

// Likewise with a sign: the length is told by leading ones, flipped if
// negative.
void AppendOrderedSigned(int64_t value, std::string* out) {
  int bits = 0;
  for (uint64_t rest = value < 0 ? ~static_cast<uint64_t>(value) : value;
       rest > 0; rest >>= 1) {
    ++bits;
  }
  const int length = bits / 7 + 1;
  unsigned char bytes[10];
  std::memset(bytes, value < 0 ? 0xff : 0, sizeof(bytes));
  for (int i = 0; i < 8; ++i) {
    bytes[9 - i] = static_cast<unsigned char>(value >> (8 * i));
  }
  unsigned char* begin = bytes + 10 - length;
  const unsigned header = 0xffff0000u >> length;  // `length` ones on top
  begin[0] ^= static_cast<unsigned char>(header >> 8);
  if (length > 1) begin[1] ^= static_cast<unsigned char>(header);
  out->append(reinterpret_cast<const char*>(begin), length);
}

template <class T>
void CopyRuns(const TensorSlice& slice, SliceCopy direction, Tensor* whole,
              Tensor* part, T* in_whole, T* in_part, int64_t size) {
  const TensorShape& full = whole->shape();
  const int rank = full.rank();
  const int64_t run = (rank == 0 ? 1 : slice.LengthIn(full, rank - 1)) * size;
  const int64_t parts = part->num_elements();
  if (parts == 0) return;
  std::vector<int64_t> at(rank, 0);
  for (int64_t done = 0; done < parts * size; done += run) {
    int64_t offset = 0;
    for (int d = 0; d < rank; ++d) {
      offset = offset * full.dim(d) + at[d] + slice.extents[d].start;
    }
    T* const there = in_whole + offset * size;
    if (direction == SliceCopy::kIntoWhole) {
      std::copy_n(in_part + done, run, there);
    } else {
      std::copy_n(there, run, in_part + done);
    }
    for (int d = rank - 2; d >= 0; --d) {
      if (++at[d] < slice.LengthIn(full, d)) break;
      at[d] = 0;
    }
  }
}

}  // namespace

StatusOr<TensorSlice> TensorSlice::Parse(std::string_view text) {
  TensorSlice slice;
  const std::string_view all = text;
  const auto bad = [&] {
    return InvalidArgument(
        "Expected a slice as start,length or - for each dimension, separated "
        "by colons (\"0,5:-\"), got \"{}\"",
        all);
  };
  if (text.empty()) return slice;
  while (true) {
    const bool last = text.find(':') == text.npos;
    std::string_view piece = TakePiece(&text, ':');
    Extent extent;
    if (piece != "-") {
      const auto start = SliceNumber(TakePiece(&piece, ','));
      const auto length = SliceNumber(piece);
      if (!start || !length || *length == 0) return bad();
      extent = {*start, *length};
    }
    slice.extents.push_back(extent);
    if (slice.extents.size() > kMaxRank) return bad();
    if (last) return slice;
  }
}

StatusOr<TensorSlice> TensorSlice::FromProto(
    const proto::TensorSliceProto& proto) {
  TensorSlice slice;
  using Case = proto::TensorSliceProto_Extent::HasLengthHackCase;
  for (const auto& extent : proto.extent) {
    const bool sized = extent.has_length_hack_case == Case::kLength;
    if (extent.start < 0 || (sized && extent.length < 0) ||
        (!sized && extent.start != 0)) {
      return DataLoss("A slice starts at {} with length {}", extent.start,
                      extent.length);
    }
    slice.extents.push_back({extent.start, sized ? extent.length : -1});
  }
  return slice;
}

proto::TensorSliceProto TensorSlice::ToProto() const {
  proto::TensorSliceProto proto;
  for (const Extent& extent : extents) {
    auto& out = proto.extent.emplace_back();
    if (extent.length < 0) continue;
    out.start = extent.start;
    out.set_length(extent.length);
  }
  return proto;
}

std::string TensorSlice::DebugString() const {
  std::string text;
  for (const Extent& extent : extents) {
    if (!text.empty()) text += ':';
    text +=
        extent.length < 0 ? "-" : Format("{},{}", extent.start, extent.length);
  }
  return text;
}

bool TensorSlice::IsFull() const {
  return std::ranges::all_of(extents,
                             [](const Extent& e) { return e.length < 0; });
}

Status TensorSlice::CheckWithin(const TensorShape& full) const {
  bool fits = static_cast<int>(extents.size()) == full.rank();
  for (int d = 0; fits && d < full.rank(); ++d) {
    const Extent& e = extents[d];
    fits = e.length < 0
               ? e.start == 0
               : e.start <= full.dim(d) && e.length <= full.dim(d) - e.start;
  }
  if (fits) return OkStatus();
  return InvalidArgument("Slice \"{}\" is not within the shape {}",
                         DebugString(), full.DebugString());
}

TensorShape TensorSlice::ShapeIn(const TensorShape& full) const {
  TensorShape shape;
  for (int d = 0; d < full.rank(); ++d) shape.AddDim(LengthIn(full, d));
  return shape;
}

std::string TensorSlice::Key(std::string_view name) const {
  std::string key;
  AppendOrdered(0, &key);
  for (const char c : name) {
    key += c;
    if (c == '\0') key += '\xff';
    if (c == '\xff') key += '\0';
  }
  key += std::string_view("\0\1", 2);
  AppendOrdered(extents.size(), &key);
  for (const Extent& extent : extents) {
    AppendOrderedSigned(extent.start, &key);
    AppendOrderedSigned(extent.length, &key);
  }
  return key;
}

StatusOr<bool> ParseShapeAndSlice(std::string_view text, SliceOfShape* out) {
  if (text.empty()) return false;
  std::vector<std::string_view> words;
  for (std::string_view rest = text; !rest.empty();) {
    const std::string_view word = TakePiece(&rest, ' ');
    if (!word.empty()) words.push_back(word);
  }
  if (words.size() < 2) {
    return InvalidArgument(
        "Need least two elements in shape_and_slice specification: {}", text);
  }
  std::vector<int64_t> dims;
  for (size_t i = 0; i + 1 < words.size(); ++i) {
    const auto dim = SliceNumber(words[i]);
    if (!dim) {
      return InvalidArgument("Non numerical dimension in shape_and_slice: {}",
                             text);
    }
    dims.push_back(*dim);
  }
  GK_ASSIGN_OR_RETURN(out->full, TensorShape::Make(dims));
  GK_ASSIGN_OR_RETURN(out->slice, TensorSlice::Parse(words.back()));
  GK_RETURN_IF_ERROR(out->slice.CheckWithin(out->full));
  return true;
}

StatusOr<SliceToWrite> PartBySpec(std::string name, std::string_view spec,
                                  Tensor value) {
  SliceOfShape part;
  GK_ASSIGN_OR_RETURN(const bool is_part, ParseShapeAndSlice(spec, &part));
  if (!is_part) {
    part = {value.shape(), TensorSlice::Whole(value.shape().rank())};
  }
  return SliceToWrite{std::move(name), std::move(part.full),
                      std::move(part.slice), std::move(value)};
}

std::string ShapeAndSlice(const SliceToWrite& part) {
  std::string shape, slice;
  for (int d = 0; d < part.full.rank(); ++d) {
    shape += Format("{} ", part.full.dim(d));
    slice += Format("{}{},{}", d == 0 ? "" : ":", part.slice.extents[d].start,
                    part.slice.LengthIn(part.full, d));
  }
  return shape + slice;
}

const TensorSlice* FindOverlap(const TensorShape& full,
                               std::span<const TensorSlice> slices) {
  const int rank = full.rank();
  const auto end = [&](const TensorSlice& slice, int d) {
    return slice.extents[d].start + slice.LengthIn(full, d);
  };
  const auto overlap = [&](const TensorSlice& a, const TensorSlice& b) {
    for (int d = 0; d < rank; ++d) {
      if (a.extents[d].start >= end(b, d) || b.extents[d].start >= end(a, d)) {
        return false;
      }
    }
    return true;
  };
  // The dimension in which most places begin one: a file may have many slices.
  int along = 0;
  size_t most = 0;
  for (int d = 0; d < rank; ++d) {
    std::set<int64_t> starts;
    for (const TensorSlice& slice : slices) {
      starts.insert(slice.extents[d].start);
    }
    if (starts.size() > most) most = starts.size(), along = d;
  }
  // By where they begin: those that overlap one begin before it ends.
  const auto begin = [&](const TensorSlice* slice) {
    return rank == 0 ? 0 : slice->extents[along].start;
  };
  std::vector<const TensorSlice*> sorted;
  for (const TensorSlice& slice : slices) sorted.push_back(&slice);
  std::ranges::stable_sort(sorted, {}, begin);
  for (size_t i = 0; i < sorted.size(); ++i) {
    for (size_t j = i + 1; j < sorted.size(); ++j) {
      if (rank > 0 && begin(sorted[j]) >= end(*sorted[i], along)) break;
      if (overlap(*sorted[i], *sorted[j])) return sorted[j];
    }
  }
  return nullptr;
}

void CopySlice(const TensorSlice& slice, SliceCopy direction, Tensor* whole,
               Tensor* part) {
  if (whole->dtype() == DataType::kString) {
    CopyRuns(slice, direction, whole, part, whole->data<std::string>(),
             part->data<std::string>(), 1);
  } else {
    CopyRuns(
        slice, direction, whole, part, static_cast<char*>(whole->raw_data()),
        static_cast<char*>(part->raw_data()), DataTypeSize(whole->dtype()));
  }
}

}  // namespace gk
