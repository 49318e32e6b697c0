"""tf.compat.v1.saved_model.main_op: operations that a model runs when it is loaded."""

from __future__ import annotations

from graphkiln._graphkiln import Operation, control_dependencies, group
from graphkiln._src.session.graph_variables import (
    global_variables_initializer,
    local_variables_initializer,
    tables_initializer,
)


def main_op() -> Operation | None:
    """An operation that initializes all variables and tables of the default graph.

    >>> with tf.Graph().as_default():
    ...     tf.compat.v1.saved_model.main_op.main_op().type
    'NoOp'
    """
    return group(
        global_variables_initializer(),
        local_variables_initializer(),
        tables_initializer(),
    )


def main_op_with_restore(restore_op_name: Operation) -> Operation | None:
    """An operation that initializes all variables and tables of the default graph,
    then restores them.

    Args:
      restore_op_name: the operation that restores.

    >>> with tf.Graph().as_default():
    ...     restore = tf.no_op()
    ...     tf.compat.v1.saved_model.main_op_with_restore(restore).type
    'NoOp'
    """
    with control_dependencies([main_op()]):
        return group(restore_op_name)
