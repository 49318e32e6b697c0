#include "ops/elementwise.h"

#include <algorithm>
#include <atomic>
#include <cstring>

#include "base/thread_pool.h"

namespace gk {
namespace {

constexpr int kMaxInputs = 3;
constexpr int64_t kTile = 512;
constexpr int64_t kBlock = 4096;  // the grain of parallel flat loops

// A broadcast over collapsed dims: the innermost runs through tile calls,
// the others are counted.
struct Loop {
  int rank = 0;
  int64_t dims[8];                 // outer to inner
  int64_t strides[kMaxInputs][8];  // in elements; inner is 0 or 1
};

// Collapses neighbouring dims in which every input broadcasts alike. False if
// more than 8 dims remain (then the caller materialises).
bool Collapse(std::span<const Tensor* const> in, const TensorShape& out,
              Loop* loop) {
  const int n = in.size(), rank = out.rank();
  int64_t dims[kMaxRank];
  uint32_t full[kMaxRank];  // bit i: input i varies along the dim
  int kept = 0;
  for (int d = 0; d < rank; ++d) {
    if (out.dim(d) == 1) continue;
    uint32_t mask = 0;
    for (int i = 0; i < n; ++i) {
      const int at = d - (rank - in[i]->rank());
      if (at >= 0 && in[i]->dim(at) != 1) mask |= 1u << i;
    }
    if (kept > 0 && full[kept - 1] == mask) {
      dims[kept - 1] *= out.dim(d);
    } else {
      dims[kept] = out.dim(d);
      full[kept++] = mask;
    }
  }
  if (kept == 0) {
    dims[0] = 1;
    full[0] = ~0u;
    kept = 1;
  }
  if (kept > 8) return false;
  loop->rank = kept;
  for (int i = 0; i < n; ++i) {
    int64_t stride = 1;
    for (int d = kept - 1; d >= 0; --d) {
      const bool varies = (full[d] >> i) & 1;
      loop->strides[i][d] = varies ? stride : 0;
      if (varies) stride *= dims[d];
    }
  }
  std::copy_n(dims, kept, loop->dims);
  return true;
}

void Splat(void* tile, const void* value, int size, int64_t n) {
  switch (size) {
    case 1:
      std::memset(tile, *static_cast<const uint8_t*>(value), n);
      return;
    case 4:
      std::fill_n(static_cast<uint32_t*>(tile), n,
                  *static_cast<const uint32_t*>(value));
      return;
    case 8:
      std::fill_n(static_cast<uint64_t*>(tile), n,
                  *static_cast<const uint64_t*>(value));
      return;
    default:
      for (int64_t i = 0; i < n; ++i) {
        std::memcpy(static_cast<char*>(tile) + i * size, value, size);
      }
  }
}

struct Runner {
  const TileKernel& kernel;
  const TileParams& params;
  const Loop& loop;
  char* out;
  const char* in[kMaxInputs];
  int in_size[kMaxInputs];
  int out_size;

  // Rows [begin, end) of the flattened outer dims, inner part [from, to).
  int Run(int64_t begin, int64_t end, int64_t from, int64_t to) const {
    alignas(64) char splat[kMaxInputs][kTile * 16];
    const char* splat_of[kMaxInputs] = {};
    const int inner = loop.rank - 1;
    const int64_t width = loop.dims[inner];
    int64_t index[8] = {};
    int64_t rest = begin;
    for (int d = inner - 1; d >= 0; --d) {
      index[d] = rest % loop.dims[d];
      rest /= loop.dims[d];
    }
    for (int64_t row = begin; row < end; ++row) {
      const void* p[kMaxInputs];
      bool scalar[kMaxInputs];
      int64_t step = to - from;
      for (int i = 0; i < kernel.num_inputs; ++i) {
        int64_t offset = 0;
        for (int d = 0; d < inner; ++d) offset += index[d] * loop.strides[i][d];
        const char* base = in[i] + offset * in_size[i];
        scalar[i] = loop.strides[i][inner] == 0 && step > 1;
        if (scalar[i]) {
          if (splat_of[i] != base) {
            Splat(splat[i], base, in_size[i], std::min(kTile, step));
            splat_of[i] = base;
          }
          p[i] = splat[i];
        } else {
          p[i] = base + from * loop.strides[i][inner] * in_size[i];
        }
      }
      char* o = out + (row * width + from) * out_size;
      const bool any_scalar = std::any_of(scalar, scalar + kernel.num_inputs,
                                          [](bool s) { return s; });
      if (any_scalar) step = std::min(step, kTile);
      for (int64_t at = from; at < to; at += step) {
        const int64_t n = std::min(step, to - at);
        if (int error = kernel.fn(o, p, n, &params)) return error;
        o += n * out_size;
        for (int i = 0; i < kernel.num_inputs; ++i) {
          if (!scalar[i]) {
            p[i] = static_cast<const char*>(p[i]) + n * in_size[i];
          }
        }
      }
      for (int d = inner - 1; d >= 0; --d) {
        if (++index[d] < loop.dims[d]) break;
        index[d] = 0;
      }
    }
    return 0;
  }
};

// Inputs with too many broadcast patterns are spread out first.
Status Materialize(const Tensor& in, const TensorShape& shape, Tensor* out) {
  GK_ASSIGN_OR_RETURN(*out, Tensor::Allocate(in.dtype(), shape));
  const int size = DataTypeSize(in.dtype());
  const int rank = shape.rank();
  const char* src = static_cast<const char*>(in.raw_data());
  char* dst = static_cast<char*>(out->raw_data());
  for (int64_t i = 0; i < shape.num_elements(); ++i) {
    int64_t rest = i, offset = 0, stride = 1;
    for (int d = rank - 1; d >= 0; --d) {
      const int64_t at = rest % shape.dim(d);
      rest /= shape.dim(d);
      const int k = d - (rank - in.rank());
      if (k >= 0) {
        if (in.dim(k) != 1) offset += at * stride;
        stride *= in.dim(k);
      }
    }
    std::memcpy(dst + i * size, src + offset * size, size);
  }
  return OkStatus();
}

Status TileError(const KernelContext& ctx) {
  const char* text = ctx.record().kernel.tile_error;
  return InvalidArgument("{}", text ? text : "invalid element");
}

}  // namespace

Status ComputeElementwise(KernelContext& ctx) {
  const int n = ctx.num_inputs();
  if (n == 0 || n > kMaxInputs) {
    return Internal("op {} is no elementwise op", ctx.record().name);
  }
  const Tensor& last = ctx.input(n - 1);
  const TileKernel* kernel =
      ctx.record().kernel.tile(last.dtype(), ctx.attrs());
  if (!kernel || kernel->num_inputs != n) {
    return ctx.NoKernel();
  }
  TileParams params;
  if (kernel->prepare) kernel->prepare(ctx.attrs(), &params);
  const Tensor* in[kMaxInputs];
  TensorShape shape = ctx.input(0).shape();
  bool same = true;
  for (int i = 0; i < n; ++i) {
    in[i] = &ctx.input(i);
    if (i > 0 && !(in[i]->shape() == shape)) {
      same = false;
      GK_ASSIGN_OR_RETURN(shape, BroadcastShapes(shape, in[i]->shape()));
    }
  }
  Tensor* out = nullptr;
  int reuse = -1;
  for (int i = 0; i < n && reuse < 0; ++i) {
    if (in[i]->dtype() == kernel->out && in[i]->shape() == shape) reuse = i;
  }
  if (reuse >= 0) {
    GK_RETURN_IF_ERROR(ctx.Forward(reuse, 0, kernel->out, shape, &out));
  } else {
    GK_RETURN_IF_ERROR(ctx.Allocate(0, kernel->out, shape, &out));
  }
  const int64_t total = shape.num_elements();
  if (total == 0) return OkStatus();
  if (same && total * kernel->cost_ns < 8000) {
    const void* p[kMaxInputs];
    for (int i = 0; i < n; ++i) p[i] = in[i]->raw_data();
    return kernel->fn(out->raw_data(), p, total, &params) ? TileError(ctx)
                                                          : OkStatus();
  }
  Loop loop;
  Tensor spread[kMaxInputs];
  if (!Collapse({in, static_cast<size_t>(n)}, shape, &loop)) {
    for (int i = 0; i < n; ++i) {
      if (in[i]->shape() == shape) continue;
      GK_RETURN_IF_ERROR(Materialize(*in[i], shape, &spread[i]));
      in[i] = &spread[i];
    }
    Collapse({in, static_cast<size_t>(n)}, shape, &loop);
  }
  Runner runner{*kernel,
                params,
                loop,
                static_cast<char*>(out->raw_data()),
                {},
                {},
                DataTypeSize(kernel->out)};
  for (int i = 0; i < n; ++i) {
    runner.in[i] = static_cast<const char*>(in[i]->raw_data());
    runner.in_size[i] = DataTypeSize(in[i]->dtype());
  }
  const int64_t width = loop.dims[loop.rank - 1], rows = total / width;
  std::atomic<int> error{0};
  if (rows == 1) {
    const int64_t blocks = (width + kBlock - 1) / kBlock;
    ThreadPool::Global().ParallelRange(
        blocks, static_cast<int64_t>(kBlock * kernel->cost_ns),
        [&](int64_t from, int64_t to) {
          if (int e = runner.Run(0, 1, from * kBlock,
                                 std::min(width, to * kBlock))) {
            error = e;
          }
        });
  } else {
    ThreadPool::Global().ParallelRange(
        rows, static_cast<int64_t>(kernel->cost_ns * width) + 5,
        [&](int64_t begin, int64_t end) {
          if (int e = runner.Run(begin, end, 0, width)) error = e;
        });
  }
  return error ? TileError(ctx) : OkStatus();
}

}  // namespace gk
