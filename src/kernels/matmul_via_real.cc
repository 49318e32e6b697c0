// Matrix products of half, bfloat16 and complex types through one product of
// float or double matrices.
#include <algorithm>
#include <complex>

#include "kernels/matmul_impl.h"
#include "kernels/narrow.h"
#include "kernels/scratch.h"

namespace gk::matmul_internal {
namespace {

Status NoMemory() {
  return ResourceExhausted("out of memory in a matrix product");
}

// Calls body(first, count) over slices of `total` elements.
template <class F>
void ForChunks(int64_t total, Parallel parallel, F body) {
  constexpr int64_t kChunk = 1 << 16;
  parallel.For((total + kChunk - 1) / kChunk, [&](int64_t i) {
    body(i * kChunk, std::min(kChunk, total - i * kChunk));
  });
}

class NarrowMatMul : public MatMul {
 public:
  NarrowMatMul(const MatMulDesc& d, std::shared_ptr<MatMul> inner)
      : MatMul(d),
        inner_(std::move(inner)),
        count_a_(d.batch_a * d.m * d.k),
        count_b_(d.batch_b * d.k * d.n),
        count_c_(d.batch * d.m * d.n),
        scratch_(4 * (count_a_ + count_b_ + count_c_ + d.n)) {}

 private:
  Status DoRun(const MatMulArgs& args, Parallel parallel) override {
    if (count_c_ == 0) return OkStatus();
    ScratchPool::Lease lease = scratch_.Take();
    if (lease.data() == nullptr) return NoMemory();
    float* a = reinterpret_cast<float*>(lease.data());
    float* b = a + count_a_;
    float* c = b + count_b_;
    float* bias = c + count_c_;
    const auto widen = [&](const void* from, int64_t count, float* to) {
      ForChunks(count, parallel, [&](int64_t first, int64_t part) {
        WidenToFloat(desc_.type, static_cast<const uint16_t*>(from) + first,
                     part, to + first);
      });
    };
    widen(args.a, count_a_, a);
    widen(args.b, count_b_, b);
    if (desc_.accumulate) widen(args.c, count_c_, c);
    if (desc_.bias) widen(args.bias, desc_.n, bias);
    GK_RETURN_IF_ERROR(inner_->Run(
        {a, b, c, desc_.bias ? bias : nullptr, args.a_index, args.b_index},
        parallel));
    ForChunks(count_c_, parallel, [&](int64_t first, int64_t part) {
      NarrowFromFloat(desc_.type, c + first, part,
                      static_cast<uint16_t*>(args.c) + first);
    });
    return OkStatus();
  }

  const std::shared_ptr<MatMul> inner_;
  const int64_t count_a_, count_b_, count_c_;
  ScratchPool scratch_;
};

template <class T>
class ComplexMatMul : public MatMul {
 public:
  ComplexMatMul(const MatMulDesc& d, std::shared_ptr<MatMul> inner)
      : MatMul(d),
        inner_(std::move(inner)),
        count_a_(4 * d.batch_a * d.m * d.k),
        count_b_(2 * d.batch_b * d.k * d.n),
        count_c_(2 * d.batch * d.m * d.n),
        scratch_(sizeof(T) * (count_a_ + count_b_ + count_c_)) {}

 private:
  using Complex = std::complex<T>;

  Status DoRun(const MatMulArgs& args, Parallel parallel) override {
    const MatMulDesc& d = desc_;
    if (count_c_ == 0) return OkStatus();
    ScratchPool::Lease lease = scratch_.Take();
    if (lease.data() == nullptr) return NoMemory();
    T* a = reinterpret_cast<T*>(lease.data());
    T* b = a + count_a_;
    T* c = b + count_b_;
    parallel.For(d.batch_a, [&](int64_t i) {
      PackA(static_cast<const Complex*>(args.a) + i * d.m * d.k,
            a + i * 4 * d.m * d.k);
    });
    parallel.For(d.batch_b, [&](int64_t i) {
      PackB(static_cast<const Complex*>(args.b) + i * d.k * d.n,
            b + i * 2 * d.k * d.n);
    });
    GK_RETURN_IF_ERROR(inner_->Run(
        {a, b, c, nullptr, args.a_index, args.b_index}, parallel));
    parallel.For(d.batch, [&](int64_t i) {
      Unpack(c + i * 2 * d.m * d.n, static_cast<const Complex*>(args.bias),
             static_cast<Complex*>(args.c) + i * d.m * d.n);
    });
    return OkStatus();
  }

  void PackA(const Complex* in, T* out) {
    const MatMulDesc& d = desc_;
    const int64_t row = d.transpose_a ? 1 : d.k;
    const int64_t step = d.transpose_a ? d.m : 1;
    for (int64_t i = 0; i < d.m; ++i) {
      T* upper = out + i * 2 * d.k;
      T* lower = out + (d.m + i) * 2 * d.k;
      for (int64_t p = 0; p < d.k; ++p) {
        const Complex x = in[i * row + p * step];
        const T im = d.conjugate_a ? -x.imag() : x.imag();
        upper[p] = x.real();
        upper[d.k + p] = -im;
        lower[p] = im;
        lower[d.k + p] = x.real();
      }
    }
  }

  void PackB(const Complex* in, T* out) {
    const MatMulDesc& d = desc_;
    const int64_t row = d.transpose_b ? 1 : d.n;
    const int64_t step = d.transpose_b ? d.k : 1;
    for (int64_t p = 0; p < d.k; ++p) {
      for (int64_t j = 0; j < d.n; ++j) {
        const Complex x = in[p * row + j * step];
        out[p * d.n + j] = x.real();
        out[(d.k + p) * d.n + j] = d.conjugate_b ? -x.imag() : x.imag();
      }
    }
  }

  void Unpack(const T* in, const Complex* bias, Complex* out) {
    const MatMulDesc& d = desc_;
    for (int64_t i = 0; i < d.m; ++i) {
      for (int64_t j = 0; j < d.n; ++j) {
        Complex x(in[i * d.n + j], in[(d.m + i) * d.n + j]);
        if (d.accumulate) x += out[i * d.n + j];
        if (d.bias) x += bias[j];
        out[i * d.n + j] = x;
      }
    }
  }

  const std::shared_ptr<MatMul> inner_;
  const int64_t count_a_, count_b_, count_c_;
  ScratchPool scratch_;
};

}  // namespace

Created CreateNarrow(const MatMulDesc& desc) {
  MatMulDesc real = desc;
  real.type = ElementType::kFloat;
  GK_ASSIGN_OR_RETURN(std::shared_ptr<MatMul> inner, MatMul::Create(real));
  return std::shared_ptr<MatMul>(
      std::make_shared<NarrowMatMul>(desc, std::move(inner)));
}

Created CreateComplex(const MatMulDesc& desc) {
  MatMulDesc real;
  real.type = desc.type == ElementType::kComplex64 ? ElementType::kFloat
                                                   : ElementType::kDouble;
  real.m = 2 * desc.m;
  real.k = 2 * desc.k;
  real.n = desc.n;
  real.batch = desc.batch;
  real.batch_a = desc.batch_a;
  real.batch_b = desc.batch_b;
  GK_ASSIGN_OR_RETURN(std::shared_ptr<MatMul> inner, MatMul::Create(real));
  if (desc.type == ElementType::kComplex64) {
    return std::shared_ptr<MatMul>(
        std::make_shared<ComplexMatMul<float>>(desc, std::move(inner)));
  }
  return std::shared_ptr<MatMul>(
      std::make_shared<ComplexMatMul<double>>(desc, std::move(inner)));
}

}  // namespace gk::matmul_internal
