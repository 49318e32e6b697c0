"""Functions, gradients and files that Keras of the second version reaches."""

from __future__ import annotations

from typing import Any

from graphkiln import _graphkiln
from graphkiln._graphkiln import Function  # noqa: F401
from graphkiln._src.checkpoint import state_file


def record_gradient(op_name: str, inputs: Any, attrs: Any, outputs: Any) -> None:
    """Tells tapes of an op that ran: here each op does so itself.

    >>> tf.__internal__.record_gradient("Add", [], [], [])
    """


def update_checkpoint_state(
    save_dir: str,
    model_checkpoint_path: str,
    all_model_checkpoint_paths: list[str] | None = None,
    latest_filename: str | None = None,
    save_relative_paths: bool = False,
    all_model_checkpoint_timestamps: list[float] | None = None,
    last_preserved_timestamp: float | None = None,
) -> None:
    """Writes which checkpoints a folder has: as
    `tf.compat.v1.train.update_checkpoint_state`.

    Args:
      save_relative_paths: accepted for compatibility; paths within the folder are
        relative.

    >>> import tempfile
    >>> folder = tempfile.mkdtemp()
    >>> tf.__internal__.train.update_checkpoint_state(folder, folder + "/ckpt-1")
    >>> tf.train.latest_checkpoint(folder) is None
    True
    """
    state_file.update_checkpoint_state(
        save_dir,
        model_checkpoint_path,
        all_model_checkpoint_paths,
        latest_filename,
        all_model_checkpoint_timestamps,
        last_preserved_timestamp,
    )


def convert_to_tensor_or_composite(
    value: Any, dtype: Any = None, name: str | None = None
) -> Any:
    """A composite tensor as it is, anything else as a tensor."""
    if isinstance(value, _graphkiln.CompositeTensor):
        if dtype is not None and not _graphkiln.as_dtype(dtype).is_compatible_with(
            value.dtype
        ):
            raise ValueError(
                f"Tensor conversion dtype mismatch. Requested dtype is {dtype}, "
                f"Tensor has dtype {value.dtype}: {value!r}"
            )
        return value
    return _graphkiln.convert_to_tensor(value, dtype=dtype, name=name)
