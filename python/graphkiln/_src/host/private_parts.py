"""Functions and classes private to TensorFlow that packages were seen to use, and
for which graphkiln has no public name."""

from __future__ import annotations

import contextlib
from contextlib import contextmanager  # noqa: F401
import functools
import inspect  # noqa: F401
import itertools
import re
from collections import abc as collections_abc  # noqa: F401
from inspect import (  # noqa: F401
    Parameter, currentframe, getcallargs, getdoc, getfile, getmembers, getmodule,
    getmro, getsource, isbuiltin, isclass, isfunction, isgenerator, ismethod,
    ismodule, isroutine, signature, stack,
)
from typing import Callable

from graphkiln import _graphkiln, nest, raw_ops
from graphkiln._graphkiln import (  # noqa: F401
    CancellationManager,
    Function,
    InaccessibleTensorError,
    UnliftableError,
    VariableSpec,
)
from graphkiln._src import ops
from graphkiln._src.host import nest_paths
from graphkiln._src.linalg.addition import add_operators  # noqa: F401
from graphkiln._src.linalg.operator_spec import make_composite
from graphkiln._src.session.default_session import DefaultSession
from graphkiln._src.types.spec_names import NAME_TO_TYPE_SPEC, TYPE_SPEC_TO_NAME
from graphkiln.compat import v1


class Absent:
    """A class of TensorFlow's inside that packages derive from when they are
    imported, for parts of theirs that cannot work here."""

    def __init__(self, *args: object, **kwargs: object) -> None:
        raise NotImplementedError(
            f"{type(self).__name__} needs a class that is private to TensorFlow "
            "and that graphkiln does not have"
        )


class BatchableTypeSpec(_graphkiln.TypeSpec):
    """A spec of values that can be stacked: `_batch(size)` is the spec of a stack,
    `_unbatch()` of one element."""

    __slots__ = ()
    __batch_encoder__ = _graphkiln.ExtensionTypeBatchEncoder()


class DenseSpec(_graphkiln.TypeSpec):
    """A spec of one tensor, or of what stands in for one."""

    __slots__ = ("_shape", "_dtype", "_name")

    def __init__(
        self, shape: object, dtype: object = _graphkiln.float32,
        name: str | None = None,
    ) -> None:
        self._shape = _graphkiln.TensorShape(shape)
        self._dtype = _graphkiln.as_dtype(dtype)
        self._name = name

    @property
    def shape(self) -> object:
        return self._shape

    @property
    def dtype(self) -> object:
        return self._dtype

    @property
    def name(self) -> str | None:
        return self._name

    @property
    def _component_specs(self) -> object:
        return self

    def is_compatible_with(self, spec_or_value: object) -> bool:
        return (
            isinstance(spec_or_value, (DenseSpec, self.value_type))
            and self._dtype.is_compatible_with(spec_or_value.dtype)
            and self._shape.is_compatible_with(spec_or_value.shape)
        )

    def _serialize(self) -> tuple:
        return (self._shape, self._dtype, self._name)


_NAME = re.compile(r"(\w+\.)+\w+")


def register_type_spec(name: str) -> Callable[[type], type]:
    """Decorates a class of specs, which is known by `name` then."""
    if not isinstance(name, str):
        raise TypeError(f"Expected `name` to be a string; got {name!r}")
    if not _NAME.fullmatch(name):
        raise ValueError(
            "Registered name must have the form '{project_name}.{type_name}' "
            f"(e.g. 'my_project.MyTypeSpec'); got {name!r}."
        )

    def register(cls: type) -> type:
        if not (isinstance(cls, type) and issubclass(cls, _graphkiln.TypeSpec)):
            raise TypeError(f"Expected `cls` to be a TypeSpec; got {cls!r}")
        if cls in TYPE_SPEC_TO_NAME:
            raise ValueError(
                f"Class {cls.__module__}.{cls.__name__} has already been "
                f"registered with name {TYPE_SPEC_TO_NAME[cls]}."
            )
        if name in NAME_TO_TYPE_SPEC:
            other = NAME_TO_TYPE_SPEC[name]
            raise ValueError(
                f"Name {name} has already been registered for class "
                f"{other.__module__}.{other.__name__}."
            )
        TYPE_SPEC_TO_NAME[cls] = name
        NAME_TO_TYPE_SPEC[name] = cls
        return cls

    return register


def _name_of_extension(cls: type) -> str | None:
    """By which the specs of an extension type are known: one whose body has a
    `__name__`."""
    if not issubclass(cls, _graphkiln.ExtensionTypeSpec):
        return None
    value_type = getattr(cls, "value_type", object)
    own = vars(value_type).get("__name__")
    return f"{own}.Spec" if isinstance(own, str) else None


def get_type_spec_name(cls: type) -> str:
    if given := _name_of_extension(cls):
        return given
    if cls not in TYPE_SPEC_TO_NAME:
        raise ValueError(
            f"TypeSpec {cls.__module__}.{cls.__name__} has not been registered."
        )
    return TYPE_SPEC_TO_NAME[cls]


def lookup_type_spec(name: str) -> type:
    if name not in NAME_TO_TYPE_SPEC:
        for cls in reversed(_graphkiln.ExtensionTypeSpec.__subclasses__()):
            if _name_of_extension(cls) == name:
                return cls
        raise ValueError(f"No TypeSpec has been registered with name {name!r}")
    return NAME_TO_TYPE_SPEC[name]


def convert_variables_to_tensors(values: object) -> object:
    """The structure with tensors in the places of variables; composite tensors
    say themselves what they make of theirs."""

    def converted(x: object) -> object:
        if isinstance(x, _graphkiln.Variable):
            return _graphkiln.convert_to_tensor(x)
        if isinstance(x, _graphkiln.CompositeTensor):
            return x._convert_variables_to_tensors()
        return x

    return nest.map_structure(converted, values)


def replace_variables_with_atoms(values: object) -> object:
    def replaced(x: object) -> object:
        return 0 if isinstance(x, _graphkiln.Variable) else x

    return nest.map_structure(replaced, values)


def replace_composites_with_components(structure: object) -> object:
    if isinstance(structure, _graphkiln.CompositeTensor):
        return replace_composites_with_components(
            structure._type_spec._to_components(structure)
        )
    if not nest.is_nested(structure):
        return structure
    return nest.map_structure(replace_composites_with_components, structure)


def make_composite_tensor(cls: type, module_name: str = "tf.linalg") -> type:
    """Gives a class of linear operators its TypeSpec."""
    return make_composite(cls)


def constant_value_as_shape(tensor: object) -> object:
    """The shape that a tensor of sizes means, as far as it is known."""
    return _graphkiln.constant_value_as_shape(tensor)


def try_evaluate_constant(tensor: object) -> object:
    """The value of a tensor, if it is known while tracing."""
    return _graphkiln.known_value(tensor)


def in_xla_context(graph: object) -> bool:
    """Nothing is compiled by XLA."""
    return False


def prevent_gradient(
    input: object, message: str = "", name: str | None = None
) -> object:
    return raw_ops.PreventGradient(
        input=input, message=message, name=name
    )


def parameterized_truncated_normal(
    shape: object,
    means: object = 0.0,
    stddevs: object = 1.0,
    minvals: object = -2.0,
    maxvals: object = 2.0,
    dtype: object = _graphkiln.float32,
    seed: int | None = None,
    name: str | None = None,
) -> object:
    """Draws from normal distributions, each cut off at bounds of its own."""
    first, second = _graphkiln.op_seeds(seed)
    convert = functools.partial(_graphkiln.convert_to_tensor, dtype=dtype)
    return raw_ops.ParameterizedTruncatedNormal(
        shape=shape, means=convert(means), stdevs=convert(stddevs),
        minvals=convert(minvals), maxvals=convert(maxvals), seed=first,
        seed2=second, name=name,
    )


def vectorized_loop(
    loop_fn: Callable, iters: object, **options: object
) -> object:
    """`loop_fn(i)` for all i below `iters`, stacked."""
    return _graphkiln.vectorized_map(loop_fn, ops.range(iters))


def for_loop(
    loop_fn: Callable,
    loop_fn_dtypes: object,
    iters: object,
    parallel_iterations: int | None = None,
) -> object:
    """`loop_fn(i)` for all i below `iters`, one after the other, stacked; None where it
    gives None."""
    dtypes = nest.flatten(loop_fn_dtypes)
    are_none = [False] * len(dtypes)

    def body(i: object, *arrays: object) -> tuple:
        found = nest.flatten(loop_fn(i))
        if len(found) != len(dtypes):
            raise ValueError(
                f"Number of expected outputs {len(dtypes)}, does not match the number "
                f"of actual outputs {len(found)} from loop_fn: {loop_fn} with output "
                f"{found}."
            )
        are_none[:] = [value is None for value in found]
        written = [
            array if value is None else array.write(i, value)
            for value, array in zip(found, arrays, strict=True)
        ]
        return i + 1, *written

    _, *arrays = _graphkiln.while_loop(
        lambda i, *_: i < iters,
        body,
        [_graphkiln.constant(0), *(_graphkiln.TensorArray(dtype, iters) for dtype in dtypes)],
        parallel_iterations=parallel_iterations or 10,
    )
    stacked = [
        None if is_none else array.stack()
        for is_none, array in zip(are_none, arrays, strict=True)
    ]
    return nest.pack_sequence_as(loop_fn_dtypes, stacked)


def case_by(
    cond_fn: Callable,
    pred_fn_pairs: object,
    default: Callable | None,
    exclusive: bool,
    name: str | None,
    allow_python_preds: bool = False,
    **cond_kwargs: object,
) -> object:
    """tf.case, of which each decision is made by `cond_fn`."""
    if not isinstance(pred_fn_pairs, (list, tuple, dict)):
        raise TypeError(
            "'pred_fn_pairs' must be a list, tuple, or dict. Received: "
            f"{type(pred_fn_pairs)}"
        )
    pairs = (
        list(pred_fn_pairs.items())
        if isinstance(pred_fn_pairs, dict)
        else list(pred_fn_pairs)
    )
    for pair in pairs:
        if not isinstance(pair, tuple) or len(pair) != 2:
            raise TypeError(
                f"Each entry in 'pred_fn_pairs' must be a 2-tuple. Received {pair}."
            )
        predicate, action = pair
        if _graphkiln.is_tensor(predicate):
            if predicate.dtype != _graphkiln.bool:
                raise TypeError(f"pred must be Tensor of type bool: {predicate}")
        elif not allow_python_preds:
            raise TypeError(f"pred must be a Tensor, got: {predicate}")
        elif not isinstance(predicate, bool):
            raise TypeError(f"pred must be a Tensor or bool, got: {predicate}")
        if not callable(action):
            raise TypeError(f"fn for pred {predicate} must be callable.")
    with _graphkiln.name_scope(name or "case"):
        predicates = [predicate for predicate, _ in pairs]
        checks = []
        if default is None:
            checks.append(
                _graphkiln.Assert(
                    ops.reduce_any(ops.stack(predicates)),
                    ["None of the conditions evaluated as True."],
                )
            )
            _, default = pairs.pop()
        if exclusive:
            count = ops.reduce_sum(
                ops.cast(ops.stack(predicates), _graphkiln.int32)
            )
            checks.append(
                _graphkiln.Assert(
                    count <= 1, ["Input error: exclusive=True"]
                )
            )
        decide = default
        for predicate, action in reversed(pairs):
            decide = functools.partial(
                cond_fn, predicate, true_fn=action, false_fn=decide, **cond_kwargs
            )
        with _graphkiln.control_dependencies([c for c in checks if c is not None]):
            return decide()


def flatten_dict_items(dictionary: dict) -> dict:
    """{(a, b): (1, 2)} as {a: 1, b: 2}, keys and values taken apart together."""
    if not nest_paths.is_mapping(dictionary):
        raise TypeError("input must be a dictionary")
    flat: dict = {}
    for key, value in dictionary.items():
        keys, values = nest.flatten(key), nest.flatten(value)
        if len(keys) != len(values):
            raise ValueError(
                f"Could not flatten dictionary. Key had {len(keys)} elements, but "
                f"value had {len(values)} elements."
            )
        for k, v in zip(keys, values):
            if k in flat:
                raise ValueError(
                    "Could not flatten dictionary: this key is not unique: "
                    f"{k}"
                )
            flat[k] = v
    return flat


def dynamic_update_slice(x: object, update: object, start_indices: object) -> object:
    """`x` with `update` at the place `start_indices`, which is moved so that all of
    it lies inside of `x`."""
    x = _graphkiln.convert_to_tensor(x)
    update = _graphkiln.convert_to_tensor(update, dtype=x.dtype)
    begin = _graphkiln.convert_to_tensor(start_indices)
    size = ops.shape(update, out_type=begin.dtype)
    last = ops.shape(x, out_type=begin.dtype) - size
    begin = ops.maximum(ops.minimum(begin, last), 0)
    return raw_ops.TensorStridedSliceUpdate(
        input=x,
        begin=begin,
        end=begin + size,
        strides=ops.ones_like(begin),
        value=update,
    )


def sparse_tensor_to_csr_sparse_matrix(
    indices: object, values: object, dense_shape: object, name: str | None = None
) -> object:
    return raw_ops.SparseTensorToCSRSparseMatrix(
        indices=indices, values=values, dense_shape=dense_shape, name=name
    )


def csr_sparse_matrix_to_sparse_tensor(
    sparse_matrix: object, type: object, name: str | None = None
) -> object:
    return raw_ops.CSRSparseMatrixToSparseTensor(
        sparse_matrix=sparse_matrix, type=type, name=name
    )


def sparse_matrix_sparse_mat_mul(
    a: object,
    b: object,
    type: object,
    transpose_a: bool = False,
    transpose_b: bool = False,
    adjoint_a: bool = False,
    adjoint_b: bool = False,
    name: str | None = None,
) -> object:
    return raw_ops.SparseMatrixSparseMatMul(
        a=a,
        b=b,
        type=type,
        transpose_a=transpose_a,
        transpose_b=transpose_b,
        adjoint_a=adjoint_a,
        adjoint_b=adjoint_b,
        name=name,
    )


def is_op_determinism_enabled() -> bool:
    """Was it asked for? Results are the same from run to run in any case."""
    return _graphkiln._is_op_determinism_enabled()


def disable_op_determinism() -> None:
    _graphkiln._disable_op_determinism()


def compute_batch_size(dataset: object) -> object:
    """The size of a dataset's full batches, an int64 scalar; -1 if unknown."""
    sizes = []
    for spec in nest.flatten(dataset.element_spec):
        shape = getattr(spec, "shape", None)
        sizes.append(None if shape is None or shape.rank is None else shape[0])
    if None in sizes:
        return raw_ops.ComputeBatchSize(input_dataset=dataset._variant_tensor)
    known = sizes[0] if len(set(sizes)) == 1 else -1
    return _graphkiln.convert_to_tensor(known, dtype=_graphkiln.int64)


def default_session(session: object) -> object:
    """A context in which `session` is the default one."""
    return DefaultSession(session)


def get_json_type(obj: object) -> object:
    """What stands for a value in JSON that json has no word for."""
    if hasattr(obj, "get_config"):
        return {"class_name": type(obj).__name__, "config": obj.get_config()}
    if type(obj).__module__ == "numpy":
        return obj.tolist() if hasattr(obj, "tolist") else obj.item()
    if callable(obj):
        return obj.__name__
    if isinstance(obj, type):
        return obj.__name__
    if isinstance(obj, _graphkiln.TensorShape):
        return obj.as_list()
    if isinstance(obj, _graphkiln.DType):
        return obj.name
    if hasattr(obj, "__wrapped__"):
        return obj.__wrapped__
    raise TypeError(f"Object {obj} is not JSON-serializable.")


def is_variable(obj: object) -> bool:
    """Is it a variable?"""
    return isinstance(obj, _graphkiln.Variable)


def name_scope(
    name: str | None, default_name: str | None = None, values: object = None,
    skip_on_eager: bool = True,
) -> object:
    """A context in which ops of a graph are named below `name`; those that run at
    once only without `skip_on_eager`."""
    if not _graphkiln.executing_eagerly():
        return v1.name_scope(name, default_name, values)
    if skip_on_eager:
        return contextlib.nullcontext()
    return _graphkiln.name_scope(default_name if name is None else name)


_uids = itertools.count()


def uid() -> int:
    """A number that nobody else gets."""
    return next(_uids)


def graph_defs_equal(
    graph_def_1: object, graph_def_2: object, treat_nan_as_equal: bool = False
) -> bool:
    """Whether two graphs have equal nodes and functions, in whatever order."""
    kind = v1.GraphDef
    for i, graph_def in enumerate((graph_def_1, graph_def_2), 1):
        if not isinstance(graph_def, kind):
            raise TypeError(
                f"graph_def_{i} must be a graph_pb2.GraphDef proto, but got type "
                f"{type(graph_def)}."
            )

    def sorted_one(graph_def: object) -> tuple:
        def nodes(of: object) -> list:
            return sorted((n for n in of), key=lambda n: n.name)

        functions = sorted(graph_def.library.function, key=lambda f: f.signature.name)
        return nodes(graph_def.node), functions, [nodes(f.node_def) for f in functions]

    (a, fa, na), (b, fb, nb) = sorted_one(graph_def_1), sorted_one(graph_def_2)
    if treat_nan_as_equal:
        return [n.SerializeToString(deterministic=True) for n in a] == [
            n.SerializeToString(deterministic=True) for n in b
        ] and na == nb
    return a == b and na == nb and [f.signature for f in fa] == [
        f.signature for f in fb
    ]


def is_sparse(x: object) -> bool:
    """Is it a sparse tensor, or the value of one?"""
    return isinstance(x, (_graphkiln.SparseTensor, _graphkiln.SparseTensorValue))
