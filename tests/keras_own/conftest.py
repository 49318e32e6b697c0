"""What Keras' tests import from the conftest of its repository.

That file is not in Keras' wheel.
"""

import keras
import pytest


def skip_if_backend(backend: str, reason: str) -> pytest.MarkDecorator:
    """A mark that skips a test on this backend."""
    return pytest.mark.skipif(
        keras.backend.backend() == backend, reason=f"{backend}: {reason}"
    )
