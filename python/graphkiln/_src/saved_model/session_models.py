"""Saved models of version one: graphs of sessions, written and loaded with them."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from typing import Any

from graphkiln import _graphkiln, _proto
from graphkiln._src.checkpoint.imported_saver import import_meta_graph
from graphkiln._src.checkpoint.saver import Saver
from graphkiln._src.saved_model import constants
from graphkiln._src.saved_model.signature_defs import predict_signature_def
from graphkiln._src.session.graph_keys import GraphKeys
from graphkiln._src.session.meta_graph import read_message
from graphkiln._src.session.scoped_names import scoped_name

_INIT_OP = "__saved_model_init_op"
_INIT_OP_KEYS = (constants.MAIN_OP_KEY, constants.LEGACY_INIT_OP_KEY)


def _read(export_dir: str) -> Any:
    names = (
        constants.SAVED_MODEL_FILENAME_PB,
        constants.SAVED_MODEL_FILENAME_PBTXT,
    )
    for name in names:
        path = os.path.join(export_dir, name)
        if _graphkiln.gfile_exists(path):
            return read_message(path, _proto.SavedModel)
    raise OSError(
        f"SavedModel file does not exist at: {export_dir}{os.path.sep}"
        f"{{{constants.SAVED_MODEL_FILENAME_PBTXT}|{constants.SAVED_MODEL_FILENAME_PB}}}"
    )


def _with_tags(model: Any, tags: Sequence[str]) -> Any:
    found = [set(graph.meta_info_def.tags) for graph in model.meta_graphs]
    for graph, present in zip(model.meta_graphs, found, strict=True):
        if present == set(tags):
            return graph
    raise RuntimeError(
        f"MetaGraphDef associated with tags {str(tags).strip('[]')} could not be found "
        f"in SavedModel, with available tags '{found}'. To inspect available tag-sets "
        "in the SavedModel, please use the SavedModel CLI: `saved_model_cli`."
    )


def _run_initializer(
    session: Any, message: Any, export_dir: str, import_scope: str | None
) -> None:
    """What fills the tables, with the files that came with the model."""
    graph = session.graph
    assets = {}
    for file in message.asset_file_def:
        name = scoped_name(file.tensor_info.name, import_scope)
        folder = os.path.join(export_dir, constants.ASSETS_DIRECTORY)
        assets[name] = os.path.join(folder, file.filename)
    name = None
    if _INIT_OP in message.signature_def:
        name = message.signature_def[_INIT_OP].outputs[_INIT_OP].name
    else:
        for key in _INIT_OP_KEYS:
            if key in message.collection_def:
                names = message.collection_def[key].node_list.value
                if len(names) != 1:
                    raise RuntimeError(
                        f"Expected exactly one op in the collection {key}."
                    )
                name = names[0]
                break
    if name:
        op = graph.as_graph_element(scoped_name(name, import_scope))
        session.run([op], feed_dict=assets)


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
    folder = os.fspath(export_dir)
    message = _with_tags(_read(folder), list(tags))
    with sess.graph.as_default():
        saver = import_meta_graph(message, import_scope=import_scope, **saver_kwargs)
        if saver is not None:
            variables = os.path.join(folder, constants.VARIABLES_DIRECTORY)
            saver.restore(sess, os.path.join(variables, constants.VARIABLES_FILENAME))
        _run_initializer(sess, message, folder, import_scope)
    return message


class Builder:
    """Writes a saved model of one or several graphs.

    Args:
      export_dir: its folder; an empty one, or one that is not there.

    Raises AssertionError if something is in the folder.
    """

    def __init__(self, export_dir: str | os.PathLike) -> None:
        self._export_dir = os.fspath(export_dir)
        if _graphkiln.gfile_exists(self._export_dir):
            if _graphkiln.gfile_listdir(self._export_dir):
                raise AssertionError(
                    f"Export directory {self._export_dir} already exists, and isn't "
                    "empty. Please choose a different export directory, or delete all "
                    "the contents of the specified directory: "
                    f"{self._export_dir}"
                )
        else:
            _graphkiln.gfile_makedirs(self._export_dir)
        self._model = _proto.SavedModel()
        self._model.saved_model_schema_version = constants.SAVED_MODEL_SCHEMA_VERSION
        self._has_variables = False

    def _add(
        self,
        saver: Saver,
        tags: Sequence[str],
        signatures: Mapping[str, Any] | None,
        clear_devices: bool,
        strip_default_attrs: bool,
        assets: Sequence[Any],
    ) -> None:
        message = saver.export_meta_graph(
            clear_devices=clear_devices, strip_default_attrs=strip_default_attrs
        )
        message.meta_info_def.tags.extend(tags)
        for name, signature in (signatures or {}).items():
            message.signature_def[name].CopyFrom(signature)
        for tensor, path in assets:
            file = message.asset_file_def.add()
            file.filename = os.path.basename(path)
            file.tensor_info.name = tensor.name
        self._model.meta_graphs.add().CopyFrom(message)

    def _prepare(self, main_op: Any, legacy_init_op: Any, assets: Any) -> list[Any]:
        graph = _graphkiln.get_default_graph()
        if main_op is not None and legacy_init_op is not None:
            raise ValueError("Only one of `main_op` and `legacy_init_op` may be given.")
        init = main_op if main_op is not None else legacy_init_op
        if init is not None:
            key = _INIT_OP_KEYS[0] if main_op is not None else _INIT_OP_KEYS[1]
            if graph.get_collection(key):
                raise ValueError(
                    f"Graph already contains one or more entries under the key {key}."
                )
            graph.add_to_collection(key, init)
        found = []
        for tensor in assets or []:
            value = _graphkiln.get_static_value(tensor)
            if value is None:
                raise TypeError(f"Asset path tensor {tensor} must be of type Constant.")
            path = value.item() if hasattr(value, "item") else value
            path = path.decode() if isinstance(path, bytes) else path
            if not path:
                raise ValueError(f"Asset filepath tensor {tensor} is an empty string.")
            found.append((tensor, path))
        return found

    def add_meta_graph_and_variables(
        self,
        sess: Any,
        tags: Sequence[str],
        signature_def_map: Mapping[str, Any] | None = None,
        assets_collection: Any = None,
        legacy_init_op: Any = None,
        clear_devices: bool = False,
        main_op: Any = None,
        strip_default_attrs: bool = False,
        saver: Saver | None = None,
    ) -> None:
        """Adds the graph of a session, and writes the values of its variables.

        Args:
          sess: the session, whose graph is the default one.
          tags: of the graph.
          signature_def_map: SignatureDefs by name.
          assets_collection: constants of paths; the files are copied.
          legacy_init_op: the older name of main_op.
          clear_devices: nodes name no device.
          main_op: runs when the model is loaded.
          strip_default_attrs: attributes with their default values are left out.
          saver: of the variables; one of all unless given.

        Raises AssertionError if values were written before.
        """
        if self._has_variables:
            raise AssertionError(
                "Graph state including variables and assets has already been saved. "
                "Please invoke `add_meta_graph()` instead."
            )
        assets = self._prepare(main_op, legacy_init_op, assets_collection)
        if assets:
            folder = os.path.join(self._export_dir, constants.ASSETS_DIRECTORY)
            _graphkiln.gfile_makedirs(folder)
            for _, path in assets:
                to = os.path.join(folder, os.path.basename(path))
                _graphkiln.gfile_copy(path, to, overwrite=True)
        variables = os.path.join(self._export_dir, constants.VARIABLES_DIRECTORY)
        _graphkiln.gfile_makedirs(variables)
        saver = saver or Saver(sharded=True, allow_empty=True)
        saver.save(
            sess,
            os.path.join(variables, constants.VARIABLES_FILENAME),
            write_meta_graph=False,
            write_state=False,
        )
        self._add(
            saver, tags, signature_def_map, clear_devices, strip_default_attrs, assets
        )
        self._has_variables = True

    def add_meta_graph(
        self,
        tags: Sequence[str],
        signature_def_map: Mapping[str, Any] | None = None,
        assets_collection: Any = None,
        legacy_init_op: Any = None,
        clear_devices: bool = False,
        main_op: Any = None,
        strip_default_attrs: bool = False,
        saver: Saver | None = None,
    ) -> None:
        """Adds the default graph, for the values that were written; arguments as of
        add_meta_graph_and_variables.

        Raises AssertionError if none were written.
        """
        if not self._has_variables:
            raise AssertionError(
                "Graph state including variables and assets has not been saved yet. "
                "Please invoke `add_meta_graph_and_variables()` first."
            )
        assets = self._prepare(main_op, legacy_init_op, assets_collection)
        saver = saver or Saver(sharded=True, allow_empty=True)
        self._add(
            saver, tags, signature_def_map, clear_devices, strip_default_attrs, assets
        )

    def save(
        self,
        as_text: bool = False,
        experimental_image_format: bool = False,
        experimental_image_writer_options: Any = None,
    ) -> bytes:
        """Writes the file of the graphs. Gives its path.

        Args:
          as_text: as text, not binary.
          experimental_image_format, experimental_image_writer_options: accepted
            for compatibility.
        """
        if as_text:
            from google.protobuf import text_format

            name = constants.SAVED_MODEL_FILENAME_PBTXT
            content = text_format.MessageToString(self._model).encode()
        else:
            name = constants.SAVED_MODEL_FILENAME_PB
            content = self._model.SerializeToString(deterministic=True)
        path = os.path.join(self._export_dir, name)
        with _graphkiln.GFile(path, "wb") as file:
            file.write(content)
        return path.encode()


def simple_save(
    session: Any,
    export_dir: str | os.PathLike,
    inputs: Mapping[str, Any],
    outputs: Mapping[str, Any],
    legacy_init_op: Any = None,
) -> None:
    """Writes a model for servers: a session's graph with one signature.

    Args:
      session: whose graph and values are written.
      export_dir: a folder that is empty or not there.
      inputs, outputs: tensors of the graph by name.
      legacy_init_op: runs when the model is loaded.
    """
    signatures = {
        constants.DEFAULT_SERVING_SIGNATURE_DEF_KEY: predict_signature_def(
            inputs, outputs
        )
    }
    builder = Builder(export_dir)
    graph = _graphkiln.get_default_graph()
    builder.add_meta_graph_and_variables(
        session,
        [constants.SERVING],
        signatures,
        graph.get_collection(GraphKeys.ASSET_FILEPATHS),
        main_op=legacy_init_op,
        clear_devices=True,
    )
    builder.save()
