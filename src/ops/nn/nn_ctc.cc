// Connectionist temporal classification: losses and decoders.
#include "ops/fn/nn_ctc.h"

#include <algorithm>

#include "base/thread_pool.h"
#include "framework/grad_context.h"
#include "framework/op_registry.h"
#include "kernels/ctc.h"
#include "ops/element_moves.h"
#include "ops/fn/Mul.h"
#include "ops/fn/PreventGradient.h"
#include "ops/fn/Reshape.h"
#include "ops/int32_attrs.h"

namespace gk {
namespace {

struct Batches {
  int64_t steps = 0, batch = 0, classes = 0;
};

using Labels = std::vector<std::vector<int>>;

// The labels of each sequence, from the elements of a sparse matrix in order.
Status ReadLabels(const Tensor& indices, const Tensor& values, int64_t batch,
                  Labels* labels) {
  const int64_t n = indices.dim(0);
  if (indices.dim(1) != 2) {
    return InvalidArgument("Order length must be SparseTensor rank.");
  }
  const int64_t* at = indices.data<int64_t>();
  int64_t longest = 0;
  for (int64_t i = 0; i < n; ++i) longest = std::max(longest, at[2 * i + 1]);
  // As one past the greatest place would overflow, it is out of bounds.
  const int64_t width =
      longest == std::numeric_limits<int64_t>::max() ? longest : longest + 1;
  labels->resize(batch);
  for (int64_t i = 0; i < n; ++i) {
    const int64_t b = at[2 * i], place = at[2 * i + 1];
    if (b < 0 || b >= batch || place < 0 || place >= width) {
      return InvalidArgument(
          "label SparseTensor is not valid: indices[{}] = [{},{}] is out of "
          "bounds: need 0 <= index < [{},{}]",
          i, b, place, batch, width);
    }
    if (i > 0) {
      const int64_t b0 = at[2 * i - 2], place0 = at[2 * i - 1];
      if (b0 == b && place0 == place) {
        return InvalidArgument(
            "label SparseTensor is not valid: indices[{}] = [{},{}] is "
            "repeated",
            i, b, place);
      }
      if (b0 > b || (b0 == b && place0 > place)) {
        return InvalidArgument(
            "label SparseTensor is not valid: indices[{}] = [{},{}] is out of "
            "order. Many sparse ops require sorted indices.\n    Use "
            "`tf.sparse.reorder` to create a correctly ordered copy.",
            i, b, place);
      }
    }
    (*labels)[b].push_back(values.data<int32_t>()[i]);
  }
  return OkStatus();
}

StatusOr<Batches> CheckLoss(KernelContext& c, Labels* labels) {
  const Tensor &inputs = c.input(0), &indices = c.input(1),
               &values = c.input(2), &lengths = c.input(3);
  if (inputs.rank() != 3) return InvalidArgument("inputs is not a 3-Tensor");
  if (lengths.rank() != 1) {
    return InvalidArgument("sequence_length is not a vector");
  }
  if (indices.rank() != 2) {
    return InvalidArgument("labels_indices is not a matrix");
  }
  if (indices.dim(1) < 2) {
    return InvalidArgument(
        "labels_indices second dimension must be >= 1. Received {}",
        indices.dim(1));
  }
  if (values.rank() != 1) {
    return InvalidArgument("labels_values is not a vector");
  }
  const Batches n{inputs.dim(0), inputs.dim(1), inputs.dim(2)};
  if (n.steps == 0) {
    return InvalidArgument("Max time or first dimension of input cannot be 0.");
  }
  if (n.batch != lengths.dim(0)) {
    return InvalidArgument(
        "len(sequence_length) != batch_size.  len(sequence_length):  {} "
        "batch_size: {}",
        lengths.dim(0), n.batch);
  }
  if (indices.dim(0) != values.dim(0)) {
    return InvalidArgument(
        "labels_indices and labels_values must contain the same number of "
        "rows, but saw shapes: {} vs. {}",
        indices.shape().DebugString(), values.shape().DebugString());
  }
  if (n.batch == 0) return InvalidArgument("batch_size must not be 0");
  if (n.classes == 0) {
    return InvalidArgument("inputs must have at least one class");
  }
  GK_RETURN_IF_ERROR(ReadLabels(indices, values, n.batch, labels));
  return n;
}

// The labels that a path must show: those from the first that is no class on
// are none.
Status CleanLabels(const Batches& n, bool collapses, int64_t b,
                   const std::vector<int>& given, std::vector<int>* labels) {
  if (given.empty()) {
    return InvalidArgument("Labels length is zero in batch {}", b);
  }
  const auto text = [](const std::vector<int>& all) {
    return JoinText(std::span<const int32_t>(all), ",");
  };
  bool ended = false;
  for (size_t i = 0; i < given.size(); ++i) {
    if (collapses && i > 0 && given[i] == given[i - 1]) continue;
    if (given[i] >= n.classes - 1) {
      ended = true;
      continue;
    }
    if (ended) {
      return InvalidArgument(
          "Saw a non-null label (index >= num_classes - 1) following a null "
          "label, batch: {} num_classes: {} labels: {} labels seen so far: {}",
          b, n.classes, text(given), text(*labels));
    }
    labels->push_back(given[i]);
  }
  for (const int label : *labels) {
    if (label < 0) {
      return InvalidArgument(
          "All labels must be nonnegative integers, batch: {} labels: {}", b,
          text(*labels));
    }
  }
  return OkStatus();
}

Status ComputeLoss(KernelContext& c) {
  Labels given;
  GK_ASSIGN_OR_RETURN(const Batches n, CheckLoss(c, &given));
  const Tensor &inputs = c.input(0), &lengths = c.input(3);
  const int32_t* length = lengths.data<int32_t>();
  const bool ignores = c.attr<bool>("ignore_longer_outputs_than_inputs");
  for (int64_t b = 0; b < n.batch; ++b) {
    if (length[b] > n.steps) {
      return InvalidArgument("sequence_length({}) <= {}", b, n.steps);
    }
  }
  for (int64_t b = 0; b < n.batch; ++b) {
    if (length[b] < 0) return InvalidArgument("seq_len({}) < 0", b);
  }
  Labels labels(n.batch);
  for (int64_t b = 0; b < n.batch; ++b) {
    GK_RETURN_IF_ERROR(CleanLabels(n,
                                   c.attr<bool>("preprocess_collapse_repeated"),
                                   b, given[b], &labels[b]));
    const auto needed = static_cast<int64_t>(given[b].size());
    if (!ignores && needed > length[b]) {
      return InvalidArgument(
          "Not enough time for target transition sequence (required: {}, "
          "available: {}){}You can turn this error into a warning by using the "
          "flag ignore_longer_outputs_than_inputs",
          needed, length[b], b);
    }
  }
  Tensor *loss, *gradient;
  GK_RETURN_IF_ERROR(
      c.Allocate(0, inputs.dtype(), TensorShape({n.batch}), &loss));
  GK_RETURN_IF_ERROR(c.Allocate(1, inputs.dtype(), inputs.shape(), &gradient));
  ZeroElements(loss);
  ZeroElements(gradient);
  const bool merges = c.attr<bool>("ctc_merge_repeated");
  const int64_t row = n.batch * n.classes;
  VisitType<float, double>(inputs.dtype(), [&](auto tag) {
    using T = decltype(tag);
    ThreadPool::Global().ParallelFor(n.batch, [&](int64_t b) {
      if (length[b] == 0 ||
          (ignores && static_cast<int64_t>(given[b].size()) > length[b])) {
        return;
      }
      loss->data<T>()[b] = CtcLoss<T>(n.classes, labels[b], merges)
                               .Run(inputs.data<T>() + b * n.classes, length[b],
                                    row, gradient->data<T>() + b * n.classes);
    });
  });
  return OkStatus();
}

Status ComputeSoftLoss(KernelContext& c) {
  Labels labels;
  GK_ASSIGN_OR_RETURN(const Batches n, CheckLoss(c, &labels));
  const Tensor& inputs = c.input(0);
  const int32_t* length = c.input(3).data<int32_t>();
  size_t most = 0;
  for (const std::vector<int>& one : labels) most = std::max(most, one.size());
  Tensor *loss, *gradient;
  GK_RETURN_IF_ERROR(
      c.Allocate(0, DataType::kFloat, TensorShape({n.batch}), &loss));
  GK_RETURN_IF_ERROR(
      c.Allocate(1, DataType::kFloat, inputs.shape(), &gradient));
  const int64_t row = n.batch * n.classes;
  ThreadPool::Global().ParallelFor(n.batch, [&](int64_t b) {
    const auto count = static_cast<int64_t>(labels[b].size());
    labels[b].resize(most);
    loss->data<float>()[b] =
        SoftCtcLoss(n.classes, labels[b], count)
            .Run(inputs.data<float>() + b * n.classes, n.steps, length[b], row,
                 gradient->data<float>() + b * n.classes);
  });
  return OkStatus();
}

Status LossShape(InferenceContext& c) {
  PartialTensorShape inputs, indices, values, lengths;
  GK_RETURN_IF_ERROR(c.WithRank(0, 3, &inputs));
  GK_RETURN_IF_ERROR(c.WithRank(1, 2, &indices));
  GK_RETURN_IF_ERROR(c.WithRank(2, 1, &values));
  GK_RETURN_IF_ERROR(c.WithRank(3, 1, &lengths));
  int64_t same;
  GK_RETURN_IF_ERROR(
      InferenceContext::MergeDims(indices.dim(0), values.dim(0), &same));
  GK_RETURN_IF_ERROR(
      InferenceContext::MergeDims(inputs.dim(1), lengths.dim(0), &same));
  inputs.SetDim(1, same);
  c.set_output(0, {same});
  c.set_output(1, inputs);
  return OkStatus();
}

void LossGradient(GradContext& g) {
  const Tensor known = ops::PreventGradient(
      g.y(1),
      "Currently there is no way to take the second derivative of ctc_loss due "
      "to the fused implementation's interaction with tf.gradients()");
  const Tensor dy =
      ops::Reshape(g.dy(0), IntegerVector(std::vector<int64_t>{1, -1, 1}));
  g.Set(0, ops::Mul(dy, known));
}

StatusOr<Batches> CheckDecoder(KernelContext& c) {
  const Tensor &inputs = c.input(0), &lengths = c.input(1);
  if (inputs.rank() != 3) return InvalidArgument("inputs is not a 3-Tensor");
  if (inputs.num_elements() == 0) {
    return InvalidArgument("inputs must not be empty");
  }
  if (lengths.rank() != 1) {
    return InvalidArgument("sequence_length is not a vector");
  }
  const Batches n{inputs.dim(0), inputs.dim(1), inputs.dim(2)};
  if (n.batch != lengths.dim(0)) {
    return FailedPrecondition(
        "len(sequence_length) != batch_size.  len(sequence_length):  {} "
        "batch_size: {}",
        lengths.dim(0), n.batch);
  }
  for (int64_t b = 0; b < n.batch; ++b) {
    if (lengths.data<int32_t>()[b] > n.steps) {
      return FailedPrecondition("sequence_length({}) <= {}", b, n.steps);
    }
  }
  return n;
}

// A sparse matrix with a row for each path, in outputs `at`, at + step and
// at + 2 step.
Status WritePaths(KernelContext& c, int at, int step, const Labels& paths) {
  int64_t total = 0, longest = 0;
  for (const std::vector<int>& path : paths) {
    total += path.size();
    longest = std::max<int64_t>(longest, path.size());
  }
  Tensor *indices, *values, *shape;
  const DataType t = DataType::kInt64;
  GK_RETURN_IF_ERROR(c.Allocate(at, t, TensorShape({total, 2}), &indices));
  GK_RETURN_IF_ERROR(c.Allocate(at + step, t, TensorShape({total}), &values));
  GK_RETURN_IF_ERROR(c.Allocate(at + 2 * step, t, TensorShape({2}), &shape));
  int64_t* place = indices->data<int64_t>();
  int64_t* value = values->data<int64_t>();
  for (size_t b = 0; b < paths.size(); ++b) {
    for (size_t i = 0; i < paths[b].size(); ++i) {
      *place++ = b;
      *place++ = i;
      *value++ = paths[b][i];
    }
  }
  shape->data<int64_t>()[0] = paths.size();
  shape->data<int64_t>()[1] = longest;
  return OkStatus();
}

Status ComputeGreedy(KernelContext& c) {
  GK_ASSIGN_OR_RETURN(const Batches n, CheckDecoder(c));
  GK_RETURN_IF_ERROR(CheckInt32Attrs(c.attrs(), {"blank_index"}));
  int64_t blank = c.attr<int64_t>("blank_index");
  if (blank < -n.classes || blank >= n.classes) {
    return InvalidArgument(
        "blank_index expected to be between {} and {} but "
        "was {}",
        -n.classes, n.classes - 1, blank);
  }
  if (blank < 0) blank += n.classes;
  const Tensor& inputs = c.input(0);
  Tensor* sums;
  GK_RETURN_IF_ERROR(
      c.Allocate(3, inputs.dtype(), TensorShape({n.batch, 1}), &sums));
  const bool merges = c.attr<bool>("merge_repeated");
  Labels paths(n.batch);
  VisitType<float, double>(inputs.dtype(), [&](auto tag) {
    using T = decltype(tag);
    ThreadPool::Global().ParallelFor(n.batch, [&](int64_t b) {
      T sum = 0;
      int64_t last = -1;
      for (int64_t t = 0; t < c.input(1).data<int32_t>()[b]; ++t) {
        const T* row = inputs.data<T>() + (t * n.batch + b) * n.classes;
        int64_t most = 0;
        for (int64_t i = 1; i < n.classes; ++i) {
          if (row[i] > row[most]) most = i;
        }
        sum -= row[most];
        if (most != blank && !(merges && most == last)) {
          paths[b].push_back(static_cast<int>(most));
        }
        last = most;
      }
      sums->data<T>()[b] = sum;
    });
  });
  return WritePaths(c, 0, 1, paths);
}

Status ComputeBeams(KernelContext& c) {
  GK_ASSIGN_OR_RETURN(const Batches n, CheckDecoder(c));
  GK_RETURN_IF_ERROR(CheckInt32Attrs(c.attrs(), {"beam_width", "top_paths"}));
  const int64_t width = c.attr<int64_t>("beam_width");
  const int64_t top = c.attr<int64_t>("top_paths");
  if (top > width) {
    return InvalidArgument("requested more paths than the beam width.");
  }
  const Tensor& inputs = c.input(0);
  Tensor* logs;
  GK_RETURN_IF_ERROR(c.Allocate(3 * static_cast<int>(top), inputs.dtype(),
                                TensorShape({n.batch, top}), &logs));
  const bool merges = c.attr<bool>("merge_repeated");
  std::vector<Labels> found(n.batch);
  std::vector<char> enough(n.batch, 1);
  VisitType<float, double>(inputs.dtype(), [&](auto tag) {
    using T = decltype(tag);
    ThreadPool::Global().ParallelFor(n.batch, [&](int64_t b) {
      CtcBeams<T> beams(n.classes, width);
      for (int64_t t = 0; t < c.input(1).data<int32_t>()[b]; ++t) {
        beams.Step(inputs.data<T>() + (t * n.batch + b) * n.classes);
      }
      enough[b] = beams.num_paths() >= top;
      if (enough[b]) {
        beams.Best(top, merges, &found[b], logs->data<T>() + b * top);
      }
    });
  });
  if (std::count(enough.begin(), enough.end(), 0) > 0) {
    return InvalidArgument("Less leaves in the beam search than requested.");
  }
  for (int64_t i = 0; i < top; ++i) {
    Labels paths;
    for (int64_t b = 0; b < n.batch; ++b) {
      paths.push_back(std::move(found[b][i]));
    }
    GK_RETURN_IF_ERROR(
        WritePaths(c, static_cast<int>(i), static_cast<int>(top), paths));
  }
  return OkStatus();
}

Status DecoderShape(InferenceContext& c) {
  PartialTensorShape inputs, lengths;
  GK_RETURN_IF_ERROR(c.WithRank(0, 3, &inputs));
  GK_RETURN_IF_ERROR(c.WithRank(1, 1, &lengths));
  int64_t batch;
  GK_RETURN_IF_ERROR(
      InferenceContext::MergeDims(inputs.dim(1), lengths.dim(0), &batch));
  const int top = (c.num_outputs() - 1) / 3;
  for (int i = 0; i < top; ++i) {
    c.set_output(i, {kUnknownDim, 2});
    c.set_output(top + i, {kUnknownDim});
    c.set_output(2 * top + i, {2});
  }
  c.set_output(3 * top, {batch, top});
  return OkStatus();
}

#define CTC_LOSS_ATTRS                                               \
  "preprocess_collapse_repeated: bool = False; ctc_merge_repeated: " \
  "bool = True; ignore_longer_outputs_than_inputs: bool = False"

const OpRecord kRecords[] = {
    {.name = "CTCLoss",
     .inputs = "inputs: T; labels_indices: int64; labels_values: int32; "
               "sequence_length: int32",
     .outputs = "loss: T; gradient: T",
     .attrs = CTC_LOSS_ATTRS "; T: type in [float, double] = float",
     .traits = kExpensive,
     .shape = LossShape,
     .kernel = {.compute = ComputeLoss},
     .gradient = LossGradient,
     .doc = "The negative logarithm of the probability that sequences show "
            "their labels, and its gradient with respect to the logits. The "
            "blank is the last class.",
     .test = {.skip_gradient = true}},

    {.name = "CTCLossV2",
     .inputs = "inputs: float; labels_indices: int64; labels_values: int32; "
               "sequence_length: int32",
     .outputs = "loss: float; gradient: float",
     .attrs = CTC_LOSS_ATTRS,
     .traits = kExpensive,
     .shape = LossShape,
     .kernel = {.compute = ComputeSoftLoss},
     .gradient = LossGradient,
     .doc = "The loss of CTCLoss where the blank is class 0 and labels that "
            "cannot be shown are very unlikely."},

    {.name = "CTCGreedyDecoder",
     .inputs = "inputs: T; sequence_length: int32",
     .outputs = "decoded_indices: int64; decoded_values: int64; "
                "decoded_shape: int64; log_probability: T",
     .attrs = "merge_repeated: bool = False; blank_index: int = -1; T: type in "
              "[float, double] = float",
     .traits = kNoGradient,
     .shape = DecoderShape,
     .kernel = {.compute = ComputeGreedy},
     .doc = "The most likely class of each step, without blanks."},

    {.name = "CTCBeamSearchDecoder",
     .inputs = "inputs: T; sequence_length: int32",
     .outputs = "decoded_indices: top_paths * int64; decoded_values: top_paths "
                "* int64; decoded_shape: top_paths * int64; log_probability: T",
     .attrs = "beam_width: int >= 1; top_paths: int >= 1; merge_repeated: bool "
              "= True; T: type in [float, double] = float",
     .traits = kNoGradient | kExpensive,
     .shape = DecoderShape,
     .kernel = {.compute = ComputeBeams},
     .doc = "The most likely label sequences, by beam search."},
};

}  // namespace

GK_REGISTER_OPS(nn_ctc)

}  // namespace gk
