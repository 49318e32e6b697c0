// Pictures as functions of tf.image take them: [height, width, channels], or a
// batch of such, with sizes that may be numbers or tensors.
//
// Tensors are made by the current builder; functions throw Error.
#ifndef GK_OPS_COMPOSITION_PICTURE_H_
#define GK_OPS_COMPOSITION_PICTURE_H_

#include <string>
#include <string_view>
#include <vector>

#include "ops/composition.h"

namespace gk {

// A size: a number, or an int32 scalar whose value only a run knows.
struct Count {
  int64_t value = 0;
  Tensor tensor;  // null: the number

  Count(int64_t v = 0) : value(v) {}
  explicit Count(Tensor t) : tensor(std::move(t)) {}
  bool known() const { return !tensor; }
  Tensor AsTensor() const;
  // For a static shape.
  int64_t dim() const { return known() ? value : kUnknownDim; }
};
Count operator+(const Count& a, const Count& b);
Count operator-(const Count& a, const Count& b);
Count Larger(const Count& a, const Count& b);
Count Smaller(const Count& a, const Count& b);
// The half, rounded down.
Count HalfOf(const Count& a);
// Argument i, of kind native.
Count CountArgument(const CompositionCall& c, int i);
// a >= b, or ValueError with the text; where a run alone knows, an Assert.
void RequireAtLeast(const Count& a, const Count& b, const std::string& text);
// An int32 vector.
Tensor Axes(const std::vector<int64_t>& axes);
// The same of counts.
Tensor CountVector(const std::vector<Count>& counts);

// Fails with the text when a graph runs, or now.
void Require(const Tensor& condition, const std::string& text);

// Dimension i of a tensor of known rank.
Count DimOf(const Tensor& x, int i);
// The last n sizes of a tensor whose rank may be unknown; the sizes before.
Tensor LastSizes(const Tensor& x, int64_t n);
Tensor FirstSizes(const Tensor& x, int64_t last);

// What is known of a tensor's shape becomes known in its graph, too.
void TellShape(const Tensor& x, const PartialTensorShape& shape);

// Rank 3 or more, and no size of the last three 0.
void CheckSpace(const Tensor& image);
// ValueError unless of rank 3, 4 or unknown.
void CheckRank3Or4(const Tensor& image);

// A picture as a batch of one; a batch as it is.
struct PictureBatch {
  Tensor images;
  bool single = false;

  Tensor Back(const Tensor& result) const;
};
PictureBatch BatchOf(const Tensor& image);

// Pictures of another dtype, scaled so that the greatest number of an integer
// type stands for 1.
Tensor ConvertPicture(const Tensor& image, DataType dtype, bool saturate);
// As float32, unless of half or float32.
Tensor AsFloatPicture(const Tensor& image);

// The four edges of boxes that functions here move pictures to.
Tensor PadPicture(const Tensor& image, const Count& top, const Count& left,
                  const Count& height, const Count& width);
Tensor CropPicture(const Tensor& image, const Count& top, const Count& left,
                   const Count& height, const Count& width);

}  // namespace gk

#endif  // GK_OPS_COMPOSITION_PICTURE_H_
