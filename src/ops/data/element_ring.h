// The elements of a shuffle buffer: the first in is the next to go, or another
// takes its turn. Small elements of one kind lie in rows, not in tensors of
// their own, which would take more memory and time than they do; larger ones,
// and those that differ, stay as they came.
//
// Not thread-safe.
#ifndef GK_OPS_DATA_ELEMENT_RING_H_
#define GK_OPS_DATA_ELEMENT_RING_H_

#include <span>
#include <vector>

#include "data/dataset.h"

namespace gk {

class ElementRing {
 public:
  // For up to `capacity` elements; negative: for any number.
  explicit ElementRing(int64_t capacity);

  uint64_t size() const { return end_ - begin_; }
  // What all elements are where they lie in rows, as
  // DatasetIterator::RowsNow(); else null.
  const ElementSignature* rows() const {
    return columns_.empty() ? nullptr : &signature_;
  }

  // Adds the next element of `input`, unless that is at its end.
  Status Read(DatasetIterator& input, const CancellationToken* cancellation,
              bool* ended);
  // Takes element i of those that are there; the first takes its place.
  Status Draw(uint64_t i, TensorVector* element);
  // The same where rows() is not null, to row `to` of what is at rows[k].
  void DrawRow(uint64_t i, std::span<void* const> rows, int64_t to);

 private:
  // Component k of elements in rows: `stride` values each, in chunks.
  struct Column {
    DataType dtype;
    TensorShape shape;
    int64_t values;
    size_t bytes;
    std::vector<Tensor> chunks;
  };

  uint64_t SlotOf(uint64_t i) const {
    return capacity_ > 0 ? i % static_cast<uint64_t>(capacity_) : i;
  }
  char* At(const Column& c, uint64_t slot) const {
    return static_cast<char*>(c.chunks[slot >> chunk_bits_].raw_data()) +
           (slot & ((uint64_t{1} << chunk_bits_) - 1)) * c.bytes;
  }
  bool ShouldPack(const ElementSignature& e) const;
  // Elements are rows from now on.
  Status Pack(const ElementSignature& e);
  // No longer.
  Status Unpack();
  Status MakeRoom(uint64_t slot);
  Status Add(TensorVector element);
  StatusOr<TensorVector> Element(uint64_t slot) const;
  void MoveRow(const Column& c, void* from, void* to) const;

  const int64_t capacity_;
  uint64_t begin_ = 0, end_ = 0;
  std::vector<TensorVector> elements_;  // where they are not in rows
  bool may_pack_ = true;
  ElementSignature signature_;
  std::vector<Column> columns_;  // empty: not in rows
  int chunk_bits_ = 0;
  std::vector<void*> places_;
};

}  // namespace gk

#endif  // GK_OPS_DATA_ELEMENT_RING_H_
