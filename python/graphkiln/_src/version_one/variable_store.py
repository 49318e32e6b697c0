"""Variables by name: tf.compat.v1.get_variable and variable_scope."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from enum import Enum
from typing import Any

from graphkiln import _graphkiln, raw_ops
from graphkiln._graphkiln import Tensor, Variable
from graphkiln._src.session.graph_keys import GraphKeys
from graphkiln._src.version_one import getters, initializers, kept_names
from graphkiln._src.version_one import partitioned_variables as partitioned


class _Reuse(Enum):
    """Whether variables of a scope may, must or must not be there already."""

    AUTO_REUSE = 1


AUTO_REUSE = _Reuse.AUTO_REUSE


class VariableScope:
    """What variables of a scope are called and made with.

    >>> with tf.compat.v1.variable_scope("a") as scope:
    ...     scope.name, scope.reuse
    ('a', False)
    """

    def __init__(
        self,
        reuse: Any,
        name: str = "",
        initializer: Any = None,
        regularizer: Any = None,
        caching_device: Any = None,
        partitioner: Any = None,
        custom_getter: Callable | None = None,
        name_scope: str = "",
        dtype: Any = _graphkiln.float32,
        use_resource: bool | None = None,
        constraint: Any = None,
    ) -> None:
        self._name = name
        self._reuse = reuse
        self._own = {
            "initializer": initializer, "regularizer": regularizer,
            "custom_getter": custom_getter, "dtype": dtype,
            "constraint": constraint, "caching_device": caching_device,
            "partitioner": partitioner,
        }
        self._name_scope = name_scope

    @property
    def name(self) -> str:
        """What names of variables begin with."""
        return self._name

    @property
    def original_name_scope(self) -> str:
        """The scope of operations in which it was opened first."""
        return self._name_scope

    @property
    def reuse(self) -> Any:
        """True, False or AUTO_REUSE."""
        return self._reuse

    @property
    def initializer(self) -> Any:
        """Of variables that are not given one."""
        return self._own["initializer"]

    @property
    def regularizer(self) -> Any:
        """Of variables that are not given one."""
        return self._own["regularizer"]

    @property
    def dtype(self) -> Any:
        """Of variables that are not given one."""
        return self._own["dtype"]

    @property
    def custom_getter(self) -> Callable | None:
        """What makes variables instead."""
        return self._own["custom_getter"]

    @property
    def constraint(self) -> Any:
        """Of variables that are not given one."""
        return self._own["constraint"]

    @property
    def caching_device(self) -> Any:
        """Where variables that are read are kept: nothing follows from it."""
        return self._own["caching_device"]

    @property
    def partitioner(self) -> Any:
        """Of variables that are not given one."""
        return self._own["partitioner"]

    @property
    def use_resource(self) -> bool:
        """All variables are resources."""
        return True

    def reuse_variables(self) -> None:
        """From now on variables must be there already."""
        self._reuse = True

    def set_initializer(self, initializer: Any) -> None:
        """Sets that of variables that are not given one."""
        self._own["initializer"] = initializer

    def set_dtype(self, dtype: Any) -> None:
        """Sets that of variables that are not given one."""
        self._own["dtype"] = dtype

    def set_regularizer(self, regularizer: Any) -> None:
        """Sets that of variables that are not given one."""
        self._own["regularizer"] = regularizer

    def set_caching_device(self, caching_device: Any) -> None:
        """Sets that of variables that are not given one."""
        if _graphkiln.executing_eagerly():
            raise NotImplementedError(
                "Caching devices are not yet supported when eager execution is "
                "enabled."
            )
        self._own["caching_device"] = caching_device

    def set_partitioner(self, partitioner: Any) -> None:
        """Sets that of variables that are not given one."""
        self._own["partitioner"] = partitioner

    def set_custom_getter(self, custom_getter: Callable | None) -> None:
        """Sets what makes variables instead."""
        self._own["custom_getter"] = custom_getter

    def set_use_resource(self, use_resource: bool) -> None:
        """Variables are resources in any case."""
        if _graphkiln.executing_eagerly() and not use_resource:
            raise ValueError(
                "When eager execution is enabled, use_resource cannot be set to "
                "false."
            )

    def global_variables(self) -> list:
        """The variables of the scope."""
        return self.get_collection(GraphKeys.GLOBAL_VARIABLES)

    def local_variables(self) -> list:
        """The local variables of the scope."""
        return self.get_collection(GraphKeys.LOCAL_VARIABLES)

    def trainable_variables(self) -> list:
        """The trainable variables of the scope."""
        return self.get_collection(GraphKeys.TRAINABLE_VARIABLES)

    def get_collection(self, name: str) -> list:
        """What the graph keeps under a name of things of the scope."""
        scope = f"{self._name}/" if self._name else ""
        return _graphkiln.get_default_graph().get_collection(name, scope)

    def get_variable(self, name: str, **kwargs: Any) -> Variable:
        """The variable of that name in this scope."""
        with variable_scope(self):
            return get_variable(name, **kwargs)


class _Store(threading.local):
    """The scopes that are open on this thread."""

    def __init__(self) -> None:
        self.scopes: list[VariableScope] = []


_store = _Store()


def default_store() -> _Store:
    """What holds the scopes: Keras' layers ask whether it keeps regularizers itself,
    as this one does not."""
    return _store


def get_variable_scope() -> VariableScope:
    """The scope that is open here.

    >>> tf.compat.v1.get_variable_scope().name
    ''
    """
    if _store.scopes:
        return _store.scopes[-1]
    return kept_names.kept_by_graph("_outermost_scope").setdefault(
        "", VariableScope(False)
    )


def _unique(prefix: str) -> str:
    outer = get_variable_scope().name
    return kept_names.free_name(prefix, outer, kept_names.opened(outer))


@contextmanager
def variable_scope(
    name_or_scope: Any,
    default_name: str | None = None,
    values: Any = None,
    initializer: Any = None,
    regularizer: Any = None,
    caching_device: Any = None,
    partitioner: Any = None,
    custom_getter: Callable | None = None,
    reuse: Any = None,
    dtype: Any = None,
    use_resource: bool | None = None,
    constraint: Any = None,
    auxiliary_name_scope: bool = True,
) -> Iterator[VariableScope]:
    """A `with` statement in which `get_variable` puts a name before names.

    Args:
      name_or_scope: the name, or a scope to open again.
      default_name: made unique and taken if the name is None.
      values: accepted for compatibility.
      initializer: of variables that are not given one.
      regularizer: of variables that are not given one.
      caching_device: accepted for compatibility.
      partitioner: of the variables in it, as of `get_variable`.
      custom_getter: makes variables; called with a `getter` and what
        that takes by name.
      reuse: True: variables must be there; AUTO_REUSE: they may be; otherwise
        they must not, or it is as around the scope.
      dtype: of variables that are not given one.
      use_resource: accepted for compatibility.
      constraint: of variables that are not given one.
      auxiliary_name_scope: opens a scope of operations, too.

    >>> with tf.Graph().as_default():
    ...     with tf.compat.v1.variable_scope("a"):
    ...         v = tf.compat.v1.get_variable("v", [2])
    ...     with tf.compat.v1.variable_scope("a", reuse=True):
    ...         tf.compat.v1.get_variable("v", [2]) is v
    True
    """
    around = get_variable_scope()
    outer = f"{around.name}/" if around.name else ""
    if name_or_scope is None and default_name is None:
        raise TypeError("If default_name is None then name_or_scope is required")
    if not isinstance(auxiliary_name_scope, bool):
        raise TypeError(
            "The auxiliary_name_scope must be `True` or `False`, while get "
            f"{auxiliary_name_scope}"
        )
    again = isinstance(name_or_scope, VariableScope)
    if again:
        full, own = name_or_scope.name, dict(name_or_scope._own)
        inherited = name_or_scope.reuse
        last = full.rpartition("/")[2]
    else:
        last = name_or_scope
        if last is None:
            if reuse:
                raise ValueError("reuse=True cannot be used without a name_or_scope")
            last = _unique(default_name)
        full, own, inherited = outer + last, dict(around._own), around.reuse
        kept_names.opened(around.name).add(full)
    opened_before = kept_names.opened_below(full) if again else {}
    given = {
        "initializer": initializer, "regularizer": regularizer,
        "custom_getter": custom_getter, "dtype": dtype, "constraint": constraint,
        "caching_device": caching_device, "partitioner": partitioner,
    }
    if custom_getter is not None and own.get("custom_getter") is not None:
        given["custom_getter"] = getters.nested_getter(custom_getter, own["custom_getter"])
    own.update({k: v for k, v in given.items() if v is not None})
    with ExitStack() as scopes:
        opened = ""
        if auxiliary_name_scope and last:
            opened = scopes.enter_context(_graphkiln.name_scope(last))
        elif not auxiliary_name_scope and not _graphkiln.executing_eagerly():
            opened = _graphkiln.get_default_graph().get_name_scope()
            opened += "/" if opened else ""
        scope = VariableScope(
            reuse or inherited, full, name_scope=opened or "", **own
        )
        _store.scopes.append(scope)
        try:
            yield scope
        finally:
            _store.scopes.remove(scope)
            # The names in it are free again, those that a scope of a name opened.
            kept_names.leave(full, opened_before)


def get_variable(
    name: str,
    shape: Any = None,
    dtype: Any = None,
    initializer: Any = None,
    regularizer: Any = None,
    trainable: bool | None = None,
    collections: Any = None,
    caching_device: Any = None,
    partitioner: Any = None,
    validate_shape: bool = True,
    use_resource: bool | None = None,
    custom_getter: Callable | None = None,
    constraint: Any = None,
    synchronization: Any = _graphkiln.VariableSynchronization.AUTO,
    aggregation: Any = _graphkiln.VariableAggregation.NONE,
) -> Variable:
    """The variable of a name below the scope that is open, made if there is none.
    Eager code, which keeps none by name, always gets a new one.

    Args:
      name: below the scope.
      shape: of a variable that is made.
      dtype: of a variable that is made by a function.
      initializer: a tensor, or a function of a shape and a dtype.
      regularizer: a function of the variable, whose value the graph keeps.
      trainable: do gradient tapes watch it?
      collections: of the graph, that it is put into.
      caching_device: accepted for compatibility.
      partitioner: a function that gives for a shape and a dtype how many parts
        there are in each dimension; then the variable is made of parts. The
        scope's unless given.
      validate_shape: accepted for compatibility.
      use_resource: accepted for compatibility.
      custom_getter: makes the variable instead.
      constraint: a function that optimizers apply after each update.
      synchronization: when copies on several devices are brought together.
      aggregation: how updates from several devices are combined.

    Raises ValueError for one that is there and may not be, or must be and is
    not.

    >>> with tf.Graph().as_default():
    ...     tf.compat.v1.get_variable("v", [2, 3]).name
    'v:0'
    """
    scope = get_variable_scope()
    arguments = {
        "shape": shape,
        "dtype": dtype or scope.dtype,
        "initializer": scope.initializer if initializer is None else initializer,
        "regularizer": scope.regularizer if regularizer is None else regularizer,
        "trainable": trainable, "collections": collections,
        "constraint": scope.constraint if constraint is None else constraint,
        "synchronization": synchronization, "aggregation": aggregation,
        "reuse": scope.reuse,
        "partitioner": scope.partitioner if partitioner is None else partitioner,
    }
    full = f"{scope.name}/{name}" if scope.name else name
    getter = custom_getter or scope.custom_getter
    if getter is not None:
        return getter(getter=_get, name=full, **arguments)
    return _get(full, **arguments)


def _get(
    name: str,
    shape: Any = None,
    dtype: Any = None,
    initializer: Any = None,
    regularizer: Any = None,
    trainable: bool | None = None,
    collections: Any = None,
    constraint: Any = None,
    reuse: Any = None,
    partitioner: Any = None,
    partition_info: Any = None,
    **kwargs: Any,
) -> Any:
    known = kept_names.known_variables()
    eager = _graphkiln.executing_eagerly()
    arguments = {
        "dtype": dtype, "initializer": initializer, "regularizer": regularizer,
        "trainable": trainable, "collections": collections,
        "constraint": constraint, "reuse": reuse, **kwargs,
    }  # fmt: skip
    if partitioner is not None and (shape is None or len(shape) > 0):
        return variable_of_parts(name, shape, partitioner, arguments)
    if f"{name}/part_0" in known:
        raise ValueError(
            "No partitioner was provided, but a partitioned version of the variable "
            f"was found: {name}/part_0. Perhaps a variable of the same name was "
            "already created with partitioning?"
        )
    found = known.get(name)
    if found is not None and reuse:
        if shape is not None and not found.shape.is_compatible_with(shape):
            raise ValueError(
                f"Trying to share variable {name}, but specified shape {shape} and "
                f"found shape {found.shape}."
            )
        if dtype is not None and found.dtype != _graphkiln.as_dtype(dtype):
            raise ValueError(
                f"Trying to share variable {name}, but specified dtype "
                f"{_graphkiln.as_dtype(dtype).name} and found dtype "
                f"{found.dtype.name}."
            )
        return found
    if found is not None:
        raise ValueError(
            f"Variable {name} already exists, disallowed. Did you mean to set "
            "reuse=True or reuse=tf.AUTO_REUSE in VarScope?"
        )
    if reuse is True and not eager:
        raise ValueError(
            f"Variable {name} does not exist, or was not created with "
            "tf.get_variable(). Did you mean to set reuse=tf.AUTO_REUSE in "
            "VarScope?"
        )
    is_value = initializer is not None and not callable(initializer)
    # A value has its dtype, whatever the scope's is.
    dtype = None if is_value else _graphkiln.as_dtype(dtype or "float32")
    if initializer is None:
        initializer = (
            initializers.glorot_uniform_initializer()
            if dtype.is_floating
            else initializers.zeros_initializer()
        )
    if isinstance(initializer, type):
        initializer = initializer()
    if callable(initializer) and shape is None and getters.needs_nothing(initializer):
        value, dtype = initializer, None
    elif callable(initializer):
        if shape is None:
            raise ValueError(
                f"Shape of a new variable ({name}) must be fully defined, but "
                "instead was <unknown>."
            )
        sizes = _graphkiln.TensorShape(shape)
        if not sizes.is_fully_defined():
            raise ValueError(
                f"Shape of a new variable ({name}) must be fully defined, but "
                f"instead was {sizes}."
            )
        how = {"dtype": dtype}
        if partition_info is not None and getters.takes_partition_info(initializer):
            how["partition_info"] = partition_info
        value = lambda: initializer(sizes.as_list(), **how)  # noqa: E731
    else:
        if shape is not None:
            raise ValueError(
                "If initializer is a constant, do not specify shape."
            )
        value = initializer
    with _graphkiln.init_scope(), _outermost():
        made = Variable(
            value, trainable=True if trainable is None else trainable, name=name,
            dtype=dtype, constraint=constraint, collections=collections,
            synchronization=kwargs.get("synchronization"),
            aggregation=kwargs.get("aggregation"),
        )
    known[name] = made
    if regularizer is not None:
        loss = regularizer(made)
        if loss is not None and not eager:
            _graphkiln.get_default_graph().add_to_collection(
                GraphKeys.REGULARIZATION_LOSSES, loss
            )
    return made


def variable_of_parts(name: str, shape: Any, partitioner: Any, arguments: dict) -> Any:
    """The variable of that name that is made of parts."""
    if not callable(partitioner):
        raise ValueError(f"Partitioner must be callable, but received: {partitioner}")
    known, whole = kept_names.known_variables(), f"{name}/parts"
    if name in known:
        raise ValueError(
            "A partitioner was provided, but an unpartitioned version of the "
            f"variable was found: {name}.  Perhaps a variable of the same name was "
            "already created without partitioning?"
        )
    initializer = arguments["initializer"]
    if initializer is not None and not callable(initializer):
        if not isinstance(initializer, Tensor):
            initializer = _graphkiln.convert_to_tensor(initializer, arguments["dtype"])
        arguments["dtype"] = initializer.dtype
        if shape is None:
            shape = initializer.shape
    full = _graphkiln.TensorShape(shape)
    dtype = _graphkiln.as_dtype(arguments["dtype"] or "float32")
    counts = partitioned.parts_of(partitioner, full, dtype)
    found = known.get(whole)
    if found is not None:
        _check_reuse(name, found, full, dtype, counts, arguments["reuse"])
        return found
    if arguments["reuse"] is True:
        raise ValueError(
            f"PartitionedVariable {name} does not exist, or was not created with "
            "tf.get_variable(). Did you mean to set reuse=False or "
            "reuse=tf.AUTO_REUSE in VarScope?"
        )
    made = []
    for i, (offset, sizes) in enumerate(partitioned.boxes(full.as_list(), counts)):
        part_of = f"{name}/part_{i}"
        if isinstance(initializer, Tensor):
            with _graphkiln.name_scope(f"{part_of}/PartitionedInitializer/"):
                value = raw_ops.Slice(input=initializer, begin=offset, size=sizes)
            own = {**arguments, "initializer": value, "shape": None}
        else:
            info = partitioned.PartitionInfo(full.as_list(), offset)
            own = {**arguments, "shape": sizes, "partition_info": info}
        part = _get(part_of, **own)
        part._save_slice_info = partitioned.SaveSliceInfo(
            name, full.as_list(), offset, sizes
        )
        made.append(part)
    variable = partitioned.PartitionedVariable(name, full, dtype, made, counts)
    if not _graphkiln.executing_eagerly():
        known[whole] = variable
    return variable


def _check_reuse(
    name: str, found: Any, shape: Any, dtype: Any, counts: list[int], reuse: Any
) -> None:
    if not reuse:
        raise ValueError(
            f"Partitioned variable with name {name} already exists. Did you mean to "
            "set reuse=True or reuse=tf.AUTO_REUSE in VarScope?"
        )
    for what, given, known in (
        ("shape", shape, found.shape),
        ("dtype", dtype.name, found.dtype.name),
        ("partitions", counts, found._get_partitions()),
    ):
        if given != known:
            raise ValueError(
                f"Trying to reuse partitioned variable {name}, but specified {what} "
                f"{given} and found {what} {known}."
            )


@contextmanager
def _outermost() -> Iterator[None]:
    """No scope of operations, which names of variables do not show."""
    with _graphkiln.name_scope(""):
        yield


def get_local_variable(name: str, *args: Any, **kwargs: Any) -> Variable:
    """`get_variable` of one that is not trainable and is in the collection of
    local variables.

    Args:
      name: below the scope.
      *args: as of `get_variable`.
      **kwargs: as of `get_variable`.

    >>> with tf.Graph().as_default():
    ...     v = tf.compat.v1.get_local_variable("v", [2])
    ...     tf.compat.v1.local_variables()[0] is v
    True
    """
    kwargs["trainable"] = False
    kwargs["collections"] = [
        *(kwargs.get("collections") or []), GraphKeys.LOCAL_VARIABLES
    ]
    return get_variable(name, *args, **kwargs)


def no_regularizer(tensor: object) -> None:
    """A regularizer that adds nothing.

    Args:
      tensor: of the variable.

    >>> tf.compat.v1.no_regularizer(1.0)
    """
