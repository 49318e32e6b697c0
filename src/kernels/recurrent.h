// Cells of recurrent networks with all their gates in one product: LSTM
// (Hochreiter and Schmidhuber, 1997) with peepholes, and GRU (Cho et al.,
// 2014); steps and their gradients. Arrays are float and row major.
#ifndef GK_KERNELS_RECURRENT_H_
#define GK_KERNELS_RECURRENT_H_

#include <algorithm>
#include <cstdint>
#include <vector>

#include "kernels/isa.h"
#include "kernels/math.h"
#include "kernels/matmul.h"

namespace gk {

// c (+)= op(a) op(b); m x k, k x n.
inline Status FloatProduct(int64_t m, int64_t k, int64_t n, const float* a,
                           bool transpose_a, const float* b, bool transpose_b,
                           float* c, bool accumulate,
                           const Parallel& parallel) {
  MatMulDesc desc{.type = ElementType::kFloat, .m = m, .k = k, .n = n};
  desc.transpose_a = transpose_a;
  desc.transpose_b = transpose_b;
  desc.accumulate = accumulate;
  GK_ASSIGN_OR_RETURN(const std::shared_ptr<MatMul> product, GetMatMul(desc));
  return product->Run({.a = a, .b = b, .c = c}, parallel);
}

GK_INLINE float Logistic(float x) { return 1 / (1 + math::Exp(-x)); }

// [a, b] row by row.
inline void JoinRows(int64_t rows, const float* a, int64_t width_a,
                     const float* b, int64_t width_b, float* out) {
  for (int64_t r = 0; r < rows; ++r) {
    out = std::copy_n(a + r * width_a, width_a, out);
    out = std::copy_n(b + r * width_b, width_b, out);
  }
}

struct Lstm {
  int64_t batch = 0, input = 0, cell = 0;
  // Do the forget gates lie second, before what enters the cell?
  bool forget_second = false;
  float forget_bias = 0, clip = 0;  // 0: no clipping
  bool peephole = false;
  const float *w = nullptr, *b = nullptr;
  const float *wci = nullptr, *wcf = nullptr, *wco = nullptr;

  // Of one step, [batch, cell] each.
  struct Outputs {
    float *i, *cs, *f, *o, *ci, *co, *h;
  };
  struct Kept {
    const float *i, *cs, *f, *o, *ci, *co;
  };

  int64_t entry() const { return forget_second ? 2 * cell : cell; }
  int64_t forget() const { return forget_second ? cell : 2 * cell; }

  Status Step(const float* x, const float* cs_prev, const float* h_prev,
              const Outputs& out, const Parallel& parallel) {
    xh_.resize(batch * (input + cell));
    gates_.resize(batch * 4 * cell);
    JoinRows(batch, x, input, h_prev, cell, xh_.data());
    GK_RETURN_IF_ERROR(FloatProduct(batch, input + cell, 4 * cell, xh_.data(),
                                    false, w, false, gates_.data(), false,
                                    parallel));
    const auto row = Stamp<Row, void(const Lstm&, const float*, const float*,
                                     int64_t, const Outputs&)>::Best();
    for (int64_t r = 0; r < batch; ++r) {
      row(*this, &gates_[r * 4 * cell], cs_prev, r * cell, out);
    }
    return OkStatus();
  }

  // The gradient of a step with respect to its gates [batch, 4 cell] and the
  // cells before it; of peepholes it is added to sums [cell].
  void StepGradient(const Kept& y, const float* cs_prev, const float* dcs_in,
                    const float* dh, float* dgates, float* dcs_prev,
                    float* dwci, float* dwcf, float* dwco) const {
    for (int64_t r = 0; r < batch; ++r) {
      float* g = dgates + r * 4 * cell;
      for (int64_t k = 0; k < cell; ++k) {
        const int64_t at = r * cell + k;
        const float i = y.i[at], f = y.f[at], o = y.o[at], ci = y.ci[at],
                    co = y.co[at];
        const float d_o = o * (1 - o) * dh[at] * co;
        float dcs = (1 - co * co) * dh[at] * o + dcs_in[at];
        if (peephole) dcs += d_o * wco[k];
        const float d_i = i * (1 - i) * dcs * ci;
        const float d_f = f * (1 - f) * dcs * cs_prev[at];
        g[k] = d_i;
        g[entry() + k] = (1 - ci * ci) * dcs * i;
        g[forget() + k] = d_f;
        g[3 * cell + k] = d_o;
        dcs_prev[at] = dcs * f;
        if (!peephole) continue;
        dcs_prev[at] += d_i * wci[k] + d_f * wcf[k];
        dwci[k] += d_i * cs_prev[at];
        dwcf[k] += d_f * cs_prev[at];
        dwco[k] += d_o * y.cs[at];
      }
    }
  }

 private:
  // The cells [first, first + cell) of one sequence, from its gates.
  struct Row {
    static GK_INLINE void Run(const Lstm& n, const float* __restrict g,
                              const float* cs_prev, int64_t first,
                              const Outputs& out) {
      const float* __restrict b = n.b, * __restrict before = cs_prev + first;
      const float *gi = g, *gc = g + n.entry(), *gf = g + n.forget(),
                  *go = g + 3 * n.cell;
      const float *bi = b, *bc = b + n.entry(), *bf = b + n.forget(),
                  *bo = b + 3 * n.cell;
      float* __restrict i = out.i + first;
      float* __restrict cs = out.cs + first;
      float* __restrict f = out.f + first;
      float* __restrict o = out.o + first;
      float* __restrict ci = out.ci + first;
      float* __restrict co = out.co + first;
      float* __restrict h = out.h + first;
      for (int64_t k = 0; k < n.cell; ++k) {
        i[k] = gi[k] + bi[k];
        f[k] = gf[k] + bf[k] + n.forget_bias;
      }
      for (int64_t k = 0; n.peephole && k < n.cell; ++k) {
        i[k] += n.wci[k] * before[k];
        f[k] += n.wcf[k] * before[k];
      }
      for (int64_t k = 0; k < n.cell; ++k) i[k] = Logistic(i[k]);
      for (int64_t k = 0; k < n.cell; ++k) f[k] = Logistic(f[k]);
      for (int64_t k = 0; k < n.cell; ++k) {
        ci[k] = math::Tanh(gc[k] + bc[k]);
      }
      for (int64_t k = 0; k < n.cell; ++k) {
        cs[k] = ci[k] * i[k] + before[k] * f[k];
      }
      for (int64_t k = 0; n.clip > 0 && k < n.cell; ++k) {
        cs[k] = std::min(std::max(cs[k], -n.clip), n.clip);
      }
      for (int64_t k = 0; k < n.cell; ++k) o[k] = go[k] + bo[k];
      for (int64_t k = 0; n.peephole && k < n.cell; ++k) {
        o[k] += n.wco[k] * cs[k];
      }
      for (int64_t k = 0; k < n.cell; ++k) o[k] = Logistic(o[k]);
      for (int64_t k = 0; k < n.cell; ++k) co[k] = math::Tanh(cs[k]);
      for (int64_t k = 0; k < n.cell; ++k) h[k] = o[k] * co[k];
    }
  };

  std::vector<float> xh_, gates_;
};

struct Gru {
  int64_t batch = 0, input = 0, cell = 0;
  const float *w_ru = nullptr, *w_c = nullptr, *b_ru = nullptr, *b_c = nullptr;

  Status Step(const float* x, const float* h_prev, float* r, float* u, float* c,
              float* h, const Parallel& parallel) const {
    const int64_t width = input + cell;
    std::vector<float> xh(batch * width), gates(batch * 2 * cell);
    JoinRows(batch, x, input, h_prev, cell, xh.data());
    GK_RETURN_IF_ERROR(FloatProduct(batch, width, 2 * cell, xh.data(), false,
                                    w_ru, false, gates.data(), false,
                                    parallel));
    std::vector<float> reset(batch * cell);
    const auto sigmoids = Stamp<Sigmoids, void(const float*, const float*,
                                               int64_t, float*)>::Best();
    for (int64_t b = 0; b < batch; ++b) {
      const float* g = &gates[b * 2 * cell];
      sigmoids(g, b_ru, cell, r + b * cell);
      sigmoids(g + cell, b_ru + cell, cell, u + b * cell);
    }
    for (int64_t at = 0; at < batch * cell; ++at) {
      reset[at] = h_prev[at] * r[at];
    }
    JoinRows(batch, x, input, reset.data(), cell, xh.data());
    GK_RETURN_IF_ERROR(FloatProduct(batch, width, cell, xh.data(), false, w_c,
                                    false, c, false, parallel));
    const auto tangents =
        Stamp<Tangents, void(const float*, int64_t, float*)>::Best();
    for (int64_t b = 0; b < batch; ++b) tangents(b_c, cell, c + b * cell);
    for (int64_t at = 0; at < batch * cell; ++at) {
      h[at] = (1 - u[at]) * c[at] + u[at] * h_prev[at];
    }
    return OkStatus();
  }

  Status StepGradient(const float* h_prev, const float* r, const float* u,
                      const float* c, const float* dh, float* dx,
                      float* dh_prev, float* dc_bar, float* dru_bar,
                      const Parallel& parallel) const {
    const int64_t width = input + cell;
    for (int64_t at = 0; at < batch * cell; ++at) {
      dc_bar[at] = dh[at] * (1 - u[at]) * (1 - c[at] * c[at]);
      dru_bar[at / cell * 2 * cell + cell + at % cell] =
          dh[at] * (h_prev[at] - c[at]) * u[at] * (1 - u[at]);
    }
    std::vector<float> by_c(batch * width), by_gates(batch * width);
    GK_RETURN_IF_ERROR(FloatProduct(batch, cell, width, dc_bar, false, w_c,
                                    true, by_c.data(), false, parallel));
    for (int64_t at = 0; at < batch * cell; ++at) {
      dru_bar[at / cell * 2 * cell + at % cell] =
          by_c[at / cell * width + input + at % cell] * h_prev[at] * r[at] *
          (1 - r[at]);
    }
    GK_RETURN_IF_ERROR(FloatProduct(batch, 2 * cell, width, dru_bar, false,
                                    w_ru, true, by_gates.data(), false,
                                    parallel));
    for (int64_t b = 0; b < batch; ++b) {
      const float *p = &by_c[b * width], *q = &by_gates[b * width];
      for (int64_t k = 0; k < input; ++k) dx[b * input + k] = p[k] + q[k];
      for (int64_t k = 0; k < cell; ++k) {
        const int64_t at = b * cell + k;
        dh_prev[at] = p[input + k] * r[at] + dh[at] * u[at] + q[input + k];
      }
    }
    return OkStatus();
  }

 private:
  struct Sigmoids {
    static GK_INLINE void Run(const float* __restrict g,
                              const float* __restrict b, int64_t n,
                              float* __restrict to) {
      for (int64_t k = 0; k < n; ++k) to[k] = Logistic(g[k] + b[k]);
    }
  };
  struct Tangents {
    static GK_INLINE void Run(const float* __restrict b, int64_t n,
                              float* __restrict to) {
      for (int64_t k = 0; k < n; ++k) to[k] = math::Tanh(to[k] + b[k]);
    }
  };
};

}  // namespace gk

#endif  // GK_KERNELS_RECURRENT_H_
