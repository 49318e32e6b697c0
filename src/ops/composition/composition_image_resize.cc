// tf.image: pictures of another size.
#include <algorithm>
#include <cmath>
#include <string>
#include <utility>
#include <vector>

#include "ops/composition/picture.h"
#include "ops/fn/Cast.h"
#include "ops/fn/Fill.h"
#include "ops/fn/Floor.h"
#include "ops/fn/Maximum.h"
#include "ops/fn/Minimum.h"
#include "ops/fn/Mul.h"
#include "ops/fn/Pack.h"
#include "ops/fn/RealDiv.h"
#include "ops/fn/Reshape.h"
#include "ops/fn/Round.h"
#include "ops/fn/Shape.h"
#include "ops/fn/Slice.h"
#include "ops/fn/Sub.h"
#include "ops/with_attrs/ResizeArea.h"
#include "ops/with_attrs/ResizeBicubic.h"
#include "ops/with_attrs/ResizeBilinear.h"
#include "ops/with_attrs/ResizeNearestNeighbor.h"
#include "ops/with_attrs/ScaleAndTranslate.h"

namespace gk {
namespace {

using Ints = std::vector<int64_t>;

OpAttrs Centers() {
  AttrMap attrs;
  attrs.Set("half_pixel_centers", true);
  return OpAttrs(std::move(attrs));
}

Tensor Scaled(const Tensor& images, const Tensor& size,
              const std::string& kernel, bool antialias) {
  const Tensor old = ops::Slice(ops::Shape(images), Axes({1}), Axes({2}));
  const Tensor scale = ops::RealDiv(ops::Cast(size, DataType::kFloat),
                                    ops::Cast(old, DataType::kFloat));
  AttrMap attrs;
  attrs.Set("kernel_type", kernel);
  attrs.Set("antialias", antialias);
  const Tensor nowhere = ops::Fill(Axes({2}), NumberOf(0, DataType::kFloat));
  return ops::ScaleAndTranslate(OpAttrs(std::move(attrs)), images, size, scale,
                                nowhere);
}

Tensor ResizedBy(const std::string& method, bool antialias,
                 const Tensor& images, const Tensor& size) {
  if (method == "bilinear") {
    return antialias ? Scaled(images, size, "triangle", true)
                     : ops::ResizeBilinear(Centers(), images, size);
  }
  if (method == "nearest") {
    return ops::ResizeNearestNeighbor(Centers(), images, size);
  }
  if (method == "bicubic") {
    return antialias ? Scaled(images, size, "keyscubic", true)
                     : ops::ResizeBicubic(Centers(), images, size);
  }
  if (method == "area") {
    return ops::ResizeArea(OpAttrs(AttrMap()), images, size);
  }
  for (const char* kernel :
       {"lanczos3", "lanczos5", "gaussian", "mitchellcubic"}) {
    if (method == kernel) return Scaled(images, size, method, antialias);
  }
  throw Error(ValueError("Resize method is not implemented: {}", method));
}

Tensor FloatOf(const Count& n) {
  return n.known() ? NumberOf(static_cast<double>(n.value), DataType::kFloat)
                   : ops::Cast(n.tensor, DataType::kFloat);
}

Count Element(const Tensor& size, int i) {
  if (const auto known = KnownInts(size)) return Count(known->at(i));
  return Count(ops::Reshape(ops::Slice(size, Axes({i}), Axes({1})), Axes({})));
}

// The greatest size inside `size` that keeps the shape of the pictures.
Tensor SizeInside(const Tensor& images, const Tensor& size) {
  const Count height = DimOf(images, 1), width = DimOf(images, 2);
  const Count tall = Element(size, 0), wide = Element(size, 1);
  if (height.known() && width.known() && tall.known() && wide.known()) {
    const float h = static_cast<float>(height.value),
                w = static_cast<float>(width.value);
    const float scale = std::min(static_cast<float>(tall.value) / h,
                                 static_cast<float>(wide.value) / w);
    return Axes({static_cast<int64_t>(std::nearbyint(scale * h)),
                 static_cast<int64_t>(std::nearbyint(scale * w))});
  }
  const Tensor h = FloatOf(height), w = FloatOf(width);
  const Tensor scale = ops::Minimum(ops::RealDiv(FloatOf(tall), h),
                                    ops::RealDiv(FloatOf(wide), w));
  const auto rounded = [&](const Tensor& n) {
    return ops::Cast(ops::Round(ops::Mul(scale, n)), DataType::kInt32);
  };
  return ops::Pack(TensorVector{rounded(h), rounded(w)});
}

TensorVector Resize(CompositionCall& c) {
  Tensor images = c.tensor(0);
  const PartialTensorShape s = images.partial_shape();
  if (s.unknown_rank()) {
    throw Error(ValueError("'images' contains no shape."));
  }
  if (s.rank() != 3 && s.rank() != 4) {
    throw Error(ValueError("'images' must have either 3 or 4 dimensions."));
  }
  const PictureBatch batch = BatchOf(images);
  Tensor size = c.tensor(1);
  if (size.dtype() != DataType::kInt32) {
    throw Error(ValueError("'size' must be a 1-D int32 Tensor"));
  }
  if (!size.partial_shape().IsCompatibleWith({2})) {
    throw Error(ValueError(
        "'size' must be a 1-D Tensor of 2 elements: new_height, new_width"));
  }
  if (c.flag(3)) size = SizeInside(batch.images, size);
  const Tensor result = ResizedBy(c.text(2), c.flag(4), batch.images, size);
  if (const auto known = KnownInts(size)) {
    TellShape(result, {kUnknownDim, known->at(0), known->at(1), kUnknownDim});
  }
  return {batch.Back(result)};
}

struct Inside {
  Count size, before;
};

// As large as it fits, and what is left before it; in float, as TensorFlow
// computes it.
Inside Fitted(const Count& size, const Count& target, float ratio) {
  const float n = static_cast<float>(size.value) / ratio;
  const float rest = (static_cast<float>(target.value) - n) / 2;
  return {Count(static_cast<int64_t>(std::floor(n))),
          Count(std::max<int64_t>(static_cast<int64_t>(std::floor(rest)), 0))};
}
Inside Fitted(const Count& size, const Count& target, const Tensor& ratio) {
  const Tensor n = ops::RealDiv(FloatOf(size), ratio);
  const Tensor rest =
      ops::RealDiv(ops::Sub(FloatOf(target), n), NumberOf(2, DataType::kFloat));
  const auto floor = [](const Tensor& x) {
    return ops::Cast(ops::Floor(x), DataType::kInt32);
  };
  return {Count(floor(n)), Larger(Count(floor(rest)), 0)};
}

TensorVector ResizeWithPad(CompositionCall& c) {
  const PictureBatch batch = BatchOf(c.tensor(0));
  const Tensor& images = batch.images;
  const Count height = CountArgument(c, 1), width = CountArgument(c, 2);
  CheckSpace(images);
  RequireAtLeast(width, 1, "target_width must be > 0.");
  RequireAtLeast(height, 1, "target_height must be > 0.");
  const Count tall = DimOf(images, 1), wide = DimOf(images, 2);
  Inside rows, columns;
  if (tall.known() && wide.known() && height.known() && width.known()) {
    const auto part = [](const Count& a, const Count& b) {
      return static_cast<float>(a.value) / static_cast<float>(b.value);
    };
    const float ratio = std::max(part(wide, width), part(tall, height));
    rows = Fitted(tall, height, ratio);
    columns = Fitted(wide, width, ratio);
  } else {
    const Tensor ratio =
        ops::Maximum(ops::RealDiv(FloatOf(wide), FloatOf(width)),
                     ops::RealDiv(FloatOf(tall), FloatOf(height)));
    rows = Fitted(tall, height, ratio);
    columns = Fitted(wide, width, ratio);
  }
  const Tensor resized = ResizedBy(c.text(3), c.flag(4), images,
                                   CountVector({rows.size, columns.size}));
  return {batch.Back(
      PadPicture(resized, rows.before, columns.before, height, width))};
}

const CompositionRecord kRecords[] = {
    {.names = "image.resize",
     .args = "images: tensor; size: tensor(int32); method: string = "
             "'bilinear'; preserve_aspect_ratio: bool = False; antialias: bool "
             "= False",
     .scope = "resize",
     .ragged = RaggedForm::kResizeImages,
     .build = Resize,
     .doc = "Pictures of another size.\n\nArgs:\n  size: height and width, "
            "int32.\n  method: a tf.image.ResizeMethod: 'bilinear', 'nearest', "
            "'bicubic', 'area', 'lanczos3', 'lanczos5', 'gaussian' or "
            "'mitchellcubic'.\n  preserve_aspect_ratio: makes them as large as "
            "they fit into `size` in their shape.\n  antialias: smooths what "
            "gets smaller.\n\nReturns float32, but for 'nearest'. Of a ragged "
            "tensor of pictures, of any sizes, a tensor.",
     .example = ">>> tf.image.resize([[[1.0], [3.0]]], [1, 4]).numpy().ravel()"
                ".tolist()\n[1.0, 1.5, 2.5, 3.0]"},
    {.names = "image.resize_with_pad",
     .args = "image: tensor; target_height: native; target_width: native; "
             "method: string = 'bilinear'; antialias: bool "
             "= False",
     .scope = "resize_image_with_pad",
     .build = ResizeWithPad,
     .doc = "Pictures resized in their shape to fit a size, with zeros around "
            "them.",
     .example = ">>> tf.image.resize_with_pad(tf.ones([1, 2, 1]), 2, 2).shape\n"
                "TensorShape([2, 2, 1])",
     .takes_name = false},
};

}  // namespace

GK_REGISTER_COMPOSITIONS(composition_image_resize)

}  // namespace gk
