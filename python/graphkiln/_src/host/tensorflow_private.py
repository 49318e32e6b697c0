"""Private modules of TensorFlow that packages import although they should not,
with what they take from there, which graphkiln has under public names.

They exist only while graphkiln answers to the name tensorflow. Two tables tell what is
where: tensorflow_homes.txt, of all that is public, written by tools/private_names, and
before it NAMES, of what packages were seen to use besides.
"""

from __future__ import annotations

import functools
import importlib
import re
import sys
import types
from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple

from graphkiln import _graphkiln, _loading
from graphkiln._graphkiln import (  # noqa: F401
    BaseVariable,
    ResourceVariable,
    SymbolicTensor,
)
from graphkiln._src.host.tensorflow_private_names import NAMES


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

    def list_physical_devices(self, device_type: str | None = None) -> list:
        return sys.modules["graphkiln"].config.list_physical_devices(device_type)

    def set_logical_device_configuration(self, device: object, given: object) -> None:
        sys.modules["graphkiln"].config.set_logical_device_configuration(device, given)

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


_NAMED_IN_DOCSTRING = re.compile(r"^@@(\w+)$", re.MULTILINE)


def _make_all(module_name: str, doc_string_modules: list | None = None) -> list[str]:
    """Of a module's members those that docstrings name by lines "@@name"."""
    module = sys.modules[module_name]
    found: set[str] = set()
    for documented in doc_string_modules or [module]:
        found.update(_NAMED_IN_DOCSTRING.findall(documented.__doc__ or ""))
    return [name for name in found if hasattr(module, name)]


def _executing_eagerly_outside_functions() -> bool:
    with _graphkiln.init_scope():
        return _graphkiln.executing_eagerly()


def _should_record_backprop(tensors: list) -> bool:
    return _graphkiln._should_record_backprop(tensors)


@functools.cache
def _homes() -> dict[str, str]:
    """The rows of tensorflow_homes.txt by module."""
    homes: dict[str, str] = {}
    module = ""
    text = Path(__file__).with_name("tensorflow_homes.txt").read_text("utf-8")
    for line in text.splitlines():
        if line.startswith(" "):
            homes[module] = homes.get(module, "") + line
        else:
            module = line
    return homes


@functools.cache
def _modules() -> frozenset[str]:
    """All of them, and the packages that they are in."""
    found: set[str] = set()
    for module in (*NAMES, *_homes()):
        while module and module not in found:
            found.add(module)
            module = module.rpartition(".")[0]
    return frozenset(found)


def has(name: str) -> bool:
    """Is `name`, without "tensorflow.", such a module or a package of them?"""
    return name in _modules()


def _function_of_op(op: Callable) -> Callable:
    """One of tf.raw_ops, whose arguments have to be named, as the private function
    that takes them in order."""
    names = list(op.__signature__.parameters)

    @functools.wraps(op)
    def function(*values: object, **named: object) -> object:
        if len(values) > len(names):
            raise TypeError(
                f"{op.__name__}() takes from 0 to {len(names)} positional arguments "
                f"but {len(values)} were given"
            )
        for name, value in zip(names, values, strict=False):
            if name in named:
                raise TypeError(
                    f"{op.__name__}() got multiple values for argument {name!r}"
                )
            named[name] = value
        return op(**named)

    return function


# Modules of tf.raw_ops by families.
_OF_OPS = re.compile(r"tensorflow\.python\.ops\.gen_\w+_ops")


class PrivateModule(types.ModuleType):
    """One of them, or a package of them."""

    def __init__(self, name: str) -> None:
        super().__init__(f"tensorflow.{name}", "A part of TensorFlow's inside.")
        self.__path__: list[str] = []
        self.__package__ = self.__name__
        self._names = {}
        for entry in [*_homes().get(name, "").split(), *NAMES.get(name, "").split()]:
            own, _, public = entry.partition("=")
            self._names[own] = public or own

    def __getattr__(self, name: str) -> object:
        public = self._names.get(name)
        below = f"{self.__name__}.{name}"
        if public is None and has(below.removeprefix("tensorflow.")):
            # There without an import of their own.
            return importlib.import_module(below)
        if public is None and _OF_OPS.fullmatch(self.__name__) and name[:1].isupper():
            return getattr(sys.modules["graphkiln"].raw_ops, name)
        if public is None:
            raise AttributeError(
                f"module {self.__name__!r} has no attribute {name!r}: it is private "
                "to TensorFlow, and graphkiln, which answers to its name "
                "(graphkiln.as_tensorflow), has of it what is public elsewhere and "
                "what packages were seen to use"
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
            if public.startswith("raw_ops."):
                value = _function_of_op(value)
        setattr(self, name, value)
        return value

    def __dir__(self) -> list[str]:
        return sorted(self._names)
