"""TypeSpecs of linear operators: what their constructors are given."""

import numpy as np

from graphkiln import _graphkiln, nest
from graphkiln._graphkiln import (
    CompositeTensor,
    TensorSpec,
    TypeSpec,
    Variable,
    VariableSpec,
)

_HINTS = (
    "is_non_singular", "is_self_adjoint", "is_positive_definite", "is_square"
)
_MISSING = object()


class LinearOperatorSpec(TypeSpec):
    """What is known of an operator: specs of its tensors and the other arguments
    of its constructor, by name."""

    __slots__ = ("_param_specs", "_non_tensor_params", "_prefer_static_fields")

    def __init__(self, param_specs, non_tensor_params, prefer_static_fields):
        self._param_specs = param_specs
        self._non_tensor_params = non_tensor_params
        self._prefer_static_fields = prefer_static_fields

    @classmethod
    def from_operator(cls, operator):
        tensors, others = {}, {}
        names = dict.fromkeys(operator._composite_tensor_fields + _HINTS)
        for name, value in _arguments(operator, names).items():
            spec = _spec_of(value)
            specs = [isinstance(x, TypeSpec) for x in nest.flatten(spec)]
            if all(specs):
                tensors[name] = spec
            elif not any(specs):
                others[name] = value
            else:
                raise NotImplementedError(
                    f"Field {name} contains a mix of `Tensor` and  non-`Tensor` "
                    "values."
                )
        return cls(
            tensors, others, operator._composite_tensor_prefer_static_fields
        )

    def _to_components(self, obj):
        return _arguments(obj, self._param_specs)

    def _from_components(self, components):
        return self.value_type(**self._non_tensor_params, **components)

    @property
    def _component_specs(self):
        return self._param_specs

    def _serialize(self):
        return (
            self._param_specs, self._non_tensor_params, self._prefer_static_fields
        )


def make_composite(cls):
    """Gives a class of operators its TypeSpec."""
    spec = type(
        f"{cls.__name__}Spec", (LinearOperatorSpec,),
        {"value_type": cls, "__slots__": (), "__module__": cls.__module__},
    )
    cls._type_spec = property(spec.from_operator)
    return cls


def _arguments(operator, names):
    """What its constructor is given to make the same operator again."""
    found = {}
    for name in names:
        value = getattr(operator, name, _MISSING)
        if value is _MISSING:
            value = getattr(operator, "_" + name, _MISSING)
        if value is _MISSING:
            parameters = getattr(operator, "parameters", {})
            value = parameters.get(name, _MISSING)
        if value is _MISSING:
            raise ValueError(
                f"Could not determine an appropriate value for field `{name}` in "
                f"object  `{operator}`. Looked for \n"
                f" 1. an attr called `{name}`,\n"
                f" 2. an attr called `_{name}`,\n"
                f" 3. an entry in `op.parameters` with key '{name}'."
            )
        if (
            value is not None
            and name in operator._composite_tensor_prefer_static_fields
            and _graphkiln.is_tensor(value)
        ):
            known = _graphkiln.get_static_value(value)
            value = value if known is None else known
        if isinstance(value, (np.ndarray, np.generic)):
            value = value.tolist()
        found[name] = value
    return found


def _spec_of(value):
    """Its structure with specs in the places of tensors."""
    if isinstance(value, Variable):
        return VariableSpec(
            value.shape, dtype=value.dtype, trainable=value.trainable
        )
    if hasattr(value, "_type_spec") and (
        isinstance(value, CompositeTensor) or _graphkiln.is_tensor(value)
    ):
        return value._type_spec
    if _graphkiln.is_tensor(value):
        return TensorSpec(value.shape, value.dtype)
    # Attributes are wrapped; what is in them is meant.
    if isinstance(value, list):
        return [_spec_of(v) for v in value]
    if isinstance(value, (tuple, dict)):
        value = getattr(value, "__wrapped__", value)
    if isinstance(value, tuple):
        return type(value)(_spec_of(v) for v in value)
    if isinstance(value, dict):
        return type(value)((k, _spec_of(v)) for k, v in value.items())
    return value
