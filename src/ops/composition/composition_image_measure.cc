// tf.image: how alike pictures are, and their edges.
#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include "ops/composition/picture.h"
#include "ops/element_moves.h"
#include "ops/fn/Abs.h"
#include "ops/fn/AddV2.h"
#include "ops/fn/All.h"
#include "ops/fn/Cast.h"
#include "ops/fn/ConcatV2.h"
#include "ops/fn/Equal.h"
#include "ops/fn/ExpandDims.h"
#include "ops/fn/FloorMod.h"
#include "ops/fn/GreaterEqual.h"
#include "ops/fn/Log.h"
#include "ops/fn/Mean.h"
#include "ops/fn/MirrorPad.h"
#include "ops/fn/Mul.h"
#include "ops/fn/Pack.h"
#include "ops/fn/Pad.h"
#include "ops/fn/Pow.h"
#include "ops/fn/Prod.h"
#include "ops/fn/RealDiv.h"
#include "ops/fn/Relu.h"
#include "ops/fn/Reshape.h"
#include "ops/fn/Shape.h"
#include "ops/fn/Slice.h"
#include "ops/fn/Softmax.h"
#include "ops/fn/Square.h"
#include "ops/fn/SquaredDifference.h"
#include "ops/fn/Sub.h"
#include "ops/fn/Sum.h"
#include "ops/fn/Tile.h"
#include "ops/subscript.h"
#include "ops/with_attrs/AvgPool.h"
#include "ops/with_attrs/DepthwiseConv2dNative.h"

namespace gk {
namespace {

using Ints = std::vector<int64_t>;

Tensor Number(double v) { return NumberOf(v, DataType::kFloat); }

// ---- Differences of neighbours ----

// x[..., 1:, ...] - x[..., :-1, ...] along an axis.
Tensor Steps(const Tensor& x, int axis) {
  const auto part = [&](bool first) {
    std::vector<SubscriptEntry> entries(axis + 1);
    if (first) {
      entries[axis].end = -1;
    } else {
      entries[axis].begin = 1;
    }
    return Subscript(x, std::move(entries));
  };
  const Tensor behind = part(false);
  return ops::Sub(behind, part(true));
}

TensorVector TotalVariation(CompositionCall& c) {
  const Tensor& images = c.tensor(0);
  const int rank = images.partial_shape().rank();
  if (rank != 3 && rank != 4) {
    throw Error(ValueError("'images' must be either 3 or 4-dimensional."));
  }
  const Tensor axes = rank == 3 ? Axes({0, 1, 2}) : Axes({1, 2, 3});
  const auto sum = [&](int axis) {
    return ops::Sum(ops::Abs(Steps(images, axis)), axes);
  };
  const Tensor rows = sum(rank - 3);
  return {ops::AddV2(rows, sum(rank - 2))};
}

TensorVector Gradients(CompositionCall& c) {
  const Tensor& image = c.tensor(0);
  const PartialTensorShape s = image.partial_shape();
  if (s.rank() != 4) {
    throw Error(ValueError(
        "image_gradients expects a 4D tensor [batch_size, h, w, d], not {}.",
        s.PythonString()));
  }
  TensorVector made;
  for (const int axis : {1, 2}) {
    Ints paddings(8, 0);
    paddings[axis * 2 + 1] = 1;
    made.push_back(ops::Pad(Steps(image, axis),
                            ops::Reshape(Axes(paddings), Axes({4, 2}))));
    TellShape(made.back(), s);
  }
  return made;
}

Tensor Depthwise(const Tensor& x, const Tensor& kernel) {
  AttrMap attrs;
  attrs.Set("strides", Ints{1, 1, 1, 1});
  attrs.Set("padding", std::string("VALID"));
  return ops::DepthwiseConv2dNative(OpAttrs(std::move(attrs)), x, kernel);
}

TensorVector Sobel(CompositionCall& c) {
  const Tensor& image = c.tensor(0);
  const PartialTensorShape s = image.partial_shape();
  // [3, 3, 1, 2]: along rows and along columns.
  constexpr float kKernels[] = {-1, -1, -2, 0, -1, 1,  //
                                0,  -2, 0,  0, 0,  2,  //
                                1,  -1, 2,  0, 1,  1};
  const Tensor kernels =
      CastTo(ValueOrThrow(OpBuilder::Current()->Constant(
                 Tensor::OfValues<float>(kKernels, TensorShape({3, 3, 1, 2})),
                 "Const")),
             image.dtype());
  const Tensor one = Axes({1}), axis = Int32Of(0);
  const Tensor channels = LastSizes(image, 1);
  const Tensor filters = ops::Tile(
      kernels, ops::ConcatV2(TensorVector{one, one, channels, one}, axis));
  const Tensor paddings =
      ops::Reshape(Axes({0, 0, 1, 1, 1, 1, 0, 0}), Axes({4, 2}));
  const Tensor padded = ops::MirrorPad(image, paddings, "REFLECT");
  const Tensor edges = ops::Reshape(
      Depthwise(padded, filters),
      ops::ConcatV2(TensorVector{ops::Shape(image), Axes({2})}, axis));
  if (!s.unknown_rank()) {
    PartialTensorShape known = s;
    known.AddDim(2);
    TellShape(edges, known);
  }
  return {edges};
}

// ---- Likeness ----

// Both of rank 3 or more, of the same last three sizes, and the others of
// sizes that broadcast.
void CheckAlike(const Tensor& a, const Tensor& b) {
  const PartialTensorShape sa = a.partial_shape(), sb = b.partial_shape();
  for (const PartialTensorShape& s : {sa, sb}) {
    if (!s.unknown_rank() && s.rank() < 3) {
      throw Error(
          ValueError("Shape {} must have rank at least 3", s.PythonString()));
    }
  }
  bool known = !sa.unknown_rank() && !sb.unknown_rank();
  if (known) {
    const auto last = [](const PartialTensorShape& s) {
      return PartialTensorShape(s.dims().last(3));
    };
    if (!last(sa).IsCompatibleWith(last(sb))) {
      throw Error(ValueError("Shapes {} and {} are incompatible",
                             last(sa).PythonString(), last(sb).PythonString()));
    }
    known = last(sa).IsFullyDefined() && last(sb).IsFullyDefined();
    for (int i = 4; i <= sa.rank() && i <= sb.rank(); ++i) {
      const int64_t x = sa.dim(sa.rank() - i), y = sb.dim(sb.rank() - i);
      if (x == 1 || y == 1 || x < 0 || y < 0 || x == y) continue;
      throw Error(ValueError("Two images are not compatible: {} and {}",
                             sa.PythonString(), sb.PythonString()));
    }
  }
  if (known) return;
  Require(ops::All(ops::Equal(LastSizes(a, 3), LastSizes(b, 3)), Axes({0})),
          "The last three sizes of the images must be the same.");
}

// The greatest value that pixels of this dtype can have, as they are floats.
Tensor Greatest(const Tensor& most, DataType of) {
  return ConvertPicture(CastTo(most, of), DataType::kFloat, false);
}

TensorVector Psnr(CompositionCall& c) {
  const DataType t = c.tensor(0).dtype();
  const Tensor most = Greatest(c.tensor(2), t);
  const Tensor a = ConvertPicture(c.tensor(0), DataType::kFloat, false),
               b = ConvertPicture(c.tensor(1), DataType::kFloat, false);
  const Tensor error =
      ops::Mean(ops::SquaredDifference(a, b), Axes({-3, -2, -1}));
  CheckAlike(a, b);
  const Tensor signal =
      ops::RealDiv(ops::Mul(Number(20), ops::Log(most)), ops::Log(Number(10)));
  const Tensor noise =
      ops::Mul(Number(static_cast<float>(10 / std::log(10))), ops::Log(error));
  return {ops::Sub(OpName(c.name("psnr")), signal, noise)};
}

struct SsimRule {
  int64_t size = 11;
  double sigma = 1.5, k1 = 0.01, k2 = 0.03;
  Tensor most;
};

// A bell of size x size that sums up to 1, [size, size, 1, 1].
Tensor Bell(const SsimRule& rule) {
  const int64_t n = rule.size;
  if (n < 1 || n > 4096) {
    throw Error(
        InvalidArgument("filter_size must be in [1, 4096], but is {}", n));
  }
  std::vector<float> part(n), all;
  const float sigma = static_cast<float>(rule.sigma);
  for (int64_t i = 0; i < n; ++i) {
    const float at = static_cast<float>(i) - static_cast<float>(n - 1) / 2.0f;
    part[i] = at * at * (-0.5f / (sigma * sigma));
  }
  for (const float y : part) {
    for (const float x : part) all.push_back(x + y);
  }
  const Tensor logits = ValueOrThrow(OpBuilder::Current()->Constant(
      Tensor::OfValues<float>(all, TensorShape({1, n * n})), "Const"));
  return ops::Reshape(ops::Softmax(logits), Axes({n, n, 1, 1}));
}

struct Ssim {
  Tensor likeness, contrast;  // [..., rows, columns, channels]
};

// The index at each place, and its part that contrast and structure make.
Ssim SsimAt(const Tensor& x, const Tensor& y, const SsimRule& rule) {
  const Tensor size = Axes({rule.size, rule.size});
  for (const Tensor& t : {x, y}) {
    const Tensor sizes = ops::Slice(LastSizes(t, 3), Axes({0}), Axes({2}));
    Require(ops::All(ops::GreaterEqual(sizes, size), Axes({0})),
            "Images must be at least as large as the filter.");
  }
  const Tensor one = Axes({1}), axis = Int32Of(0);
  const Tensor kernel = ops::Tile(
      Bell(rule),
      ops::ConcatV2(TensorVector{one, one, LastSizes(x, 1), one}, axis));
  const auto smooth = [&](const Tensor& t) {
    const Tensor flat = ops::Reshape(
        t, ops::ConcatV2(TensorVector{Axes({-1}), LastSizes(t, 3)}, axis));
    const Tensor made = Depthwise(flat, kernel);
    return ops::Reshape(
        made, ops::ConcatV2(TensorVector{FirstSizes(t, 3), LastSizes(made, 3)},
                            axis));
  };
  const auto squared = [&](double k) {
    return ops::Square(ops::Mul(Number(k), rule.most));
  };
  const Tensor c1 = squared(rule.k1), c2 = squared(rule.k2);
  const Tensor two = Number(2);
  const Tensor mean_x = smooth(x), mean_y = smooth(y);
  const Tensor both = ops::Mul(ops::Mul(mean_x, mean_y), two);
  const Tensor means = ops::AddV2(ops::Square(mean_x), ops::Square(mean_y));
  const Tensor luminance =
      ops::RealDiv(ops::AddV2(both, c1), ops::AddV2(means, c1));
  const Tensor products = ops::Mul(smooth(ops::Mul(x, y)), two);
  const Tensor squares = smooth(ops::AddV2(ops::Square(x), ops::Square(y)));
  const Tensor contrast =
      ops::RealDiv(ops::AddV2(ops::Sub(products, both), c2),
                   ops::AddV2(ops::Sub(squares, means), c2));
  return {ops::Mul(luminance, contrast), contrast};
}

TensorVector StructuralSimilarity(CompositionCall& c) {
  const Tensor &a = c.tensor(0), &b = c.tensor(1);
  CheckAlike(a, b);
  SsimRule rule{c.integer(3), c.real(4), c.real(5), c.real(6),
                Greatest(c.tensor(2), a.dtype())};
  const Tensor x = ConvertPicture(a, DataType::kFloat, false),
               y = ConvertPicture(b, DataType::kFloat, false);
  Tensor index = SsimAt(x, y, rule).likeness;
  if (!c.flag(7)) index = ops::Mean(index, Axes({-3, -2}));
  return {ops::Mean(index, Axes({-1}))};
}

// Half the size: means of 2 x 2 pixels; an odd line is doubled.
Tensor Halved(const Tensor& image) {
  const Tensor axis = Int32Of(0);
  const Tensor sizes = LastSizes(image, 3);
  Tensor flat =
      ops::Reshape(image, ops::ConcatV2(TensorVector{Axes({-1}), sizes}, axis));
  const Tensor odd = ops::FloorMod(sizes, Axes({2, 2, 1}));
  const Tensor behind = ops::ExpandDims(odd, Int32Of(-1));
  const Tensor paddings =
      ops::Pad(behind, ops::Reshape(Axes({1, 0, 1, 0}), Axes({2, 2})));
  flat = ops::MirrorPad(flat, paddings, "SYMMETRIC");
  AttrMap attrs;
  attrs.Set("ksize", Ints{1, 2, 2, 1});
  attrs.Set("strides", Ints{1, 2, 2, 1});
  attrs.Set("padding", std::string("VALID"));
  const Tensor small = ops::AvgPool(OpAttrs(std::move(attrs)), flat);
  return ops::Reshape(small, ops::ConcatV2(TensorVector{FirstSizes(image, 3),
                                                        LastSizes(small, 3)},
                                           axis));
}

TensorVector MultiscaleSimilarity(CompositionCall& c) {
  const Tensor &a = c.tensor(0), &b = c.tensor(1);
  CheckAlike(a, b);
  SsimRule rule{c.integer(4), c.real(5), c.real(6), c.real(7),
                Greatest(c.tensor(2), a.dtype())};
  Tensor powers;
  if (const Tensor* given = c.get<Tensor>(3)) {
    powers = *given;
  } else {
    constexpr float kPowers[] = {0.0448f, 0.2856f, 0.3001f, 0.2363f, 0.1333f};
    powers = ValueOrThrow(OpBuilder::Current()->Constant(
        Tensor::Vector<float>(kPowers), "Const"));
  }
  const PartialTensorShape s = powers.partial_shape();
  if (s.rank() != 1 || s.dim(0) < 1) {
    throw Error(ValueError(
        "power_factors must be a list of numbers, one for each scale, got "
        "shape {}",
        s.PythonString()));
  }
  Tensor x = ConvertPicture(a, DataType::kFloat, false),
         y = ConvertPicture(b, DataType::kFloat, false);
  const Tensor space = Axes({-3, -2});
  TensorVector scales;
  for (int64_t k = 0; k < s.dim(0); ++k) {
    if (k > 0) {
      x = Halved(x);
      y = Halved(y);
    }
    const Ssim at = SsimAt(x, y, rule);
    const bool last = k + 1 == s.dim(0);
    scales.push_back(
        ops::Relu(ops::Mean(last ? at.likeness : at.contrast, space)));
  }
  const Tensor all = ops::Pow(ops::Pack(scales, -1), powers);
  return {ops::Mean(ops::Prod(all, Axes({-1})), Axes({-1}))};
}

#define SSIM_RULE                                                  \
  "filter_size: int = 11; filter_sigma: float = 1.5; k1: float = " \
  "0.01; k2: float = 0.03"

const CompositionRecord kRecords[] = {
    {.names = "image.total_variation",
     .args = "images: tensor",
     .scope = "total_variation",
     .build = TotalVariation,
     .doc = "The sum of all differences between neighbours, of each picture.",
     .example = ">>> tf.image.total_variation(tf.constant([[[1.0], [3.0]]]))"
                ".numpy().item()\n2.0"},
    {.names = "image.image_gradients",
     .args = "image: tensor",
     .build = Gradients,
     .result = "tuple",
     .doc = "How much pixels grow down and to the right, zero in the last row "
            "and column.",
     .example = ">>> dy, dx = tf.image.image_gradients(tf.constant([[[[1.0], "
                "[3.0]]]]))\n>>> dx.numpy().ravel().tolist()\n[2.0, 0.0]",
     .takes_name = false},
    {.names = "image.sobel_edges",
     .args = "image: tensor",
     .build = Sobel,
     .doc = "Sobel's edges down and to the right, in a new last dimension.",
     .example = ">>> tf.image.sobel_edges(tf.ones([1, 4, 4, 1])).shape\n"
                "TensorShape([1, 4, 4, 1, 2])",
     .takes_name = false},
    {.names = "image.psnr",
     .args = "a: tensor; b: tensor; max_val: tensor",
     .scope = "PSNR",
     .build = Psnr,
     .doc = "The ratio of peak signal to noise in decibels, of each pair of "
            "pictures.\n\nArgs:\n  max_val: how far apart pixels can be.",
     .example = ">>> tf.image.psnr(tf.zeros([2, 2, 1]), tf.ones([2, 2, 1]), "
                "1.0).numpy().item()\n0.0"},
    {.names = "image.ssim",
     .args = "img1: tensor; img2: tensor; max_val: tensor; " SSIM_RULE
             "; return_index_map: bool = False",
     .scope = "SSIM",
     .build = StructuralSimilarity,
     .doc = "The index of structural similarity of pairs of pictures, at most "
            "1.\n\nArgs:\n  max_val: how far apart pixels can be.\n  "
            "filter_size, filter_sigma: of the bell it looks through.\n  "
            "return_index_map: gives the index at each place.",
     .example = ">>> x = tf.ones([16, 16, 1])\n>>> tf.image.ssim(x, x, 1.0)"
                ".numpy().round(4).item()\n1.0",
     .takes_name = false},
    {.names = "image.ssim_multiscale",
     .args = "img1: tensor; img2: tensor; max_val: tensor; power_factors: "
             "tensor(float32) = (0.0448, 0.2856, 0.3001, 0.2363, "
             "0.1333); " SSIM_RULE,
     .scope = "MS-SSIM",
     .build = MultiscaleSimilarity,
     .doc = "The index of structural similarity over several scales, each half "
            "as large as the one before.\n\nArgs:\n  power_factors: the weight "
            "of each scale.",
     .example = ">>> x = tf.ones([32, 32, 1])\n>>> tf.image.ssim_multiscale(x, "
                "x, 1.0, [0.5, 0.5]).numpy().round(4).item()\n1.0",
     .takes_name = false},
};

}  // namespace

GK_REGISTER_COMPOSITIONS(composition_image_measure)

}  // namespace gk
