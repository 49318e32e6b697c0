"""SignatureDefs of graphs: tensors by name that a server feeds and fetches."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from graphkiln import _graphkiln, _proto
from graphkiln._graphkiln import Graph, Tensor
from graphkiln._src.saved_model import constants
from graphkiln._src.session.scoped_names import scoped_name


def build_tensor_info(tensor: Any) -> Any:
    """The TensorInfo that names a tensor of a graph.

    Args:
      tensor: a tensor of a graph, a tf.SparseTensor, a tf.RaggedTensor.

    Raises RuntimeError for a tensor that has a value: it has no name.

    >>> with tf.Graph().as_default():
    ...     x = tf.compat.v1.placeholder(tf.float32, [None, 2], name="x")
    ...     tf.compat.v1.saved_model.build_tensor_info(x).name
    'x:0'
    """
    info = _proto.TensorInfo()
    if isinstance(tensor, _graphkiln.CompositeTensor):
        if hasattr(tensor, "dense_shape"):
            info.dtype = tensor.dtype.as_datatype_enum
            info.tensor_shape.CopyFrom(tensor.shape.as_proto())
            info.coo_sparse.values_tensor_name = tensor.values.name
            info.coo_sparse.indices_tensor_name = tensor.indices.name
            info.coo_sparse.dense_shape_tensor_name = tensor.dense_shape.name
            return info
        spec = _graphkiln.type_spec_from_value(tensor)
        info.composite_tensor.type_spec.CopyFrom(spec.experimental_as_proto())
        for part in _graphkiln.nest_flatten(tensor, expand_composites=True):
            info.composite_tensor.components.add().CopyFrom(build_tensor_info(part))
        return info
    if not hasattr(tensor, "graph") or tensor.graph is None:
        raise RuntimeError(
            "`build_tensor_info` is not supported in Eager mode: a tensor with a "
            "value has no name. Build a tf.Graph, or use tf.saved_model.save."
        )
    info.name = tensor.name
    info.dtype = tensor.dtype.as_datatype_enum
    info.tensor_shape.CopyFrom(tensor.shape.as_proto())
    return info


def get_tensor_from_tensor_info(
    tensor_info: Any, graph: Graph | None = None, import_scope: str | None = None
) -> Any:
    """The tensor of a graph that a TensorInfo names.

    Args:
      tensor_info: a TensorInfo.
      graph: the default graph unless given.
      import_scope: the scope that the graph of the message was imported in.

    Raises KeyError if there is no such tensor, ValueError for a TensorInfo that
    names none.
    """
    if graph is None:
        graph = _graphkiln.get_default_graph()

    def named(name: str) -> Tensor:
        return graph.get_tensor_by_name(scoped_name(name, import_scope))

    encoding = tensor_info.WhichOneof("encoding")
    if encoding == "name":
        return named(tensor_info.name)
    if encoding == "coo_sparse":
        sparse = tensor_info.coo_sparse
        return _graphkiln.SparseTensor(
            named(sparse.indices_tensor_name),
            named(sparse.values_tensor_name),
            named(sparse.dense_shape_tensor_name),
        )
    raise ValueError(
        f"Invalid TensorInfo.encoding: {encoding}; expected `coo_sparse` or `name`."
    )


def build_signature_def(
    inputs: Mapping[str, Any] | None = None,
    outputs: Mapping[str, Any] | None = None,
    method_name: str | None = None,
    defaults: Mapping[str, Any] | None = None,
) -> Any:
    """A SignatureDef of these TensorInfos.

    Args:
      inputs, outputs: TensorInfos by name.
      method_name: which of a server's methods it is for.
      defaults: TensorProtos by the name of the input, or None.
    """
    signature = _proto.SignatureDef()
    for name, info in (inputs or {}).items():
        signature.inputs[name].CopyFrom(info)
    for name, info in (outputs or {}).items():
        signature.outputs[name].CopyFrom(info)
    if method_name is not None:
        signature.method_name = method_name
    for name, value in (defaults or {}).items():
        signature.defaults[name].CopyFrom(value)
    return signature


def predict_signature_def(inputs: Mapping[str, Any], outputs: Mapping[str, Any]) -> Any:
    """The signature of a prediction: any tensors by name.

    Raises ValueError without inputs or outputs.
    """
    if not inputs:
        raise ValueError("Prediction `inputs` cannot be None or empty.")
    if not outputs:
        raise ValueError("Prediction `outputs` cannot be None or empty.")
    return build_signature_def(
        {key: build_tensor_info(x) for key, x in inputs.items()},
        {key: build_tensor_info(x) for key, x in outputs.items()},
        constants.PREDICT_METHOD_NAME,
    )


def _of_strings(what: str, info: Any) -> Any:
    if info.dtype != _graphkiln.string.as_datatype_enum:
        raise ValueError(f"{what} must be of type string, got dtype {info.dtype}.")
    return info


def regression_signature_def(examples: Any, predictions: Any) -> Any:
    """The signature of a regression: serialized tf.train.Examples, and numbers.

    Args:
      examples: a tensor of strings.
      predictions: a tensor of float32.

    Raises ValueError for None or other dtypes.
    """
    if examples is None:
        raise ValueError("Regression `examples` cannot be None.")
    if not isinstance(examples, Tensor):
        raise ValueError(
            "Expected regression `examples` to be of type Tensor. Found "
            f"`examples` of type {type(examples)}."
        )
    if predictions is None:
        raise ValueError("Regression `predictions` cannot be None.")
    outputs = build_tensor_info(predictions)
    if outputs.dtype != _graphkiln.float32.as_datatype_enum:
        raise ValueError("Regression output tensors must be of type float.")
    return build_signature_def(
        {
            constants.REGRESS_INPUTS: _of_strings(
                "Regression input tensors", build_tensor_info(examples)
            )
        },
        {constants.REGRESS_OUTPUTS: outputs},
        constants.REGRESS_METHOD_NAME,
    )


def classification_signature_def(examples: Any, classes: Any, scores: Any) -> Any:
    """The signature of a classification: serialized tf.train.Examples, the names of
    classes, their scores.

    Args:
      examples: a tensor of strings.
      classes: a tensor of strings, or None.
      scores: a tensor of float32, or None.

    Raises ValueError for other dtypes, or if both classes and scores are None.
    """
    if examples is None:
        raise ValueError("Classification `examples` cannot be None.")
    if not isinstance(examples, Tensor):
        raise ValueError(
            "Classification `examples` must be a string Tensor. Found `examples` of "
            f"type {type(examples)}."
        )
    if classes is None and scores is None:
        raise ValueError("Classification `classes` and `scores` cannot both be None.")
    outputs = {}
    if classes is not None:
        outputs[constants.CLASSIFY_OUTPUT_CLASSES] = _of_strings(
            "Classification classes", build_tensor_info(classes)
        )
    if scores is not None:
        info = build_tensor_info(scores)
        if info.dtype != _graphkiln.float32.as_datatype_enum:
            raise ValueError("Classification scores must be a float tensor.")
        outputs[constants.CLASSIFY_OUTPUT_SCORES] = info
    return build_signature_def(
        {
            constants.CLASSIFY_INPUTS: _of_strings(
                "Classification input tensors", build_tensor_info(examples)
            )
        },
        outputs,
        constants.CLASSIFY_METHOD_NAME,
    )


def is_valid_signature(signature_def: Any) -> bool:
    """Can a server use it? Its method is known, and its tensors are that method's."""
    if signature_def is None:
        return False
    strings = _graphkiln.string.as_datatype_enum
    numbers = _graphkiln.float32.as_datatype_enum
    inputs, outputs = dict(signature_def.inputs), dict(signature_def.outputs)
    if signature_def.method_name == constants.PREDICT_METHOD_NAME:
        return bool(inputs) and bool(outputs)
    if signature_def.method_name == constants.REGRESS_METHOD_NAME:
        return (
            set(inputs) == {constants.REGRESS_INPUTS}
            and inputs[constants.REGRESS_INPUTS].dtype == strings
            and set(outputs) == {constants.REGRESS_OUTPUTS}
            and outputs[constants.REGRESS_OUTPUTS].dtype == numbers
        )
    if signature_def.method_name != constants.CLASSIFY_METHOD_NAME:
        return False
    kinds = {
        constants.CLASSIFY_OUTPUT_CLASSES: strings,
        constants.CLASSIFY_OUTPUT_SCORES: numbers,
    }
    return (
        set(inputs) == {constants.CLASSIFY_INPUTS}
        and inputs[constants.CLASSIFY_INPUTS].dtype == strings
        and bool(outputs)
        and all(kinds.get(name) == info.dtype for name, info in outputs.items())
    )
