#include "graphkiln/signal.h"

#include "api/inner.h"

namespace gk::api::signal {
namespace {

Tensor Call(const char* name, std::initializer_list<Argument> arguments) {
  return detail::CallPublicFunction(name, arguments)[0];
}

Tensor LengthOf(const Argument& length) {
  if (const Tensor* t = std::get_if<Tensor>(&length.value())) return *t;
  return detail::Operands({length}, "-")[0];
}

Argument Window(const WindowFn& window, const Argument& length,
                DataType dtype) {
  if (!window) return None();
  return window(LengthOf(length), dtype);
}

Argument Norm(const MdctOptions& options) {
  if (options.norm.empty()) return None();
  return options.norm;
}

DataType RealOf(DataType t) {
  return t == DataType::kComplex128 ? DataType::kDouble : DataType::kFloat;
}

}  // namespace

Tensor HannWindow(const Tensor& length, DataType dtype) {
  return Call("signal.hann_window", {length, true, dtype});
}

Tensor VorbisWindow(const Tensor& length, DataType dtype) {
  return Call("signal.vorbis_window", {length, dtype});
}

Tensor stft(const Tensor& signals, const Argument& frame_length,
            const Argument& frame_step, const StftOptions& options) {
  return Call(
      "_signal.stft",
      {signals, frame_length, frame_step, options.fft_length, options.pad_end,
       Window(options.window, frame_length, signals.dtype())});
}

Tensor inverse_stft(const Tensor& stfts, const Argument& frame_length,
                    const Argument& frame_step, const StftOptions& options) {
  return Call("_signal.inverse_stft",
              {stfts, frame_length, frame_step, options.fft_length,
               Window(options.window, frame_length, RealOf(stfts.dtype()))});
}

WindowFn inverse_stft_window_fn(const Argument& frame_step, WindowFn forward) {
  return [=](const Tensor& length, DataType dtype) {
    return Call("_signal.inverse_stft_window",
                {forward(length, dtype), length, frame_step});
  };
}

Tensor mdct(const Tensor& signals, const Argument& frame_length,
            const MdctOptions& options) {
  return Call("_signal.mdct",
              {signals, frame_length, options.pad_end, Norm(options),
               Window(options.window, frame_length, signals.dtype())});
}

Tensor inverse_mdct(const Tensor& mdcts, const MdctOptions& options) {
  const int64_t last =
      mdcts.shape().rank() > 0 ? mdcts.shape().dims().back() : int64_t{-1};
  const Argument window = last < 0
                              ? Argument(None())
                              : Window(options.window, 2 * last, mdcts.dtype());
  return Call("_signal.inverse_mdct", {mdcts, Norm(options), window});
}

}  // namespace gk::api::signal
