// Blocks of space moved to the batch or to the depth, and back.
#include "ops/fn/array_blocks.h"

#include "framework/grad_context.h"
#include "framework/op_registry.h"
#include "kernels/blocks.h"
#include "ops/element_moves.h"
#include "ops/fn/BatchToSpace.h"
#include "ops/fn/BatchToSpaceND.h"
#include "ops/fn/SpaceToBatch.h"
#include "ops/fn/SpaceToBatchND.h"
#include "ops/int32_attrs.h"

namespace gk {
namespace {

enum Direction { kToBatch, kToSpace };

// ---- Space to batch and back ----

struct Blocks {
  std::vector<int64_t> sizes;  // of blocks, one a dimension of space
  std::vector<int64_t> trims;  // pairs of paddings or crops
  int rank() const { return static_cast<int>(sizes.size()); }
};

// The batch of the other side, from that of this one.
Status MovedBatch(Direction to, const std::vector<int64_t>& sizes,
                  PartialTensorShape* out, int64_t batch) {
  int64_t volume = 1;
  for (size_t i = 0; i < sizes.size(); ++i) {
    if (sizes[i] < 1) {
      if (to == kToSpace) {
        return InvalidArgument(
            "Product of block sizes must be positive, got {}", sizes[i]);
      }
      return InvalidArgument(
          "All values in block_shape must be positive, got value, {} at index "
          "{}.",
          sizes[i], i);
    }
    volume = MultiplyWithoutOverflow(volume, sizes[i]);
    if (volume < 0) return InvalidArgument("Block sizes are too large");
  }
  if (batch < 0) return OkStatus();
  if (to == kToBatch) {
    batch = MultiplyWithoutOverflow(batch, volume);
    if (batch < 0) return InvalidArgument("Block sizes are too large");
    out->SetDim(0, batch);
  } else if (batch % volume != 0) {
    return InvalidArgument(
        "Input batch dimension ({}) is not divisible by product of block "
        "sizes ({})",
        batch, volume);
  } else {
    out->SetDim(0, batch / volume);
  }
  return OkStatus();
}

// The shape of the other side. Unknown dims stay unknown.
Status MovedShape(Direction to, const PartialTensorShape& x,
                  const Blocks& blocks, PartialTensorShape* out) {
  const int m = blocks.rank();
  if (x.rank() < m + 1) {
    return InvalidArgument("input rank should be >= {} instead of {}", m + 1,
                           x.rank());
  }
  *out = x;
  GK_RETURN_IF_ERROR(MovedBatch(to, blocks.sizes, out, x.dim(0)));
  for (int i = 0; i < m; ++i) {
    const int64_t before = blocks.trims[2 * i], after = blocks.trims[2 * i + 1];
    const int64_t size = blocks.sizes[i], d = x.dim(i + 1);
    if (before < 0 || after < 0) {
      return InvalidArgument("{} must be non-negative",
                             to == kToBatch ? "Paddings" : "Crops");
    }
    int64_t both, grown = 0;
    bool fits = !__builtin_add_overflow(before, after, &both);
    if (d < 0) {
      out->SetDim(i + 1, kUnknownDim);
    } else if (to == kToBatch) {
      fits = fits && !__builtin_add_overflow(d, both, &grown);
      if (fits && grown % size != 0) {
        return InvalidArgument(
            "padded_shape[{}]={} is not divisible by block_shape[{}]={}", i,
            grown, i, size);
      }
      out->SetDim(i + 1, grown / size);
    } else {
      grown = MultiplyWithoutOverflow(d, size);
      fits = fits && grown >= 0;
      if (fits && grown < both) {
        return InvalidArgument("cropped_shape[{}]={} must be non-negative", i,
                               grown - both);
      }
      out->SetDim(i + 1, grown - both);
    }
    if (!fits) {
      return InvalidArgument("{} of dimension {} are too large",
                             to == kToBatch ? "Paddings" : "Crops", i);
    }
  }
  return OkStatus();
}

Status MoveBlocks(Direction to, const Tensor& x, const Blocks& blocks,
                  Tensor* out) {
  const int m = blocks.rank();
  const TensorShape& batch = to == kToBatch ? out->shape() : x.shape();
  const TensorShape& space = to == kToBatch ? x.shape() : out->shape();
  BlockMoves moves{.batch = space.dim(0)};
  for (int i = 0; i < m; ++i) {
    moves.axes.push_back({blocks.sizes[i], blocks.trims[2 * i],
                          space.dim(i + 1), batch.dim(i + 1)});
  }
  if (m == 0) moves.axes.push_back({1, 0, 1, 1});
  for (int i = m + 1; i < space.rank(); ++i) moves.inner *= space.dim(i);
  return VisitMoved(x.dtype(), [&](auto tag) {
    using T = typename decltype(tag)::type;
    const T* const from = static_cast<const T*>(x.raw_data());
    T* const at = static_cast<T*>(out->raw_data());
    if (to == kToBatch) {
      moves.ToBlocks(from, at, ThreadPool::Global());
    } else {
      moves.ToSpace(from, at, ThreadPool::Global());
    }
  });
}

template <Direction kTo>
Status BlocksShapeOf(InferenceContext& c, const std::vector<int64_t>* sizes,
                     int trims_at, int64_t rank, const PartialTensorShape& x) {
  PartialTensorShape trims;
  GK_RETURN_IF_ERROR(c.WithRank(trims_at, 2, &trims));
  int64_t d;
  GK_RETURN_IF_ERROR(InferenceContext::MergeDims(trims.dim(1), 2, &d));
  GK_RETURN_IF_ERROR(InferenceContext::MergeDims(trims.dim(0), rank, &d));
  if (x.unknown_rank()) return OkStatus();
  if (d >= 0 && x.rank() < d + 1) {
    return InvalidArgument("Shape must be at least rank {} but is rank {}",
                           d + 1, x.rank());
  }
  auto values = c.ValueAsInts(trims_at);
  PartialTensorShape out = PartialTensorShape::UnknownOfRank(x.rank());
  if (sizes && values && values->size() == 2 * sizes->size()) {
    GK_RETURN_IF_ERROR(MovedShape(kTo, x, {*sizes, *values}, &out));
  } else if (d >= 0) {
    for (int i = static_cast<int>(d) + 1; i < x.rank(); ++i) {
      out.SetDim(i, x.dim(i));
    }
    if (sizes && x.dim(0) >= 0) {
      GK_RETURN_IF_ERROR(MovedBatch(kTo, *sizes, &out, x.dim(0)));
    }
  }
  c.set_output(0, std::move(out));
  return OkStatus();
}

template <Direction kTo>
Status BlocksShape(InferenceContext& c) {
  PartialTensorShape block;
  GK_RETURN_IF_ERROR(c.WithRank(1, 1, &block));
  auto sizes = c.ValueAsInts(1);
  return BlocksShapeOf<kTo>(c, sizes ? &*sizes : nullptr, 2, block.dim(0),
                            c.input(0));
}

template <Direction kTo>
Status SquareBlocksShape(InferenceContext& c) {
  GK_RETURN_IF_ERROR(CheckInt32Attrs(c.attrs(), {"block_size"}));
  PartialTensorShape x;
  GK_RETURN_IF_ERROR(c.WithRank(0, 4, &x));
  const std::vector<int64_t> sizes(2, c.attr<int64_t>("block_size"));
  return BlocksShapeOf<kTo>(c, &sizes, 1, 2, x);
}

template <Direction kTo>
Status ComputeBlocksOf(KernelContext& c, std::vector<int64_t> sizes,
                       const Tensor& trims) {
  const Tensor& x = c.input(0);
  Blocks blocks{std::move(sizes), {}};
  if (trims.rank() != 2 || trims.dim(0) != blocks.rank() || trims.dim(1) != 2) {
    return InvalidArgument("{} should have shape [{}, 2] instead of {}",
                           kTo == kToBatch ? "paddings" : "crops",
                           blocks.rank(), trims.shape().DebugString());
  }
  GK_RETURN_IF_ERROR(IntegerValues(trims, &blocks.trims));
  PartialTensorShape partial;
  GK_RETURN_IF_ERROR(MovedShape(kTo, x.shape(), blocks, &partial));
  GK_ASSIGN_OR_RETURN(TensorShape shape, TensorShape::Make(partial.dims()));
  Tensor* out;
  GK_RETURN_IF_ERROR(c.Allocate(0, x.dtype(), shape, &out));
  if (shape.num_elements() == 0) return OkStatus();
  return MoveBlocks(kTo, x, blocks, out);
}

template <Direction kTo>
Status ComputeBlocks(KernelContext& c) {
  if (c.input(1).rank() != 1) {
    return InvalidArgument("block_shape rank should be 1 instead of {}",
                           c.input(1).rank());
  }
  if (c.input(1).num_elements() >= kMaxRank) {
    return InvalidArgument("input rank should be >= {} instead of {}",
                           c.input(1).num_elements() + 1, c.input(0).rank());
  }
  std::vector<int64_t> sizes;
  GK_RETURN_IF_ERROR(IntegerValues(c.input(1), &sizes));
  return ComputeBlocksOf<kTo>(c, std::move(sizes), c.input(2));
}

template <Direction kTo>
Status ComputeSquareBlocks(KernelContext& c) {
  GK_RETURN_IF_ERROR(CheckInt32Attrs(c.attrs(), {"block_size"}));
  if (c.input(0).rank() != 4) {
    return InvalidArgument("Input rank should be: 4 instead of: {}",
                           c.input(0).rank());
  }
  return ComputeBlocksOf<kTo>(
      c, std::vector<int64_t>(2, c.attr<int64_t>("block_size")), c.input(1));
}

void ToBatchNdGradient(GradContext& g) {
  if (g.wants(0)) {
    g.Set(0, ops::BatchToSpaceND(g.dy(0), g.x(1), g.x(2)));
  }
}
void ToSpaceNdGradient(GradContext& g) {
  if (g.wants(0)) {
    g.Set(0, ops::SpaceToBatchND(g.dy(0), g.x(1), g.x(2)));
  }
}
void ToBatchGradient(GradContext& g) {
  if (!g.wants(0)) return;
  g.Set(0, ops::BatchToSpace(g.dy(0), g.x(1), g.attr<int64_t>("block_size")));
}
void ToSpaceGradient(GradContext& g) {
  if (!g.wants(0)) return;
  g.Set(0, ops::SpaceToBatch(g.dy(0), g.x(1), g.attr<int64_t>("block_size")));
}

const OpRecord kRecords[] = {
    {.name = "SpaceToBatchND",
     .inputs = "input: T; block_shape: Tblock_shape; paddings: Tpaddings",
     .outputs = "output: T",
     .attrs = "T: type; Tblock_shape: type in [int32, int64] = int32; "
              "Tpaddings: type in [int32, int64] = int32",
     .shape = BlocksShape<kToBatch>,
     .kernel = {.compute = ComputeBlocks<kToBatch>},
     .gradient = ToBatchNdGradient,
     .python = {.names = "space_to_batch_nd|space_to_batch|nn.space_to_batch"},
     .doc = "Pads dimensions of space, cuts them into blocks and moves the "
            "places within a block to the batch.",
     .example = ">>> tf.space_to_batch([[[[1], [2]], [[3], [4]]]], [2, 2], "
                "[[0, 0], [0, 0]]).numpy().tolist()\n[[[[1]]], [[[2]]], "
                "[[[3]]], [[[4]]]]"},

    {.name = "BatchToSpaceND",
     .inputs = "input: T; block_shape: Tblock_shape; crops: Tcrops",
     .outputs = "output: T",
     .attrs = "T: type; Tblock_shape: type in [int32, int64] = int32; Tcrops: "
              "type in [int32, int64] = int32",
     .shape = BlocksShape<kToSpace>,
     .kernel = {.compute = ComputeBlocks<kToSpace>},
     .gradient = ToSpaceNdGradient,
     .python = {.names = "batch_to_space"},
     .doc = "Moves the batch to places within blocks of space and crops the "
            "result.",
     .example = ">>> tf.batch_to_space([[[[1]]], [[[2]]], [[[3]]], [[[4]]]], "
                "[2, 2], [[0, 0], [0, 0]]).numpy().tolist()\n[[[[1], [2]], "
                "[[3], [4]]]]"},

    {.name = "SpaceToBatch",
     .inputs = "input: T; paddings: Tpaddings",
     .outputs = "output: T",
     .attrs = "T: type; Tpaddings: type in [int32, int64] = int32; "
              "block_size: int >= 2",
     .shape = SquareBlocksShape<kToBatch>,
     .kernel = {.compute = ComputeSquareBlocks<kToBatch>},
     .gradient = ToBatchGradient,
     .doc = "Square blocks of images moved to the batch."},

    {.name = "BatchToSpace",
     .inputs = "input: T; crops: Tidx",
     .outputs = "output: T",
     .attrs = "T: type; block_size: int >= 2; Tidx: type in [int32, int64] = "
              "int32",
     .shape = SquareBlocksShape<kToSpace>,
     .kernel = {.compute = ComputeSquareBlocks<kToSpace>},
     .gradient = ToSpaceGradient,
     .doc = "The batch moved to places in square blocks of images."},
};

}  // namespace

GK_REGISTER_OPS(array_blocks)

}  // namespace gk
