"""Runs tests with graphkiln in TensorFlow's place.

usage: pytest -p graphkiln.pytest_plugin ...

`import tensorflow` in tests, and in what they test, then gives graphkiln (see
graphkiln.as_tensorflow).
"""

from graphkiln._src.host.tensorflow_alias import as_tensorflow

as_tensorflow()
