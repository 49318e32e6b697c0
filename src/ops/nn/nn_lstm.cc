// LSTM and GRU cells whose gates are one product, and whole sequences of LSTM
// cells, with their gradients.
#include "ops/fn/nn_lstm.h"

#include <deque>

#include "base/thread_pool.h"
#include "framework/grad_context.h"
#include "framework/op_registry.h"
#include "kernels/elementwise.h"
#include "kernels/recurrent.h"
#include "ops/element_moves.h"
#include "ops/nn/window.h"
#include "ops/with_attrs/BlockLSTMGrad.h"
#include "ops/with_attrs/BlockLSTMGradV2.h"

namespace gk {
namespace {

Parallel CellThreads() { return Parallel(&ThreadPool::Global()); }

// Tensors as float arrays: half inputs are copied, half outputs written back
// at the end.
class FloatViews {
 public:
  explicit FloatViews(KernelContext& c) : c_(c) {}

  const float* In(int i) {
    const Tensor& t = c_.input(i);
    if (t.dtype() == DataType::kFloat) return t.data<float>();
    std::vector<float>& copy = copies_.emplace_back(t.num_elements());
    for (size_t k = 0; k < copy.size(); ++k) {
      copy[k] = Convert<float>(t.data<half>()[k]);
    }
    return copy.data();
  }
  // Zeros.
  Status Out(int i, DataType t, const TensorShape& shape, float** out) {
    Tensor* tensor;
    GK_RETURN_IF_ERROR(c_.Allocate(i, t, shape, &tensor));
    ZeroElements(tensor);
    if (t == DataType::kFloat) {
      *out = tensor->data<float>();
      return OkStatus();
    }
    written_.emplace_back(i, copies_.size());
    *out = copies_.emplace_back(shape.num_elements()).data();
    return OkStatus();
  }
  Status Finish() {
    for (const auto& [i, at] : written_) {
      half* to = c_.output(i).data<half>();
      for (size_t k = 0; k < copies_[at].size(); ++k) {
        to[k] = Convert<half>(copies_[at][k]);
      }
    }
    return OkStatus();
  }

 private:
  KernelContext& c_;
  std::deque<std::vector<float>> copies_;
  std::vector<std::pair<int, size_t>> written_;
};

Status CheckRank(const Tensor& t, const char* name, int rank) {
  if (t.rank() == rank) return OkStatus();
  return InvalidArgument("{} must be {}D", name, rank);
}

Status CheckSize(const char* what, const char* expected_what, int64_t got,
                 int64_t expected) {
  if (got == expected) return OkStatus();
  return InvalidArgument("{} != {}: {} vs. {}", what, expected_what, got,
                         expected);
}

// Inputs from `first` on: x, cs_prev, h_prev, w, wci, wcf, wco, b.
StatusOr<Lstm> DescribeLstm(KernelContext& c, int first, bool sequence) {
  const Tensor &x = c.input(first), &cs = c.input(first + 1),
               &h = c.input(first + 2), &w = c.input(first + 3);
  GK_RETURN_IF_ERROR(CheckRank(x, "x", sequence ? 3 : 2));
  GK_RETURN_IF_ERROR(CheckRank(cs, "cs_prev", 2));
  GK_RETURN_IF_ERROR(CheckRank(h, "h_prev", 2));
  GK_RETURN_IF_ERROR(CheckRank(w, "w", 2));
  for (int i = 0; i < 4; ++i) {
    static constexpr const char* kNames[] = {"wci", "wcf", "wco", "b"};
    GK_RETURN_IF_ERROR(CheckRank(c.input(first + 4 + i), kNames[i], 1));
  }
  Lstm n;
  n.batch = x.dim(sequence ? 1 : 0);
  n.input = x.dim(sequence ? 2 : 1);
  n.cell = cs.dim(1);
  GK_RETURN_IF_ERROR(
      CheckSize("cs_prev.dims(0)", "batch_size", cs.dim(0), n.batch));
  GK_RETURN_IF_ERROR(
      CheckSize("h_prev.dims(0)", "batch_size", h.dim(0), n.batch));
  GK_RETURN_IF_ERROR(
      CheckSize("h_prev.dims(1)", "cell_size", h.dim(1), n.cell));
  GK_RETURN_IF_ERROR(CheckSize("w.dim_size(0)", "input_size + cell_size",
                               w.dim(0), n.input + n.cell));
  GK_RETURN_IF_ERROR(
      CheckSize("w.dim_size(1)", "cell_size * 4", w.dim(1), n.cell * 4));
  GK_RETURN_IF_ERROR(CheckSize("b.dim_size(0)", "cell_size * 4",
                               c.input(first + 7).dim(0), n.cell * 4));
  n.peephole = c.attr<bool>("use_peephole");
  // Weights that are not used may be of any size for some of the ops.
  const std::string_view op = c.record().name;
  const bool asked = n.peephole || op == "BlockLSTM" || op == "BlockLSTMV2" ||
                     op == "LSTMBlockCellGrad";
  for (int i = 0; asked && i < 3; ++i) {
    static constexpr const char* kNames[] = {
        "wci.dim_size(0)", "wcf.dim_size(0)", "wco.dim_size(0)"};
    const int64_t size = c.input(first + 4 + i).dim(0);
    if (op == "LSTMBlockCell" && size > n.cell) continue;
    GK_RETURN_IF_ERROR(CheckSize(kNames[i], "cell_size", size, n.cell));
  }
  n.forget_second = c.record().name.ends_with("V2");
  if (const float* bias = c.attrs().Get<float>("forget_bias")) {
    n.forget_bias = *bias;
  }
  if (const float* clip = c.attrs().Get<float>("cell_clip")) n.clip = *clip;
  return n;
}

void SetWeights(FloatViews& views, int first, Lstm* n) {
  n->w = views.In(first + 3);
  n->wci = views.In(first + 4);
  n->wcf = views.In(first + 5);
  n->wco = views.In(first + 6);
  n->b = views.In(first + 7);
}

Status ComputeCell(KernelContext& c) {
  GK_ASSIGN_OR_RETURN(Lstm n, DescribeLstm(c, 0, false));
  FloatViews views(c);
  SetWeights(views, 0, &n);
  float* out[7];
  for (int i = 0; i < 7; ++i) {
    GK_RETURN_IF_ERROR(views.Out(i, c.input(0).dtype(),
                                 TensorShape({n.batch, n.cell}), &out[i]));
  }
  if (n.batch * n.cell == 0) return OkStatus();
  GK_RETURN_IF_ERROR(n.Step(
      views.In(0), views.In(1), views.In(2),
      {out[0], out[1], out[2], out[3], out[4], out[5], out[6]}, CellThreads()));
  return views.Finish();
}

StatusOr<int64_t> SequenceLength(const Tensor& length, int64_t steps) {
  if (!length.shape().IsScalar()) {
    return InvalidArgument("`seq_len_max_tensor` must be rank 0 but is rank {}",
                           length.rank());
  }
  const int64_t n = length.scalar<int64_t>();
  if (n < 0 || n > steps) {
    return InvalidArgument("seq_len_max must be in [0, {}], but is {}", steps,
                           n);
  }
  return n;
}

Status ComputeBlock(KernelContext& c) {
  const Tensor& x = c.input(1);
  GK_ASSIGN_OR_RETURN(Lstm n, DescribeLstm(c, 1, true));
  GK_ASSIGN_OR_RETURN(const int64_t steps,
                      SequenceLength(c.input(0), x.dim(0)));
  FloatViews views(c);
  SetWeights(views, 1, &n);
  float* out[7];
  for (int i = 0; i < 7; ++i) {
    GK_RETURN_IF_ERROR(views.Out(
        i, x.dtype(), TensorShape({x.dim(0), n.batch, n.cell}), &out[i]));
  }
  const int64_t size = n.batch * n.cell;
  if (size == 0) return OkStatus();
  const float *in = views.In(1), *cs = views.In(2), *h = views.In(3);
  for (int64_t t = 0; t < steps; ++t) {
    const int64_t at = t * size;
    GK_RETURN_IF_ERROR(
        n.Step(in + t * n.batch * n.input, cs, h,
               {out[0] + at, out[1] + at, out[2] + at, out[3] + at, out[4] + at,
                out[5] + at, out[6] + at},
               CellThreads()));
    cs = out[1] + at;
    h = out[6] + at;
  }
  return views.Finish();
}

Status ComputeCellGrad(KernelContext& c) {
  GK_ASSIGN_OR_RETURN(Lstm n, DescribeLstm(c, 0, false));
  const TensorShape cells({n.batch, n.cell});
  for (int i = 8; i < 16; ++i) {
    if (c.input(i).shape() == cells) continue;
    return InvalidArgument("Input {} must have shape {}, but has {}", i,
                           cells.DebugString(),
                           c.input(i).shape().DebugString());
  }
  FloatViews views(c);
  SetWeights(views, 0, &n);
  const DataType t = c.input(0).dtype();
  float *dcs, *dgates, *peepholes[3];
  GK_RETURN_IF_ERROR(views.Out(0, t, cells, &dcs));
  GK_RETURN_IF_ERROR(
      views.Out(1, t, TensorShape({n.batch, 4 * n.cell}), &dgates));
  for (int i = 0; i < 3; ++i) {
    GK_RETURN_IF_ERROR(
        views.Out(2 + i, t, TensorShape({n.cell}), &peepholes[i]));
  }
  n.StepGradient({views.In(8), views.In(9), views.In(10), views.In(11),
                  views.In(12), views.In(13)},
                 views.In(1), views.In(14), views.In(15), dgates, dcs,
                 peepholes[0], peepholes[1], peepholes[2]);
  return views.Finish();
}

Status ComputeBlockGrad(KernelContext& c) {
  const Tensor& x = c.input(1);
  GK_ASSIGN_OR_RETURN(Lstm n, DescribeLstm(c, 1, true));
  GK_ASSIGN_OR_RETURN(const int64_t steps,
                      SequenceLength(c.input(0), x.dim(0)));
  const TensorShape cells({x.dim(0), n.batch, n.cell});
  for (int i = 9; i < 18; ++i) {
    if (c.input(i).shape() == cells) continue;
    return InvalidArgument("Input {} must have shape {}, but has {}", i,
                           cells.DebugString(),
                           c.input(i).shape().DebugString());
  }
  FloatViews views(c);
  SetWeights(views, 1, &n);
  float* out[8];
  for (int i = 0; i < 8; ++i) {
    GK_RETURN_IF_ERROR(
        views.Out(i, x.dtype(), c.input(1 + i).shape(), &out[i]));
  }
  const int64_t size = n.batch * n.cell, width = n.input + n.cell;
  if (size == 0) return views.Finish();
  const float *in = views.In(1), *cs_first = views.In(2),
              *h_first = views.In(3);
  const float* kept[9];
  for (int i = 0; i < 9; ++i) kept[i] = views.In(9 + i);
  const float *h_all = kept[6], *dcs_all = kept[7], *dh_all = kept[8];
  std::vector<float> dgates(n.batch * 4 * n.cell), xh(n.batch * width),
      dxh(n.batch * width), dcs(size), dh(size), dcs_prev(size, 0.0f),
      dh_prev(size, 0.0f);
  for (int64_t t = steps - 1; t >= 0; --t) {
    const int64_t at = t * size;
    const float* cs_prev = t == 0 ? cs_first : kept[1] + at - size;
    const float* h_prev = t == 0 ? h_first : h_all + at - size;
    for (int64_t k = 0; k < size; ++k) {
      dcs[k] = dcs_all[at + k] + dcs_prev[k];
      dh[k] = dh_all[at + k] + dh_prev[k];
    }
    n.StepGradient({kept[0] + at, kept[1] + at, kept[2] + at, kept[3] + at,
                    kept[4] + at, kept[5] + at},
                   cs_prev, dcs.data(), dh.data(), dgates.data(),
                   dcs_prev.data(), out[4], out[5], out[6]);
    GK_RETURN_IF_ERROR(FloatProduct(n.batch, 4 * n.cell, width, dgates.data(),
                                    false, n.w, true, dxh.data(), false,
                                    CellThreads()));
    for (int64_t r = 0; r < n.batch; ++r) {
      const float* row = &dxh[r * width];
      std::copy_n(row, n.input, out[0] + (t * n.batch + r) * n.input);
      std::copy_n(row + n.input, n.cell, &dh_prev[r * n.cell]);
    }
    JoinRows(n.batch, in + t * n.batch * n.input, n.input, h_prev, n.cell,
             xh.data());
    GK_RETURN_IF_ERROR(FloatProduct(width, n.batch, 4 * n.cell, xh.data(), true,
                                    dgates.data(), false, out[3], true,
                                    CellThreads()));
    for (int64_t k = 0; k < n.batch * 4 * n.cell; ++k) {
      out[7][k % (4 * n.cell)] += dgates[k];
    }
  }
  std::copy(dcs_prev.begin(), dcs_prev.end(), out[1]);
  std::copy(dh_prev.begin(), dh_prev.end(), out[2]);
  return views.Finish();
}

StatusOr<Gru> DescribeGru(KernelContext& c) {
  static constexpr const char* kNames[] = {"x",   "h_prev", "w_ru",
                                           "w_c", "b_ru",   "b_c"};
  for (int i = 0; i < 6; ++i) {
    const int rank = i < 4 ? 2 : 1;
    if (c.input(i).rank() == rank) continue;
    return InvalidArgument("Rank of {} must be {}, got {}", kNames[i], rank,
                           c.input(i).rank());
  }
  Gru n;
  n.batch = c.input(0).dim(0);
  n.input = c.input(0).dim(1);
  n.cell = c.input(1).dim(1);
  GK_RETURN_IF_ERROR(
      CheckSize("h_prev.dims(0)", "batch_size", c.input(1).dim(0), n.batch));
  const struct {
    int input, dim;
    const char *what, *expected;
    int64_t size;
  } kChecks[] = {
      {2, 0, "w_ru.dim_size(0)", "input_size + cell_size", n.input + n.cell},
      {2, 1, "w_ru.dim_size(1)", "cell_size * 2", n.cell * 2},
      {3, 0, "w_c.dim_size(0)", "input_size + cell_size", n.input + n.cell},
      {3, 1, "w_c.dim_size(1)", "cell_size", n.cell},
      {4, 0, "b_ru.dim_size(0)", "cell_size * 2", n.cell * 2},
      {5, 0, "b_c.dim_size(0)", "cell_size", n.cell},
  };
  for (const auto& check : kChecks) {
    GK_RETURN_IF_ERROR(CheckSize(check.what, check.expected,
                                 c.input(check.input).dim(check.dim),
                                 check.size));
  }
  n.w_ru = c.input(2).data<float>();
  n.w_c = c.input(3).data<float>();
  n.b_ru = c.input(4).data<float>();
  n.b_c = c.input(5).data<float>();
  return n;
}

Status ComputeGru(KernelContext& c) {
  GK_ASSIGN_OR_RETURN(const Gru n, DescribeGru(c));
  FloatViews views(c);
  float* out[4];
  for (int i = 0; i < 4; ++i) {
    GK_RETURN_IF_ERROR(views.Out(i, DataType::kFloat,
                                 TensorShape({n.batch, n.cell}), &out[i]));
  }
  if (n.batch * n.cell == 0) return OkStatus();
  return n.Step(views.In(0), views.In(1), out[0], out[1], out[2], out[3],
                CellThreads());
}

Status ComputeGruGrad(KernelContext& c) {
  GK_ASSIGN_OR_RETURN(const Gru n, DescribeGru(c));
  const TensorShape cells({n.batch, n.cell});
  for (int i = 6; i < 10; ++i) {
    if (c.input(i).shape() == cells) continue;
    return InvalidArgument("Input {} must have shape {}, but has {}", i,
                           cells.DebugString(),
                           c.input(i).shape().DebugString());
  }
  FloatViews views(c);
  float* out[4];
  const TensorShape shapes[] = {c.input(0).shape(), cells, cells,
                                TensorShape({n.batch, 2 * n.cell})};
  for (int i = 0; i < 4; ++i) {
    GK_RETURN_IF_ERROR(views.Out(i, DataType::kFloat, shapes[i], &out[i]));
  }
  if (n.batch * n.cell == 0) return OkStatus();
  return n.StepGradient(views.In(1), views.In(6), views.In(7), views.In(8),
                        views.In(9), out[0], out[1], out[2], out[3],
                        CellThreads());
}

int64_t DimOf(const PartialTensorShape& s, int d) {
  return s.unknown_rank() ? kUnknownDim : s.dim(d);
}

Status CellShape(InferenceContext& c) {
  PartialTensorShape x, cs;
  GK_RETURN_IF_ERROR(c.WithRank(0, 2, &x));
  GK_RETURN_IF_ERROR(c.WithRank(1, 2, &cs));
  for (int i = 0; i < c.num_outputs(); ++i) {
    c.set_output(i, {DimOf(x, 0), DimOf(cs, 1)});
  }
  return OkStatus();
}

Status BlockShape(InferenceContext& c) {
  PartialTensorShape x, b;
  GK_RETURN_IF_ERROR(c.WithRank(1, 3, &x));
  GK_RETURN_IF_ERROR(c.WithRank(8, 1, &b));
  const int64_t gates = DimOf(b, 0);
  for (int i = 0; i < 7; ++i) {
    c.set_output(
        i, {DimOf(x, 0), DimOf(x, 1), gates < 0 ? kUnknownDim : gates / 4});
  }
  return OkStatus();
}

Status CellGradShape(InferenceContext& c) {
  PartialTensorShape x, cs;
  GK_RETURN_IF_ERROR(c.WithRank(0, 2, &x));
  GK_RETURN_IF_ERROR(c.WithRank(1, 2, &cs));
  const int64_t cell = DimOf(cs, 1);
  c.set_output(0, {DimOf(x, 0), cell});
  c.set_output(1, {DimOf(x, 0), cell < 0 ? kUnknownDim : 4 * cell});
  for (int i = 2; i < 5; ++i) c.set_output(i, {cell});
  return OkStatus();
}

Status BlockGradShape(InferenceContext& c) {
  for (int i = 0; i < 8; ++i) {
    PartialTensorShape like;
    GK_RETURN_IF_ERROR(c.WithRank(1 + i, i == 0 ? 3 : i < 4 ? 2 : 1, &like));
    c.set_output(i, std::move(like));
  }
  return OkStatus();
}

Status GruGradShape(InferenceContext& c) {
  PartialTensorShape x, h;
  GK_RETURN_IF_ERROR(c.WithRank(0, 2, &x));
  GK_RETURN_IF_ERROR(c.WithRank(1, 2, &h));
  const int64_t cell = DimOf(h, 1), batch = DimOf(x, 0);
  c.set_output(0, x);
  c.set_output(1, {batch, cell});
  c.set_output(2, {batch, cell});
  c.set_output(3, {batch, cell < 0 ? kUnknownDim : 2 * cell});
  return OkStatus();
}

template <class GradOp>
void BlockGradient(GradContext& g, GradOp&& op) {
  const TensorVector made =
      op(OpAttrs(SharedAttrs(g.attrs(), {"use_peephole"})), g.x(0), g.x(1),
         g.x(2), g.x(3), g.x(4), g.x(5), g.x(6), g.x(7), g.x(8), g.y(0), g.y(1),
         g.y(2), g.y(3), g.y(4), g.y(5), g.y(6), g.dy(1), g.dy(6));
  for (int i = 0; i < 8; ++i) g.Set(1 + i, made[i]);
}

#define LSTM_WEIGHTS \
  "x: T; cs_prev: T; h_prev: T; w: T; wci: T; wcf: T; wco: T; b: T"
#define LSTM_KEPT "i: T; cs: T; f: T; o: T; ci: T; co: T"
#define LSTM_GRADS                                                    \
  "x_grad: T; cs_prev_grad: T; h_prev_grad: T; w_grad: T; wci_grad: " \
  "T; wcf_grad: T; wco_grad: T; b_grad: T"
#define LSTM_TYPES "T: type in [half, float]"

const OpRecord kRecords[] = {
    {.name = "LSTMBlockCell",
     .inputs = LSTM_WEIGHTS,
     .outputs = LSTM_KEPT "; h: T",
     .attrs = "forget_bias: float = 1.0; cell_clip: float = 3.0; use_peephole: "
              "bool = False; " LSTM_TYPES,
     .traits = kExpensive,
     .shape = CellShape,
     .kernel = {.compute = ComputeCell},
     .doc = "One step of an LSTM cell: its gates, cells and output."},

    {.name = "LSTMBlockCellGrad",
     .inputs = LSTM_WEIGHTS "; " LSTM_KEPT "; cs_grad: T; h_grad: T",
     .outputs = "cs_prev_grad: T; dicfo: T; wci_grad: T; wcf_grad: T; "
                "wco_grad: T",
     .attrs = "use_peephole: bool; " LSTM_TYPES,
     .traits = kExpensive,
     .shape = CellGradShape,
     .kernel = {.compute = ComputeCellGrad},
     .doc = "The gradient of a step of an LSTM cell with respect to its gates, "
            "the cells before it and the peepholes."},

    {.name = "BlockLSTM",
     .inputs = "seq_len_max: int64; " LSTM_WEIGHTS,
     .outputs = LSTM_KEPT "; h: T",
     .attrs = "forget_bias: float = 1.0; cell_clip: float = 3.0; use_peephole: "
              "bool = False; " LSTM_TYPES,
     .traits = kExpensive,
     .shape = BlockShape,
     .kernel = {.compute = ComputeBlock},
     .gradient =
         [](GradContext& g) {
           BlockGradient(g, [](OpAttrs attrs, const auto&... t) {
             return ops::BlockLSTMGrad(std::move(attrs), t...);
           });
         },
     .doc = "The steps of an LSTM cell over sequences [steps, batch, input]; "
            "zeros from `seq_len_max` on."},

    {.name = "BlockLSTMV2",
     .inputs = "seq_len_max: int64; " LSTM_WEIGHTS,
     .outputs = LSTM_KEPT "; h: T",
     .attrs = "cell_clip: float = 0.0; use_peephole: bool = False; " LSTM_TYPES,
     .traits = kExpensive,
     .shape = BlockShape,
     .kernel = {.compute = ComputeBlock},
     .gradient =
         [](GradContext& g) {
           BlockGradient(g, [](OpAttrs attrs, const auto&... t) {
             return ops::BlockLSTMGradV2(std::move(attrs), t...);
           });
         },
     .doc = "BlockLSTM with the forget gates second and without their bias."},

    {.name = "BlockLSTMGrad",
     .inputs = "seq_len_max: int64; " LSTM_WEIGHTS "; " LSTM_KEPT
               "; h: T; cs_grad: T; h_grad: T",
     .outputs = LSTM_GRADS,
     .attrs = "use_peephole: bool; " LSTM_TYPES,
     .traits = kExpensive,
     .shape = BlockGradShape,
     .kernel = {.compute = ComputeBlockGrad},
     .doc = "The gradient of BlockLSTM."},

    {.name = "BlockLSTMGradV2",
     .inputs = "seq_len_max: int64; " LSTM_WEIGHTS "; " LSTM_KEPT
               "; h: T; cs_grad: T; h_grad: T",
     .outputs = LSTM_GRADS,
     .attrs = "use_peephole: bool; " LSTM_TYPES,
     .traits = kExpensive,
     .shape = BlockGradShape,
     .kernel = {.compute = ComputeBlockGrad},
     .doc = "The gradient of BlockLSTMV2."},

    {.name = "GRUBlockCell",
     .inputs = "x: T; h_prev: T; w_ru: T; w_c: T; b_ru: T; b_c: T",
     .outputs = "r: T; u: T; c: T; h: T",
     .attrs = "T: type in [float]",
     .traits = kExpensive,
     .shape = CellShape,
     .kernel = {.compute = ComputeGru},
     .doc = "One step of a GRU cell: its gates and its output."},

    {.name = "GRUBlockCellGrad",
     .inputs = "x: T; h_prev: T; w_ru: T; w_c: T; b_ru: T; b_c: T; r: T; u: T; "
               "c: T; d_h: T",
     .outputs = "d_x: T; d_h_prev: T; d_c_bar: T; d_r_bar_u_bar: T",
     .attrs = "T: type in [float]",
     .traits = kExpensive,
     .shape = GruGradShape,
     .kernel = {.compute = ComputeGruGrad},
     .doc = "The gradient of a step of a GRU cell."},
};

}  // namespace

GK_REGISTER_OPS(nn_lstm)

}  // namespace gk
