"""The public names of the package and where each comes from.

A public name ("math.add") is, in this order: an entry of `_exports.EXPORTS`,
which names the Python module that defines it; a composition; an op of the
registry whose record claims it; a submodule file of the package. Nothing is imported
before somebody asks. Names of TensorFlow's that are missing here say so, asked for
in whatever way.
"""

import sys
import types

from graphkiln import _exports, _graphkiln, _loading

DTYPE_NAMES = (
    "bfloat16", "bool", "complex64", "complex128", "float16", "float32",
    "float64", "int8", "int16", "int32", "int64", "qint8",
    "qint16", "qint32", "quint8", "quint16", "resource", "string", "uint8",
    "uint16", "uint32", "uint64", "variant",
)

_DIRECTORY = __file__.rpartition("/")[0]


def _made_once(make: types.FunctionType) -> types.FunctionType:
    """`make`, whose value is kept: whole before another thread can see it.
    (`functools` would be a part of every program's start.)"""
    kept = []

    def get() -> object:
        if not kept:
            kept.append(make())
        return kept[0]

    return get


@_made_once
def op_names() -> dict[str, str]:
    return dict(_graphkiln.public_names())


@_made_once
def composition_names() -> frozenset[str]:
    return frozenset(_graphkiln.composition_names())


@_made_once
def _python_names() -> dict[str, tuple[str, str]]:
    python = {}
    tables = [
        ("graphkiln._graphkiln", space and space + ".", names)
        for space, names in _graphkiln.exports.items()
    ]
    for module, names in _exports.EXPORTS.items():
        tables.append((module, "", names))
    for space, modules in _exports.EXPORTS_BELOW.items():
        for module, names in modules.items():
            tables.append((module, space and space + ".", names))
    for module, prefix, names in tables:
        for name in names.split():
            public, _, attribute = (prefix + name).partition("=")
            attribute = attribute or public.rpartition(".")[2]
            python[public] = (module, attribute)
    return python


@_made_once
def namespaces() -> tuple[str, ...]:
    """Whatever stands before a dot in a name; parents before their children."""
    found = set(_exports.OTHER_NAMESPACES)
    for name in (*op_names(), *composition_names(), *_python_names()):
        space = name.rpartition(".")[0]
        while space and space not in found:
            found.add(space)
            space = space.rpartition(".")[0]
    return tuple(sorted(found.difference(files())))


@_made_once
def files() -> tuple[str, ...]:
    """Public modules that have files of their own."""
    return tuple(
        f"{package}.{name}".removeprefix(".")
        for package, names in _exports.PACKAGES.items()
        for name in names
    )


def op_function(public: str) -> object:
    """The op or composition of that public name; None if there is none."""
    if public in composition_names():
        return _graphkiln.composition_function(public)
    if public in op_names():
        name = public.rpartition(".")[2]
        return _graphkiln.op_function(op_names()[public], name)
    return None


def names_below(prefix: str) -> list[str]:
    """Names directly below `prefix` ("math.", or "" for the package)."""
    found = set()
    for name in (
        *op_names(),
        *composition_names(),
        *_python_names(),
        *namespaces(),
        *files(),
    ):
        if name.startswith(prefix):
            found.add(name[len(prefix):].partition(".")[0])
    return sorted(found)


def listed(there: dict[str, object], prefix: str) -> list[str]:
    """What `dir` shows of a namespace in which some names are there already."""
    public = (n for n in list(there) if not n.startswith("_") or n.startswith("__"))
    return sorted({*public, *names_below(prefix)})


def found(public: str) -> object:
    """What a public name, or a part of what it names, stands for; else None."""
    value: object = sys.modules["graphkiln"]
    for part in public.strip(".").split("."):
        value = getattr(value, part, None)
    return value


def all_names(module_name: str) -> list[str]:
    """A namespace's `__all__`: `import *` takes these, and `help` shows functions
    that other modules define where they are named so."""
    return [n for n in dir(sys.modules[module_name]) if not n.startswith("_")]


def resolve(module_name: str, prefix: str, name: str) -> object:
    """The value of a public name, which is kept in its module."""
    public = prefix + name
    if name == "__all__":
        return all_names(module_name)
    if name == "__version__" and prefix in ("compat.v1.", "compat.v2."):
        return sys.modules["graphkiln"].__version__
    if name.startswith("__") and name not in ("__internal__", "__operators__"):
        raise _missing(module_name, name)
    if public in _python_names():
        module, attribute = _python_names()[public]
        value = getattr(_loading.load(module), attribute)
        if public in _graphkiln.dispatched_exports:
            value = _dispatched(value)
    elif (value := op_function(public)) is not None:
        pass
    elif public in namespaces() or public in files():
        value = _loading.load(f"graphkiln.{public}")
    elif (value := _of_keras(public)) is not None:
        pass
    elif (value := _of_other_version(public)) is None and public != _NONE:
        raise _missing(module_name, name)
    setattr(sys.modules[module_name], name, value)
    return value


def _of_keras(public: str) -> object:
    """What a name stands for that the package keras supplies (`tf.keras`); None if
    it is another's."""
    name = public.removeprefix("compat.v2.")
    space, _, last = name.rpartition(".")
    if space == "initializers":
        names = _loading.load("graphkiln._tensorflow_names").NAMES
        if last not in names[space]:
            return None
    elif name not in _exports.FROM_KERAS:
        return None
    modules = _loading.load(_exports.KERAS)
    try:
        if space == "initializers":
            return getattr(modules.module(space), last)
        return modules.module(name)
    except ImportError as error:
        raise AttributeError(str(error)) from error


# The one name whose value is None.
_NONE = "compat.v2.newaxis"


def _of_other_version(public: str) -> object:
    """What a name of tf.compat.v2 or v1 stands for that is in no table; None if
    there is nothing."""
    if public.startswith("compat.v2."):
        return found(public.removeprefix("compat.v2."))
    if not public.startswith("compat.v1."):
        return None
    name = public.removeprefix("compat.v1.")
    if name in _exports.FROM_KERAS:
        return None  # TensorFlow's first version has others
    names = _loading.load("graphkiln._src.version_one.names")
    value = names.name_of_version_one(name, found)
    if names.is_namespace(name, namespaces()):
        value = _install_namespace("graphkiln", public)
    return value


_dispatchers = {}


def _dispatched(function: object) -> object:
    """What all public names of a function stand for."""
    if function not in _dispatchers:
        module = _loading.load("graphkiln._src.types.dispatched")
        _dispatchers.setdefault(function, module.dispatched(function))
    return _dispatchers[function]


def _missing(module_name: str, name: str) -> AttributeError:
    text = f"module {module_name!r} has no attribute {name!r}"
    if name.startswith("_"):
        return AttributeError(text)  # nobody's; Python itself asks for some
    word = _word(f"{module_name}.{name}")
    return AttributeError(f"{text}: {word}" if word else text)


def member_is_missing(cls: str, owner: str, name: str) -> AttributeError:
    """Of a class that has the public name `cls`: what Python says, and whose it
    is."""
    word = "" if name.startswith("_") else _word(f"graphkiln.{cls}.{name}")
    text = f"{owner} has no attribute {name!r}"
    return AttributeError(f"{text}: {word}" if word else text)


def _word(full: str) -> str:
    names = _loading.load("graphkiln._tensorflow_names")
    return names.word(full.partition(".")[2])


def _is_here(public: str) -> bool:
    tables = (op_names(), composition_names(), _python_names(), namespaces(), files())
    if public.startswith("raw_ops."):
        return public.partition(".")[2] in _graphkiln.op_names()
    return any(public in table for table in tables)


def find_spec(name: str, path: object = None, target: object = None) -> object:
    """This module is asked last where a module is: it says that one is
    TensorFlow's.

    The error has no `name`: what Python's import statement knows to be just
    missing it leaves out for words of its own."""
    package, _, public = name.partition(".")
    if package != "graphkiln" or public.startswith("_") or _is_here(public):
        return None
    if public in _exports.FROM_KERAS:
        modules = _loading.load(_exports.KERAS)
        return _loading.spec_of_module(name, modules.module(public))
    if public.startswith("compat."):
        value = found(public)
        if isinstance(value, types.ModuleType):
            return _loading.spec_of_module(name, value)
    word = _word(name)
    if word:
        raise ModuleNotFoundError(f"cannot import {name!r}: {word}")
    return None


def _public_finder(finder: object, names: tuple[str, ...]) -> object:
    """Finds what `finder` does in a folder of the package, and lists the public
    part of it: `help` shows what is listed."""

    def iter_modules(prefix: str = "") -> list[tuple[str, bool]]:
        return [(prefix + n, n in _exports.PACKAGES) for n in names]

    return types.SimpleNamespace(
        find_spec=finder.find_spec,
        invalidate_caches=finder.invalidate_caches,
        iter_modules=iter_modules,
    )


class Namespace(types.ModuleType):
    """A module such as `graphkiln.math` without a file of its own."""

    def __getattr__(self, name: str) -> object:
        prefix = self.__name__.partition(".")[2] + "."
        if prefix == "raw_ops.":
            return (
                all_names(self.__name__) if name == "__all__" else _raw_op(self, name)
            )
        return resolve(self.__name__, prefix, name)

    def __dir__(self) -> list[str]:
        prefix = self.__name__.partition(".")[2] + "."
        if prefix == "raw_ops.":
            return sorted(_graphkiln.op_names())
        return listed(self.__dict__, prefix)


def _raw_op(module: types.ModuleType, name: str) -> object:
    try:
        value = _graphkiln.raw_op(name)
    except _graphkiln.NotFoundError:
        raise _missing(module.__name__, name) from None
    setattr(module, name, value)
    return value


def _install_namespace(package: str, name: str) -> types.ModuleType:
    full = f"{package}.{name}"
    if full in sys.modules:
        return sys.modules[full]
    module = Namespace(full, f"The tf.{name} namespace.")
    # Some have files of their own, with private names.
    module.__path__ = [f"{_DIRECTORY}/{name}"] if name in _exports.PACKAGES else []
    module.__package__ = full
    sys.modules[full] = module
    parent, _, last = full.rpartition(".")
    if parent != package:
        setattr(sys.modules[parent], last, module)
    return module


def install(package: str) -> None:
    """Makes `import graphkiln.math` find the namespaces."""
    for name in namespaces():
        _install_namespace(package, name)
    here = sys.modules[__name__]
    if here not in sys.meta_path:
        sys.meta_path.append(here)
    for name, modules in _exports.PACKAGES.items():
        folder = f"{_DIRECTORY}/{name}".removesuffix("/")
        for hook in sys.path_hooks:
            try:
                finder = _public_finder(hook(folder), modules)
            except ImportError:
                continue  # of other folders
            sys.path_importer_cache[folder] = finder
            break
