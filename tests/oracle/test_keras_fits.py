"""Programs of Keras' users, on graphkiln and on TensorFlow: the same numbers."""

from __future__ import annotations

import os

import pytest
from keras_children import answers, assert_close

# Programs, and beginnings of the names in them.
PARTS = {
    "fit": [
        "keras_fits.py",
        "fit_",
        "compiled_",
        "one_batch",
        "callbacks",
        "best_",
        "backup",
    ],
    "optimizers": ["keras_fits.py", "optimizer", "embeddings", "two_optimizers"],
    "precision": ["keras_fits.py", "policy", "lora", "quantized"],
    "text": ["keras_layers.py", "text", "feature"],
    "sequences": [
        "keras_layers.py",
        "sequence",
        "stateful",
        "convolutional",
        "attention",
    ],
    "images": ["keras_layers.py", "picture", "augmented"],
    "rest": [
        "keras_fits.py",
        "losses_",
        "frozen",
        "metrics",
        "ctc",
        "loss_",
        "random",
        "saved_as",
    ],
}

# Where a rounding of the type is more than what is asked of the others.
ROUGH = {"policy_half": 2e-3, "policy_bfloat16": 5e-3}


def compare(program: str, *names: str) -> None:
    theirs, ours = (
        {told["program"]: told for told in answers(module, program, *names)}
        for module in ("tensorflow", "graphkiln")
    )
    assert theirs
    assert list(ours) == list(theirs)
    for name, told in theirs.items():
        assert "error" not in told, (name, told)
        assert "error" not in ours[name], (name, ours[name])
        assert_close(ours[name]["numbers"], told["numbers"], ROUGH.get(name, 2e-4))


# A minute and a half each on two cores: scripts/test --full runs all.
SAMPLE = ["fit", "sequences"]
ASKED = list(PARTS) if os.environ.get("GK_FULL", "1") == "1" else SAMPLE


@pytest.mark.parametrize("part", ASKED)
def test_program(part: str) -> None:
    compare(*PARTS[part])


@pytest.mark.parametrize(
    "name", ["MobileNetV3Small", "EfficientNetV2B0", "InceptionV3", "ConvNeXtTiny"]
)
def test_application(name: str) -> None:
    compare("keras_applications.py", name)
