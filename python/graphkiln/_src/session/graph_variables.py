"""Variables of graphs: lists of them, and operations that give them values."""

from __future__ import annotations

import contextlib
from collections.abc import Sequence

from graphkiln import _graphkiln, raw_ops
from graphkiln._graphkiln import Operation, Tensor, Variable, group
from graphkiln._graphkiln import get_default_graph
from graphkiln._src import ops
from graphkiln._src.session.graph_keys import GraphKeys


def get_collection(key: object, scope: str | None = None) -> list:
    """What the default graph keeps under a name; with `scope` what has a name
    that begins so.

    >>> with tf.Graph().as_default():
    ...     tf.compat.v1.add_to_collection("lot", 1)
    ...     tf.compat.v1.get_collection("lot")
    [1]
    """
    return get_default_graph().get_collection(key, scope)


def get_collection_ref(key: object) -> list:
    """The list itself that the default graph keeps under a name.

    >>> with tf.Graph().as_default():
    ...     tf.compat.v1.get_collection_ref("lot").append(1)
    ...     tf.compat.v1.get_collection("lot")
    [1]
    """
    return get_default_graph().get_collection_ref(key)


def add_to_collection(name: object, value: object) -> None:
    """Keeps a value with the default graph, under a name.

    >>> with tf.Graph().as_default():
    ...     tf.compat.v1.add_to_collection("lot", 1)
    """
    get_default_graph().add_to_collection(name, value)


def add_to_collections(names: Sequence, value: object) -> None:
    """Keeps a value with the default graph, under several names.

    >>> with tf.Graph().as_default():
    ...     tf.compat.v1.add_to_collections(["lot", "all"], 1)
    """
    get_default_graph().add_to_collections(names, value)


def global_variables(scope: str | None = None) -> list:
    """The variables that were made in the default graph.

    >>> with tf.Graph().as_default():
    ...     v = tf.Variable(1.0)
    ...     tf.compat.v1.global_variables()[0] is v
    True
    """
    return get_collection(GraphKeys.GLOBAL_VARIABLES, scope)


def trainable_variables(scope: str | None = None) -> list:
    """The trainable variables that were made in the default graph.

    >>> with tf.Graph().as_default():
    ...     v = tf.Variable(1.0, trainable=False)
    ...     tf.compat.v1.trainable_variables()
    []
    """
    return get_collection(GraphKeys.TRAINABLE_VARIABLES, scope)


def local_variables(scope: str | None = None) -> list:
    """The variables that were put into the collection of local ones.

    >>> with tf.Graph().as_default():
    ...     tf.compat.v1.local_variables()
    []
    """
    return get_collection(GraphKeys.LOCAL_VARIABLES, scope)


def model_variables(scope: str | None = None) -> list:
    """The variables that were put into the collection of models' ones.

    >>> with tf.Graph().as_default():
    ...     tf.compat.v1.model_variables()
    []
    """
    return get_collection(GraphKeys.MODEL_VARIABLES, scope)


def moving_average_variables(scope: str | None = None) -> list:
    """The variables that were put into the collection of averages.

    >>> with tf.Graph().as_default():
    ...     tf.compat.v1.moving_average_variables()
    []
    """
    return get_collection(GraphKeys.MOVING_AVERAGE_VARIABLES, scope)


def all_variables() -> list:
    """The older name of `global_variables`.

    >>> with tf.Graph().as_default():
    ...     tf.compat.v1.all_variables()
    []
    """
    return global_variables()


def variables_initializer(
    var_list: Sequence, name: str = "init"
) -> Operation | None:
    """An operation that gives variables their initial values.

    >>> with tf.Graph().as_default():
    ...     v = tf.Variable(1.0)
    ...     tf.compat.v1.variables_initializer([v]).name
    'init'
    """
    if _graphkiln.executing_eagerly():
        return group(name=name)
    return group(*[v.initializer for v in var_list], name=name)


def global_variables_initializer() -> Operation | None:
    """An operation that gives the default graph's variables their initial
    values. Eagerly they have them.

    >>> with tf.Graph().as_default(), tf.compat.v1.Session() as session:
    ...     v = tf.Variable(1.0)
    ...     session.run(tf.compat.v1.global_variables_initializer())
    ...     session.run(v).item()
    1.0
    """
    return variables_initializer(global_variables())


def local_variables_initializer() -> Operation | None:
    """An operation that gives the default graph's local variables their
    initial values.

    >>> with tf.Graph().as_default():
    ...     tf.compat.v1.local_variables_initializer().type
    'NoOp'
    """
    return variables_initializer(local_variables())


def initialize_all_variables() -> Operation | None:
    """The older name of `global_variables_initializer`.

    >>> with tf.Graph().as_default():
    ...     tf.compat.v1.initialize_all_variables().type
    'NoOp'
    """
    return global_variables_initializer()


def initialize_local_variables() -> Operation | None:
    """The older name of `local_variables_initializer`.

    >>> with tf.Graph().as_default():
    ...     tf.compat.v1.initialize_local_variables().type
    'NoOp'
    """
    return local_variables_initializer()


def initialize_variables(var_list: Sequence, name: str = "init") -> Operation | None:
    """The older name of `variables_initializer`.

    >>> with tf.Graph().as_default():
    ...     tf.compat.v1.initialize_variables([]).type
    'NoOp'
    """
    return variables_initializer(var_list, name)


def tables_initializer(name: str = "init_all_tables") -> Operation | None:
    """An operation that fills the tables of the default graph.

    >>> with tf.Graph().as_default():
    ...     tf.compat.v1.tables_initializer().name
    'init_all_tables'
    """
    if _graphkiln.executing_eagerly():
        return group(name=name)
    return group(*get_collection(GraphKeys.TABLE_INITIALIZERS), name=name)


def is_variable_initialized(variable: object) -> Tensor:
    """Has the variable a value? One that a graph knows by a name is found as the
    tensor of its handle, `graph.get_tensor_by_name("v:0")`.

    >>> tf.compat.v1.is_variable_initialized(tf.Variable(1.0)).numpy().item()
    True
    """
    if isinstance(variable, Tensor):
        return raw_ops.VarIsInitializedOp(resource=variable)
    return variable.is_initialized()


def report_uninitialized_variables(
    var_list: Sequence | None = None,
    name: str = "report_uninitialized_variables",
) -> Tensor:
    """The names of the variables that have no value, as a vector of strings.

    >>> with tf.Graph().as_default(), tf.compat.v1.Session() as session:
    ...     v = tf.Variable(1.0, name="v")
    ...     session.run(tf.compat.v1.report_uninitialized_variables()).tolist()
    [b'v']
    """
    if var_list is None:
        var_list = global_variables() + local_variables()
    with _graphkiln.name_scope(name):
        if not var_list:
            return _graphkiln.constant([], "string")
        names = [v.name.split(":")[0] for v in var_list]
        has = ops.stack([v.is_initialized() for v in var_list])
        return ops.boolean_mask(_graphkiln.constant(names), ops.logical_not(has))


def assert_variables_initialized(var_list: Sequence | None = None) -> object:
    """An operation that fails unless all variables have values.

    >>> with tf.Graph().as_default():
    ...     tf.compat.v1.assert_variables_initialized([]) is None
    True
    """
    if var_list is None:
        var_list = global_variables() + local_variables()
    if not var_list:
        return None
    missing = report_uninitialized_variables(var_list)
    return _graphkiln.Assert(ops.equal(ops.size(missing), 0), [missing])


def colocate_with(op: object, ignore_existing: bool = False) -> object:
    """A `with` statement whose operations run where `op` does.

    >>> with tf.Graph().as_default():
    ...     x = tf.constant(1)
    ...     with tf.compat.v1.colocate_with(x):
    ...         y = x + 1
    """
    if _graphkiln.executing_eagerly():
        return contextlib.nullcontext()
    graph = get_default_graph()
    if isinstance(op, Variable):
        op = graph._capture(op.handle)
    return graph.colocate_with(getattr(op, "op", op), ignore_existing)


