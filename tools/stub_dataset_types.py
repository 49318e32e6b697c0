"""Types of datasets and iterators, for tools/stubs: see stub_types.

A dataset is generic in its elements: Dataset[Tensor]; elements that are tuples
are the arguments of a function.
"""

_SAME = "Dataset[_T_co]"
_NAME = "name: str | None = None"
_CALLS = "num_parallel_calls: int | None = None, deterministic: bool | None = None"
# A count; datasets take what can be an int64 scalar.
_COUNT = "TensorLike"
_ROWS = f"batch_size: {_COUNT}, drop_remainder: bool = False"
_OF_VALUES = (
    f"(tensors: tuple[Any, ...], {_NAME}) -> Dataset[tuple[Any, ...]]",
    f"(tensors: _c.Mapping[_K, Any], {_NAME}) -> Dataset[dict[_K, Any]]",
    f"(tensors: TensorLike, {_NAME}) -> Dataset[Tensor]",
    f"(tensors: Any, {_NAME}) -> Dataset[Any]",
)

METHODS: dict[str, dict[str, str | tuple[str, ...]]] = {
    "DatasetBase": {
        "__init__": "(self, variant_tensor: Tensor) -> None",
        "__iter__": "(self) -> Iterator[_T_co]",
        "__len__": "(self) -> int",
        "__bool__": "(self) -> bool",
        "as_numpy_iterator": "(self) -> _c.Iterator[Any]",
        "cardinality": "(self) -> Tensor",
        "get_single_element": f"(self, {_NAME}) -> _T_co",
        "range": f"(*args: TensorLike, output_type: DTypeLike = ..., {_NAME}) "
        "-> Dataset[Tensor]",
        "from_tensors": _OF_VALUES,
        "from_tensor_slices": _OF_VALUES,
        "zip": (
            f"(first: Dataset[_A], second: Dataset[_B], /, *, {_NAME}) "
            "-> Dataset[tuple[_A, _B]]",
            f"(*args: Any, datasets: Any = None, {_NAME}) -> Dataset[Any]",
        ),
        "counter": f"(start: TensorLike = 0, step: TensorLike = 1, "
        f"dtype: DTypeLike = ..., {_NAME}) -> Dataset[Tensor]",
        "random": "(seed: int | None = None, "
        f"rerandomize_each_iteration: bool | None = None, {_NAME}) "
        "-> Dataset[Tensor]",
    },
    "DatasetMethods": {
        "map": f"(self, map_func: Callable[..., _A], {_CALLS}, {_NAME}) -> Dataset[_A]",
        "filter": f"(self, predicate: Callable[..., Any], {_NAME}) -> {_SAME}",
        "take_while": f"(self, predicate: Callable[..., Any], {_NAME}) -> {_SAME}",
        "flat_map": f"(self, map_func: Callable[..., Dataset[_A]], {_NAME}) "
        "-> Dataset[_A]",
        "interleave": "(self, map_func: Callable[..., Dataset[_A]], "
        "cycle_length: int | None = None, block_length: int | None = None, "
        f"{_CALLS}, {_NAME}) -> Dataset[_A]",
        "scan": "(self, initial_state: Any, "
        f"scan_func: Callable[..., tuple[Any, _A]], {_NAME}) -> Dataset[_A]",
        "reduce": (
            "(self, initial_state: tuple[Any, ...], "
            f"reduce_func: Callable[..., Any], {_NAME}) -> tuple[Any, ...]",
            "(self, initial_state: _c.Mapping[_K, Any], "
            f"reduce_func: Callable[..., Any], {_NAME}) -> dict[_K, Any]",
            "(self, initial_state: TensorLike, "
            f"reduce_func: Callable[..., Any], {_NAME}) -> Tensor",
            "(self, initial_state: Any, "
            f"reduce_func: Callable[..., Any], {_NAME}) -> Any",
        ),
        "batch": f"(self, {_ROWS}, {_CALLS}, {_NAME}) -> {_SAME}",
        "unbatch": f"(self, {_NAME}) -> {_SAME}",
        "padded_batch": f"(self, batch_size: {_COUNT}, padded_shapes: Any = None, "
        f"padding_values: Any = None, drop_remainder: bool = False, {_NAME}) "
        f"-> {_SAME}",
        "ragged_batch": f"(self, {_ROWS}, row_splits_dtype: DTypeLike = ..., "
        f"{_NAME}) -> Dataset[Any]",
        "sparse_batch": f"(self, batch_size: {_COUNT}, row_shape: ShapeLike, "
        f"{_NAME}) -> Dataset[Any]",
        "rebatch": f"(self, batch_size: Any, drop_remainder: bool = False, "
        f"{_NAME}) -> {_SAME}",
        "take": f"(self, count: {_COUNT}, {_NAME}) -> {_SAME}",
        "skip": f"(self, count: {_COUNT}, {_NAME}) -> {_SAME}",
        "repeat": f"(self, count: {_COUNT} | None = None, {_NAME}) -> {_SAME}",
        "shard": f"(self, num_shards: {_COUNT}, index: {_COUNT}, {_NAME}) -> {_SAME}",
        "shuffle": f"(self, buffer_size: {_COUNT}, seed: TensorLike | None = None, "
        f"reshuffle_each_iteration: bool | None = True, {_NAME}) -> {_SAME}",
        "prefetch": f"(self, buffer_size: {_COUNT}, {_NAME}) -> {_SAME}",
        "cache": f"(self, filename: TensorLike = '', {_NAME}) -> {_SAME}",
        "enumerate": f"(self, start: {_COUNT} = 0, {_NAME}) "
        "-> Dataset[tuple[Tensor, _T_co]]",
        "concatenate": f"(self, dataset: Dataset[Any], {_NAME}) -> {_SAME}",
        "apply": "(self, transformation_func: Callable[[Any], _A]) -> _A",
        "unique": f"(self, {_NAME}) -> {_SAME}",
        "ignore_errors": f"(self, log_warning: bool = False, {_NAME}) -> {_SAME}",
        "with_options": f"(self, options: Any, {_NAME}) -> {_SAME}",
        "options": "(self) -> Any",
        "list_files": "(file_pattern: Any, shuffle: bool | None = None, "
        f"seed: TensorLike | None = None, {_NAME}) -> Dataset[Tensor]",
        "load": "(path: Any, element_spec: Any = None, "
        "compression: str | None = None, "
        "reader_func: Callable[[Any], Any] | None = None, wait: bool = False) "
        "-> Dataset[Any]",
        "save": "(self, path: Any, compression: str | None = None, "
        "shard_func: Callable[..., Any] | None = None, "
        "checkpoint_args: Any = None) -> None",
        "window": f"(self, size: {_COUNT}, shift: {_COUNT} | None = None, "
        f"stride: {_COUNT} = 1, drop_remainder: bool = False, {_NAME}) "
        "-> Dataset[Any]",
    },
    "Iterator": {
        "__iter__": "(self) -> Iterator[_T_co]",
        "__next__": "(self) -> _T_co",
        "get_next": "(self) -> _T_co",
        "get_next_as_optional": "(self) -> Any",
    },
}

# tf.data.Dataset itself, which Python makes of these bases.
DATASET = """\
# Generated by tools/stubs.
import builtins as _b
import collections.abc as _c
from typing import Any, TypeVar

from graphkiln import _graphkiln as _t

_T_co = TypeVar("_T_co", covariant=True)

class Dataset(
    _t.DatasetMethods[_T_co], _t.DatasetBase[_T_co], _c.Iterable[_T_co]
):
    @staticmethod
    def from_generator(
        generator: _c.Callable[..., Any], output_types: Any = None,
        output_shapes: Any = None, args: _b.tuple[Any, ...] | None = None,
        output_signature: Any = None, name: _b.str | None = None,
    ) -> Dataset[Any]: ...
"""
