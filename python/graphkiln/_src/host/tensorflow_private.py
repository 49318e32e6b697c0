"""Private modules of TensorFlow that packages import although they should not,
with what they take from there, which graphkiln has under public names.

They exist only while graphkiln answers to the name tensorflow. What packages do not
reach is not here.
"""

from __future__ import annotations

import importlib
import sys
import types
from typing import NamedTuple

from graphkiln import _graphkiln, _loading, _namespaces
from graphkiln._graphkiln import (  # noqa: F401
    BaseVariable,
    ResourceVariable,
    SymbolicTensor,
)

_DTYPES = " ".join(_namespaces.DTYPE_NAMES)

_ERRORS = " ".join(
    f"{name}=errors.{name}"
    for name in """
    AbortedError AlreadyExistsError CancelledError DataLossError
    DeadlineExceededError FailedPreconditionError InternalError
    InvalidArgumentError NotFoundError OpError OutOfRangeError
    PermissionDeniedError ResourceExhaustedError UnauthenticatedError
    UnavailableError UnimplementedError UnknownError
    """.split()
)

# By module below "tensorflow.", names in it: each the last part of a public name,
# or "name=public"; "name=@module.own" is of a module beside this one, and
# "name=@folder.module.own" of one in a folder beside this one's.
_NAMES = {
    "compiler.tf2xla.python.xla": "dynamic_update_slice=@private_parts.*",
    "core.util.event_pb2": "Event=compat.v1.Event",
    "python.data.ops.dataset_ops": "DatasetV2=data.Dataset",
    "python.data.experimental.ops.distribute": """
        compute_batch_size=@private_parts.*
        """,
    "python.autograph.converters.break_statements": "",
    "python.autograph.converters.continue_statements": "",
    "python.autograph.converters.return_statements": "",
    "python.autograph.core.converter": "",
    "python.autograph.pyct.anno": "",
    "python.autograph.pyct.common_transformers.anf": "",
    "python.autograph.pyct.inspect_utils": "",
    "python.autograph.pyct.loader": "",
    "python.autograph.pyct.naming": "",
    "python.autograph.pyct.parser": "",
    "python.autograph.pyct.qual_names": "",
    "python.autograph.pyct.static_analysis.activity": "",
    "python.autograph.pyct.templates": "",
    "python.autograph.pyct.transformer": "Base=@private_parts.Absent",
    "python.client.device_lib": """
        list_local_devices=@tensorflow_private._list_local_devices
        """,
    "python.eager.context": """
        _EagerDeviceContext=device _reset_context=@tensorflow_private._nothing
        async_wait=@tensorflow_private._nothing
        context=@tensorflow_private._context executing_eagerly
        in_eager_mode=executing_eagerly
        """,
    "python.eager.record": """
        should_record_backprop=@tensorflow_private._should_record_backprop
        """,
    "python.eager.tape": "",
    "python.framework.composite_tensor": """
        CompositeTensor=__internal__.CompositeTensor
        replace_composites_with_components=@private_parts.*
        """,
    "python.framework.config": """
        disable_op_determinism=@private_parts.*
        enable_op_determinism=config.experimental.enable_op_determinism
        is_op_determinism_enabled=@private_parts.*
        """,
    "python.framework.convert_to_constants": """
        convert_variables_to_constants_v2=graph_util.convert_variables_to_constants_v2
        convert_variables_to_constants_v2_as_graph=\
@tensorflow_private._convert_variables_to_constants_v2_as_graph
        """,
    "python.framework.dtypes": f"DType as_dtype {_DTYPES}",
    "python.framework.errors": _ERRORS,
    "python.framework.errors_impl": _ERRORS,
    "python.framework.ops": """
        Graph EagerTensor=__internal__.EagerTensor IndexedSlices Operation
        RegisterGradient SymbolicTensor=@tensorflow_private.SymbolicTensor Tensor control_dependencies convert_to_tensor
        convert_to_tensor_v2_with_dispatch=convert_to_tensor device
        executing_eagerly_outside_functions=\
@tensorflow_private._executing_eagerly_outside_functions
        get_default_graph=compat.v1.get_default_graph init_scope
        name_scope name_scope_v2=name_scope
        register_tensor_conversion_function
        """,
    "python.framework.indexed_slices": "IndexedSlices",
    "python.framework.sparse_tensor": "SparseTensor SparseTensorSpec",
    "python.framework.tensor": "Tensor TensorSpec",
    "python.framework.tensor_shape": """
        Dimension=compat.v1.Dimension TensorShape as_shape=TensorShape
        dimension_at_index=compat.dimension_at_index
        dimension_value=compat.dimension_value
        """,
    "python.framework.tensor_spec": "DenseSpec=@private_parts.* TensorSpec",
    "python.framework.tensor_util": """
        constant_value=get_static_value
        constant_value_as_shape=@private_parts.*
        is_tf_type=is_tensor try_evaluate_constant=@private_parts.*
        """,
    "python.framework.test_util": """
        deprecated_graph_mode_only=@both_modes.*
        run_all_in_graph_and_eager_modes=@both_modes.*
        run_in_graph_and_eager_modes=@both_modes.*
        """,
    "python.framework.type_spec": """
        BatchableTypeSpec=@private_parts.* TypeSpec
        register_type_spec_from_value_converter=\
__internal__.register_type_spec_from_value_converter
        type_spec_from_value
        """,
    "python.framework.type_spec_registry": """
        _NAME_TO_TYPE_SPEC=@private_parts.NAME_TO_TYPE_SPEC
        _TYPE_SPEC_TO_NAME=@private_parts.TYPE_SPEC_TO_NAME
        get_name=@private_parts.get_type_spec_name
        lookup=@private_parts.lookup_type_spec
        register=@private_parts.register_type_spec
        """,
    "python.lib.io.tf_record": "tf_record_iterator=compat.v1.io.tf_record_iterator",
    "python.ops.array_ops": "prevent_gradient=@private_parts.*",
    "python.ops.control_flow_case": "_case_helper=@private_parts.case_by",
    "python.ops.control_flow_util": """
        GraphOrParentsInXlaContext=@private_parts.in_xla_context
        """,
    "python.ops.linalg.linear_operator": """
        LinearOperator=linalg.LinearOperator
        make_composite_tensor=@private_parts.*
        """,
    "python.ops.linalg.linear_operator_addition": """
        add_operators=@private_parts.*
        """,
    "python.ops.linalg.sparse.sparse_csr_matrix_ops": """
        csr_sparse_matrix_to_sparse_tensor=@private_parts.*
        sparse_matrix_sparse_mat_mul=@private_parts.*
        sparse_tensor_to_csr_sparse_matrix=@private_parts.*
        """,
    "python.ops.math_ops": "is_nan=math.is_nan",
    "python.ops.nn_ops": "",
    "python.ops.numpy_ops.np_config": """
        enable_numpy_behavior=experimental.numpy.experimental_enable_numpy_behavior
        """,
    "python.ops.parallel_for.control_flow_ops": """
        pfor=@private_parts.vectorized_loop
        """,
    "python.ops.random_ops": "parameterized_truncated_normal=@private_parts.*",
    "python.ops.ragged.ragged_tensor": "RaggedTensor RaggedTensorSpec",
    "python.ops.resource_variable_ops": """
        ResourceVariable=@tensorflow_private.ResourceVariable
        VariableSpec=@private_parts.*
        """,
    "python.ops.variables": """
        BaseVariable=@tensorflow_private.BaseVariable Variable
        """,
    "python.trackable.autotrackable": """
        AutoTrackable=__internal__.tracking.AutoTrackable
        """,
    "python.trackable.base": """
        NoDependency=@checkpoint.auto_trackable.*
        Trackable=__internal__.tracking.Trackable
        TrackableReference=@checkpoint.auto_trackable.*
        no_automatic_dependency_tracking=\
__internal__.tracking.no_automatic_dependency_tracking
        """,
    "python.trackable.data_structures": """
        ListWrapper=@checkpoint.data_structures.*
        NoDependency=@checkpoint.auto_trackable.*
        _DictWrapper=@checkpoint.data_structures.*
        """,
    "python.types.core": "Tensor=__internal__.types.Tensor",
    "python.util.all_util": """
        remove_undocumented=@tensorflow_private._remove_undocumented
        """,
    "python.util.deprecation": " ".join(
        f"{name}=@deprecation.*"
        for name in (
            "deprecated", "deprecated_alias", "deprecated_arg_values",
            "deprecated_args", "deprecated_argument_lookup", "silence",
        )
    ),
    "python.util.nest": """
        _is_namedtuple=@nest_paths.is_namedtuple
        _sequence_like=@nest_paths.sequence_like
        _yield_sorted_items=@nest_paths.yield_sorted_items
        _yield_value=@nest_paths.yield_value
        assert_same_structure=nest.assert_same_structure
        flatten=nest.flatten flatten_dict_items=@private_parts.*
        is_nested=nest.is_nested is_sequence=nest.is_nested
        map_structure=nest.map_structure
        pack_sequence_as=nest.pack_sequence_as
        """
    + " ".join(
        f"{name}=@nest_paths.*"
        for name in (
            "assert_shallow_structure", "flatten_up_to",
            "flatten_with_joined_string_paths", "flatten_with_tuple_paths",
            "flatten_with_tuple_paths_up_to", "get_traverse_shallow_structure",
            "is_attrs", "is_mapping", "is_namedtuple", "is_nested_or_composite",
            "map_structure_up_to", "map_structure_with_paths",
            "map_structure_with_tuple_paths",
            "map_structure_with_tuple_paths_up_to", "sequence_like",
            "yield_flat_paths",
        )
    ),
    "python.util.tf_inspect": " ".join(
        f"{name}=@private_parts.*"
        for name in (
            "Parameter", "currentframe", "getargspec", "getcallargs", "getdoc",
            "getfile", "getfullargspec", "getmembers", "getmodule", "getmro",
            "getsource", "isbuiltin", "isclass", "isfunction", "isgenerator",
            "ismethod", "ismodule", "isroutine", "signature", "stack",
        )
    ) + " _inspect=@private_parts.inspect",
    "python.util.variable_utils": """
        convert_variables_to_tensors=@private_parts.*
        replace_variables_with_atoms=@private_parts.*
        """,
}


class Context:
    """What TensorFlow's eager context tells."""

    def executing_eagerly(self) -> bool:
        return _graphkiln.executing_eagerly()

    @property
    def device_spec(self) -> object:
        return _graphkiln.DeviceSpec()

    @property
    def device_name(self) -> str:
        return ""

    def num_gpus(self) -> int:
        return 0

    def clear_kernel_cache(self) -> None:
        """Kernels are not kept by shapes or programs: there is nothing to clear."""


_the_context = Context()


def _context() -> Context:
    return _the_context


def _nothing() -> None:
    """For what changes nothing here: ops run at once, and in one context."""


class LocalDevice(NamedTuple):
    """What TensorFlow's DeviceAttributes tells."""

    name: str
    device_type: str
    memory_limit: int
    incarnation: int
    physical_device_desc: str


def _list_local_devices(session_config: object = None) -> list[LocalDevice]:
    names = [d.name for d in sys.modules["graphkiln"].config.list_logical_devices()]
    return [LocalDevice(n, n.split(":")[1], 256 << 20, 1, "") for n in names]


def _convert_variables_to_constants_v2_as_graph(
    func: object, lower_control_flow: bool = True, aggressive_inlining: bool = False
) -> tuple:
    """The frozen function and its graph as a message."""
    frozen = _graphkiln.convert_variables_to_constants_v2(
        func, lower_control_flow, aggressive_inlining
    )
    return frozen, frozen.graph.as_graph_def()


def _remove_undocumented(
    module_name: str, allowed: object = None, docs: object = None
) -> None:
    """What it leaves is for readers of the module alone."""


def _executing_eagerly_outside_functions() -> bool:
    with _graphkiln.init_scope():
        return _graphkiln.executing_eagerly()


def _should_record_backprop(tensors: list) -> bool:
    return _graphkiln._should_record_backprop(tensors)


def has(name: str) -> bool:
    """Is `name`, without "tensorflow.", such a module or a package of them?"""
    return any(f"{module}.".startswith(f"{name}.") for module in _NAMES)


class PrivateModule(types.ModuleType):
    """One of them, or a package of them."""

    def __init__(self, name: str) -> None:
        super().__init__(f"tensorflow.{name}", "A part of TensorFlow's inside.")
        self.__path__: list[str] = []
        self.__package__ = self.__name__
        self._names = {}
        for entry in _NAMES.get(name, "").split():
            own, _, public = entry.partition("=")
            self._names[own] = public or own

    def __getattr__(self, name: str) -> object:
        public = None if name.startswith("__") else self._names.get(name)
        below = f"{self.__name__}.{name}"
        if public is None and has(below.removeprefix("tensorflow.")):
            # There without an import of their own.
            return importlib.import_module(below)
        if public is None:
            raise AttributeError(
                f"module {self.__name__!r} has no attribute {name!r}: it is private "
                "to TensorFlow, and graphkiln, which answers to its name "
                "(graphkiln.as_tensorflow), has of it what packages were seen to use"
            )
        if public.startswith("@"):
            module, _, own = public[1:].rpartition(".")
            folder = "" if "." in module else "host."
            module = _loading.load(f"graphkiln._src.{folder}{module}")
            value = getattr(module, name if own == "*" else own)
        else:
            value = sys.modules["graphkiln"]
            for part in public.split("."):
                value = getattr(value, part)
        setattr(self, name, value)
        return value

    def __dir__(self) -> list[str]:
        return sorted(self._names)
