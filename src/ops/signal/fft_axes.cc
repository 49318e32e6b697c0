#include "ops/signal/fft_axes.h"

#include <cstring>

#include "kernels/fft.h"
#include "ops/element_moves.h"

namespace gk {
namespace {

// The lines of `shape` along an axis.
FftLines LinesOf(const TensorShape& shape, int axis) {
  FftLines lines;
  for (int i = 0; i < axis; ++i) lines.outer *= shape.dim(i);
  lines.n = shape.dim(axis);
  for (int i = axis + 1; i < shape.rank(); ++i) lines.inner *= shape.dim(i);
  return lines;
}

// The first elements of each axis.
StatusOr<Tensor> Cropped(const Tensor& x, const TensorShape& shape) {
  if (x.shape() == shape) return x;
  GK_ASSIGN_OR_RETURN(Tensor out, Tensor::Allocate(x.dtype(), shape));
  const auto from = StridesOf(x.shape()), to = StridesOf(shape);
  StridedBox box;
  for (int i = 0; i < x.rank(); ++i) box.AddAxis(shape.dim(i), from[i], to[i]);
  if (shape.num_elements() > 0) {
    GK_RETURN_IF_ERROR(CopyBox(box, x, 0, &out, 0));
  }
  return out;
}

template <class T>
Status Transform(FftKind kind, bool inverse, const FftAxes& a, const Tensor& x,
                 Tensor* out) {
  using Complex = std::complex<T>;
  const int last = a.axes.empty() ? 0 : a.axes.back();
  double size = 1;
  for (int64_t n : a.lengths) size *= static_cast<double>(n);
  const T scale = inverse ? static_cast<T>(1 / size) : T(1);
  if (a.axes.empty()) {
    std::memcpy(out->raw_data(), x.raw_data(), x.byte_size());
    return OkStatus();
  }
  if (kind == FftKind::kReal) {
    FftLines lines = LinesOf(x.shape(), last);
    RealFft<T>(lines, x.data<T>(), out->data<Complex>());
  }
  // The axes of complex numbers, the last one first.
  Tensor room;
  const Complex* from = kind == FftKind::kReal ? out->data<Complex>() : nullptr;
  Complex* to = from ? out->data<Complex>() : nullptr;
  if (kind == FftKind::kComplex) {
    from = x.data<Complex>();
    to = out->data<Complex>();
  } else if (kind == FftKind::kToReal) {
    from = x.data<Complex>();
    if (a.axes.size() > 1) {
      GK_ASSIGN_OR_RETURN(room, Tensor::Allocate(x.dtype(), x.shape()));
      to = room.data<Complex>();
    }
  }
  const TensorShape& shape = kind == FftKind::kReal ? out->shape() : x.shape();
  const int count = a.axes.size();
  for (int i = kind == FftKind::kComplex ? count - 1 : count - 2; i >= 0; --i) {
    const T factor = i == 0 && kind == FftKind::kComplex ? scale : T(1);
    Fft<T>(LinesOf(shape, a.axes[i]), inverse, factor, from, to);
    from = to;
  }
  if (kind == FftKind::kToReal) {
    InverseRealFft<T>(LinesOf(out->shape(), last), scale, from, out->data<T>());
  }
  return OkStatus();
}

Status CheckAxes(FftKind kind, const Tensor& x, const FftAxes& a,
                 TensorShape* counted, TensorShape* result) {
  *counted = *result = x.shape();
  for (size_t i = 0; i < a.axes.size(); ++i) {
    const bool halved = i + 1 == a.axes.size() && kind != FftKind::kComplex;
    const int64_t length = a.lengths[i];
    const int64_t wanted =
        kind == FftKind::kToReal && halved ? HalfBins(length) : length;
    const int axis = a.axes[i];
    if (x.num_elements() > 0 && x.dim(axis) < wanted) {
      return InvalidArgument(
          "Input dimension {} must have length of at least {} but got: {}",
          axis, wanted, x.dim(axis));
    }
    counted->SetDim(axis, wanted);
    result->SetDim(
        axis, kind == FftKind::kReal && halved ? HalfBins(length) : length);
  }
  return TensorShape::Make(result->dims()).status();
}

}  // namespace

Status FftOver(KernelContext& c, FftKind kind, bool inverse, const FftAxes& a) {
  const Tensor& x = c.input(0);
  const DataType dtype = kind == FftKind::kComplex ? x.dtype()
                         : kind == FftKind::kReal ? c.attr<DataType>("Tcomplex")
                                                  : c.attr<DataType>("Treal");
  if (RealType(dtype) != RealType(x.dtype())) {
    return InvalidArgument("Wrong types for {} real FFT: in={} out={}",
                           inverse ? "backward" : "forward", int(x.dtype()),
                           int(dtype));
  }
  TensorShape counted, result;
  GK_RETURN_IF_ERROR(CheckAxes(kind, x, a, &counted, &result));
  Tensor* out;
  GK_RETURN_IF_ERROR(c.Allocate(0, dtype, result, &out));
  if (result.num_elements() == 0) return OkStatus();
  if (x.num_elements() == 0) {
    ZeroElements(out);
    return OkStatus();
  }
  GK_ASSIGN_OR_RETURN(const Tensor from, Cropped(x, counted));
  return RealType(dtype) == DataType::kFloat
             ? Transform<float>(kind, inverse, a, from, out)
             : Transform<double>(kind, inverse, a, from, out);
}

}  // namespace gk
