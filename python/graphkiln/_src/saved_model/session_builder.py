"""Writes models of version one: graphs of sessions, with their values."""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from graphkiln import _graphkiln, _proto
from graphkiln._src.checkpoint.saver import Saver
from graphkiln._src.saved_model import constants
from graphkiln._src.saved_model.session_assets import copy_assets, named_assets
from graphkiln._src.saved_model.signature_defs import (
    build_signature_def,
    predict_signature_def,
)
from graphkiln._src.session.graph_keys import GraphKeys


def _check_tensor(info: Any) -> None:
    if info is None:
        raise AssertionError(
            "All TensorInfo protos used in the SignatureDefs must have the name and "
            "dtype fields set."
        )
    encoding = info.WhichOneof("encoding")
    if encoding is None:
        raise AssertionError(
            f"Invalid `tensor_info`: {info}. All TensorInfo protos used in the "
            "SignatureDefs must have one of the 'encoding' fields (e.g., name or "
            "coo_sparse) set."
        )
    if encoding == "composite_tensor":
        for part in info.composite_tensor.components:
            _check_tensor(part)
    elif info.dtype == 0:
        raise AssertionError(
            f"Invalid `tensor_info`: {info}. All TensorInfo protos used in the "
            "SignatureDefs must have the dtype field set."
        )


def _checked(signatures: Mapping[str, Any] | None) -> dict[str, Any]:
    signatures = dict(signatures or {})
    for signature in signatures.values():
        for infos in (signature.inputs, signature.outputs):
            for name in infos:
                _check_tensor(infos[name])
    reserved = {
        constants.INIT_OP_SIGNATURE_KEY: "initialization",
        constants.TRAIN_OP_SIGNATURE_KEY: "the train op",
    }
    for key, use in reserved.items():
        if key in signatures:
            raise KeyError(
                f'SignatureDef map key "{key}" is reserved for {use}. Please use a '
                "different key."
            )
    return signatures


def _signature_of(element: Any, key: str) -> Any:
    """A signature that names an operation or a tensor."""
    info = _proto.TensorInfo(name=element.name)
    if isinstance(element, _graphkiln.Tensor):
        info.dtype = element.dtype.as_datatype_enum
        info.tensor_shape.CopyFrom(element.shape.as_proto())
    else:
        info.tensor_shape.unknown_rank = True
    return build_signature_def(outputs={key: info})


class _ModelWriter:
    """What both builders are: a folder with a model that grows by graphs."""

    def __init__(self, export_dir: str | os.PathLike) -> None:
        self._export_dir = os.fspath(export_dir)
        if _graphkiln.gfile_exists(self._export_dir):
            if _graphkiln.gfile_listdir(self._export_dir):
                raise AssertionError(
                    f"Export directory {self._export_dir} already exists, and isn't "
                    "empty. Please choose a different export directory, or delete all "
                    "the contents of the specified directory."
                )
        else:
            _graphkiln.gfile_makedirs(self._export_dir)
        self._saved_model = _proto.SavedModel()
        self._saved_model.saved_model_schema_version = (
            constants.SAVED_MODEL_SCHEMA_VERSION
        )
        self._has_variables = False
        self._copied: set[str] = set()

    def _expect_variables(self, there: bool) -> None:
        if there and not self._has_variables:
            raise AssertionError(
                "Graph state including variables and assets has not been saved yet. "
                "Please invoke `add_meta_graph_and_variables()` first."
            )
        if not there and self._has_variables:
            raise AssertionError(
                "Graph state including variables and assets has already been saved. "
                "Please invoke `add_meta_graph()` instead."
            )

    def _files_of(self, tensors: Iterable[Any] | None) -> list[Any]:
        """Copies the files that constants name; their AssetFileDefs."""
        files, messages = named_assets(tensors)
        copy_assets(files, self._export_dir, self._copied)
        return messages

    def _graph_of(self, saver: Saver | None, sess: Any, **options: Any) -> Any:
        """The default graph as a message; with a session its values are written."""
        saver = saver or Saver(sharded=True, allow_empty=True)
        if sess is not None:
            folder = os.path.join(self._export_dir, constants.VARIABLES_DIRECTORY)
            _graphkiln.gfile_makedirs(folder)
            saver.save(
                sess,
                os.path.join(folder, constants.VARIABLES_FILENAME),
                write_meta_graph=False,
                write_state=False,
            )
        return saver.export_meta_graph(**options)

    def _append(
        self, message: Any, tags: Sequence[str], signatures: Mapping[str, Any]
    ) -> None:
        message.meta_info_def.tags.extend(tags)
        for name, signature in signatures.items():
            message.signature_def[name].CopyFrom(signature)
        self._saved_model.meta_graphs.add().CopyFrom(message)
        self._has_variables = True

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
            content = text_format.MessageToString(self._saved_model).encode()
        else:
            name = constants.SAVED_MODEL_FILENAME_PB
            content = self._saved_model.SerializeToString(deterministic=True)
        _graphkiln.gfile_makedirs(self._export_dir)
        path = os.path.join(self._export_dir, name)
        with _graphkiln.GFile(path, "wb") as file:
            file.write(content)
        return path.encode()


class SavedModelBuilder(_ModelWriter):
    """Writes a saved model of one or several graphs, which names its operations and
    files by signatures and fields; `Builder` has them in collections.

    Args:
      export_dir: its folder; an empty one, or one that is not there.

    Raises AssertionError if something is in the folder.

    >>> import tempfile
    >>> builder = tf.__internal__.saved_model.SavedModelBuilder(
    ...     tempfile.mkdtemp() + "/model")
    >>> with tf.Graph().as_default(), tf.compat.v1.Session() as session:
    ...     init = tf.no_op(name="init")
    ...     builder.add_meta_graph_and_variables(session, ["serve"], init_op=init)
    >>> builder.save()[-14:]
    b'saved_model.pb'
    """

    def _add(
        self,
        sess: Any,
        tags: Sequence[str],
        signature_def_map: Mapping[str, Any] | None,
        assets_list: Iterable[Any] | None,
        init_op: Any,
        train_op: Any,
        saver: Saver | None,
        **options: Any,
    ) -> None:
        signatures = _checked(signature_def_map)
        for key, operation in (
            (constants.INIT_OP_SIGNATURE_KEY, init_op),
            (constants.TRAIN_OP_SIGNATURE_KEY, train_op),
        ):
            if operation is not None:
                signatures[key] = _signature_of(operation, key)
        message = self._graph_of(saver, sess, **options)
        message.asset_file_def.extend(self._files_of(assets_list))
        self._append(message, tags, signatures)

    def add_meta_graph(
        self,
        tags: Sequence[str],
        signature_def_map: Mapping[str, Any] | None = None,
        assets_list: Iterable[Any] | None = None,
        clear_devices: bool = False,
        init_op: Any = None,
        train_op: Any = None,
        saver: Saver | None = None,
    ) -> None:
        """Adds the default graph, for the values that were written; arguments as of
        add_meta_graph_and_variables.

        Raises AssertionError if none were written.
        """
        self._expect_variables(True)
        self._add(
            None, tags, signature_def_map, assets_list, init_op, train_op, saver,
            clear_devices=clear_devices, strip_default_attrs=True,
        )  # fmt: skip

    def add_meta_graph_and_variables(
        self,
        sess: Any,
        tags: Sequence[str],
        signature_def_map: Mapping[str, Any] | None = None,
        assets_list: Iterable[Any] | None = None,
        clear_devices: bool = False,
        init_op: Any = None,
        train_op: Any = None,
        strip_default_attrs: bool = False,
        saver: Saver | None = None,
    ) -> None:
        """Adds the graph of a session, and writes the values of its variables.

        Args:
          sess: the session, whose graph is the default one.
          tags: of the graph.
          signature_def_map: SignatureDefs by name.
          assets_list: constants of paths; the files are copied.
          clear_devices: nodes name no device.
          init_op: runs when the model is loaded.
          train_op: a step of training; it is named, not run.
          strip_default_attrs: attributes with their default values are left out.
          saver: of the variables; one of all unless given.

        Raises AssertionError if values were written before, or a signature is not
        whole; KeyError if one has a name that is reserved.
        """
        self._expect_variables(False)
        self._add(
            sess, tags, signature_def_map, assets_list, init_op, train_op, saver,
            clear_devices=clear_devices, strip_default_attrs=strip_default_attrs,
        )  # fmt: skip


class Builder(_ModelWriter):
    """Writes a saved model of one or several graphs.

    Args:
      export_dir: its folder; an empty one, or one that is not there.

    Raises AssertionError if something is in the folder.

    >>> import tempfile
    >>> v1 = tf.compat.v1
    >>> builder = v1.saved_model.Builder(tempfile.mkdtemp() + "/model")
    >>> with tf.Graph().as_default(), v1.Session() as session:
    ...     x = v1.placeholder(tf.float32, [], name="x")
    ...     builder.add_meta_graph_and_variables(session, ["serve"])
    >>> builder.save()[-14:]
    b'saved_model.pb'
    """

    def _add_collections(self, assets: Iterable[Any] | None, main_op: Any) -> None:
        graph = _graphkiln.get_default_graph()
        if main_op is not None:
            if not isinstance(main_op, _graphkiln.Operation):
                raise TypeError(
                    f"Expected {main_op} to be an Operation but got type "
                    f"{type(main_op)} instead."
                )
            for key in (constants.MAIN_OP_KEY, constants.LEGACY_INIT_OP_KEY):
                if graph.get_collection(key):
                    raise ValueError(
                        "Graph already contains one or more main ops under the "
                        f"collection {key}."
                    )
        messages = self._files_of(assets)
        if messages:
            from google.protobuf.any_pb2 import Any as Packed
        for message in messages:
            packed = Packed()
            packed.Pack(message)
            graph.add_to_collection(constants.ASSETS_KEY, packed)
        if main_op is not None:
            graph.add_to_collection(constants.MAIN_OP_KEY, main_op)

    def _add(
        self,
        sess: Any,
        tags: Sequence[str],
        signature_def_map: Mapping[str, Any] | None,
        assets_collection: Iterable[Any] | None,
        main_op: Any,
        saver: Saver | None,
        **options: Any,
    ) -> None:
        signatures = _checked(signature_def_map)
        self._add_collections(assets_collection, main_op)
        self._append(self._graph_of(saver, sess, **options), tags, signatures)

    def add_meta_graph(
        self,
        tags: Sequence[str],
        signature_def_map: Mapping[str, Any] | None = None,
        assets_collection: Iterable[Any] | None = None,
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
        self._expect_variables(True)
        init = main_op if main_op is not None else legacy_init_op
        self._add(
            None, tags, signature_def_map, assets_collection, init, saver,
            clear_devices=clear_devices, strip_default_attrs=strip_default_attrs,
        )  # fmt: skip

    def add_meta_graph_and_variables(
        self,
        sess: Any,
        tags: Sequence[str],
        signature_def_map: Mapping[str, Any] | None = None,
        assets_collection: Iterable[Any] | None = None,
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
          main_op: an operation that runs when the model is loaded.
          strip_default_attrs: attributes with their default values are left out.
          saver: of the variables; one of all unless given.

        Raises:
          AssertionError: values were written before, or a signature is not whole.
          KeyError: a signature has a name that is reserved.
          TypeError: `main_op` is no operation; an asset is no constant text.
          ValueError: the graph has a main op.
        """
        self._expect_variables(False)
        init = main_op if main_op is not None else legacy_init_op
        self._add(
            sess, tags, signature_def_map, assets_collection, init, saver,
            clear_devices=clear_devices, strip_default_attrs=strip_default_attrs,
        )  # fmt: skip


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
