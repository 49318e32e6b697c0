"""Dictionaries and lists of them, as structures and back."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any


def keys_and_depth(value: Any, keys: dict[str, None]) -> int | None:
    """How deep in lists dictionaries stand, None if there are none; their keys
    are added. ValueError if they stand at several depths."""
    if isinstance(value, dict):
        keys.update(dict.fromkeys(value))
        return 0
    depth = None
    if isinstance(value, (list, tuple)):
        for child in value:
            below = keys_and_depth(child, keys)
            if below is None:
                continue
            if depth is not None and depth != below + 1:
                raise ValueError("Inconsistent depth of dictionaries")
            depth = below + 1
    return depth


def add_to_fields(value: Any, fields: dict[str, list], depth: int) -> None:
    """Adds what a dictionary, or a list of them, has in each field."""
    if not isinstance(value, (dict, list, tuple)):
        raise ValueError("Expected dict or nested list/tuple of dict")
    for key, target in fields.items():
        for _ in range(1, depth):
            target = target[-1]
        target.append(value[key] if isinstance(value, dict) else [])
    if not isinstance(value, dict):
        for child in value:
            add_to_fields(child, fields, depth + 1)


def depth_of_empty_lists(value: Any) -> int | None:
    """How deep nested empty lists are; None if there is anything else."""
    if not isinstance(value, list):
        return None
    depths = [depth_of_empty_lists(v) for v in value]
    if None in depths:
        return None
    return max(depths, default=0) + 1


def dictionaries(keys: Sequence[str], values: Sequence[Any], depth: int) -> Any:
    """Lists of dictionaries, of the lists of each field."""
    if depth == 0:
        return dict(zip(keys, values))
    return [dictionaries(keys, row, depth - 1) for row in zip(*values)]


def empty_dictionaries(parts: Sequence[Any], rows: int) -> list:
    """Lists of empty dictionaries in these row partitions."""
    if not parts:
        return [{} for _ in range(rows)]
    ends = parts[0].row_splits().numpy().tolist()
    below = empty_dictionaries(parts[1:], ends[-1])
    return [below[a:b] for a, b in zip(ends, ends[1:])]


def without_dictionaries(value: Any) -> Any:
    """The lists with a number for each dictionary."""
    if isinstance(value, dict):
        return 0
    return [without_dictionaries(v) for v in value]
