"""Types of what the extension module defines in C, for tools/stubs.

Names come from the module; this file gives types to those that users meet. A
test checks that each is still there.
"""

import stub_dataset_types
import stub_function_types

ARITHMETIC = {
    name: "(self, other: TensorLike, /) -> Tensor"
    for stem in ("add", "sub", "mul", "truediv", "floordiv", "mod", "pow",
                 "matmul", "and", "or", "xor")
    for name in (f"__{stem}__", f"__r{stem}__")
} | {
    f"__{name}__": "(self, other: TensorLike, /) -> Tensor"
    for name in ("lt", "le", "gt", "ge")
} | {
    f"__{name}__": "(self) -> Tensor" for name in ("neg", "invert", "abs")
} | {
    f"__{name}__": "(self, other: object, /) -> Any" for name in ("eq", "ne")
} | {
    "__getitem__": "(self, item: Any, /) -> Tensor",
    "__bool__": "(self) -> bool",
    "__hash__": "(self) -> int",
    "__iter__": "(self) -> _c.Iterator[Tensor]",
    "__array__": "(self, dtype: Any = None, copy: bool | None = None) -> np.ndarray[Any, Any]",
    "ref": "(self) -> Any",
    "experimental_ref": "(self) -> Any",
}

NUMBERS = {
    "__int__": "(self) -> int",
    "__float__": "(self) -> float",
    "__complex__": "(self) -> complex",
    "__index__": "(self) -> int",
    "numpy": "(self) -> Any",
}

SHAPE_CHECK = "(self, other: ShapeLike) -> bool"

_TENSORS: dict[str, dict[str, str]] = {
    "Tensor": ARITHMETIC | {
        "__pos__": "(self) -> Tensor",
        "__len__": "(self) -> int",
        "get_shape": "(self) -> TensorShape",
        "set_shape": "(self, shape: ShapeLike) -> None",
        "consumers": "(self) -> list[Operation]",
    },
    "EagerTensor": NUMBERS,
    "BaseVariable": ARITHMETIC | NUMBERS,
    "TensorShape": {
        "__new__": "(cls, dims: ShapeLike | None) -> TensorShape",
        "__bool__": "(self) -> bool",
        "__eq__": "(self, other: object, /) -> bool",
        "__ne__": "(self, other: object, /) -> bool",
        "__len__": "(self) -> int",
        "__iter__": "(self) -> _c.Iterator[int | None]",
        "__getitem__": "(self, item: Any, /) -> Any",
        "as_list": "(self) -> list[int | None]",
        "assert_has_rank": "(self, rank: int) -> None",
        "assert_is_compatible_with": "(self, other: ShapeLike) -> None",
        "assert_is_fully_defined": "(self) -> None",
        "assert_same_rank": "(self, other: ShapeLike) -> None",
        "concatenate": "(self, other: ShapeLike) -> TensorShape",
        "is_compatible_with": SHAPE_CHECK,
        "is_subtype_of": SHAPE_CHECK,
        "is_fully_defined": "(self) -> bool",
        "merge_with": "(self, other: ShapeLike) -> TensorShape",
        "most_specific_compatible_shape": "(self, other: ShapeLike) -> TensorShape",
        "num_elements": "(self) -> int | None",
        "with_rank": "(self, rank: int) -> TensorShape",
        "with_rank_at_least": "(self, rank: int) -> TensorShape",
        "with_rank_at_most": "(self, rank: int) -> TensorShape",
    },
    "DType": {
        "__eq__": "(self, other: object, /) -> bool",
        "__ne__": "(self, other: object, /) -> bool",
        "__hash__": "(self) -> int",
        "__int__": "(self) -> int",
        "is_compatible_with": "(self, other: DTypeLike) -> bool",
    },
    "TensorSpec": {
        "__init__": "(self, shape: ShapeLike | None, "
                    "dtype: DTypeLike = ..., name: str | None = None) -> None",
        "is_compatible_with": "(self, spec_or_tensor: Any) -> bool",
    },
}

# Signatures by class and method: one, or the overloads.
METHODS: dict[str, dict[str, str | tuple[str, ...]]] = {
    cls: {
        **_TENSORS.get(cls, {}),
        **stub_function_types.METHODS.get(cls, {}),
        **stub_dataset_types.METHODS.get(cls, {}),
    }
    for cls in (
        *_TENSORS, *stub_function_types.METHODS, *stub_dataset_types.METHODS
    )
}

# What classes are generic in.
GENERIC = {
    "Function": "Generic[_P, _R]",
    "DatasetBase": "Generic[_T_co]",
    "DatasetMethods": "Generic[_T_co]",
    "Iterator": "Generic[_T_co]",
}

PROPERTIES: dict[str, dict[str, str]] = {
    "Tensor": {"shape": "TensorShape", "dtype": "DType", "device": "str",
               "name": "str", "ndim": "int", "op": "Operation",
               "value_index": "int"},
    "BaseVariable": {"shape": "TensorShape", "dtype": "DType", "name": "str",
                     "trainable": "bool", "handle": "Tensor"},
    "TensorShape": {"rank": "int | None", "ndims": "int | None",
                    "dims": "list[Any] | None"},
    "DType": {"name": "str", "size": "int", "as_numpy_dtype": "type",
              "base_dtype": "DType", "real_dtype": "DType", "is_bool": "bool",
              "is_complex": "bool", "is_floating": "bool", "is_integer": "bool",
              "is_numeric": "bool", "is_numpy_compatible": "bool",
              "is_quantized": "bool", "is_unsigned": "bool"},
    "TensorSpec": {"shape": "TensorShape", "dtype": "DType",
                   "name": "str | None"},
    "ConcreteFunction": {"name": "str", "outputs": "list[Tensor]",
                         "captured_inputs": "list[Tensor]"},
}

# What objects of a C type have besides: attributes of their own, and what the
# package adds when it is imported.
# A Tensor is nearly always an eager one where its value is asked for.
ADDED: dict[str, dict[str, str]] = {
    "Tensor": NUMBERS,
    "Function": {
        "__getattr__": "(self, name: str) -> Any",
    },
    "ConcreteFunction": {
        "__getattr__": "(self, name: str) -> Any",
    },
}

FUNCTIONS: dict[str, str | tuple[str, ...]] = {
    "constant": "(value: Any, dtype: DTypeLike | None = None, "
                "shape: ShapeLike | None = None, name: str = 'Const') -> Tensor",
    "convert_to_tensor": "(value: Any, dtype: DTypeLike | None = None, "
                         "dtype_hint: DTypeLike | None = None, "
                         "name: str | None = None) -> Tensor",
    "executing_eagerly": "() -> bool",
    "is_tensor": "(x: Any) -> bool",
    "as_dtype": "(type_value: DTypeLike) -> DType",
    "from_dlpack": "(dlcapsule: Any) -> Tensor",
    "to_dlpack": "(tensor: Tensor) -> Any",
    "op_names": "() -> list[str]",
} | stub_function_types.FUNCTIONS

# Functions of Python's, as their stubs.
PYTHON_FUNCTIONS = {
    "get_logger": """\
import logging as _logging
def get_logger() -> _logging.Logger: ...
""",
    "do_not_convert": """\
_F = _ty.TypeVar("_F", bound=_c.Callable[..., _ty.Any])
@_ty.overload
def do_not_convert(func: _F) -> _F: ...
@_ty.overload
def do_not_convert(func: None = None) -> _c.Callable[[_F], _F]: ...
""",
}
