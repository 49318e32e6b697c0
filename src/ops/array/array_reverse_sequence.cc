// The beginnings of sequences reversed.
#include "ops/fn/array_reverse_sequence.h"

#include "framework/grad_context.h"
#include "framework/op_registry.h"
#include "ops/element_moves.h"
#include "ops/fn/ReverseSequence.h"

namespace gk {
namespace {

Status CheckDims(int64_t seq_dim, int64_t batch_dim, int rank) {
  if (seq_dim < 0) return InvalidArgument("Invalid seq_dim {}", seq_dim);
  if (batch_dim < 0) return InvalidArgument("Invalid batch_dim {}", batch_dim);
  if (seq_dim == batch_dim) {
    return InvalidArgument("batch_dim == seq_dim == {}", seq_dim);
  }
  if (rank < 0) return OkStatus();
  if (seq_dim >= rank) {
    return InvalidArgument("seq_dim must be < input rank ( {} vs. {})", seq_dim,
                           rank);
  }
  if (batch_dim >= rank) {
    return InvalidArgument("batch_dim must be < input rank ( {} vs. {})",
                           batch_dim, rank);
  }
  return OkStatus();
}

Status ReverseSequenceShape(InferenceContext& c) {
  PartialTensorShape lengths, x = c.input(0);
  GK_RETURN_IF_ERROR(c.WithRank(1, 1, &lengths));
  const int64_t batch_dim = c.attr<int64_t>("batch_dim");
  if (x.unknown_rank()) return OkStatus();
  // That both are one is told when it runs.
  if (c.attr<int64_t>("seq_dim") != batch_dim) {
    GK_RETURN_IF_ERROR(
        CheckDims(c.attr<int64_t>("seq_dim"), batch_dim, x.rank()));
  } else if (batch_dim < 0 || batch_dim >= x.rank()) {
    return InvalidArgument("batch_dim must be < input rank ( {} vs. {})",
                           batch_dim, x.rank());
  }
  int64_t batch;
  GK_RETURN_IF_ERROR(InferenceContext::MergeDims(
      x.dim(static_cast<int>(batch_dim)), lengths.dim(0), &batch));
  x.SetDim(static_cast<int>(batch_dim), batch);
  c.set_output(0, std::move(x));
  return OkStatus();
}

Status ComputeReverseSequence(KernelContext& c) {
  const Tensor &x = c.input(0), &lengths_in = c.input(1);
  if (lengths_in.rank() != 1) {
    return InvalidArgument("seq_lengths must be 1-dim, not {}",
                           lengths_in.rank());
  }
  GK_RETURN_IF_ERROR(CheckDims(c.attr<int64_t>("seq_dim"),
                               c.attr<int64_t>("batch_dim"), x.rank()));
  const int seq = static_cast<int>(c.attr<int64_t>("seq_dim"));
  const int batch = static_cast<int>(c.attr<int64_t>("batch_dim"));
  std::vector<int64_t> lengths;
  GK_RETURN_IF_ERROR(IntegerValues(lengths_in, &lengths));
  if (lengths_in.num_elements() != x.dim(batch)) {
    return InvalidArgument(
        "Length of seq_lengths != input.dims({}), ({} vs. {})", batch,
        lengths.size(), x.dim(batch));
  }
  for (size_t i = 0; i < lengths.size(); ++i) {
    if (lengths[i] < 0) return InvalidArgument("seq_lens({}) < 0", i);
    if (lengths[i] > x.dim(seq)) {
      return InvalidArgument("seq_lens({}) > input.dims({})", i, seq);
    }
  }
  Tensor* out;
  GK_RETURN_IF_ERROR(c.Allocate(0, x.dtype(), x.shape(), &out));
  if (x.num_elements() == 0) return OkStatus();
  const auto strides = StridesOf(x.shape());
  auto copy = [&](int64_t extent, int64_t step, int64_t from, int64_t to) {
    StridedBox box;
    for (int d = 0; d < x.rank(); ++d) {
      if (d == batch) continue;
      if (d == seq) {
        box.AddAxis(extent, step * strides[d], strides[d]);
      } else {
        box.AddAxis(x.dim(d), strides[d], strides[d]);
      }
    }
    return CopyBox(box, x, from, out, to);
  };
  for (int64_t i = 0; i < x.dim(batch); ++i) {
    const int64_t n = lengths[i], at = i * strides[batch];
    const int64_t rest = at + n * strides[seq];
    if (n > 0) {
      GK_RETURN_IF_ERROR(copy(n, -1, at + (n - 1) * strides[seq], at));
    }
    if (n < x.dim(seq)) {
      GK_RETURN_IF_ERROR(copy(x.dim(seq) - n, 1, rest, rest));
    }
  }
  return OkStatus();
}

void ReverseSequenceGradient(GradContext& g) {
  if (!g.wants(0)) return;
  g.Set(0, ops::ReverseSequence(g.dy(0), g.x(1), g.attr<int64_t>("seq_dim"),
                                g.attr<int64_t>("batch_dim")));
}

const OpRecord kRecords[] = {
    {.name = "ReverseSequence",
     .inputs = "input: T; seq_lengths: Tlen",
     .outputs = "output: T",
     .attrs = "seq_dim: int; batch_dim: int = 0; T: type; Tlen: type in "
              "[int32, int64] = int64",
     .shape = ReverseSequenceShape,
     .kernel = {.compute = ComputeReverseSequence},
     .gradient = ReverseSequenceGradient,
     .python = {.names = "reverse_sequence",
                .args = "input, seq_lengths, seq_axis, batch_axis"},
     .doc = "For each i of the batch, the first seq_lengths[i] elements along "
            "seq_dim in reverse, the others as they are.",
     .example = ">>> tf.reverse_sequence([[1, 2, 3], [4, 5, 6]], [2, 3], "
                "seq_axis=1).numpy().tolist()\n[[2, 1, 3], [6, 5, 4]]"},
};

}  // namespace

GK_REGISTER_OPS(array_reverse_sequence)

}  // namespace gk
