"""Reads models of version one: graphs of sessions, with their values."""

from __future__ import annotations

import os
from collections.abc import Sequence
from typing import Any

from graphkiln import _graphkiln, _proto
from graphkiln._src.checkpoint.imported_saver import import_with_elements
from graphkiln._src.checkpoint.saved_variables import all_saved
from graphkiln._src.checkpoint.saver import Saver
from graphkiln._src.saved_model import constants
from graphkiln._src.saved_model.session_assets import get_asset_tensors
from graphkiln._src.session.meta_graph import read_message
from graphkiln._src.session.scoped_names import scoped_name


def parse_saved_model(export_dir: str | os.PathLike) -> Any:
    """The SavedModel that is in a folder.

    Raises OSError if there is none."""
    folder = os.fspath(export_dir)
    names = (
        constants.SAVED_MODEL_FILENAME_PB,
        constants.SAVED_MODEL_FILENAME_PBTXT,
    )
    for name in names:
        path = os.path.join(folder, name)
        if _graphkiln.gfile_exists(path):
            return read_message(path, _proto.SavedModel)
    raise OSError(
        f"SavedModel file does not exist at: {folder}{os.path.sep}"
        f"{{{constants.SAVED_MODEL_FILENAME_PBTXT}|{constants.SAVED_MODEL_FILENAME_PB}}}"
    )


def _operation_of(message: Any, signature: str, keys: Any, scope: str | None) -> Any:
    """What a model names by a signature or in a collection: the operation or tensor
    in the default graph, or None."""
    graph = _graphkiln.get_default_graph()
    if signature in message.signature_def:
        name = message.signature_def[signature].outputs[signature].name
        try:
            return graph.as_graph_element(scoped_name(name, scope))
        except KeyError:
            raise _graphkiln.NotFoundError(
                None,
                None,
                f"The key '{signature}' could not be found in the graph. Please make "
                "sure the SavedModel was created by the internal "
                "_SavedModelBuilder. If you are using the public API, please make "
                "sure the SignatureDef in the SavedModel does not contain the key "
                f"'{signature}'.",
            ) from None
    for key in keys:
        if key in message.collection_def:
            names = message.collection_def[key].node_list.value
            if len(names) != 1:
                raise RuntimeError(
                    f"Expected exactly one SavedModel init op. Found {len(names)}: "
                    f"{list(names)}."
                )
            return graph.get_collection(key)[0]
    return None


def get_init_op(meta_graph_def: Any, import_scope: str | None = None) -> Any:
    """The operation that runs when a model is loaded, or None."""
    keys = (constants.MAIN_OP_KEY, constants.LEGACY_INIT_OP_KEY)
    name = constants.INIT_OP_SIGNATURE_KEY
    return _operation_of(meta_graph_def, name, keys, import_scope)


def get_train_op(meta_graph_def: Any, import_scope: str | None = None) -> Any:
    """The operation that trains a model, or None."""
    keys = (constants.TRAIN_OP_KEY,)
    name = constants.TRAIN_OP_SIGNATURE_KEY
    return _operation_of(meta_graph_def, name, keys, import_scope)


class SavedModelLoader:
    """A model in a folder, whose graphs are taken step by step.

    Args:
      export_dir: the folder.

    Raises OSError without a model.
    """

    def __init__(self, export_dir: str | os.PathLike) -> None:
        self._export_dir = os.fspath(export_dir)
        self._saved_model = parse_saved_model(self._export_dir)

    @property
    def export_dir(self) -> str:
        """The folder."""
        return self._export_dir

    @property
    def variables_path(self) -> str:
        """What the files of the values begin with."""
        folder = os.path.join(self._export_dir, constants.VARIABLES_DIRECTORY)
        return os.path.join(folder, constants.VARIABLES_FILENAME)

    @property
    def saved_model(self) -> Any:
        """The SavedModel message."""
        return self._saved_model

    def get_meta_graph_def_from_tags(self, tags: Sequence[str]) -> Any:
        """The MetaGraphDef with exactly these tags.

        Raises RuntimeError if there is none."""
        graphs = self._saved_model.meta_graphs
        found = [set(graph.meta_info_def.tags) for graph in graphs]
        for graph, present in zip(graphs, found, strict=True):
            if present == set(tags):
                return graph
        raise RuntimeError(
            f"MetaGraphDef associated with tags {str(tags).strip('[]')} could not be "
            f"found in SavedModel, with available tags '{found}'. To inspect available "
            "tag-sets in the SavedModel, please use the SavedModel CLI: "
            "`saved_model_cli`."
        )

    def load_graph(
        self,
        graph: Any,
        tags: Sequence[str],
        import_scope: str | None = None,
        **saver_kwargs: Any,
    ) -> tuple[Saver | None, list | None]:
        """Adds the graph with these tags to `graph`: what restores its variables,
        and what `return_elements` asked for; arguments as of
        tf.compat.v1.train.import_meta_graph."""
        message = self.get_meta_graph_def_from_tags(tags)
        with graph.as_default():
            return import_with_elements(
                message, import_scope=import_scope, **saver_kwargs
            )

    def restore_variables(
        self, sess: Any, saver: Saver | None, import_scope: str | None = None
    ) -> None:
        """Gives the variables of a session's graph their values.

        Raises ValueError if it has variables, and `saver` is none."""
        with sess.graph.as_default():
            if isinstance(saver, Saver):
                saver.restore(sess, self.variables_path)
            elif saver is not None or all_saved(import_scope):
                raise ValueError(
                    "No tf.train.Saver object was passed to the function "
                    "`SavedModelLoader.restore_variables`. Since there are variables "
                    "in the graph, a saver is required."
                )

    def run_init_ops(
        self, sess: Any, tags: Sequence[str], import_scope: str | None = None
    ) -> None:
        """Runs what the model names for this: it fills the tables, with the files
        that came with the model."""
        message = self.get_meta_graph_def_from_tags(tags)
        with sess.graph.as_default():
            init = get_init_op(message, import_scope)
            if init is not None:
                assets = get_asset_tensors(self._export_dir, message, import_scope)
                sess.run([init], feed_dict=assets)

    def load(
        self,
        sess: Any,
        tags: Sequence[str],
        import_scope: str | None = None,
        **saver_kwargs: Any,
    ) -> Any:
        """All of these for a session. Returns the MetaGraphDef."""
        with sess.graph.as_default():
            saver, _ = self.load_graph(sess.graph, tags, import_scope, **saver_kwargs)
            self.restore_variables(sess, saver, import_scope)
            self.run_init_ops(sess, tags, import_scope)
        return self.get_meta_graph_def_from_tags(tags)


def load(
    sess: Any,
    tags: Sequence[str],
    export_dir: str | os.PathLike,
    import_scope: str | None = None,
    **saver_kwargs: Any,
) -> Any:
    """Loads the graph of a saved model into the graph of a session, and its values
    into the session.

    Args:
      sess: a session.
      tags: of the graph: exactly these.
      export_dir: the model's folder.
      import_scope: a scope that all names are put in.
      **saver_kwargs: as of tf.compat.v1.train.import_meta_graph.

    Returns the MetaGraphDef.

    Raises RuntimeError if no graph has these tags, OSError without a model.

    >>> import tempfile
    >>> v1, folder = tf.compat.v1, tempfile.mkdtemp() + "/model"
    >>> with tf.Graph().as_default(), v1.Session() as session:
    ...     x = v1.placeholder(tf.float32, [], name="x")
    ...     v1.saved_model.simple_save(session, folder, {"x": x}, {"y": x + 1.0})
    >>> with tf.Graph().as_default(), v1.Session() as session:
    ...     graph = v1.saved_model.load(session, ["serve"], folder)
    ...     y = graph.signature_def["serving_default"].outputs["y"].name
    ...     print(session.run(y, {"x:0": 2.0}))
    3.0
    """
    loader = SavedModelLoader(export_dir)
    return loader.load(sess, tags, import_scope, **saver_kwargs)
