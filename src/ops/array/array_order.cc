// Elements in another order, or only some of them.
#include "ops/fn/array_order.h"

#include <algorithm>
#include <span>
#include <string>

#include "base/interrupt.h"
#include "base/thread_pool.h"
#include "framework/grad_context.h"
#include "framework/op_registry.h"
#include "kernels/gather.h"
#include "kernels/search.h"
#include "kernels/sort.h"
#include "kernels/unique.h"
#include "ops/array/put_back.h"
#include "ops/element_moves.h"
#include "ops/fn/Neg.h"

namespace gk {
namespace {

// ---- Where ----

Status WhereShape(InferenceContext& c) {
  c.set_output(0, {kUnknownDim, int64_t{c.input(0).rank()}});
  return OkStatus();
}

Status ComputeWhere(KernelContext& c) {
  const Tensor& x = c.input(0);
  const int rank = x.rank();
  if (rank == 0) {
    return InvalidArgument("WhereOp : Unhandled input dimensions: 0");
  }
  const int64_t n = x.num_elements();
  Status done;
  const auto find = [&](const auto& test) {
    ThreadPool& pool = ThreadPool::Global();
    const std::vector<int64_t> before = CountNonZeros(test, n, pool);
    Tensor* out;
    done = c.Allocate(0, DataType::kInt64,
                      TensorShape({before.back(), int64_t{rank}}), &out);
    if (!done.ok() || before.back() == 0) return;
    PlacesOfNonZeros(test, before, x.shape().dims(), n, out->data<int64_t>(),
                     pool);
  };
  const bool known =
      VisitType<bool, float, double, half, bfloat16, int8_t, int16_t, int32_t,
                int64_t, uint8_t, uint16_t, uint32_t, uint64_t, complex64,
                complex128>(x.dtype(), [](auto) {});
  if (!known) return c.NoKernel();
  const bool is_float = !IsInteger(x.dtype()) && x.dtype() != DataType::kBool;
  const auto bits = [&]<class Bits>(Bits) {
    const Bits all = ~Bits(0);
    return NonZeroBits<Bits>{static_cast<const Bits*>(x.raw_data()),
                             is_float ? Bits(all >> 1) : all};
  };
  switch (x.dtype() == DataType::kComplex64    ? -8
          : x.dtype() == DataType::kComplex128 ? -16
                                               : DataTypeSize(x.dtype())) {
    case 1:
      find(bits(uint8_t()));
      break;
    case 2:
      find(bits(uint16_t()));
      break;
    case 4:
      find(bits(uint32_t()));
      break;
    case 8:
      find(bits(uint64_t()));
      break;
    case -8:
      find(NonZeroPairs<uint32_t>{static_cast<const uint32_t*>(x.raw_data()),
                                  ~uint32_t(0) >> 1});
      break;
    default:
      find(NonZeroPairs<uint64_t>{static_cast<const uint64_t*>(x.raw_data()),
                                  ~uint64_t(0) >> 1});
  }
  return done;
}

// ---- Reverse ----

// Long rows that are reversed themselves, from first to last.
template <class T>
void ReverseRows(const Tensor& x, int last, const std::vector<bool>& reversed,
                 T* to) {
  const int64_t width = x.dim(last);
  int64_t rows = 1;
  for (int i = 0; i < last; ++i) rows *= x.dim(i);
  const T* const all = static_cast<const T*>(x.raw_data());
  ThreadPool::Global().ParallelRange(
      rows, width / 2 + 4, [&](int64_t begin, int64_t end) {
        for (int64_t row = begin; row < end; ++row) {
          int64_t rest = row, apart = 1, at = 0;
          for (int i = last - 1; i >= 0; --i) {
            const int64_t size = x.dim(i), place = rest % size;
            at += apart * (reversed[i] ? size - 1 - place : place);
            rest /= size;
            apart *= size;
          }
          const T* const from = all + at * width + width - 1;
          T* const row_to = to + row * width;
#pragma GCC ivdep
          for (int64_t i = 0; i < width; ++i) row_to[i] = from[-i];
        }
      });
}

// The values of a pixel, which stay together.
template <class T, int kWidth>
struct Pixel {
  T values[kWidth];
};

// Where long rows of pixels are reversed. False for others.
template <class T>
bool ReversePixels(const Tensor& x, const std::vector<bool>& reversed,
                   void* to) {
  const int last = x.rank() - 2;
  if (last < 0 || reversed.back() || !reversed[last] || x.dim(last) < 16) {
    return false;
  }
  const auto reverse = [&](auto pixel) {
    ReverseRows(x, last, reversed, static_cast<decltype(pixel)*>(to));
    return true;
  };
  switch (x.dim(last + 1)) {
    case 1:
      return reverse(Pixel<T, 1>());
    case 2:
      return reverse(Pixel<T, 2>());
    case 3:
      return reverse(Pixel<T, 3>());
    case 4:
      return reverse(Pixel<T, 4>());
    default:
      return false;
  }
}

Status ReverseAxes(const Tensor& x, const std::vector<bool>& reversed,
                   KernelContext& c) {
  Tensor* out;
  GK_RETURN_IF_ERROR(c.Allocate(0, x.dtype(), x.shape(), &out));
  if (x.num_elements() == 0) return OkStatus();
  if (reversed.back() && x.dim(x.rank() - 1) >= 16 &&
      !IsObjectType(x.dtype())) {
    return VisitMoved(x.dtype(), [&](auto tag) {
      using T = typename decltype(tag)::type;
      ReverseRows(x, x.rank() - 1, reversed,
                  static_cast<T*>(out->raw_data()));
    });
  }
  if (!IsObjectType(x.dtype())) {
    bool done = false;
    GK_RETURN_IF_ERROR(VisitMoved(x.dtype(), [&](auto tag) {
      using T = typename decltype(tag)::type;
      if constexpr (std::is_trivially_copyable_v<T>) {
        done = ReversePixels<T>(x, reversed, out->raw_data());
      }
    }));
    if (done) return OkStatus();
  }
  const auto strides = StridesOf(x.shape());
  StridedBox box;
  int64_t offset = 0;
  for (int i = 0; i < x.rank(); ++i) {
    box.AddAxis(x.dim(i), reversed[i] ? -strides[i] : strides[i], strides[i]);
    if (reversed[i]) offset += (x.dim(i) - 1) * strides[i];
  }
  return CopyBox(box, x, offset, out, 0);
}

Status ComputeReverse(KernelContext& c) {
  const Tensor &x = c.input(0), &dims = c.input(1);
  if (dims.rank() != 1) {
    return InvalidArgument("'dims' must be 1-dimension, not {}", dims.rank());
  }
  if (x.rank() == 0) {  // nothing to reverse, whatever the flags
    c.set_output(0, x);
    return OkStatus();
  }
  if (dims.num_elements() != x.rank()) {
    return InvalidArgument(
        "'dims' must have the same number of values as 'input' has dimensions. "
        "'input' has {}'dims' has {} values",
        x.rank(), dims.num_elements());
  }
  if (x.dim(0) == 0) {
    return InvalidArgument("Invalid input first dimension. Found 0.");
  }
  const auto flags = dims.flat<bool>();
  return ReverseAxes(x, {flags.begin(), flags.end()}, c);
}

Status ReverseV2Shape(InferenceContext& c) {
  PartialTensorShape s;
  GK_RETURN_IF_ERROR(c.WithRank(1, 1, &s));
  auto axes = c.ValueAsInts(1);
  for (size_t i = 0; axes && i < axes->size(); ++i) {
    if (!c.input(0).unknown_rank() &&
        NormalAxis((*axes)[i], c.input(0).rank()) < 0) {
      return InvalidArgument("'axis'[{}] = {} is out of valid range [0, {}", i,
                             (*axes)[i], c.input(0).rank() - 1);
    }
  }
  c.set_output(0, c.input(0));
  return OkStatus();
}

Status ComputeReverseV2(KernelContext& c) {
  const Tensor& x = c.input(0);
  std::vector<int64_t> axes;
  if (x.rank() == 0) {  // nothing to reverse, whatever the axes
    c.set_output(0, x);
    return OkStatus();
  }
  if (c.input(1).rank() != 1) {
    return InvalidArgument("'dims' must be 1-dimension, not {}",
                           c.input(1).rank());
  }
  GK_RETURN_IF_ERROR(IntegerValues(c.input(1), &axes));
  std::vector<bool> reversed(x.rank());
  for (size_t i = 0; i < axes.size(); ++i) {
    const int at = NormalAxis(axes[i], x.rank());
    if (at < 0) {
      return InvalidArgument("'axis'[{}] = {} is out of valid range [0, {}", i,
                             axes[i], x.rank() - 1);
    }
    if (reversed[at]) {
      return InvalidArgument("axis {} specified more than once.", at);
    }
    reversed[at] = true;
  }
  return ReverseAxes(x, reversed, c);
}

// ---- Roll ----

Status RollShape(InferenceContext& c) {
  PartialTensorShape s;
  GK_RETURN_IF_ERROR(c.WithRankAtLeast(0, 1, &s));
  if (c.input(1).rank() > 1 || c.input(2).rank() > 1) {
    return InvalidArgument("Shape must be at most rank 1 but is rank {}",
                           std::max(c.input(1).rank(), c.input(2).rank()));
  }
  const PartialTensorShape &shift = c.input(1), &axis = c.input(2);
  if (!shift.unknown_rank() && !axis.unknown_rank()) {
    if (shift.rank() != axis.rank()) {
      return InvalidArgument("Shapes must be equal rank, but are {} and {}",
                             shift.rank(), axis.rank());
    }
    if (!shift.IsCompatibleWith(axis)) {
      return InvalidArgument(
          "Dimension 0 in both shapes must be equal, but are {0} and {1}. "
          "Shapes are [{0}] and [{1}].",
          shift.dim(0), axis.dim(0));
    }
  }
  c.set_output(0, c.input(0));
  return OkStatus();
}

Status ComputeRoll(KernelContext& c) {
  const Tensor& x = c.input(0);
  if (x.rank() < 1) return InvalidArgument("input must be 1-D or higher");
  if (c.input(1).rank() > 1) {
    return InvalidArgument("shift must be a scalar or a 1-D vector. Found: {}",
                           c.input(1).shape().DebugString());
  }
  if (c.input(2).rank() > 1) {
    return InvalidArgument("axis must be a scalar or a 1-D vector. Found: {}",
                           c.input(2).shape().DebugString());
  }
  std::vector<int64_t> shifts, axes;
  GK_RETURN_IF_ERROR(IntegerValues(c.input(1), &shifts));
  GK_RETURN_IF_ERROR(IntegerValues(c.input(2), &axes));
  if (!(c.input(1).shape() == c.input(2).shape())) {
    return InvalidArgument("shift and axis must have the same size");
  }
  std::vector<int64_t> shift(x.rank());
  for (size_t i = 0; i < axes.size(); ++i) {
    const int at = NormalAxis(axes[i], x.rank());
    if (at < 0) return InvalidArgument("axis {} is out of range", axes[i]);
    const int64_t size = std::max<int64_t>(x.dim(at), 1);
    shift[at] = (shift[at] + shifts[i] % size + size) % size;
  }
  Tensor* out;
  GK_RETURN_IF_ERROR(c.Allocate(0, x.dtype(), x.shape(), &out));
  if (x.num_elements() == 0) return OkStatus();
  // Each rolled axis is two runs; their combinations are boxes.
  const auto strides = StridesOf(x.shape());
  std::vector<int> rolled;
  for (int i = 0; i < x.rank(); ++i) {
    if (shift[i] != 0) rolled.push_back(i);
  }
  if (rolled.size() > 20) {
    return Unimplemented("Roll of more than 20 axes at once");
  }
  for (uint32_t part = 0; part < (1u << rolled.size()); ++part) {
    StridedBox box;
    int64_t from = 0, to = 0;
    size_t k = 0;
    for (int i = 0; i < x.rank(); ++i) {
      int64_t extent = x.dim(i);
      if (shift[i] != 0) {
        // Elements that wrap around, or those that do not.
        if ((part >> k++) & 1) {
          extent = shift[i];
          from += (x.dim(i) - shift[i]) * strides[i];
        } else {
          extent = x.dim(i) - shift[i];
          to += shift[i] * strides[i];
        }
      }
      box.AddAxis(extent, strides[i], strides[i]);
    }
    GK_RETURN_IF_ERROR(CopyBox(box, x, from, out, to));
  }
  return OkStatus();
}

// ---- Unique ----

Status UniqueShape(InferenceContext& c) {
  PartialTensorShape s;
  GK_RETURN_IF_ERROR(c.WithRank(0, 1, &s));
  c.set_output(0, {kUnknownDim});
  c.set_output(1, s);
  if (c.num_outputs() == 3) c.set_output(2, {kUnknownDim});
  return OkStatus();
}

Status ComputeUnique(KernelContext& c) {
  const Tensor& x = c.input(0);
  if (x.rank() != 1) {
    return InvalidArgument("unique expects a 1D vector.");
  }
  const int64_t n = x.num_elements();
  const DataType index = c.attr<DataType>("out_idx");
  std::vector<int64_t> ids(n), firsts(n);
  int64_t count = -1;
  VisitType<float, double, half, bfloat16, int8_t, int16_t, int32_t, int64_t,
            uint8_t, uint16_t, uint32_t, uint64_t>(x.dtype(), [&](auto tag) {
    count = UniqueIds(x.data<decltype(tag)>(), n, ids.data(), firsts.data());
  });
  if (x.dtype() == DataType::kBool) {
    count = UniqueIds(static_cast<const uint8_t*>(x.raw_data()), n, ids.data(),
                      firsts.data());
  } else if (x.dtype() == DataType::kString) {
    count = UniqueIds(x.data<std::string>(), n, ids.data(), firsts.data());
  }
  if (count < 0) {
    return c.NoKernel();
  }
  Tensor* y;
  GK_RETURN_IF_ERROR(c.Allocate(0, x.dtype(), TensorShape({count}), &y));
  GK_RETURN_IF_ERROR(VisitMoved(x.dtype(), [&](auto tag) {
    using T = typename decltype(tag)::type;
    const T* from = static_cast<const T*>(x.raw_data());
    TakeElements(from, std::span(firsts).first(count),
                 static_cast<T*>(y->raw_data()));
  }));
  GK_ASSIGN_OR_RETURN(Tensor idx, IntegerTensor(index, ids, x.shape()));
  c.set_output(1, std::move(idx));
  if (c.num_outputs() == 3) {
    GK_ASSIGN_OR_RETURN(Tensor t, IntegerTensor(index, CountIds(ids, count),
                                                TensorShape({count})));
    c.set_output(2, std::move(t));
  }
  return OkStatus();
}

// ---- TopKV2 ----

Status TopKShape(InferenceContext& c) {
  PartialTensorShape s;
  GK_RETURN_IF_ERROR(c.WithRankAtLeast(0, 1, &s));
  if (c.input(1).rank() > 0) {
    return InvalidArgument("Shape must be rank 0 but is rank {}",
                           c.input(1).rank());
  }
  auto k = c.ValueAsInts(1);
  if (k && (*k)[0] < 0) {
    return InvalidArgument(
        "Dimension size, given by scalar input 1, must be non-negative but is "
        "{}",
        (*k)[0]);
  }
  if (s.unknown_rank()) return OkStatus();
  const int64_t n = s.dim(s.rank() - 1);
  if (k && n >= 0 && n < (*k)[0]) {
    return InvalidArgument("input must have last dimension >= k = {} but is {}",
                           (*k)[0], n);
  }
  s.SetDim(s.rank() - 1, k ? (*k)[0] : kUnknownDim);
  c.set_output(0, s);
  c.set_output(1, s);
  return OkStatus();
}

Status TopKWith(KernelContext& c, int64_t k, DataType index) {
  const Tensor& x = c.input(0);
  TensorShape shape = x.shape();
  const int64_t n = shape.dim(x.rank() - 1);
  shape.SetDim(x.rank() - 1, k);
  Tensor *values, *indices;
  GK_RETURN_IF_ERROR(c.Allocate(0, x.dtype(), shape, &values));
  GK_RETURN_IF_ERROR(c.Allocate(1, index, shape, &indices));
  if (shape.num_elements() == 0) return OkStatus();
  // Selected in 64 bits, whatever is asked for: half the code.
  Tensor order = *indices;
  if (index != DataType::kInt64) {
    GK_ASSIGN_OR_RETURN(order, Tensor::Allocate(DataType::kInt64, shape));
  }
  const bool known =
      VisitType<float, double, half, bfloat16, int8_t, int16_t, int32_t,
                int64_t, uint8_t, uint16_t, uint32_t, uint64_t>(
          x.dtype(), [&](auto tag) {
            using T = decltype(tag);
            ThreadPool::Global().ParallelRange(
                x.num_elements() / n, n * 4, [&](int64_t begin, int64_t end) {
                  for (int64_t r = begin; r < end; ++r) {
                    TopKRow(x.data<T>() + r * n, n, k,
                            values->data<T>() + r * k,
                            order.data<int64_t>() + r * k);
                  }
                });
          });
  if (!known) {
    return c.NoKernel();
  }
  if (index == DataType::kInt32) {
    std::ranges::copy(order.flat<int64_t>(), indices->data<int32_t>());
  } else if (index == DataType::kInt16) {
    std::ranges::copy(order.flat<int64_t>(), indices->data<int16_t>());
  }
  return OkStatus();
}

Status ComputeTopK(KernelContext& c) {
  const Tensor& x = c.input(0);
  int64_t k;
  if (c.input(1).rank() != 0) {
    return InvalidArgument("k must be scalar, got shape {}",
                           c.input(1).shape().DebugString());
  }
  GK_RETURN_IF_ERROR(IntegerValue(c.input(1), "k", &k));
  if (k < 0) return InvalidArgument("Need k >= 0, got {}", k);
  if (x.rank() < 1) {
    return InvalidArgument("input must be >= 1-D, got shape {}",
                           x.shape().DebugString());
  }
  if (x.dim(x.rank() - 1) < k) {
    return InvalidArgument(
        "input must have at least k columns. Had {}, needed "
        "{}",
        x.dim(x.rank() - 1), k);
  }
  return TopKWith(c, k, c.attr<DataType>("index_type"));
}

void TopKGradient(GradContext& g) {
  if (g.wants(0)) g.Set(0, PutBack(g.dy(0), g.y(1), g.x(0)));
}

const OpRecord kRecords[] = {
    {.name = "Where",
     .inputs = "input: T",
     .outputs = "index: int64",
     .attrs = "T: type in [float, double, int32, uint8, int16, int8, "
              "complex64, int64, qint8, quint8, qint32, bfloat16, qint16, "
              "quint16, uint16, complex128, half, uint32, uint64, bool] = bool",
     .traits = kNoGradient,
     .shape = WhereShape,
     .kernel = {.compute = ComputeWhere},
     .python = {.raw_args = "condition"},
     .doc = "The index tuples of the elements that are true or not zero."},

    {.name = "Reverse",
     .inputs = "tensor: T; dims: bool",
     .outputs = "output: T",
     .attrs = "T: type in [uint8, int8, uint16, int16, uint32, int32, uint64, "
              "int64, bool, bfloat16, half, float, double, complex64, "
              "complex128, string]",
     .shape = shape_fn::SameAsInput,
     .kernel = {.compute = ComputeReverse},
     .gradient =
         [](GradContext& g) { g.Set(0, ops::Reverse(g.dy(0), g.x(1))); },
     .doc = "Reverses the marked dimensions."},

    {.name = "ReverseV2",
     .inputs = "tensor: T; axis: Tidx",
     .outputs = "output: T",
     .attrs = "Tidx: type in [int32, int64] = int32; T: type in [uint8, int8, "
              "uint16, int16, int32, uint32, int64, uint64, bool, bfloat16, "
              "half, float, double, complex64, complex128, string]",
     .shape = ReverseV2Shape,
     .kernel = {.compute = ComputeReverseV2},
     .gradient =
         [](GradContext& g) { g.Set(0, ops::ReverseV2(g.dy(0), g.x(1))); },
     .python = {.names = "reverse",
                .args = "tensor: tensor; axis: tensor(int32)",
                .ragged = RaggedForm::kReverse},
     .doc = "Turns the order of elements along the axes in the list `axis`.",
     .example = ">>> tf.reverse([1, 2, 3], [0]).numpy().tolist()\n[3, 2, 1]"},

    {.name = "Roll",
     .inputs = "input: T; shift: Tshift; axis: Taxis",
     .outputs = "output: T",
     .attrs = "T: type; Tshift: type in [int32, int64]; Taxis: type in [int32, "
              "int64]",
     .shape = RollShape,
     .kernel = {.compute = ComputeRoll},
     .gradient =
         [](GradContext& g) {
           g.Set(0, ops::Roll(g.dy(0), ops::Neg(g.x(1)), g.x(2)));
         },
     .python = {.names = "roll",
                .args = "input: tensor; shift: tensor; axis: tensor"},
     .doc = "Moves elements along dimensions; those that leave at one end "
            "enter at the other.",
     .example = ">>> tf.roll([1, 2, 3], 1, 0).numpy().tolist()\n[3, 1, 2]"},

    {.name = "Unique",
     .inputs = "x: T",
     .outputs = "y: T; idx: out_idx",
     .attrs = "T: type; out_idx: type in [int32, int64] = int32",
     .shape = UniqueShape,
     .kernel = {.compute = ComputeUnique},
     .python = {.names = "unique"},
     .doc = "The distinct values of a vector in order of appearance, and which "
            "of them each element is.",
     .example = ">>> tf.unique([7, 7, 9]).y.numpy().tolist()\n[7, 9]"},

    {.name = "UniqueWithCounts",
     .inputs = "x: T",
     .outputs = "y: T; idx: out_idx; count: out_idx",
     .attrs = "T: type; out_idx: type in [int32, int64] = int32",
     .shape = UniqueShape,
     .kernel = {.compute = ComputeUnique},
     .python = {.names = "unique_with_counts"},
     .doc = "Unique, and how often each value appears.",
     .example = ">>> tf.unique_with_counts([7, 7, 9]).count.numpy().tolist()\n"
                "[2, 1]"},

    {.name = "TopKV2",
     .inputs = "input: T; k: Tk",
     .outputs = "values: T; indices: index_type",
     .attrs = "sorted: bool = True; T: type in [float, double, int32, uint8, "
              "int16, int8, int64, bfloat16, uint16, half, uint32, uint64]; "
              "Tk: type in [int16, int32, int64] = int32; index_type: type in "
              "[int16, int32, int64] = int32",
     .shape = TopKShape,
     .kernel = {.compute = ComputeTopK},
     .gradient = TopKGradient,
     .doc = "The k greatest values along the last dimension and where they "
            "stand."},
};

}  // namespace

GK_REGISTER_OPS(array_order)

}  // namespace gk
