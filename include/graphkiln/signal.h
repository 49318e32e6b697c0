// Short-time transforms of signals, whose windows are made by functions. The
// rest of gk::signal is in functions.h.
//
//   gk::Tensor spectra = gk::signal::stft(x, 400, 160);
//   gk::Tensor back = gk::signal::inverse_stft(
//       spectra, 400, 160,
//       {.window = gk::signal::inverse_stft_window_fn(160)});
//
// Throw Error.
#ifndef GRAPHKILN_SIGNAL_H_
#define GRAPHKILN_SIGNAL_H_

#include <functional>
#include <string>

#include <graphkiln/argument.h>
#include <graphkiln/functions.h>

namespace gk {
GK_API_NAMESPACE {
  namespace signal {

  // The samples of a window: of its length, an int32 scalar, and a dtype. An
  // empty one: no window.
  using WindowFn = std::function<Tensor(const Tensor& length, DataType dtype)>;

  // Windows that functions here have by default: see hann_window,
  // vorbis_window.
  GK_EXPORT Tensor HannWindow(const Tensor& length, DataType dtype);
  GK_EXPORT Tensor VorbisWindow(const Tensor& length, DataType dtype);

  // How a signal is cut into frames.
  struct StftOptions {
    Argument fft_length = None();  // the least power of two that holds a frame
    WindowFn window = HannWindow;
    bool pad_end = false;  // also frames that reach beyond the end
  };
  // Spectra [..., frames, fft_length / 2 + 1] of frames of real numbers.
  GK_EXPORT Tensor stft(const Tensor& signals, const Argument& frame_length,
                        const Argument& frame_step,
                        const StftOptions& options = {});
  // The signals of which stft made these spectra; `pad_end` does not count.
  GK_EXPORT Tensor inverse_stft(const Tensor& stfts,
                                const Argument& frame_length,
                                const Argument& frame_step,
                                const StftOptions& options = {});
  // The window with which inverse_stft undoes stft.
  GK_EXPORT WindowFn inverse_stft_window_fn(const Argument& frame_step,
                                            WindowFn forward = HannWindow);

  // How a signal is cut into frames that overlap by half.
  struct MdctOptions {
    WindowFn window = VorbisWindow;
    bool pad_end = false;
    std::string norm;  // or "ortho"
  };
  // The modified cosine transform of frames that overlap by half.
  GK_EXPORT Tensor mdct(const Tensor& signals, const Argument& frame_length,
                        const MdctOptions& options = {});
  // The signals of which mdct made these; `pad_end` does not count.
  GK_EXPORT Tensor inverse_mdct(const Tensor& mdcts,
                                const MdctOptions& options = {});

  }  // namespace signal
}  // GK_API_NAMESPACE
}  // namespace gk

#endif  // GRAPHKILN_SIGNAL_H_
