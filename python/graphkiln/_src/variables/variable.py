"""tf.Variable: creation, and the methods that are not on the hot path."""

import contextlib
import enum
import functools
import threading

from graphkiln import _graphkiln, raw_ops
from graphkiln._src.graph import name_scope


class UnliftableError(Exception):
    """What shall be known outside of a graph needs a placeholder of it that
    nothing is given for."""

    ag_pass_through = True


class VariableSynchronization(enum.Enum):
    """When copies of a variable are brought together.

    >>> tf.VariableSynchronization.AUTO.name
    'AUTO'
    """

    AUTO = 0
    NONE = 1
    ON_WRITE = 2
    ON_READ = 3


class VariableAggregation(enum.Enum):
    """How updates from several replicas are combined.

    >>> tf.VariableAggregation.MEAN.name
    'MEAN'
    """

    NONE = 0
    SUM = 1
    MEAN = 2
    ONLY_FIRST_REPLICA = 3



class _Creators(threading.local):
    def __init__(self):
        self.stack = []


_creators = _Creators()


@contextlib.contextmanager
def variable_creator_scope(variable_creator):
    """Lets `variable_creator(next_creator, **kwargs)` make the variables.

    >>> def frozen(next_creator, **arguments):
    ...     return next_creator(**{**arguments, 'trainable': False})
    >>> with tf.variable_creator_scope(frozen):
    ...     tf.Variable(1.0).trainable
    False
    """
    _creators.stack.append(variable_creator)
    try:
        yield
    finally:
        _creators.stack.pop()


class _VariableMeta(type):
    def __call__(cls, *args, **kwargs):
        if cls is not Variable:
            return super().__call__(*args, **kwargs)
        if not _creators.stack:
            return type.__call__(ResourceVariable, *args, **kwargs)
        kwargs = {**_DEFAULTS, **dict(zip(_ARGUMENTS, args)), **kwargs}

        def default_creator(next_creator=None, **kwargs):
            return type.__call__(ResourceVariable, **kwargs)

        create = default_creator
        for creator in _in_effect(_creators.stack):
            create = _chain(creator, create)
        return create(**kwargs)


def _in_effect(stack: list) -> list:
    """Of functions being traced only the innermost one's creator counts."""
    inner = [c for c in stack if getattr(c, "of_function", False)][-1:]
    return [
        c for c in stack if not getattr(c, "of_function", False) or c in inner
    ]


def _chain(creator, next_creator):
    return lambda **kwargs: creator(next_creator, **kwargs)


_ARGUMENTS = (
    "initial_value", "trainable", "validate_shape", "caching_device", "name",
    "variable_def", "dtype", "import_scope", "constraint", "synchronization",
    "aggregation", "shape", "experimental_enable_variable_lifting",
)


_DEFAULTS = dict(
    dict.fromkeys(_ARGUMENTS),
    validate_shape=True,
    synchronization=VariableSynchronization.AUTO,
    aggregation=VariableAggregation.NONE,
    experimental_enable_variable_lifting=True,
)


class Variable(_graphkiln.BaseVariable, metaclass=_VariableMeta):
    """A tensor that can be changed.

    Args:
      initial_value: a value or a function that gives one.
      trainable: do gradient tapes watch it? By default they do, unless
        `synchronization` is ON_READ.
      validate_shape: accepted for compatibility.
      caching_device: accepted for compatibility.
      name: of the variable; "Variable" unless given.
      variable_def: not supported, there are no protos of variables.
      dtype: of the elements; that of the initial value unless given.
      import_scope: accepted for compatibility.
      constraint: a function that optimizers apply after each update.
      synchronization: when copies on several devices are brought together.
      aggregation: how updates from several devices are combined.
      shape: what may be assigned, if less is known than of the initial value.
      experimental_enable_variable_lifting: if False, a variable that is made
        while a function is traced is none that outlives the calls: each run
        makes its own, with the initial value anew.

    Raises ValueError for an initial value that is missing, of another shape
    or dtype, for one that a function being traced computes (a callable may
    compute it), and for a constraint that cannot be called.

    >>> v = tf.Variable([1, 2], name="v")
    >>> v.assign_add([10, 10]).numpy().tolist()
    [11, 12]
    >>> v[0].numpy().item()
    11
    """

    def __init__(
        self,
        initial_value=None,
        trainable=None,
        validate_shape=True,
        caching_device=None,
        name=None,
        variable_def=None,
        dtype=None,
        import_scope=None,
        constraint=None,
        synchronization=VariableSynchronization.AUTO,
        aggregation=VariableAggregation.NONE,
        shape=None,
        experimental_enable_variable_lifting=True,
        **unused,
    ):
        if initial_value is None:
            raise ValueError(
                "The `initial_value` arg to `tf.Variable` must be specified "
                "except when you are not providing a `variable_def`. You "
                "provided neither."
            )
        if constraint is not None and not callable(constraint):
            raise ValueError(
                "Argument `constraint` must be None or a callable. a callable. "
                f"Got a {type(constraint)}:  {constraint}"
            )
        if not isinstance(aggregation, VariableAggregation):
            raise ValueError(
                f"Invalid variable aggregation mode: {aggregation} for "
                f"variable: {name}"
            )
        if not isinstance(synchronization, VariableSynchronization):
            raise ValueError(
                "Invalid variable synchronization mode: "
                f"{synchronization} for variable: {name}"
            )
        if trainable is None:
            trainable = synchronization is not VariableSynchronization.ON_READ
        trainable = bool(trainable)
        if name is not None and not isinstance(name, str):
            raise ValueError("name for name_scope must be a string.")
        self._constraint = constraint
        self._synchronization = synchronization
        self._aggregation = aggregation
        self._validate_shape = validate_shape
        if dtype is not None:
            dtype = _graphkiln.as_dtype(dtype)
        _refuse_traced(initial_value, name)
        if name is None:
            name = getattr(initial_value, "_variable_name", None) or "Variable"
        full_name = name_scope.current_scope() + name
        lift = experimental_enable_variable_lifting
        if lift is not None and not lift and _traces_for_eager_calls():
            self._create_in_run(initial_value, dtype, name, trainable, shape)
            return
        with name_scope.init_scope():
            if _graphkiln.current_graph() is not None:
                self._create_in_graph(
                    initial_value, dtype, full_name, trainable, shape
                )
                return
            value = _initial_tensor(initial_value, dtype)
            self._create(value, full_name, trainable, shape)

    def _create(self, value, name, trainable, shape) -> None:
        static = _static_shape(value, shape)
        handle = _graphkiln.new_variable_handle(
            name, value.dtype, static, trainable
        )
        self._setup(handle, value.dtype, static, trainable, name + ":0")
        raw_ops.AssignVariableOp(resource=handle, value=value)

    def _create_nodes(
        self, value, scope, shared_name, trainable, shape
    ):
        """The node of a variable that others than this process make."""
        static = _static_shape(value, shape)
        handle = raw_ops.VarHandleOp(
            dtype=value.dtype, shape=static, shared_name=shared_name,
            debug_name=scope, name=scope,
        )
        self._setup(
            handle, value.dtype, static, trainable, scope[:-1] + ":0"
        )
        return handle

    def _create_in_run(
        self, initial_value, dtype, name, trainable, shape
    ) -> None:
        """The nodes of a variable that each run of the function being traced
        makes for itself."""
        with name_scope.name_scope(name) as scope:
            with name_scope.name_scope("Initializer"):
                value = _initial_tensor(initial_value, dtype)
            handle = self._create_nodes(
                value, scope, _graphkiln.anonymous_name, trainable, shape
            )
            raw_ops.AssignVariableOp(resource=handle, value=value)

    def _create_in_graph(
        self, initial_value, dtype, name, trainable, shape
    ) -> None:
        """The nodes of a variable of a `tf.Graph`, which whoever runs the
        graph initialises."""
        with name_scope.name_scope(""), name_scope.name_scope(name) as scope:
            with name_scope.name_scope("Initializer"):
                value = _initial_tensor(initial_value, dtype)
            handle = self._create_nodes(
                value, scope, scope[:-1], trainable, shape
            )
            raw_ops.VarIsInitializedOp(
                resource=handle, name="IsInitialized/VarIsInitializedOp"
            )
            self._graph_initializer = raw_ops.AssignVariableOp(
                resource=handle, value=value, name="Assign"
            )
            raw_ops.ReadVariableOp(
                resource=handle, dtype=value.dtype, name="Read/ReadVariableOp"
            )
        self._graph_initial_value = value

    _graph_initializer = None
    _graph_initial_value = None
    _should_act_as_resource_variable = True

    # Copying makes a variable of the same value.

    def __copy__(self):
        return self

    def __deepcopy__(self, memo):
        if not _graphkiln.executing_eagerly():
            raise NotImplementedError(
                "__deepcopy__() is only available when eager execution is "
                "enabled."
            )
        copied = self._again()(self.read_value())
        memo[id(self)] = copied
        return copied

    def __reduce__(self):
        return self._again(), (self.numpy(),)

    def _again(self):
        """What makes a variable like this one of an initial value."""
        return functools.partial(
            Variable,
            trainable=self.trainable,
            constraint=self._constraint,
            dtype=self.dtype,
            name=self._shared_name,
            shape=self.shape,
            synchronization=self._synchronization,
            aggregation=self._aggregation,
        )


class ResourceVariable(Variable):
    """What tf.Variable makes."""


class _UnreadVariable(Variable):
    """What an assignment gives: the variable, which reads what was written."""


_graphkiln.set_variable_types(ResourceVariable, _UnreadVariable)


def _static_shape(value, shape):
    """`shape`, which `value` has to fit, or else the value's own."""
    static = value.shape if shape is None else _graphkiln.TensorShape(shape)
    if shape is not None and not static.is_compatible_with(value.shape):
        raise ValueError(
            "In this `tf.Variable` creation, the initial value's shape "
            f"({value.shape}) is not compatible with the explicitly "
            f"supplied `shape` argument ({shape})."
        )
    return static


def is_lifted(creation: dict) -> bool:
    """Is a variable to outlive the calls of the function that makes it?"""
    lift = creation.get("experimental_enable_variable_lifting")
    return lift is None or bool(lift)


def _traces_for_eager_calls() -> bool:
    """Is a function traced that runs eagerly, not as a part of a graph?"""
    if _graphkiln.current_graph() is None:
        return False
    with name_scope.init_scope():
        return _graphkiln.current_graph() is None


def _refuse_traced(initial_value, name) -> None:
    if not isinstance(initial_value, _graphkiln.Tensor):
        return
    graph = getattr(initial_value, "graph", None)
    if graph is None or not graph.building_function:
        return
    raise ValueError(
        f"Argument `initial_value` ({initial_value}) could not be lifted out "
        f"of a `tf.function`. (Tried to create variable with name='{name}'). "
        "To avoid this error, when constructing `tf.Variable`s inside of "
        "`tf.function` you can create the `initial_value` tensor in a "
        "`tf.init_scope` or pass a callable `initial_value` (e.g., "
        "`tf.Variable(lambda : tf.truncated_normal([10, 40]))`). Please file "
        "a feature request if this restriction inconveniences you."
    )


def _initial_tensor(initial_value, dtype):
    if callable(initial_value):
        initial_value = initial_value()
    try:
        return _graphkiln.convert_to_tensor(
            initial_value, dtype=dtype, name="initial_value"
        )
    except ValueError as error:
        if "Tensor conversion requested" in str(error):
            raise ValueError(f"initial_value: {error}") from None
        raise
