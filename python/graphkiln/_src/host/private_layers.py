"""Layers of TensorFlow's first version under the names that they have inside of
TensorFlow (tensorflow.python.layers): those of Keras' second version, the package
tf_keras, imported when somebody asks for one."""

from __future__ import annotations

import importlib

from graphkiln._src.host import keras_modules
from graphkiln._src.host.private_names_of_layers import HOMES_OF_LAYERS


def __getattr__(name: str) -> object:
    if name not in HOMES_OF_LAYERS:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    keras_modules.require_second("tensorflow.python.layers is of")
    home = importlib.import_module(f"tf_keras.src.{HOMES_OF_LAYERS[name]}")
    return getattr(home, name)
