// Large float matrix products: one-thread oneDNN primitives over row panels,
// or column panels when there are few rows.
#include <algorithm>
#include <mutex>
#include <utility>

#include "kernels/dnnl_primitive.h"
#include "kernels/matmul_impl.h"

namespace gk::matmul_internal {
namespace {

using dnnl::memory;

// Kernels copy columns of this depth to the thread's stack, deeper ones to the
// heap: STACK_K_CAPACITY in oneDNN's jit_avx512_common_gemm_f32.cpp, which is
// larger in jit_avx_gemm_f32.cpp (versions 2.6 to 3.0).
constexpr int64_t kMaxDepthOnStack = (4 * 4096 - 256) / (4 * 48);

// Each slice packs operands anew: eight cost up to a fifth more than four,
// which only very large products have the work to make up for.
int64_t WantedSlices(const MatMulDesc& d) {
  const double work = static_cast<double>(d.m) * d.k * d.n;
  if (work < (1 << 21)) return 1;
  if (work < (1 << 23)) return 2;
  if (work < 4e9) return 4;
  // Between slices runs can be interrupted: a fraction of a second for one.
  return std::max<int64_t>(8, static_cast<int64_t>(work / 5e9));
}

// Of tall matrices a slice stays in the second-level cache, with what it is
// multiplied by; that costs little to pack again.
int64_t SlicesOfRows(const MatMulDesc& d) {
  constexpr int64_t kCached = int64_t{1} << 17, kPacked = int64_t{1} << 15;
  if (d.transpose_a || d.k * d.n > kPacked) return 1;
  return d.m * (d.k + d.n) / kCached;
}

// Wide column panels are the fastest where there are few rows.
bool PreferRows(const MatMulDesc& d) {
  if (d.m < 128) return d.m >= d.n;
  return d.n < 512 || d.m > d.n || d.m >= 1024;
}

class DnnlMatMul : public MatMul {
 public:
  explicit DnnlMatMul(const MatMulDesc& d) : MatMul(d) {
    by_rows_ = PreferRows(d);
    const int64_t length = by_rows_ ? d.m : d.n;
    const int64_t wanted =
        std::max(WantedSlices(d), by_rows_ ? SlicesOfRows(d) : 1);
    const int64_t even = (length + wanted - 1) / wanted;
    step_ = std::min(length, (even + 15) / 16 * 16);
    slices_ = (length + step_ - 1) / step_;
    tail_ = length - (slices_ - 1) * step_;
  }

  Status Prepare() {
    GK_ASSIGN_OR_RETURN(full_, Make(step_));
    if (tail_ != step_) {
      GK_ASSIGN_OR_RETURN(last_, Make(tail_));
    }
    return OkStatus();
  }

 private:
  StatusOr<std::unique_ptr<DnnlPrimitive>> Make(int64_t length) {
    const MatMulDesc& d = desc_;
    const int64_t m = by_rows_ ? length : d.m;
    const int64_t n = by_rows_ ? d.n : length;
    return DnnlPrimitive::Create([&](const dnnl::engine& engine) {
      constexpr auto kF32 = memory::data_type::f32;
      const memory::desc a(
          {m, d.k}, kF32,
          d.transpose_a ? memory::dims{1, d.m} : memory::dims{d.k, 1});
      const memory::desc b(
          {d.k, n}, kF32,
          d.transpose_b ? memory::dims{1, d.k} : memory::dims{d.n, 1});
      const memory::desc c({m, n}, kF32, memory::dims{d.n, 1});
      dnnl::primitive_attr attr = UserScratchpad();
      if (d.accumulate) {
        dnnl::post_ops sum;
        sum.append_sum(1.0f);
        attr.set_post_ops(sum);
      }
      const dnnl::matmul::primitive_desc made(dnnl::matmul::desc(a, b, c), attr,
                                              engine);
      return DnnlPrimitive::Parts{
          dnnl::matmul(made),
          made.scratchpad_desc(),
          {{DNNL_ARG_SRC, a}, {DNNL_ARG_WEIGHTS, b}, {DNNL_ARG_DST, c}},
          d.k <= kMaxDepthOnStack};
    });
  }

  Status DoRun(const MatMulArgs& args, Parallel parallel) override {
    return RunSlices(args, parallel, nullptr);
  }
  Status DoRunInParts(const MatMulArgs& args, Parallel parallel,
                      PartDone done) override {
    const bool by_parts = by_rows_ || slices_ == 1;
    return RunSlices(args, parallel, by_parts ? &done : nullptr);
  }

  Status RunSlices(const MatMulArgs& args, Parallel parallel,
                   const PartDone* told) {
    std::mutex mutex;
    Status failure;
    parallel.For(desc_.batch * slices_, [&](int64_t i) {
      const int64_t matrix = i / slices_, slice = i % slices_;
      Status done = Slice(args, matrix, slice);
      if (done.ok() && told != nullptr) {
        const int64_t rows = !by_rows_              ? desc_.m
                             : slice + 1 == slices_ ? tail_
                                                    : step_;
        const int64_t first = by_rows_ ? slice * step_ : 0;
        (*told)((matrix * desc_.m + first) * desc_.n, rows * desc_.n);
      }
      if (done.ok()) return;
      std::lock_guard<std::mutex> lock(mutex);
      if (failure.ok()) failure = std::move(done);
    });
    return failure;
  }

  Status Slice(const MatMulArgs& args, int64_t matrix, int64_t slice) {
    const MatMulDesc& d = desc_;
    const float* a = static_cast<const float*>(args.a) +
                     d.m * d.k * MatrixOf(args.a_index, d.batch_a, matrix);
    const float* b = static_cast<const float*>(args.b) +
                     d.k * d.n * MatrixOf(args.b_index, d.batch_b, matrix);
    float* c = static_cast<float*>(args.c) + d.m * d.n * matrix;
    const float* bias = static_cast<const float*>(args.bias);
    const int64_t first = slice * step_;
    const int64_t length = slice + 1 == slices_ ? tail_ : step_;
    if (by_rows_) {
      a += first * (d.transpose_a ? 1 : d.k);
      c += first * d.n;
    } else {
      b += first * (d.transpose_b ? d.k : 1);
      c += first;
      if (bias != nullptr) bias += first;
    }
    DnnlPrimitive* run = length == step_ ? full_.get() : last_.get();
    void* const pointers[] = {const_cast<float*>(a), const_cast<float*>(b), c};
    GK_RETURN_IF_ERROR(run->Run(pointers));
    if (d.bias || d.relu) {
      BiasRelu(d, d.bias ? bias : nullptr, c, by_rows_ ? length : d.m,
               by_rows_ ? d.n : length);
    }
    return OkStatus();
  }

  bool by_rows_;
  int64_t step_, slices_, tail_;
  std::unique_ptr<DnnlPrimitive> full_, last_;
};

}  // namespace

Created CreateDnnl(const MatMulDesc& desc) {
  auto made = std::make_shared<DnnlMatMul>(desc);
  GK_RETURN_IF_ERROR(made->Prepare());
  return std::shared_ptr<MatMul>(std::move(made));
}

}  // namespace gk::matmul_internal
