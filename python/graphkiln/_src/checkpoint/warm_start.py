"""Models that begin with what an older one has learned, by the names of variables
and the entries of vocabularies."""

from __future__ import annotations

import collections
import os
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from graphkiln import _graphkiln, raw_ops
from graphkiln._graphkiln import Tensor, Variable
from graphkiln._src import ops
from graphkiln._src.checkpoint.initial_values import begin_with, init_from_checkpoint
from graphkiln._src.checkpoint.reading import path_of
from graphkiln._src.session.graph_keys import GraphKeys
from graphkiln._src.version_one.partitioned_variables import slice_info_of

_FIELDS = (
    "new_vocab",
    "new_vocab_size",
    "num_oov_buckets",
    "old_vocab",
    "old_vocab_size",
    "backup_initializer",
    "axis",
)


class VocabInfo(collections.namedtuple("VocabInfo", _FIELDS)):
    """What the rows or columns of a variable stand for, now and in a checkpoint.

    Args:
      new_vocab: the file with the entries of the model, one in each line.
      new_vocab_size: how many of them there are in it.
      num_oov_buckets: how many rows follow these for what is no entry.
      old_vocab: the file of the model in the checkpoint.
      old_vocab_size: how many of its lines count; -1: all.
      backup_initializer: of what the checkpoint does not have; None: zeros.
      axis: 0 if the rows are entries, 1 if the columns are.

    Raises:
      ValueError: `axis` is another one.

    >>> tf.compat.v1.train.VocabInfo("new.txt", 100, 1, "old.txt").axis
    0
    """

    __slots__ = ()

    def __new__(
        cls,
        new_vocab: str,
        new_vocab_size: int,
        num_oov_buckets: int,
        old_vocab: str,
        old_vocab_size: int = -1,
        backup_initializer: Callable | None = None,
        axis: int = 0,
    ) -> VocabInfo:
        if axis not in (0, 1):
            raise ValueError(
                "The only supported values for the axis argument are 0 and 1.  "
                f"Provided axis: {axis}"
            )
        return super().__new__(
            cls,
            new_vocab,
            new_vocab_size,
            num_oov_buckets,
            old_vocab,
            old_vocab_size,
            backup_initializer,
            axis,
        )


def _collected(key: str, scope: str | None) -> list[Variable]:
    return _graphkiln.get_default_graph().get_collection(key, scope=scope)


def _chosen(wanted: Any, named: Mapping[str, VocabInfo]) -> list[Variable]:
    """The variables that are meant, parts of others each by itself."""
    if wanted is None:
        trainable = _collected(GraphKeys.TRAINABLE_VARIABLES, None)
        return [v for v in trainable if name_of_variable(v) in named]
    if isinstance(wanted, str):
        return _collected(GraphKeys.TRAINABLE_VARIABLES, wanted)
    if not isinstance(wanted, list):
        raise ValueError(
            "`vars_to_warm_start must be a `list` or `str`.  Given type is "
            f"{type(wanted)}"
        )
    if all(isinstance(v, str) for v in wanted):
        keys = GraphKeys.GLOBAL_VARIABLES
        return [v for scope in wanted for v in _collected(keys, scope)]
    if all(isinstance(v, Variable) for v in wanted):
        return wanted
    raise ValueError(
        "If `vars_to_warm_start` is a list, it must be all `Variable` or all `str`.  "
        f"Given types are {[type(v) for v in wanted]}"
    )


def name_of_variable(variable: Variable) -> str:
    """The name of a variable, of a part that of the whole."""
    info = slice_info_of(variable)
    return variable.name.rpartition(":")[0] if info is None else info.full_name


def _refuse_unused(what: str, given: Mapping[str, Any], names: Sequence[str]) -> None:
    unused = set(given) - set(names)
    if unused:
        raise ValueError(
            f"You provided the following variables in {what} that were not used: "
            f"{unused}.  Perhaps you misspelled them?  Here is the list of viable "
            f"variable names: {list(names)}"
        )


class _Remapping:
    """Which rows of a checkpoint are those of a variable, or which columns.

    Args:
      places: of each, the old one, or -1; a vector.
      present: how many of them there are in the checkpoint.
    """

    def __init__(self, places: Any, present: Any) -> None:
        self.places = _graphkiln.convert_to_tensor(places, dtype=_graphkiln.int64)
        self.present = ops.cast(present, _graphkiln.int32)

    @classmethod
    def of_entries(cls, info: VocabInfo, offset: int, size: int) -> _Remapping:
        """Of `size` entries from `offset` on; what is behind the last is new."""
        known = max(min(offset + size, info.new_vocab_size) - offset, 0)
        if known == 0:
            return cls([-1] * size, 0)
        places, present = raw_ops.GenerateVocabRemapping(
            new_vocab_file=info.new_vocab,
            old_vocab_file=info.old_vocab,
            new_vocab_offset=offset,
            num_new_vocab=known,
            old_vocab_size=info.old_vocab_size,
        )
        new = _graphkiln.constant([-1] * (size - known), _graphkiln.int64)
        return cls(ops.concat([places, new], 0), present)

    @classmethod
    def as_it_is(cls, offset: int, size: int) -> _Remapping:
        return cls(list(range(offset, offset + size)), size)


def _remapped(path: str, name: str, part: Variable, info: VocabInfo) -> Tensor:
    """What the checkpoint has of the entries of a variable, or of a part of one."""
    shape = part.shape.as_list()
    if len(shape) != 2:
        raise ValueError(
            f"The variable {part.name} with a vocabulary must be a matrix, got shape "
            f"{part.shape}"
        )
    slices = slice_info_of(part)
    offset = [0, 0] if slices is None else list(slices.var_offset)
    full = shape if slices is None else list(slices.full_shape)
    entries = info.new_vocab_size + info.num_oov_buckets
    # Rows may be fewer, as in TensorFlow.
    if info.axis == 1 and full[1] != entries:
        raise ValueError(
            f"Expected dimension 1 of {part.name} to be new_vocab_size "
            f"({info.new_vocab_size}) + num_oov_buckets ({info.num_oov_buckets}) = "
            f"{entries}, but its shape is {full}"
        )
    rows, columns = (
        _Remapping.of_entries(info, offset[axis], shape[axis])
        if axis == info.axis
        else _Remapping.as_it_is(offset[axis], shape[axis])
        for axis in (0, 1)
    )
    missing = shape[0] * shape[1] - rows.present * columns.present
    new_shape = ops.stack([missing, 1])
    if info.backup_initializer is None:
        new = ops.zeros(new_shape)
    else:
        new = _graphkiln.convert_to_tensor(info.backup_initializer(new_shape))
    return raw_ops.LoadAndRemapMatrix(
        ckpt_path=path,
        old_tensor_name=name,
        row_remapping=rows.places,
        col_remapping=columns.places,
        initializing_values=ops.reshape(new, [-1]),
        num_rows=shape[0],
        num_cols=shape[1],
    )


def start_with_entries(
    ckpt: str | os.PathLike, name: str, parts: Sequence[Variable], info: VocabInfo
) -> None:
    """A variable, in its parts, begins with what a checkpoint has by a name of the
    entries of a vocabulary."""
    path = path_of(ckpt)
    name = (_graphkiln._names_to_keys(path) or {}).get(name, name)
    for part in parts:
        begin_with(part, _remapped(path, name, part, info))


def warm_start(
    ckpt_to_initialize_from: str | os.PathLike,
    vars_to_warm_start: Any = ".*",
    var_name_to_vocab_info: Mapping[str, VocabInfo] | None = None,
    var_name_to_prev_var_name: Mapping[str, str] | None = None,
) -> None:
    """Variables begin with the values that those of their names have in a
    checkpoint, also in one of objects, and those with vocabularies with what it has
    of each entry.

    Args:
      ckpt_to_initialize_from: a checkpoint's path, or a folder, of which the newest
        is taken.
      vars_to_warm_start: which: an expression that names of trainable variables
        begin with, a list of such for all variables of the graph, a list of
        variables, or None: only those of `var_name_to_vocab_info`.
      var_name_to_vocab_info: of variables, matrices of float32, whose rows or
        columns stand for the entries of a vocabulary; by name, of parts that of the
        whole.
      var_name_to_prev_var_name: what variables are called in the checkpoint, where
        that is another name.

    Raises:
      ValueError: a name is none of these variables, the checkpoint lacks one, or
        a shape is another one.
      NotFoundError: there is no checkpoint of that path.

    >>> import tempfile
    >>> path = tempfile.mkdtemp() + "/ckpt"
    >>> with tf.Graph().as_default(), tf.compat.v1.Session() as session:
    ...     w = tf.compat.v1.get_variable("w", initializer=[1.0, 2.0])
    ...     session.run(w.initializer)
    ...     _ = tf.compat.v1.train.Saver().save(session, path)
    >>> with tf.Graph().as_default(), tf.compat.v1.Session() as session:
    ...     w = tf.compat.v1.get_variable("weights", [2])
    ...     tf.compat.v1.train.warm_start(
    ...         path, var_name_to_prev_var_name={"weights": "w"})
    ...     session.run(w.initializer)
    ...     session.run(w).tolist()
    [1.0, 2.0]
    """
    vocabularies = dict(var_name_to_vocab_info or {})
    renamed = dict(var_name_to_prev_var_name or {})
    path = path_of(ckpt_to_initialize_from)
    groups: dict[str, list[Variable]] = {}
    for variable in _chosen(vars_to_warm_start, vocabularies):
        parts = groups.setdefault(name_of_variable(variable), [])
        if all(variable is not known for known in parts):
            parts.append(variable)
    _refuse_unused("var_name_to_prev_var_name", renamed, list(groups))
    _refuse_unused("var_name_to_vocab_info", vocabularies, list(groups))
    keys = _graphkiln._names_to_keys(path) or {}
    plain: list[tuple[str, Any]] = []
    for name, parts in groups.items():
        old_name = renamed.get(name, name)
        if name in vocabularies:
            start_with_entries(path, old_name, parts, vocabularies[name])
        else:
            plain.append((keys.get(old_name, old_name), parts))
    init_from_checkpoint(path, plain)
