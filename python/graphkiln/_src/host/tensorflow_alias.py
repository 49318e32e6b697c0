"""graphkiln under TensorFlow's name: programs and packages that say
`import tensorflow` then get this package, unchanged."""

import importlib
import sys
import types
from importlib.machinery import ModuleSpec

from graphkiln import _graphkiln, _loading
from graphkiln._src.host import class_pickles

_NAME = "tensorflow"
_SPECIAL = "__internal__", "__operators__"
_HINT = (
    "graphkiln answers to the name 'tensorflow' in this process "
    "(graphkiln.as_tensorflow)"
)
# Whose objects programs and packages know by the class's name and module, as
# `type(x).__module__.split(".")[0]` or, in Keras, as a class "DatasetV2" of
# "tensorflow.python."; what they are called there. Pickles of these objects name
# no class, or name graphkiln's.
_KNOWN_BY_MODULE = {
    "AbstractTensor": "python.types.core.Tensor",
    "BaseVariable": "python.ops.variables.BaseVariable",
    "DType": "python.framework.dtypes.DType",
    "Dataset": "python.data.ops.dataset_ops.DatasetV2",
    "EagerTensor": "python.framework.ops.EagerTensor",
    "IndexedSlices": "python.framework.indexed_slices.IndexedSlices",
    "RaggedTensor": "python.ops.ragged.ragged_tensor.RaggedTensor",
    "ResourceVariable": "python.ops.resource_variable_ops.ResourceVariable",
    "SparseTensor": "python.framework.sparse_tensor.SparseTensor",
    "SymbolicTensor": "python.framework.ops.SymbolicTensor",
    "Tensor": "python.framework.tensor.Tensor",
    "Variable": "python.ops.variables.Variable",
}
_PICKLED_WITH_CLASS = ("IndexedSlices", "RaggedTensor", "SparseTensor")


class _Finder:
    """Finds graphkiln's modules below the name tensorflow. It answers for all
    such names, so that no part of an installed TensorFlow is loaded."""

    def find_spec(
        self, name: str, path: object = None, target: object = None
    ) -> ModuleSpec | None:
        package, _, below = name.partition(".")
        if package != _NAME:
            return None
        parts = below.split(".") if below else []
        if any(part.startswith("_") and part not in _SPECIAL for part in parts):
            raise ModuleNotFoundError(_private(name), name=name)
        if parts[:1] in (["python"], ["core"], ["compiler"], ["tools"]):
            private = _loading.load("graphkiln._src.host.tensorflow_private")
            if not private.has(below):
                raise ModuleNotFoundError(_private(name), name=name)
            return _loading.spec_of_module(name, private.PrivateModule(below))
        try:
            module = _public(".".join(["graphkiln", *parts]))
        except ModuleNotFoundError as error:
            text = f"cannot import {name!r}: {_HINT}: {error}"
            raise ModuleNotFoundError(text, name=name) from None
        return _loading.spec_of_module(name, module)


def _public(name: str) -> types.ModuleType:
    if name.startswith("graphkiln.keras"):
        # Keras imports graphkiln's modules by other ways than _loading's: whoever
        # holds that must not wait for it.
        return importlib.import_module(name)
    return _loading.load(name)


def _private(name: str) -> str:
    return (
        f"No module named {name!r}: it is private to TensorFlow, and {_HINT}, "
        "which has of these what packages were seen to use"
    )


def _is_below(name: str) -> bool:
    return name == _NAME or name.startswith(_NAME + ".")


_finder = _Finder()
_entered = 0
_named_before: dict[type, tuple[str, str]] = {}


def _install() -> None:
    package = sys.modules["graphkiln"]
    for name, module in list(sys.modules.items()):
        if _is_below(name) and module is not None:
            raise RuntimeError(
                f"{name!r} of the real TensorFlow is imported in this process "
                "already, and one process cannot have two packages of that "
                "name: call graphkiln.as_tensorflow() before anything imports "
                "tensorflow, or start the program by `python -m graphkiln`."
            )
    sys.meta_path.insert(0, _finder)
    sys.modules[_NAME] = package
    # Where pickles of the classes below look.
    sys.modules[f"{_NAME}._graphkiln"] = _graphkiln
    for name, known in _KNOWN_BY_MODULE.items():
        cls = package.data.Dataset if name == "Dataset" else getattr(_graphkiln, name)
        _named_before[cls] = cls.__module__, cls.__name__
        if name in _PICKLED_WITH_CLASS:
            class_pickles.pickle_by_name(cls, name)
        module, _, cls.__name__ = known.rpartition(".")
        cls.__module__ = f"{_NAME}.{module}"


def _remove() -> None:
    if _finder in sys.meta_path:
        sys.meta_path.remove(_finder)
    for name in [name for name in sys.modules if _is_below(name)]:
        del sys.modules[name]
    vars(sys.modules["graphkiln"]).pop("python", None)
    for cls, (module, name) in _named_before.items():
        cls.__module__, cls.__name__ = module, name
        class_pickles.pickle_as_before(cls)
    _named_before.clear()


class TensorFlowAlias:
    """What `tf.as_tensorflow` gives: a context at whose end graphkiln no longer
    answers to the name tensorflow."""

    def __init__(self) -> None:
        self._is_on = True

    def __enter__(self) -> types.ModuleType:
        """The package."""
        return sys.modules["graphkiln"]

    def __exit__(self, *error: object) -> None:
        """Ends the alias, if no other call of as_tensorflow holds it."""
        global _entered
        if not self._is_on:
            return
        self._is_on = False
        _entered -= 1
        if _entered == 0:
            _remove()


def as_tensorflow() -> TensorFlowAlias:
    """From now on `import tensorflow` gives graphkiln in this process.

    `import tensorflow as tf`, `import tensorflow.compat.v2 as tf`, `from tensorflow
    import math` and whatever else names public modules of TensorFlow's give
    graphkiln's, which are the same objects as under its own name, so that
    `isinstance`, registries and caches see one of each. An installed TensorFlow is
    not touched, and not loaded. Of its private modules (`tensorflow.python`) what
    packages were seen to use is there under the public names' objects; to import
    others raises ModuleNotFoundError.

    Classes of tensors, variables and datasets say meanwhile that their `__module__` is
    one of TensorFlow's, as packages tell whose tensor they have by that. Pickles name
    graphkiln as ever, but for these classes themselves.

    `python -m graphkiln program.py` runs a whole program so; `-m` and `-c` work as
    Python's.

    Returns:
      A context manager: leaving it takes the name back. What imported tensorflow
      meanwhile keeps what it got. Without `with` the name stays.

    Raises:
      RuntimeError: if the real TensorFlow is imported in this process already.

    >>> import sys
    >>> if "tensorflow" not in sys.modules:
    ...     with tf.as_tensorflow():
    ...         import tensorflow.math
    ...         assert tensorflow.math is tf.math
    """
    global _entered
    if _entered == 0:
        _install()
    _entered += 1
    return TensorFlowAlias()


_of_notebook: list[TensorFlowAlias] = []


def load_ipython_extension(ipython: object) -> None:
    """`%load_ext graphkiln` in a notebook: `import tensorflow` then gives graphkiln.

    It does what `tf.as_tensorflow` does, for the cells that follow.

    Args:
      ipython: the shell, of which nothing is asked.

    Raises:
      RuntimeError: if the real TensorFlow is imported in the kernel already.

    >>> import sys
    >>> if "tensorflow" not in sys.modules:
    ...     tf.load_ipython_extension(None)
    ...     import tensorflow.math
    ...     assert tensorflow.math is tf.math
    ...     tf.unload_ipython_extension(None)
    """
    if not _of_notebook:
        _of_notebook.append(as_tensorflow())


def unload_ipython_extension(ipython: object) -> None:
    """`%unload_ext graphkiln`: the name tensorflow is taken back.

    Args:
      ipython: the shell, of which nothing is asked.

    >>> import sys
    >>> if "tensorflow" not in sys.modules:
    ...     tf.load_ipython_extension(None)
    ...     tf.unload_ipython_extension(None)
    ...     assert "tensorflow" not in sys.modules
    """
    while _of_notebook:
        _of_notebook.pop().__exit__()
