"""A trace compiler for tensor programs, with TensorFlow's API.

>>> import graphkiln as tf
>>> @tf.function
... def double(x):
...     return x + x
>>> double(tf.constant([1, 2])).numpy().tolist()
[2, 4]

Names are looked up when they are asked for; those that TensorFlow alone has say
so. `__version__` is TensorFlow's, `tf.version.GRAPHKILN_VERSION` the package's own.
"""

import sys as _sys
import types as _types

from graphkiln import _graphkiln


def _restore(module: _types.ModuleType) -> None:
    """Puts the modules below one back that were taken out of sys.modules."""
    _sys.modules[module.__name__] = module
    for part in list(vars(module).values()):
        if (
            isinstance(part, _types.ModuleType)
            and part.__name__.startswith("graphkiln.")
            and _sys.modules.get(part.__name__) is not part
        ):
            _restore(part)


# A process has one graphkiln: its types live in the extension. Whoever imports
# it again after it was taken out of sys.modules gets the one there is.
_first = vars(_graphkiln).setdefault("_package", _sys.modules[__name__])
if _first is not _sys.modules[__name__]:
    _restore(_first)

from graphkiln import _namespaces
from graphkiln._graphkiln import (
    DType,
    Tensor,
    TensorShape,
    constant,
    convert_to_tensor,
    executing_eagerly,
    is_tensor,
    register_tensor_conversion_function,
)

_graphkiln.set_package_directory(__file__.removesuffix("__init__.py"))

__version__ = _graphkiln.VERSION

for _name in _namespaces.DTYPE_NAMES:
    globals()[_name] = getattr(_graphkiln, _name)
del _name
half = _graphkiln.float16
double = _graphkiln.float64
as_dtype = _graphkiln.as_dtype
newaxis = None

_namespaces.install(__name__)


def __getattr__(name: str) -> object:
    return _namespaces.resolve(__name__, "", name)


def __dir__() -> list[str]:
    return _namespaces.listed(globals(), "")
