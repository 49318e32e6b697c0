// TensorSlice: a box of a larger tensor, as parts of partitioned variables are
// written: "0,5:-" is rows 0 to 4 and all columns.
#ifndef GK_CHECKPOINT_TENSOR_SLICE_H_
#define GK_CHECKPOINT_TENSOR_SLICE_H_

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/status.h"
#include "framework/tensor.h"
#include "proto/tensor.gk.h"

namespace gk {

struct TensorSlice {
  struct Extent {
    int64_t start = 0;
    int64_t length = -1;  // all that there is
    friend bool operator==(const Extent&, const Extent&) = default;
  };
  std::vector<Extent> extents;

  // All of a tensor of that rank.
  static TensorSlice Whole(int rank) {
    return {std::vector<Extent>(static_cast<size_t>(rank))};
  }
  // "0,5:-"; InvalidArgument for anything else.
  static StatusOr<TensorSlice> Parse(std::string_view text);
  static StatusOr<TensorSlice> FromProto(const proto::TensorSliceProto& proto);
  proto::TensorSliceProto ToProto() const;
  std::string DebugString() const;

  bool IsFull() const;
  // InvalidArgument unless it lies within `full`.
  Status CheckWithin(const TensorShape& full) const;
  // The shape of the part, of a slice within `full`.
  TensorShape ShapeIn(const TensorShape& full) const;
  int64_t LengthIn(const TensorShape& full, int d) const {
    return extents[d].length < 0 ? full.dim(d) : extents[d].length;
  }
  // Under which the part of tensor `name` stands in an index: the bytes sort
  // as name and numbers do (TensorFlow's ordered code).
  std::string Key(std::string_view name) const;

  friend bool operator==(const TensorSlice&, const TensorSlice&) = default;
};

// "10 20 0,5:-": the whole shape and the part. An empty text is the whole
// tensor: false.
struct SliceOfShape {
  TensorShape full;
  TensorSlice slice;
};
StatusOr<bool> ParseShapeAndSlice(std::string_view text, SliceOfShape* out);

// What is to be written: a part of a tensor of shape `full`, or all of it.
struct SliceToWrite {
  std::string name;
  TensorShape full;
  TensorSlice slice;
  Tensor value;
};

// Of a tensor's value and such a text.
StatusOr<SliceToWrite> PartBySpec(std::string name, std::string_view spec,
                                  Tensor value);
// The text of that of a part; "" of all of a scalar.
std::string ShapeAndSlice(const SliceToWrite& part);

// One of these slices within `full` that has an element of another one, too;
// null if there is none.
const TensorSlice* FindOverlap(const TensorShape& full,
                               std::span<const TensorSlice> slices);

// Copies the part between a whole tensor and one of the part's shape.
enum class SliceCopy { kIntoWhole, kOutOfWhole };
void CopySlice(const TensorSlice& slice, SliceCopy direction, Tensor* whole,
               Tensor* part);

}  // namespace gk

#endif  // GK_CHECKPOINT_TENSOR_SLICE_H_
