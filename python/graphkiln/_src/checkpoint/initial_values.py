"""Variables that begin with values of a checkpoint, by their names."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from graphkiln import _graphkiln, raw_ops
from graphkiln._graphkiln import Tensor, Variable
from graphkiln._src.checkpoint.reading import load_checkpoint, path_of
from graphkiln._src.checkpoint.saved_variables import Saved, parts_in_checkpoint
from graphkiln._src.version_one.kept_names import known_variables
from graphkiln._src.version_one.partitioned_variables import (
    PartitionedVariable,
    slice_info_of,
)


def _by_name() -> dict[str, Any]:
    """The variables of `get_variable`, whole ones and the parts of such."""
    return {
        v.name if isinstance(v, PartitionedVariable) else key: v
        for key, v in known_variables().items()
    }


def _scope_of(key: Any, value: str) -> str:
    """The scope that is meant, with a slash behind it; the outermost is ""."""
    if not str(key).endswith("/") or not value.endswith("/"):
        raise ValueError(
            f"Assignment map with scope only name {value} should map to scope only "
            f"{key}. Should be 'scope/': 'other_scope/'."
        )
    return "" if value == "/" else value


def _of_scope(key: str, scope: str) -> Iterator[tuple[str, Any]]:
    """The variables of a scope, with their names in the checkpoint."""
    known = _by_name()
    parts = {
        id(part)
        for variable in known.values()
        if isinstance(variable, PartitionedVariable)
        for part in variable
    }
    before = "" if key == "/" else key
    for name, variable in sorted(known.items()):
        if name.startswith(scope) and id(variable) not in parts:
            yield before + name[len(scope) :], variable


def _pairs(
    assignment_map: Mapping | Iterable[tuple[Any, Any]],
) -> Iterator[tuple[Any, Any]]:
    """Names in the checkpoint and the variables that they are for."""
    pairs = assignment_map
    if isinstance(assignment_map, Mapping):
        pairs = assignment_map.items()
    for key, value in pairs:
        if not isinstance(value, str):
            yield key, value
        elif (found := _by_name().get(value)) is not None:
            yield key, found
        else:
            yield from _of_scope(key, _scope_of(key, value))


def _whole(value: Any) -> tuple[str, Any]:
    """The name of a variable, or of that which parts are of, and its shape."""
    if isinstance(value, PartitionedVariable):
        return value.name, value.shape
    if isinstance(value, (list, tuple)) and value:
        info = slice_info_of(value[0])
        if info is not None:
            return info.full_name, _graphkiln.TensorShape(info.full_shape)
        value = value[0] if len(value) == 1 else value
    if not isinstance(value, Variable):
        raise TypeError(
            "The values of an assignment map are variables, lists of the parts of "
            f"one, or names; got {value!r}"
        )
    return value.name, value.shape


def begin_with(variable: Variable, value: Tensor) -> None:
    """The variable's initializer assigns the value from now on; eagerly it is
    assigned at once."""
    if _graphkiln.executing_eagerly():
        variable.assign(value)
        return
    value.set_shape(variable.shape)
    with _graphkiln.control_dependencies(None):
        assign = raw_ops.AssignVariableOp(resource=variable.handle, value=value)
    variable._graph_initializer = assign
    variable._graph_initial_value = value


def _restored(saved: Saved, path: str) -> Tensor:
    return raw_ops.RestoreV2(
        prefix=path,
        tensor_names=[saved.name],
        shape_and_slices=[saved.slice],
        dtypes=[saved.variable.dtype],
        name="checkpoint_initializer",
    )[0]


def init_from_checkpoint(
    ckpt_dir_or_file: str | os.PathLike,
    assignment_map: Mapping | Iterable[tuple[Any, Any]],
) -> None:
    """Variables begin with values of a checkpoint: their initializers read these.
    Eagerly values are assigned at once.

    Args:
      ckpt_dir_or_file: a checkpoint's path, or a folder, of which the newest is
        taken.
      assignment_map: `{name in the checkpoint: variable}`, or pairs of these. In
        the place of a variable may stand its name in `get_variable`, the list of
        its parts, or a variable that has parts. `{"scope/": "other/"}` is for all
        variables of the scope `other`, of the same names below the checkpoint's
        `scope`; `"/"` is the outermost.

    Raises:
      ValueError: the checkpoint lacks a name, a shape is another one, or a name is
        none of a variable or scope.
      TypeError: for other values.
      NotFoundError: there is no checkpoint of that path.

    >>> import tempfile
    >>> path = tempfile.mkdtemp() + "/ckpt"
    >>> with tf.Graph().as_default(), tf.compat.v1.Session() as session:
    ...     v = tf.compat.v1.get_variable("old/v", initializer=[1.0, 2.0])
    ...     session.run(v.initializer)
    ...     _ = tf.compat.v1.train.Saver().save(session, path)
    >>> with tf.Graph().as_default(), tf.compat.v1.Session() as session:
    ...     v = tf.compat.v1.get_variable("new/v", [2])
    ...     tf.compat.v1.train.init_from_checkpoint(path, {"old/": "new/"})
    ...     session.run(v.initializer)
    ...     session.run(v).tolist()
    [1.0, 2.0]
    """
    path = path_of(ckpt_dir_or_file)
    shapes = load_checkpoint(path).get_variable_to_shape_map()
    for name, value in _pairs(assignment_map):
        full_name, shape = _whole(value)
        if name not in shapes:
            raise ValueError(
                f"Tensor {name} ({full_name} is to begin with it) is not found in "
                f"{path} checkpoint {shapes}"
            )
        if not shape.is_compatible_with(shapes[name]):
            raise ValueError(
                f"Shape of variable {full_name} ({shape}) doesn't match with shape of "
                f"tensor {name} ({shapes[name]}) from checkpoint reader."
            )
        if isinstance(value, list | tuple) and slice_info_of(value[0]) is None:
            value = value[0]
        for saved in parts_in_checkpoint(name, value):
            begin_with(saved.variable, _restored(saved, path))
