"""Modules of StableHLO, which functions of JAX become (`jax.export`, `jax2tf`),
compiled and run by jaxlib: what the op XlaCallModule calls."""

from __future__ import annotations

import functools
from importlib import import_module

import numpy as np

from graphkiln import _graphkiln

# No dependency of the package's: whoever calls functions of JAX has it.
jax = import_module("jax")
mlir = import_module("jax._src.interpreters.mlir")
_jax = import_module("jax._src.lib")._jax
jax_backend = import_module("jax.extend.backend")
ir = import_module("jax.extend.mlir.ir")
func = import_module("jax.extend.mlir.dialects.func")
stablehlo = import_module("jax.extend.mlir.dialects.stablehlo")

InvalidArgumentError = _graphkiln.InvalidArgumentError
UnimplementedError = _graphkiln.UnimplementedError

_PROGRAMS_KEPT = 256
_PARTITIONS = ("mhlo.num_partitions", "mhlo.num_replicas")


class Program:
    """A module, compiled anew for each tuple of shapes that it is called with."""

    def __init__(
        self, module: bytes, platform_index: int, shape_assertions: bool, shardy: bool
    ) -> None:
        self._module = module
        self._platform_index = platform_index
        self._refining = {
            "enable_shape_assertions": shape_assertions,
            "validate_static_shapes": True,
            "enable_shardy": shardy,
        }
        self._compiled: dict[tuple, object] = {}
        self._client = jax_backend.get_backend("cpu")
        self._device = self._client.local_devices()[0]
        self._sharding = jax.sharding.SingleDeviceSharding(self._device)

    def __call__(self, *arrays: np.ndarray, outputs: int) -> list[np.ndarray]:
        """The results, of which `outputs` are expected."""
        key = tuple((array.shape, array.dtype) for array in arrays)
        executable = self._compiled.get((key, outputs))
        if executable is None:
            executable = self._compile(key, outputs)
            self._compiled[key, outputs] = executable
        given = [self._put(array) for array in arrays]
        try:
            results = executable.execute_sharded(given)
            parts = results.disassemble_into_single_device_arrays()
            return [np.asarray(part[0]) for part in parts]
        except jax.errors.JaxRuntimeError as error:
            raise InvalidArgumentError(None, None, str(error)) from error

    def _put(self, array: np.ndarray) -> object:
        # Not jax.device_put, which makes 64 bits 32.
        aval = jax.core.ShapedArray(array.shape, array.dtype)
        return _jax.batched_device_put(
            aval, self._sharding, [array], [self._device], committed=True
        )

    def _compile(self, key: tuple, outputs: int) -> object:
        with mlir.make_ir_context(), ir.Location.unknown():
            static = self._with_static_shapes(self._parsed(), key, outputs)
            try:
                refined = _jax.mlir.refine_polymorphic_shapes(
                    mlir_module=mlir.module_to_bytecode(static), **self._refining
                )
            except jax.errors.JaxRuntimeError as error:
                text = str(error).removeprefix("INVALID_ARGUMENT: ")
                raise InvalidArgumentError(None, None, text) from error
            code = mlir.module_to_bytecode(ir.Module.parse(refined))
        options = jax_backend.get_compile_options(1, 1)
        try:
            return self._client.compile_and_load(
                code, _jax.DeviceList((self._device,)), options
            )
        except jax.errors.JaxRuntimeError as error:
            raise InvalidArgumentError(
                None, None, f"XlaCallModule: jaxlib cannot compile: {error}"
            ) from error

    def _parsed(self) -> object:
        try:
            module = _jax.mlir.deserialize_portable_artifact(self._module)
        except Exception as error:
            raise InvalidArgumentError(
                None, None, f"Cannot deserialize computation: {error}"
            ) from error
        attributes = module.operation.attributes
        for name in _PARTITIONS:
            if name in attributes and ir.IntegerAttr(attributes[name]).value != 1:
                raise UnimplementedError(
                    None,
                    None,
                    f"XlaCallModule: the module is for several devices ({name} is "
                    f"{attributes[name]}), and runs on one here.",
                )
        return module

    def _with_static_shapes(self, module: object, key: tuple, outputs: int) -> object:
        """The module, whose function main now takes just these shapes."""
        symbols = ir.SymbolTable(module.operation)
        if "main" not in symbols:
            raise InvalidArgumentError(None, None, "Cannot find 'main' in module")
        inner = symbols["main"]
        function_type = inner.type
        platforms = 0 if self._platform_index < 0 else 1
        types = list(function_type.inputs)
        if len(types) != len(key) + platforms:
            raise InvalidArgumentError(
                None,
                None,
                f"Incorrect number of arguments passed to XlaCallModule = {len(key)}. "
                f"It must be called with {len(types) - platforms} because the module "
                f"main function takes {len(types)} arguments of which {platforms} "
                "platform index arguments, and 0 token arguments.",
            )
        if len(function_type.results) != outputs:
            raise InvalidArgumentError(
                None,
                None,
                f"XlaCallModule: Tout has {outputs} types, and the module main "
                f"function gives {len(function_type.results)} results.",
            )
        wanted = [
            _refined(i, wide, shape, dtype)
            for i, (wide, (shape, dtype)) in enumerate(
                zip(types[platforms:], key, strict=True)
            )
        ]
        symbols.set_symbol_name(inner, "_called_main")
        inner.attributes["sym_visibility"] = ir.StringAttr.get("private")
        with ir.InsertionPoint(module.body):
            outer = func.FuncOp(
                "main", ir.FunctionType.get(wanted, function_type.results)
            )
            block = outer.add_entry_block()
        with ir.InsertionPoint(block):
            given = list(block.arguments)
            if platforms:
                index = np.asarray(self._platform_index, _dtype_of(types[0]))
                given.insert(0, stablehlo.constant(ir.DenseElementsAttr.get(index)))
            given = [
                value if value.type == wide else stablehlo.convert(wide, value)
                for value, wide in zip(given, types, strict=True)
            ]
            call = func.CallOp(
                function_type.results, ir.FlatSymbolRefAttr.get("_called_main"), given
            )
            func.ReturnOp(call.results)
        return module


def _dtype_of(index_type: object) -> type:
    return np.int64 if "i64" in str(index_type) else np.int32


def _refined(i: int, wide: object, shape: tuple, dtype: np.dtype) -> object:
    """The type of argument `i`, which the module says to be `wide`.

    Raises:
      InvalidArgumentError: it is none of those.
    """
    element = mlir.dtype_to_ir_type(dtype)
    narrow = ir.RankedTensorType.get(shape, element)
    known = ir.RankedTensorType(wide)
    if element != known.element_type:
        rule = "refinement element types must match"
    elif known.rank != len(shape):
        rule = "refinement rank must match operand rank"
    elif not all(
        known.is_dynamic_dim(axis) or known.get_dim_size(axis) == size
        for axis, size in enumerate(shape)
    ):
        rule = "refinement dimension sizes must match for static dimensions"
    else:
        return narrow
    raise InvalidArgumentError(
        None,
        None,
        "Error refining argument shapes: invalid refinement for argument "
        f"{i}, {rule} in {wide} -> {narrow}",
    )


@functools.lru_cache(_PROGRAMS_KEPT)
def stablehlo_program(
    module: bytes, platform_index: int, shape_assertions: bool, shardy: bool
) -> Program:
    """The program of a module. Its first argument is `platform_index`, if that is
    not negative."""
    return Program(module, platform_index, shape_assertions, shardy)


_graphkiln.provide(stablehlo_program)
