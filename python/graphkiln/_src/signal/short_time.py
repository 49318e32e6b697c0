"""tf.signal.stft and its like: what takes a function that makes a window.

The rest of them is in src/ops/composition/composition_frame.cc.
"""

from graphkiln import _graphkiln
from graphkiln._src import ops
from graphkiln._src.types.dispatched import dispatched


def _part(name: str):
    return _graphkiln.composition_function("_signal." + name)


def _window(window_fn, length, dtype):
    """The samples of a window, or None. Its function gets a tensor."""
    if window_fn is None:
        return None
    return window_fn(_graphkiln.convert_to_tensor(length), dtype=dtype)


@dispatched
def stft(
    signals,
    frame_length,
    frame_step,
    fft_length=None,
    window_fn=ops.signal.hann_window,
    pad_end=False,
    name=None,
):
    """Spectra of frames of signals, the short-time Fourier transform.

    Args:
      signals: real numbers [..., samples].
      frame_length: how many samples a frame has.
      frame_step: from one frame to the next.
      fft_length: of the transform; the least power of two that holds a frame
        if left out.
      window_fn: of a length and a `dtype`, the window that frames are
        multiplied by; None: none.
      pad_end: also frames that reach beyond the end, with zeros there.
      name: of the scope.

    Returns complex numbers [..., frames, fft_length // 2 + 1].

    >>> tf.signal.stft(tf.ones([16]), 8, 4).shape
    TensorShape([3, 5])
    """
    signals = _graphkiln.convert_to_tensor(signals)
    window = _window(window_fn, frame_length, signals.dtype)
    return _part("stft")(
        signals, frame_length, frame_step, fft_length, pad_end, window, name=name
    )


@dispatched
def inverse_stft_window_fn(
    frame_step, forward_window_fn=ops.signal.hann_window, name=None
):
    """The `window_fn` with which `inverse_stft` undoes `stft`.

    Args:
      frame_step: as `stft` had it.
      forward_window_fn: the window function of `stft`.
      name: of the scope.

    >>> window_fn = tf.signal.inverse_stft_window_fn(4)
    >>> window_fn(8, dtype=tf.float32).shape
    TensorShape([8])
    """

    def inverse_stft_window_fn_inner(frame_length, dtype):
        window = _window(forward_window_fn, frame_length, dtype)
        return _part("inverse_stft_window")(
            window, frame_length, frame_step, name=name
        )

    return inverse_stft_window_fn_inner


@dispatched
def inverse_stft(
    stfts,
    frame_length,
    frame_step,
    fft_length=None,
    window_fn=ops.signal.hann_window,
    name=None,
):
    """The signals of which `stft` made these spectra.

    Args:
      stfts: complex numbers [..., frames, bins].
      frame_length: how many samples a frame has.
      frame_step: from one frame to the next.
      fft_length: of the transform; the least power of two that holds a frame
        if left out.
      window_fn: what frames are multiplied by before they are added; see
        `inverse_stft_window_fn`.
      name: of the scope.

    >>> x = tf.range(16.0)
    >>> spectra = tf.signal.stft(x, 8, 4)
    >>> y = tf.signal.inverse_stft(
    ...     spectra, 8, 4, window_fn=tf.signal.inverse_stft_window_fn(4))
    >>> abs(y.numpy()[4:12] - x.numpy()[4:12]).max() < 1e-4
    np.True_
    """
    stfts = _graphkiln.convert_to_tensor(stfts)
    window = _window(window_fn, frame_length, stfts.dtype.real_dtype)
    return _part("inverse_stft")(
        stfts, frame_length, frame_step, fft_length, window, name=name
    )


@dispatched
def mdct(
    signals,
    frame_length,
    window_fn=ops.signal.vorbis_window,
    pad_end=False,
    norm=None,
    name=None,
):
    """The modified cosine transform of frames that overlap by half.

    Args:
      signals: real numbers [..., samples].
      frame_length: a multiple of 4.
      window_fn: of a length and a `dtype`, the window that frames are
        multiplied by; None: by the root of 1/2.
      pad_end: also frames that reach beyond the end, with zeros there.
      norm: None or "ortho".
      name: of the scope.

    Returns real numbers [..., frames, frame_length // 2].

    >>> tf.signal.mdct(tf.ones([16]), 8).shape
    TensorShape([3, 4])
    """
    signals = _graphkiln.convert_to_tensor(signals)
    window = _window(window_fn, frame_length, signals.dtype)
    return _part("mdct")(
        signals, frame_length, pad_end, norm, window, name=name
    )


@dispatched
def inverse_mdct(
    mdcts, window_fn=ops.signal.vorbis_window, norm=None, name=None
):
    """The signals of which `mdct` made these.

    Args:
      mdcts: real numbers [..., frames, frame_length // 2].
      window_fn: as `mdct` had it.
      norm: as `mdct` had it.
      name: of the scope.

    >>> x = tf.range(16.0)
    >>> y = tf.signal.inverse_mdct(tf.signal.mdct(x, 8))
    >>> abs(y.numpy()[4:12] - x.numpy()[4:12]).max() < 1e-4
    np.True_
    """
    mdcts = _graphkiln.convert_to_tensor(mdcts)
    half = mdcts.shape[-1]
    window = None
    if half is not None:
        window = _window(window_fn, 2 * half, mdcts.dtype)
    return _part("inverse_mdct")(mdcts, norm, window, name=name)
