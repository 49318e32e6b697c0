"""Marks for tests of Python behaviour that goes through particular ops."""

import pytest

from graphkiln import _graphkiln

_KNOWN = frozenset(_graphkiln.op_names())


def needs_op(*ops: str):
    """Skips a test while an op that it calls is not in the registry."""
    missing = [op for op in ops if op not in _KNOWN]
    return pytest.mark.skipif(
        bool(missing), reason=f"ops not registered: {', '.join(missing)}"
    )
