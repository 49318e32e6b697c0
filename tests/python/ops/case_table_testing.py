"""How ops are called that sessions feed; see case_table.py."""

from __future__ import annotations

from typing import Any

from case_values import F

TABLE: dict[str, dict[str, Any]] = {
    "PlaceholderWithDefault": {"input": F(2, 3), "shape": [None, 3]},
}
# Of another shape than its default's is what may be fed.
VALUE_SHAPED = {"PlaceholderWithDefault"}
NOT_CALLED = {"CheckPinned": "it always fails: there is no CUDA"}
