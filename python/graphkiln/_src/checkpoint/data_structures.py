"""The classes that TensorFlow puts lists and dictionaries into which are set as
attributes. Here those stay what they are; packages that know the classes, and make
objects of them, find them."""

from __future__ import annotations

# Nothing is imported for annotations: what only loads a model would wait for it.
TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any


class ListWrapper(list):
    """A list that is set as an attribute.

    Args:
      wrapped_list: its elements.
    """

    def __init__(self, wrapped_list: Any = ()) -> None:
        super().__init__(wrapped_list)

    def __repr__(self) -> str:
        return f"ListWrapper({super().__repr__()})"

    def __reduce__(self) -> tuple:
        return ListWrapper, (list(self),)


class _DictWrapper(dict):
    """A dictionary that is set as an attribute.

    Args:
      wrapped_dict: its entries.
    """

    def __init__(self, wrapped_dict: Any = ()) -> None:
        super().__init__(wrapped_dict)

    def __repr__(self) -> str:
        return f"DictWrapper({super().__repr__()})"

    def __reduce__(self) -> tuple:
        return _DictWrapper, (dict(self),)
