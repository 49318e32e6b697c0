"""Small functions of TensorFlow's modules of ragged tensors that are not public."""

from __future__ import annotations

from typing import Any

from graphkiln import _graphkiln
from graphkiln._graphkiln import RaggedTensor, Tensor
from graphkiln._src.testing.array_asserts import is_ragged


def convert_to_tensor_or_ragged_tensor(
    value: Any, dtype: Any = None, preferred_dtype: Any = None, name: str | None = None
) -> Tensor | RaggedTensor:
    """A tensor, ragged if `value` is.

    Args:
      value: a tensor, a ragged one, its value, or what becomes a tensor.
      dtype: of the result.
      preferred_dtype: the dtype, if it is not told otherwise.
      name: of the ops.
    """
    if not is_ragged(value):
        return _graphkiln.convert_to_tensor(
            value, dtype=dtype, dtype_hint=preferred_dtype, name=name
        )
    if not isinstance(value, RaggedTensor):
        splits = value.nested_row_splits
        return RaggedTensor.from_nested_row_splits(
            _graphkiln.convert_to_tensor(
                value.flat_values, dtype=dtype, dtype_hint=preferred_dtype
            ),
            splits,
            name=name,
        )
    if dtype is not None and not _graphkiln.as_dtype(dtype).is_compatible_with(
        value.dtype
    ):
        raise ValueError(
            f"Tensor conversion requested dtype {_graphkiln.as_dtype(dtype).name} for "
            f"RaggedTensor with dtype {value.dtype.name}: {value}."
        )
    return value


def ragged_tensor_to_string(rt: Any, summarize: int | None = None) -> Tensor:
    """A ragged tensor as text.

    Args:
      rt: the tensor.
      summarize: how many elements are shown at both ends of each dimension; all if it
        is None or -1.
    """
    if summarize not in (None, -1) and not (
        isinstance(summarize, int) and summarize > 0
    ):
        raise ValueError(
            f"Expected summarize to be -1 or a positive int, got {summarize!r}"
        )
    rt = convert_to_tensor_or_ragged_tensor(rt)
    if rt.shape.rank is None:
        raise ValueError(
            "RaggedTensor to_string requires that rt.shape.rank is not None."
        )
    return _graphkiln.format_values(
        "{}", rt, summarize=-1 if summarize is None else summarize
    )


def from_tensor(tensor: Any, *args: Any, **kwargs: Any) -> RaggedTensor:
    """RaggedTensor.from_tensor."""
    return RaggedTensor.from_tensor(tensor, *args, **kwargs)


def to_tensor(rt_input: RaggedTensor, *args: Any, **kwargs: Any) -> Tensor:
    """Its own `to_tensor`; what is dense stays so."""
    return rt_input.to_tensor(*args, **kwargs) if is_ragged(rt_input) else rt_input


def from_sparse(st_input: Any, *args: Any, **kwargs: Any) -> RaggedTensor:
    """RaggedTensor.from_sparse."""
    return RaggedTensor.from_sparse(st_input, *args, **kwargs)


def to_sparse(rt_input: RaggedTensor, name: str | None = None) -> Any:
    """Its own `to_sparse`."""
    return rt_input.to_sparse(name)
