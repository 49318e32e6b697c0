"""Architectures of `keras.applications` with weights that only their names decide;
each shows what comes out. Run by test_keras_fits.py on either module.

usage: keras_applications.py [NAME...]
"""

from __future__ import annotations

import json
import sys
from typing import Any

import keras
import numpy as np
from keras import applications

SMALLEST = {"InceptionV3": 75, "InceptionResNetV2": 75, "Xception": 71}


def values(weight: Any, rng: np.random.Generator) -> Any:
    """Such that what goes through many layers keeps its size."""
    shape = weight.shape
    if weight.name in ("gamma", "variance", "moving_variance"):
        return rng.uniform(0.5, 1.5, shape)
    if len(shape) > 1:
        fan_in = shape[:2] if "depthwise" in weight.path else shape[:-1]
        return rng.normal(size=shape) / np.sqrt(np.prod(fan_in))
    return 0.1 * rng.normal(size=shape)


def main() -> None:
    names = [name for name in dir(applications) if name[0].isupper()]
    for name in sys.argv[1:] or names:
        keras.utils.clear_session()
        size = SMALLEST.get(name, 32)
        model = getattr(applications, name)(
            weights=None, include_top=False, pooling="avg", input_shape=(size, size, 3)
        )
        rng = np.random.default_rng(0)
        for weight in model.weights:
            weight.assign(np.asarray(values(weight, rng), weight.dtype))
        pictures = rng.uniform(0, 255, (2, size, size, 3)).astype("float32")
        told = {
            "weights": len(model.weights),
            "predicted": model.predict(pictures, verbose=0).tolist(),
            "eager": model(pictures[:1]).numpy().tolist(),
        }
        print(json.dumps({"program": name, "numbers": told}), flush=True)


if __name__ == "__main__":
    main()
