"""Graphs of files with what restores their variables."""

from __future__ import annotations

from typing import Any

from graphkiln._src.checkpoint.saved_variables import all_saved
from graphkiln._src.checkpoint.saver import Saver
from graphkiln._src.session.meta_graph import import_scoped_meta_graph


def import_meta_graph(
    meta_graph_or_file: Any,
    clear_devices: bool = False,
    import_scope: str | None = None,
    **kwargs: Any,
) -> Saver | None:
    """Adds a meta graph to the default graph, with its collections: variables are
    tf.Variable again, so that a session can run and restore them.

    Args:
      meta_graph_or_file: a MetaGraphDef or the path of a file.
      clear_devices: nodes name no device.
      import_scope: a scope that all names are put in.
      **kwargs: `input_map`, tensors for edges of the message.

    Returns:
      The saver that the message names, or one of its variables; None if it has
      none.

    Raises:
      OSError: there is no such file, or it is none.
      ValueError: eagerly; or inputs that were cut off are not in `input_map`.
      NotFoundError: nodes are of an op that is not registered.

    >>> import tempfile
    >>> path = tempfile.mkdtemp() + "/model"
    >>> with tf.Graph().as_default(), tf.compat.v1.Session() as session:
    ...     v = tf.Variable(3.0, name="v")
    ...     session.run(v.initializer)
    ...     path = tf.compat.v1.train.Saver().save(session, path)
    >>> with tf.Graph().as_default(), tf.compat.v1.Session() as session:
    ...     saver = tf.compat.v1.train.import_meta_graph(path + ".meta")
    ...     saver.restore(session, path)
    ...     session.run("v/Read/ReadVariableOp:0").item()
    3.0
    """
    return import_with_elements(
        meta_graph_or_file, clear_devices, import_scope, **kwargs
    )[0]


def import_with_elements(
    meta_graph_or_file: Any,
    clear_devices: bool = False,
    import_scope: str | None = None,
    return_elements: list[str] | None = None,
    **kwargs: Any,
) -> tuple[Saver | None, list | None]:
    """The same, with the operations and tensors that `return_elements` names."""
    message, scope, elements = import_scoped_meta_graph(
        meta_graph_or_file,
        clear_devices,
        import_scope,
        savers=Saver.from_proto,
        return_elements=return_elements,
        **kwargs,
    )
    if not message.HasField("saver_def"):
        return (Saver() if all_saved(scope) else None), elements
    if not message.saver_def.filename_tensor_name:  # it had no variables
        return Saver(allow_empty=True, name=scope), elements
    return Saver(saver_def=message.saver_def, name=scope), elements
