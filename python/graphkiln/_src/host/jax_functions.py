"""What `jax.experimental.jax2tf` takes from TensorFlow's private modules."""

from __future__ import annotations

from typing import NoReturn

from graphkiln import _graphkiln, raw_ops

_NEWEST_VERSION = 10  # of calls: ops/core/core_xla_module.cc


def call_module(
    args: object,
    *,
    version: int = 4,
    module: bytes,
    Tout: object,
    Sout: object,
    platforms: object = (),
    function_list: object = (),
    has_token_input_output: bool = False,
    disabled_checks: object = (),
    use_shardy_partitioner: bool = False,
) -> object:
    """The results of a function of JAX, which `module` is."""
    if function_list:
        raise _graphkiln.UnimplementedError(
            None,
            None,
            "The function of JAX calls functions of TensorFlow "
            "(jax2tf.call_tf with call_tf_graph=True), which cannot be run here.",
        )
    results = raw_ops.XlaCallModule(
        args=list(args),
        version=version,
        module=module,
        Tout=list(Tout),
        Sout=list(Sout),
        dim_args_spec=[],
        platforms=list(platforms),
        function_list=[],
        has_token_input_output=has_token_input_output,
        disabled_checks=list(disabled_checks),
        use_shardy_partitioner=use_shardy_partitioner,
    )
    return results if isinstance(results, (list, tuple)) else ()


def call_module_maximum_supported_version() -> int:
    return _NEWEST_VERSION


def call_module_disable_check_platform() -> str:
    return "platform"


def _refuse(*args: object, **kwargs: object) -> NoReturn:
    raise _graphkiln.UnimplementedError(
        None,
        None,
        "A function of JAX whose arguments or results are spread over devices "
        "(in_shardings, out_shardings) cannot be called here: there is one device. "
        "Take the shardings off the function.",
    )


replicate = tile = OpSharding = _refuse


class Sharding:
    """TensorFlow's, of which none is made."""

    __init__ = _refuse
