// Matrix products by own kernels: small and thin ones straight from the
// operands, large ones in packed blocks.
#include <algorithm>
#include <atomic>
#include <cstring>

#include "kernels/gemm_block.h"
#include "kernels/matmul_impl.h"
#include "kernels/scratch.h"
#include "kernels/transpose.h"

namespace gk::matmul_internal {
namespace {

// A block of each operand stays in the second-level cache.
constexpr int64_t kRows = 128, kColumns = 192, kDepth = 256;
// Below this many multiply-adds a slice costs less than handing it out.
constexpr int64_t kSliceWork = 1 << 18;

// Copies a rows x columns window whose elements lie row_step and column_step
// apart into dense rows.
template <class T>
void PackAs(const void* from, int64_t row_step, int64_t column_step,
            int64_t rows, int64_t columns, void* to) {
  const T* in = static_cast<const T*>(from);
  T* out = static_cast<T*>(to);
  if (column_step == 1) {
    for (int64_t i = 0; i < rows; ++i) {
      std::memcpy(out + i * columns, in + i * row_step, columns * sizeof(T));
    }
    return;
  }
  constexpr int64_t kEdge = 16;
  for (int64_t i0 = 0; i0 < rows; i0 += kEdge) {
    const int64_t i1 = std::min(rows, i0 + kEdge);
    for (int64_t j = 0; j < columns; ++j) {
      for (int64_t i = i0; i < i1; ++i) {
        out[i * columns + j] = in[i * row_step + j * column_step];
      }
    }
  }
}

void Pack(int64_t size, const void* from, int64_t row_step,
          int64_t column_step, int64_t rows, int64_t columns, void* to) {
  // Empty operands may come as null pointers.
  if (rows == 0 || columns == 0) return;
  if (row_step == 1 && column_step != 1) {
    TransposeTileFor(size)(from, column_step, to, columns, rows, columns);
    return;
  }
  switch (size) {
    case 1:
      return PackAs<uint8_t>(from, row_step, column_step, rows, columns, to);
    case 2:
      return PackAs<uint16_t>(from, row_step, column_step, rows, columns, to);
    case 4:
      return PackAs<uint32_t>(from, row_step, column_step, rows, columns, to);
    default:
      return PackAs<uint64_t>(from, row_step, column_step, rows, columns, to);
  }
}

class TiledMatMul : public MatMul {
 public:
  explicit TiledMatMul(const MatMulDesc& d)
      : MatMul(d),
        size_(ElementSize(d.type)),
        block_(GemmBlockFor(d.type)),
        dot_(DotRowsFor(d.type)),
        path_(PathOf(d)),
        scratch_(path_ == Path::kDirect && d.transpose_b
                     ? size_ * d.k * d.n
                 : path_ == Path::kBlocked
                     ? size_ * (kRows * kDepth + kDepth * kColumns)
                     : 0) {
    const int64_t outputs = d.m == 1 ? d.n : d.m;
    const int64_t affordable =
        std::max<int64_t>(1, kSliceWork / std::max<int64_t>(1, d.k));
    switch (path_) {
      case Path::kRowVector:
        step_ = RoundUp(affordable, 256);
        slices_ = Ceil(outputs, step_);
        break;
      case Path::kDots:
        step_ = RoundUp(affordable, 16);
        slices_ = Ceil(outputs, step_);
        break;
      case Path::kDirect:
        step_ = std::max<int64_t>(
            1, affordable / std::max<int64_t>(1, d.m * d.n));
        break;
      case Path::kBlocked:
        // Thinner blocks when the whole has few of them.
        step_ = d.m * d.n <= 16 * kRows * kColumns ? kRows / 2 : kRows;
        column_slices_ = Ceil(d.n, kColumns);
        slices_ = Ceil(d.m, step_) * column_slices_;
        break;
    }
  }

 private:
  enum class Path { kRowVector, kDots, kDirect, kBlocked };

  static int64_t Ceil(int64_t a, int64_t b) { return (a + b - 1) / b; }
  static int64_t RoundUp(int64_t a, int64_t b) { return Ceil(a, b) * b; }

  static Path PathOf(const MatMulDesc& d) {
    if (d.m == 1) return d.transpose_b ? Path::kDots : Path::kRowVector;
    if (d.n == 1) return d.transpose_a ? Path::kRowVector : Path::kDots;
    return d.m <= 64 && d.n <= 96 && d.k <= 256 ? Path::kDirect
                                                : Path::kBlocked;
  }

  static const char* At(const void* base, int64_t bytes) {
    return static_cast<const char*>(base) + bytes;
  }
  static char* At(void* base, int64_t bytes) {
    return static_cast<char*>(base) + bytes;
  }

  Status DoRun(const MatMulArgs& args, Parallel parallel) override {
    const MatMulDesc& d = desc_;
    if (path_ == Path::kDirect) {
      // Whole matrices per slice; a lone small one runs at once.
      if (d.batch == 1) return Slice(args, 0, 0);
      return Spread(Ceil(d.batch, step_), parallel, [&](int64_t slice) {
        const int64_t end = std::min(d.batch, (slice + 1) * step_);
        for (int64_t i = slice * step_; i < end; ++i) {
          GK_RETURN_IF_ERROR(Slice(args, i, 0));
        }
        return OkStatus();
      });
    }
    return Spread(d.batch * slices_, parallel, [&](int64_t slice) {
      return Slice(args, slice / slices_, slice % slices_);
    });
  }

  // Runs the slices and reports whether one of them failed for memory.
  template <class F>
  static Status Spread(int64_t slices, Parallel parallel, F body) {
    std::atomic<bool> failed = false;
    parallel.For(slices, [&](int64_t slice) {
      if (!body(slice).ok()) failed.store(true, std::memory_order_relaxed);
    });
    return failed ? NoMemory() : OkStatus();
  }
  static Status NoMemory() {
    return ResourceExhausted("out of memory in a matrix product");
  }

  Status Slice(const MatMulArgs& args, int64_t matrix, int64_t slice) {
    const MatMulDesc& d = desc_;
    const void* a = At(args.a, size_ * d.m * d.k *
                                   MatrixOf(args.a_index, d.batch_a, matrix));
    const void* b = At(args.b, size_ * d.k * d.n *
                                   MatrixOf(args.b_index, d.batch_b, matrix));
    char* c = At(args.c, size_ * d.m * d.n * matrix);
    switch (path_) {
      case Path::kRowVector:
      case Path::kDots:
        Vector(a, b, c, args.bias, slice);
        return OkStatus();
      case Path::kDirect:
        return Direct(a, b, c, args.bias);
      case Path::kBlocked:
        return Blocked(a, b, c, args.bias, slice);
    }
    return OkStatus();
  }

  // A product with a vector; a column vector is a transposed row vector.
  void Vector(const void* a, const void* b, char* c, const void* bias,
              int64_t slice) {
    const MatMulDesc& d = desc_;
    const bool row = d.m == 1;
    const void* vector = row ? a : b;
    const void* matrix = row ? b : a;
    const int64_t outputs = row ? d.n : d.m;
    const int64_t first = slice * step_;
    const int64_t count = std::min(step_, outputs - first);
    char* out = At(c, size_ * first);
    if (path_ == Path::kDots) {
      dot_({At(matrix, size_ * first * d.k), d.k, vector, out, 1, count, d.k,
            d.accumulate});
    } else {
      block_({vector, d.k, 1, At(matrix, size_ * first), outputs, out, outputs,
              1, count, d.k, d.accumulate});
    }
    if (!d.bias && !d.relu) return;
    if (row) {
      BiasRelu(d, d.bias ? At(bias, size_ * first) : nullptr, out, 1, count);
    } else {
      BiasRelu(d, d.bias ? bias : nullptr, out, count, 1);
    }
  }

  Status Direct(const void* a, const void* b, char* c, const void* bias) {
    const MatMulDesc& d = desc_;
    GemmBlock g{a, d.transpose_a ? 1 : d.k, d.transpose_a ? d.m : 1,
                b, d.n, c, d.n, d.m, d.n, d.k, d.accumulate};
    if (d.transpose_b && scratch_.bytes() > 0) {
      ScratchPool::Lease lease = scratch_.Take();
      if (lease.data() == nullptr) return NoMemory();
      Pack(size_, b, 1, d.k, d.k, d.n, lease.data());
      g.b = lease.data();
      block_(g);
    } else {
      block_(g);
    }
    if (d.bias || d.relu) BiasRelu(d, d.bias ? bias : nullptr, c, d.m, d.n);
    return OkStatus();
  }

  Status Blocked(const void* a, const void* b, char* c, const void* bias,
                 int64_t slice) {
    const MatMulDesc& d = desc_;
    ScratchPool::Lease lease = scratch_.Take();
    if (lease.data() == nullptr) return NoMemory();
    void* pack_a = lease.data();
    void* pack_b = lease.data() + size_ * kRows * kDepth;
    const int64_t row = slice / column_slices_ * step_;
    const int64_t column = slice % column_slices_ * kColumns;
    const int64_t rows = std::min(step_, d.m - row);
    const int64_t columns = std::min(kColumns, d.n - column);
    const int64_t a_row = d.transpose_a ? 1 : d.k;
    const int64_t a_k = d.transpose_a ? d.m : 1;
    const int64_t b_k = d.transpose_b ? 1 : d.n;
    const int64_t b_column = d.transpose_b ? d.k : 1;
    char* out = At(c, size_ * (row * d.n + column));
    int64_t p = 0;
    do {
      const int64_t depth = std::min(kDepth, d.k - p);
      Pack(size_, At(a, size_ * (row * a_row + p * a_k)), a_row, a_k, rows,
           depth, pack_a);
      Pack(size_, At(b, size_ * (p * b_k + column * b_column)), b_k, b_column,
           depth, columns, pack_b);
      block_({pack_a, depth, 1, pack_b, columns, out, d.n, rows, columns,
              depth, d.accumulate || p > 0});
      p += depth;
    } while (p < d.k);
    if (d.bias || d.relu) {
      BiasRelu(d, d.bias ? At(bias, size_ * column) : nullptr, out, rows,
               columns);
    }
    return OkStatus();
  }

  const int64_t size_;
  const GemmBlockFn block_;
  const DotRowsFn dot_;
  const Path path_;
  ScratchPool scratch_;
  int64_t step_ = 1, slices_ = 1, column_slices_ = 1;
};

}  // namespace

Created CreateTiled(const MatMulDesc& desc) {
  return std::shared_ptr<MatMul>(std::make_shared<TiledMatMul>(desc));
}

}  // namespace gk::matmul_internal
