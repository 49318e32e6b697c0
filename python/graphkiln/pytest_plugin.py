"""Runs tests with graphkiln in TensorFlow's place.

usage: pytest -p graphkiln.pytest_plugin ...

`import tensorflow` in tests, and in what they test, then gives graphkiln (see
graphkiln.as_tensorflow).
"""

from graphkiln._src.host.tensorflow_alias import TensorFlowAlias, as_tensorflow

_held: list[TensorFlowAlias] = []


def pytest_load_initial_conftests() -> None:
    """Before any file of the tests is imported."""
    if not _held:
        _held.append(as_tensorflow())


def pytest_configure() -> None:
    """Where nobody asked before: in processes that run parts of the tests."""
    pytest_load_initial_conftests()
