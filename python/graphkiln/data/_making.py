"""How the methods of tf.data.Dataset make datasets."""

from graphkiln._graphkiln import dataset_by as of
from graphkiln._graphkiln import elements

from graphkiln.data import _specs as specs
from graphkiln.data import _structure as structure

__all__ = ["make", "not_empty", "of", "same_length", "typed"]

not_empty, same_length = elements.not_empty, elements.same_length

_classes: dict[str, type] = {}


def make(kind: str, variant, spec: object, *parts) -> "specs.Dataset":
    """A dataset of the class that TensorFlow calls `kind`. It keeps what it
    was made of."""
    cls = _classes.get(kind)
    if cls is None:
        cls = _classes[kind] = type(
            kind, (specs.Dataset,), {"__module__": specs.Dataset.__module__}
        )
    made = cls(variant)
    made._element_spec = spec
    made._parts = parts
    return made


def typed(dataset: "specs.Dataset") -> tuple:
    """As the core takes it: its variant tensor, the types and the shapes of
    the components of its elements."""
    signature = structure.signature(dataset.element_spec)
    return dataset._as_input(), *signature.values()
