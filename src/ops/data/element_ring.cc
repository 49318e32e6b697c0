#include "ops/data/element_ring.h"

#include <algorithm>
#include <bit>
#include <cstring>
#include <utility>

#include "framework/text_memory.h"

namespace gk {
namespace {

// Copying more costs more than a tensor of its own.
constexpr int64_t kMostBytes = 4096;
constexpr int64_t kChunkBytes = int64_t{64} << 10;

// In rows; 0 for what is no number and no string.
size_t BytesOf(DataType t) {
  if (t == DataType::kString) return sizeof(CountedString);
  if (t == DataType::kResource || t == DataType::kVariant) return 0;
  return static_cast<size_t>(DataTypeSize(t));
}

bool Same(const ElementSignature& a, const ElementSignature& b) {
  return a.types == b.types && a.shapes == b.shapes;
}

ElementSignature SignatureOf(const TensorVector& element) {
  ElementSignature made;
  for (const Tensor& t : element) {
    made.types.push_back(t.dtype());
    made.shapes.emplace_back(t.shape());
  }
  return made;
}

}  // namespace

ElementRing::ElementRing(int64_t capacity) : capacity_(capacity) {}

bool ElementRing::ShouldPack(const ElementSignature& e) const {
  if (!may_pack_ || !columns_.empty() || size() > 0 || e.types.empty()) {
    return false;
  }
  int64_t bytes = 0;
  for (size_t k = 0; k < e.types.size(); ++k) {
    const auto each = static_cast<int64_t>(BytesOf(e.types[k]));
    if (each == 0 || !e.shapes[k].IsFullyDefined()) return false;
    const int64_t n = e.shapes[k].num_elements();
    if (n > kMostBytes / each) return false;
    bytes += n * each;
  }
  return bytes > 0 && bytes <= kMostBytes;
}

Status ElementRing::Pack(const ElementSignature& e) {
  std::vector<Column> columns;
  size_t bytes = 0;
  for (size_t k = 0; k < e.types.size(); ++k) {
    GK_ASSIGN_OR_RETURN(TensorShape shape, e.shapes[k].AsTensorShape());
    const int64_t n = shape.num_elements();
    const size_t size = static_cast<size_t>(n) * BytesOf(e.types[k]);
    bytes += size;
    columns.push_back({e.types[k], std::move(shape), n, size, {}});
  }
  size_t rows = kChunkBytes / bytes;
  if (capacity_ > 0) rows = std::min(rows, static_cast<size_t>(capacity_));
  chunk_bits_ = std::bit_width(rows) - 1;
  signature_ = e;
  columns_ = std::move(columns);
  return OkStatus();
}

Status ElementRing::Unpack() {
  std::vector<TensorVector> elements(
      capacity_ > 0 ? std::min(end_, static_cast<uint64_t>(capacity_)) : end_);
  for (uint64_t i = begin_; i < end_; ++i) {
    GK_ASSIGN_OR_RETURN(elements[SlotOf(i)], Element(SlotOf(i)));
  }
  may_pack_ = false;
  columns_.clear();
  elements_ = std::move(elements);
  return OkStatus();
}

Status ElementRing::MakeRoom(uint64_t slot) {
  const uint64_t chunk = slot >> chunk_bits_;
  for (Column& c : columns_) {
    if (chunk < c.chunks.size()) continue;
    GK_ASSIGN_OR_RETURN(
        Tensor more,
        Tensor::Allocate(
            c.dtype, TensorShape({c.values * (int64_t{1} << chunk_bits_)})));
    c.chunks.push_back(std::move(more));
  }
  return OkStatus();
}

StatusOr<TensorVector> ElementRing::Element(uint64_t slot) const {
  TensorVector element;
  for (const Column& c : columns_) {
    GK_ASSIGN_OR_RETURN(Tensor t, Tensor::Allocate(c.dtype, c.shape));
    MoveRow(c, At(c, slot), t.raw_data());
    element.push_back(std::move(t));
  }
  return element;
}

void ElementRing::MoveRow(const Column& c, void* from, void* to) const {
  if (c.dtype == DataType::kString) {
    auto* const texts = static_cast<CountedString*>(from);
    std::move(texts, texts + c.values, static_cast<CountedString*>(to));
  } else {
    std::memcpy(to, from, c.bytes);
  }
}

Status ElementRing::Add(TensorVector element) {
  const ElementSignature what = SignatureOf(element);
  if (ShouldPack(what)) {
    GK_RETURN_IF_ERROR(Pack(what));
  } else if (!columns_.empty() && !Same(what, signature_)) {
    GK_RETURN_IF_ERROR(Unpack());
  }
  const uint64_t slot = SlotOf(end_);
  if (columns_.empty()) {
    if (slot >= elements_.size()) elements_.resize(slot + 1);
    elements_[slot] = std::move(element);
  } else {
    GK_RETURN_IF_ERROR(MakeRoom(slot));
    for (size_t k = 0; k < columns_.size(); ++k) {
      const Column& c = columns_[k];
      Tensor& t = element[k];
      if (c.dtype == DataType::kString && !t.IsExclusive()) {
        std::copy_n(static_cast<const CountedString*>(t.raw_data()), c.values,
                    reinterpret_cast<CountedString*>(At(c, slot)));
      } else {
        MoveRow(c, t.raw_data(), At(c, slot));
      }
    }
  }
  ++end_;
  return OkStatus();
}

Status ElementRing::Read(DatasetIterator& input,
                         const CancellationToken* cancellation, bool* ended) {
  while (may_pack_) {
    const ElementSignature* const rows = input.RowsNow();
    if (rows == nullptr) break;
    if (ShouldPack(*rows)) GK_RETURN_IF_ERROR(Pack(*rows));
    if (columns_.empty() || !Same(*rows, signature_)) break;
    const uint64_t slot = SlotOf(end_);
    GK_RETURN_IF_ERROR(MakeRoom(slot));
    places_.clear();
    for (const Column& c : columns_) places_.push_back(At(c, slot));
    int64_t count = 0;
    const Status status =
        input.NextRows(cancellation, 1, places_, &count, ended);
    end_ += static_cast<uint64_t>(count);
    // None: its rows are to be asked for again.
    if (!status.ok() || *ended || count > 0) return status;
    GK_RETURN_IF_ERROR(CheckCancellation(cancellation));
  }
  TensorVector element;
  GK_RETURN_IF_ERROR(input.Next(cancellation, &element, ended));
  return *ended ? OkStatus() : Add(std::move(element));
}

Status ElementRing::Draw(uint64_t i, TensorVector* element) {
  const uint64_t first = SlotOf(begin_), chosen = SlotOf(begin_ + i);
  if (columns_.empty()) {
    *element = std::move(elements_[chosen]);
    if (chosen != first) elements_[chosen] = std::move(elements_[first]);
    ++begin_;
    return OkStatus();
  }
  GK_ASSIGN_OR_RETURN(*element, Element(chosen));
  if (chosen != first) {
    for (const Column& c : columns_) MoveRow(c, At(c, first), At(c, chosen));
  }
  ++begin_;
  return OkStatus();
}

void ElementRing::DrawRow(uint64_t i, std::span<void* const> rows, int64_t to) {
  const uint64_t first = SlotOf(begin_), chosen = SlotOf(begin_ + i);
  for (size_t k = 0; k < columns_.size(); ++k) {
    const Column& c = columns_[k];
    char* const from = At(c, chosen);
    MoveRow(c, from,
            static_cast<char*>(rows[k]) + static_cast<size_t>(to) * c.bytes);
    if (chosen != first) MoveRow(c, At(c, first), from);
  }
  ++begin_;
}

}  // namespace gk
