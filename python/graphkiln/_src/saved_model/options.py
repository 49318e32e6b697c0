"""How saved models are written and read."""

from __future__ import annotations

import enum
from collections.abc import Iterable
from typing import Any

from graphkiln._src.checkpoint.sharding import check_sharding_callback


class VariablePolicy(enum.Enum):
    """Whether it matters on which devices variables are; there is one copy of each.

    >>> tf.saved_model.experimental.VariablePolicy.from_obj(None).name
    'NONE'
    """

    NONE = None
    SAVE_VARIABLE_DEVICES = "save_variable_devices"
    EXPAND_DISTRIBUTED_VARIABLES = "expand_distributed_variables"

    @staticmethod
    def from_obj(obj: Any) -> VariablePolicy:
        """The policy of that name, or the policy itself.

        Raises:
          ValueError: there is none.
        """
        if obj is None:
            return VariablePolicy.NONE
        if isinstance(obj, VariablePolicy):
            return obj
        for policy in VariablePolicy:
            if str(obj).lower() == policy.value:
                return policy
        raise ValueError(f"Received invalid VariablePolicy value: {obj}.")


class SaveOptions:
    """How a model is saved.

    Args:
      namespace_whitelist: of the ops that may be saved ("Addons" of "Addons>Blur");
        None for all.
      save_debug_info: writes debug/saved_model_debug_info.pb, a GraphDebugInfo: the
        lines that made the operations. A loaded model has it as `graph_debug_info`.
      function_aliases: names under which a loader finds traces: {alias: Function}.
      experimental_debug_stripper: checks and prints of values (tf.debugging.Assert,
        tf.print, tf.debugging.check_numerics) are saved as ops that do nothing.
      experimental_io_device: accepted for compatibility.
      experimental_variable_policy: a VariablePolicy, or its name; but for NONE
        the file says on which devices variables are.
      experimental_custom_gradients: are gradients of tf.custom_gradient saved?
      experimental_image_format: accepted for compatibility.
      experimental_skip_saver: leaves the ops out by which a server reads the
        variables; tf.saved_model.load does not need them.
      experimental_sharding_callback: a tf.train.experimental.ShardingCallback, which
        decides how many data files the variables have; by default one.
      extra_tags: of the graph, beside "serve".

    >>> tf.saved_model.SaveOptions(extra_tags=["eval"]).extra_tags
    ['eval']
    """

    def __init__(
        self,
        namespace_whitelist: Iterable[str] | None = None,
        save_debug_info: bool = False,
        function_aliases: dict[str, Any] | None = None,
        experimental_debug_stripper: bool = False,
        experimental_io_device: str | None = None,
        experimental_variable_policy: Any = None,
        experimental_custom_gradients: bool = True,
        experimental_image_format: bool = False,
        experimental_skip_saver: bool = False,
        experimental_sharding_callback: Any = None,
        extra_tags: Iterable[str] | None = None,
    ) -> None:
        self.namespace_whitelist = _namespaces(namespace_whitelist)
        self.save_debug_info = save_debug_info
        self.function_aliases = function_aliases or {}
        self.experimental_debug_stripper = experimental_debug_stripper
        self.experimental_io_device = experimental_io_device
        self.experimental_variable_policy = VariablePolicy.from_obj(
            experimental_variable_policy
        )
        self.experimental_custom_gradients = experimental_custom_gradients
        self.experimental_image_format = experimental_image_format
        self.experimental_skip_saver = experimental_skip_saver
        check_sharding_callback(experimental_sharding_callback)
        self.experimental_sharding_callback = experimental_sharding_callback
        self.extra_tags = extra_tags


def _namespaces(names: Iterable[str] | None) -> list[str] | None:
    if names is None:
        return None
    if isinstance(names, str) or not isinstance(names, Iterable):
        raise TypeError(
            "`namespace_whitelist` must be a list of strings. Got: "
            f"{names} with type {type(names)}."
        )
    for name in names:
        if not isinstance(name, str | bytes):
            raise ValueError(
                "Whitelisted namespace must be a string. Got: "
                f"{name} of type {type(name)}."
            )
    return [n.decode() if isinstance(n, bytes) else n for n in names]


class LoadOptions:
    """How a model is loaded.

    Args:
      allow_partial_checkpoint: may variables be missing in the file? They are
        without a value then.
      experimental_io_device: accepted for compatibility.
      experimental_skip_checkpoint: leaves all variables without values.
      experimental_variable_policy: a VariablePolicy, or its name; but for NONE
        variables are on the devices that the file says, where there are such.
      experimental_load_function_aliases: gives the loaded object a dictionary
        `function_aliases`.

    >>> tf.saved_model.LoadOptions().allow_partial_checkpoint
    False
    """

    def __init__(
        self,
        allow_partial_checkpoint: bool = False,
        experimental_io_device: str | None = None,
        experimental_skip_checkpoint: bool = False,
        experimental_variable_policy: Any = None,
        experimental_load_function_aliases: bool = False,
    ) -> None:
        self.allow_partial_checkpoint = allow_partial_checkpoint
        self.experimental_io_device = experimental_io_device
        self.experimental_skip_checkpoint = experimental_skip_checkpoint
        self.experimental_variable_policy = VariablePolicy.from_obj(
            experimental_variable_policy
        )
        self.experimental_load_function_aliases = experimental_load_function_aliases
