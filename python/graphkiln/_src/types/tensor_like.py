"""tf.types.experimental.TensorLike: what becomes a tensor."""

import typing

import numpy as np

from graphkiln import _graphkiln

TensorLike = typing.Union[
    _graphkiln.AbstractTensor, int, float, bool, str, bytes, complex, tuple,
    list, np.ndarray, np.generic,
]
