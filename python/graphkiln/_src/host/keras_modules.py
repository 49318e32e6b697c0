"""tf.keras: the real Keras, a package of its own, on graphkiln.

It is imported when somebody first asks for it, and graphkiln then answers to the
name tensorflow until the process ends: Keras imports that in functions too.
"""

import importlib
import sys
import types
from importlib.util import find_spec as find_module

from graphkiln import _loading
from graphkiln._src.host import tensorflow_alias

# Keras with TensorFlow's additions, as tf.keras is TensorFlow's too.
_PACKAGE = "keras._tf_keras.keras"
_CURE = "pip install graphkiln[keras]"
_held: list[tensorflow_alias.TensorFlowAlias] = []


class _Finder:
    """Finds Keras' modules below graphkiln.keras; before Python's own finder, which
    would load their files a second time."""

    def find_spec(
        self, name: str, path: object = None, target: object = None
    ) -> object:
        if not name.startswith("graphkiln.keras."):
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


def _full(public: str) -> str:
    below = public.removeprefix("compat.v1.").removeprefix("keras").lstrip(".")
    return f"{_PACKAGE}.{below}" if below else _PACKAGE


def module(public: str) -> types.ModuleType:
    """The module that "keras.layers" or "losses" names.

    Raises:
      ModuleNotFoundError: if there is none, or no package keras.
      ImportError: if Keras cannot run on graphkiln.
    """
    _import_keras()
    return importlib.import_module(_full(public))


def _import_keras() -> None:
    if _held:
        return
    if "keras" not in sys.modules and find_module("keras") is None:
        raise ModuleNotFoundError(
            f"tf.keras is the package keras, which is not installed: {_CURE}",
            name="keras",
        )
    _check_backend()
    try:
        alias = tensorflow_alias.as_tensorflow()
    except RuntimeError as error:
        raise ImportError(f"tf.keras cannot run on graphkiln: {error}") from None
    try:
        try:
            importlib.import_module(_PACKAGE)
        except ModuleNotFoundError as error:
            if not (error.name or "").startswith("keras"):
                raise
            version = getattr(sys.modules.get("keras"), "__version__", "unknown")
            raise ImportError(
                f"tf.keras is Keras 3, and version {version} of the package keras "
                f"is installed: {_CURE}"
            ) from error
        _check_backend()
    except BaseException:
        alias.__exit__()
        raise
    _held.append(alias)
    sys.meta_path.insert(0, _finder)


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
