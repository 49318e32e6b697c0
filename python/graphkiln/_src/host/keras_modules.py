"""tf.keras: the real Keras, a package of its own, on graphkiln.

It is imported when somebody first asks for it, and graphkiln then answers to the
name tensorflow until the process ends: Keras imports that in functions too.

Where the environment has TF_USE_LEGACY_KERAS it is Keras' second version, the package
tf_keras, which has layers and cells of TensorFlow's first version besides.
"""

import importlib
import os
import sys
import types
from importlib.util import find_spec as find_module

from graphkiln import _loading
from graphkiln._src.host import tensorflow_alias

# Keras with TensorFlow's additions, as tf.keras is TensorFlow's too.
_PACKAGE = "keras._tf_keras.keras"
_CURE = "pip install graphkiln[keras]"
_SECOND = "tf_keras.api"
_CURE_OF_SECOND = "pip install tf_keras"
_LEGACY = "compat.v1.layers", "compat.v1.nn.rnn_cell"
_held: list[tensorflow_alias.TensorFlowAlias] = []


class _Finder:
    """Finds Keras' modules below graphkiln.keras; before Python's own finder, which
    would load their files a second time."""

    def find_spec(
        self, name: str, path: object = None, target: object = None
    ) -> object:
        if not name.startswith(("graphkiln.keras.", "graphkiln.compat.v1.keras.")):
            return None
        public = name.partition(".")[2]
        try:
            found = module(public)
        except ModuleNotFoundError as error:
            if error.name == _full(public):
                return None
            raise
        return _loading.spec_of_module(name, found)


_finder = _Finder()


def _is_second() -> bool:
    return os.environ.get("TF_USE_LEGACY_KERAS") in ("true", "True", "1")


def _package(version: int) -> str:
    return f"{_SECOND}._v{version}.keras" if _is_second() else _PACKAGE


def _full(public: str) -> str:
    version = 1 if public.startswith("compat.v1.") else 2
    if public in _LEGACY:
        last = public.rpartition(".")[2]
        return f"{_package(version)}.__internal__.legacy.{last}"
    below = public.removeprefix("compat.v1.").removeprefix("keras").lstrip(".")
    return f"{_package(version)}.{below}" if below else _package(version)


def module(public: str) -> types.ModuleType:
    """The module that "keras.layers" or "losses" names.

    Raises:
      ModuleNotFoundError: if there is none, or no package keras.
      ImportError: if Keras cannot run on graphkiln.
    """
    if public in _LEGACY and not _is_second():
        raise ImportError(
            f"tf.{public} is not available with Keras 3: install tf_keras and set "
            "TF_USE_LEGACY_KERAS=True in the environment"
        )
    _import_keras()
    return importlib.import_module(_full(public))


def _require(what: str, package: str, cure: str) -> None:
    if package not in sys.modules and find_module(package) is None:
        raise ModuleNotFoundError(
            f"{what} the package {package}, which is not installed: {cure}",
            name=package,
        )


def require_second(what: str = "tf.keras is") -> None:
    """Raises ModuleNotFoundError without Keras' second version, which `what`."""
    _require(what, "tf_keras", _CURE_OF_SECOND)


def _import_keras() -> None:
    if _held:
        return
    if _is_second():
        require_second()
    else:
        _require("tf.keras is", "keras", _CURE)
        _check_backend()
    try:
        alias = tensorflow_alias.as_tensorflow()
    except RuntimeError as error:
        raise ImportError(f"tf.keras cannot run on graphkiln: {error}") from None
    try:
        if _is_second():
            importlib.import_module(_package(2))
        else:
            _import_third()
    except BaseException:
        alias.__exit__()
        raise
    _held.append(alias)
    sys.meta_path.insert(0, _finder)


def _import_third() -> None:
    try:
        importlib.import_module(_PACKAGE)
    except ModuleNotFoundError as error:
        if not (error.name or "").startswith("keras"):
            raise
        version = getattr(sys.modules.get("keras"), "__version__", "unknown")
        raise ImportError(
            f"tf.keras is Keras 3, and version {version} of the package keras is "
            f"installed: {_CURE}"
        ) from error
    _check_backend()


def _check_backend() -> None:
    keras = sys.modules.get("keras")
    config = getattr(keras, "config", None)
    if config is None:
        return
    backend = config.backend()
    if backend != "tensorflow":
        raise ImportError(
            f"tf.keras cannot run on graphkiln: Keras runs on {backend!r} in this "
            "process. It takes its backend when it is first imported, from the "
            "environment's KERAS_BACKEND or from keras.json: that must be "
            "'tensorflow'"
        )
