"""Private modules of TensorFlow that packages import although they should not,
with what they take from there, which graphkiln has under public names.

They exist only while graphkiln answers to the name tensorflow. What packages do not
reach is not here.
"""

from __future__ import annotations

import sys
import types
from typing import NamedTuple

from graphkiln import _graphkiln, _namespaces

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
# or "name=public".
_NAMES = {
    "python.client.device_lib": "list_local_devices=@list_local_devices",
    "python.eager.context": """
        context=@context executing_eagerly in_eager_mode=executing_eagerly
        """,
    "python.framework.dtypes": f"DType as_dtype {_DTYPES}",
    "python.framework.errors": _ERRORS,
    "python.framework.errors_impl": _ERRORS,
    "python.framework.ops": """
        Graph EagerTensor=__internal__.EagerTensor IndexedSlices Operation
        RegisterGradient Tensor control_dependencies convert_to_tensor
        convert_to_tensor_v2_with_dispatch=convert_to_tensor device
        executing_eagerly_outside_functions=@executing_eagerly_outside_functions
        get_default_graph=compat.v1.get_default_graph init_scope
        name_scope name_scope_v2=name_scope
        register_tensor_conversion_function
        """,
    "python.ops.numpy_ops.np_config": """
        enable_numpy_behavior=experimental.numpy.experimental_enable_numpy_behavior
        """,
    "python.util.nest": """
        assert_same_structure=nest.assert_same_structure flatten=nest.flatten
        is_nested=nest.is_nested map_structure=nest.map_structure
        pack_sequence_as=nest.pack_sequence_as
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


_the_context = Context()


def _context() -> Context:
    return _the_context


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


def _executing_eagerly_outside_functions() -> bool:
    with _graphkiln.init_scope():
        return _graphkiln.executing_eagerly()


_OWN = {
    "@context": _context,
    "@list_local_devices": _list_local_devices,
    "@executing_eagerly_outside_functions": _executing_eagerly_outside_functions,
}


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
        if public is None:
            raise AttributeError(
                f"module {self.__name__!r} has no attribute {name!r}: it is private "
                "to TensorFlow, and graphkiln, which answers to its name "
                "(graphkiln.as_tensorflow), has of it what packages were seen to use"
            )
        if public in _OWN:
            value = _OWN[public]
        else:
            value = sys.modules["graphkiln"]
            for part in public.split("."):
                value = getattr(value, part)
        setattr(self, name, value)
        return value

    def __dir__(self) -> list[str]:
        return sorted(self._names)
