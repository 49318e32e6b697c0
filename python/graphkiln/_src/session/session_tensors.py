"""tf.compat.v1.get_session_tensor and others: tensors that a session keeps from one
run for others."""

from __future__ import annotations

import numpy as np

from graphkiln import _graphkiln, raw_ops
from graphkiln._graphkiln import DType, Operation, Tensor

_HANDLES = frozenset("GetSessionHandle GetSessionHandleV2".split())


class TensorHandle:
    """What a session gives for `tf.compat.v1.get_session_handle`: a tensor that it
    keeps. Runs take it as the value of a feed. The tensor is dropped with it."""

    def __init__(
        self, handle: str, dtype: DType, runs: _graphkiln._GraphSession
    ) -> None:
        self._handle = handle
        self._dtype = dtype
        self._runs = runs
        self._owns = True

    @property
    def handle(self) -> str:
        """The handle as a text, which feeds what `get_session_tensor` gives."""
        return self._handle

    def tensor(self) -> Tensor:
        """The tensor, outside of the session."""
        if not self._owns:
            raise TypeError(
                f"Persistent tensor {self._handle} may have already been deleted."
            )
        return self._runs.kept_tensor(self._handle)

    def eval(self) -> np.ndarray:
        """The value of the tensor."""
        return self.tensor().numpy()

    def delete(self) -> None:
        """Drops the tensor now.

        Raises TypeError if that was done, or somebody else is to do so.
        """
        self.tensor()
        self._owns = False
        self._runs.delete_tensor(self._handle)

    def get_raw_handle(self) -> str:
        """The handle as a text. The tensor stays until `delete_session_tensor`
        drops it, or the session ends."""
        self._owns = False
        return self._handle

    def __str__(self) -> str:
        return self._handle

    def __del__(self) -> None:
        if self._owns:
            self._runs.delete_tensor(self._handle)


def is_handle(element: object) -> bool:
    """Is it what `get_session_handle` makes?"""
    return isinstance(element, Tensor) and element.op.type in _HANDLES


def handle_of(
    value: np.ndarray | bytes, fetched: Tensor, runs: _graphkiln._GraphSession
) -> TensorHandle:
    """What a fetch of `get_session_handle` gives."""
    handle = value if isinstance(value, bytes) else value.item()
    return TensorHandle(handle.decode(), fetched.op.inputs[0].dtype, runs)


def get_session_handle(data: Tensor, name: str | None = None) -> Tensor:
    """Keeps a tensor in the session that runs it; a scalar text, for which a run
    gives an object with the text as `handle`.

    Args:
      data: the tensor.
      name: of the operation.

    Raises TypeError for what is no tensor.

    >>> with tf.Graph().as_default(), tf.compat.v1.Session() as session:
    ...     kept = session.run(tf.compat.v1.get_session_handle(tf.constant(2) * 3))
    ...     holder, x = tf.compat.v1.get_session_tensor(kept.handle, tf.int32)
    ...     print(session.run(x + 1, {holder: kept.handle}).item())
    7
    """
    if not isinstance(data, Tensor):
        raise TypeError("`data` must be of type Tensor.")
    return raw_ops.GetSessionHandle(value=data, name=name)


def get_session_tensor(
    handle: str, dtype: DType, name: str | None = None
) -> tuple[Tensor, Tensor]:
    """A placeholder of a handle, and the tensor that the session keeps by it.

    Args:
      handle: a handle of the session's.
      dtype: of the tensor.
      name: of the operation.
    """
    holder = _holder(handle)
    return holder, raw_ops.GetSessionTensor(
        handle=holder, dtype=dtype, name=name
    )


def delete_session_tensor(
    handle: str, name: str | None = None
) -> tuple[Tensor, Operation]:
    """A placeholder of a handle, and an operation that drops the tensor that the
    session keeps by it.

    Args:
      handle: a handle of the session's.
      name: of the operation.
    """
    holder = _holder(handle)
    return holder, raw_ops.DeleteSessionTensor(handle=holder, name=name)


def _holder(handle: str) -> Tensor:
    with _graphkiln.device(handle.rpartition(";")[2]):
        return _graphkiln.placeholder("string", [])
