"""What code names: found without running any code of the user's."""

import enum
import functools
import inspect
import sys
from types import CellType, FunctionType, ModuleType

from graphkiln import _graphkiln
from graphkiln._src.function.baked_value import MISSING
from graphkiln._src.function.code_in_place import CodeInPlace

_FOREIGN = sys.stdlib_module_names | {"graphkiln", "numpy", "builtins"}


def is_foreign(module: object) -> bool:
    return isinstance(module, str) and module.partition(".")[0] in _FOREIGN


def method_code(function: object, instance: object) -> CodeInPlace | None:
    """A method of `instance`, which may be a Function; None if it is none."""
    find = None
    if isinstance(function, _graphkiln.Function):
        find = functools.partial(function._of_object, id(instance))
        function = function._unbound
    if type(function) is not FunctionType:
        return None
    return CodeInPlace(function, _first(function, instance), find)


def _first(function: FunctionType, value: object) -> dict[str, object]:
    code = function.__code__
    return {code.co_varnames[0]: value} if code.co_argcount else {}


def cell_contents(cell: CellType) -> object:
    try:
        return cell.cell_contents
    except ValueError:
        return MISSING


def has_attributes(value: object) -> bool:
    if isinstance(value, ModuleType):
        return not is_foreign(value.__name__)
    return not isinstance(value, (_graphkiln.Tensor, _graphkiln.BaseVariable))


def attribute(owner: object, name: str) -> object:
    """An attribute, without running any code of the user's."""
    if owner is MISSING:
        return MISSING
    if isinstance(owner, ModuleType):
        return vars(owner).get(name, MISSING)
    if isinstance(owner, type):
        if issubclass(owner, enum.Enum):
            return MISSING  # cannot change
        found = inspect.getattr_static(owner, name, MISSING)
        return _unwrapped(found, owner)
    found = MISSING
    for cls in type(owner).__mro__:
        if name in vars(cls):
            found = vars(cls)[name]
            break
    if isinstance(found, (property, functools.cached_property)):
        getter = found.fget if isinstance(found, property) else found.func
        if type(getter) is FunctionType:
            return CodeInPlace(getter, _first(getter, owner))
        return MISSING
    if inspect.ismemberdescriptor(found):
        return getattr(owner, name, MISSING)
    try:
        own = object.__getattribute__(owner, "__dict__")
    except AttributeError:
        own = None
    if type(own) is dict and name in own:
        return own[name]
    return method_code(found, owner) or _unwrapped(found, type(owner))


def _unwrapped(found: object, cls: type) -> object:
    if isinstance(found, classmethod):
        return method_code(found.__func__, cls) or MISSING
    return found.__func__ if isinstance(found, staticmethod) else found
