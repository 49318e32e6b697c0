"""The switch of tf.compat.v1.mixed_precision: it wraps optimizers, and says that
graphs may be rewritten to float16, which TensorFlow does on some GPUs alone."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from graphkiln._graphkiln import set_experimental_options
from graphkiln._src.host import logging
from graphkiln._src.training.loss_scale_optimizer import (
    MixedPrecisionLossScaleOptimizer,
)
from graphkiln._src.training.optimizer import Optimizer

# {class of optimizers: what wraps one, and the class of what that gives}
_WRAPPERS: dict[type, tuple[Callable, type]] = {
    Optimizer: (MixedPrecisionLossScaleOptimizer, MixedPrecisionLossScaleOptimizer)
}
_enabled = False
_uses_policy = False


def register_loss_scale_wrapper(
    optimizer_cls: type, wrapper_fn: Callable, wrapper_cls: type | None = None
) -> None:
    """Registers what makes an optimizer of such a class scale losses.

    >>> tf.__internal__.mixed_precision.register_loss_scale_wrapper(
    ...     type("Mine", (), {}), type("Wrapped", (), {})
    ... )
    """
    _WRAPPERS[optimizer_cls] = (wrapper_fn, wrapper_cls or wrapper_fn)


def set_using_mixed_precision_policy(is_using: bool) -> None:
    """Says whether a policy of mixed precision is in force.

    >>> tf.__internal__.train.set_using_mixed_precision_policy(False)
    """
    global _uses_policy
    _uses_policy = bool(is_using)


def is_mixed_precision_graph_rewrite_enabled() -> bool:
    """Whether tf.compat.v1.mixed_precision.enable_mixed_precision_graph_rewrite is
    in force.

    >>> tf.__internal__.train.is_mixed_precision_graph_rewrite_enabled()
    False
    """
    return _enabled


def _wrapped(opt: Any, loss_scale: Any) -> Any:
    for _, wrapper in _WRAPPERS.values():
        if isinstance(opt, wrapper):
            raise ValueError(
                f'"opt" must not already be an instance of a {wrapper.__name__}. '
                "`enable_mixed_precision_graph_rewrite` will automatically wrap the "
                f"optimizer with a {wrapper.__name__}."
            )
    for base, (wrap, _) in _WRAPPERS.items():
        if isinstance(opt, base):
            return wrap(opt, loss_scale)
    raise ValueError(
        '"opt" must be an instance of a tf.train.Optimizer or a '
        f"tf.keras.optimizers.Optimizer, but got: {opt}"
    )


def enable_mixed_precision_graph_rewrite(opt: Any, loss_scale: Any = "dynamic") -> Any:
    """Wraps an optimizer, so that it scales losses. Graphs stay in their own
    precision, as TensorFlow's do without GPUs that are fast in another.

    Args:
      opt: an optimizer, of `tf.compat.v1.train` or of Keras.
      loss_scale: a number, "dynamic" or a loss scale.

    Raises:
      ValueError: it is no optimizer, or wrapped already, or Keras has a policy of
        mixed precision.

    >>> plain = tf.compat.v1.train.GradientDescentOptimizer(0.25)
    >>> mixed = tf.compat.v1.mixed_precision
    >>> type(mixed.enable_mixed_precision_graph_rewrite(plain)).__name__
    'MixedPrecisionLossScaleOptimizer'
    >>> mixed.disable_mixed_precision_graph_rewrite()
    """
    global _enabled
    if _uses_policy:
        raise ValueError(
            "The mixed precision graph rewrite cannot be enabled, because the global "
            "Keras dtype Policy has been set to a mixed precision policy. Use one of "
            "the two."
        )
    wrapped = _wrapped(opt, loss_scale)
    set_experimental_options({"auto_mixed_precision": True})
    _enabled = True
    return wrapped


def disable_mixed_precision_graph_rewrite() -> None:
    """Takes `enable_mixed_precision_graph_rewrite` back; optimizers that were
    wrapped stay so.

    >>> tf.compat.v1.mixed_precision.disable_mixed_precision_graph_rewrite()
    """
    global _enabled
    if not _enabled:
        logging.get_logger().warning(
            "disable_mixed_precision_graph_rewrite() called when mixed precision is "
            "already disabled."
        )
    set_experimental_options({"auto_mixed_precision": False})
    _enabled = False
