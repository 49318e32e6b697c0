"""What guides download, drawn here: data of the same form, the same each time.

Guides of the core API read a table or a picture from the network. What they
compute is the same for other data of that form, so both modules get these.
"""

from __future__ import annotations

import functools
import io
import types

import datasets
import files
import numpy as np


def _cars() -> str:
    """Lines of auto-mpg.data: eight numbers and, after a tab, a name."""
    draw = np.random.default_rng(7)
    lines = []
    for i in range(398):
        power = draw.integers(46, 230)
        weight = 1600 + 12.0 * power + draw.integers(0, 700)
        mpg = 55 - 0.008 * weight - 0.02 * power + draw.normal()
        shown_power = "?" if i % 70 == 69 else f"{power}.0"
        lines.append(
            f"{mpg:.1f}   {draw.integers(3, 9)}   {power * 2}.0      {shown_power}"
            f"      {weight:.1f}      {draw.uniform(8, 24):.1f}"
            f"   {draw.integers(70, 83)}  {draw.integers(1, 4)}\t\"car {i}\""
        )
    return "\n".join(lines) + "\n"


def _cells_of_tissue() -> str:
    """Lines of wdbc.data: a number, M or B, thirty measures."""
    draw = np.random.default_rng(11)
    lines = []
    for i in range(569):
        malignant = i % 8 < 3
        measures = draw.gamma(4.0 + 2.5 * malignant, 2.0, size=30)
        shown = ",".join(f"{x:.4f}" for x in measures)
        lines.append(f"{1000 + i},{'M' if malignant else 'B'},{shown}")
    return "\n".join(lines) + "\n"


_TABLES = {"auto-mpg.data": _cars, "wdbc.data": _cells_of_tissue}


def table(address: str) -> io.StringIO | None:
    for end, make in (_TABLES | files.TABLES).items():
        if address.startswith("http") and address.endswith(end):
            return io.StringIO(make())
    return None


class _Reply:
    raw = None
    content = b""
    text = ""
    status_code = 200


def _without_weights(make):
    """Weights of ImageNet are drawn as those of a new model are."""

    @functools.wraps(make)
    def made(*arguments, weights=None, **named):
        weights = None if weights == "imagenet" else weights
        return make(*arguments, weights=weights, **named)

    return made


def _stand_in_for_keras(tf) -> None:
    keras = tf.keras
    keras.utils.get_file = files.get_file_for(tf)
    datasets.stand_in_for_keras(keras.datasets)
    for name, value in list(vars(keras.applications).items()):
        if isinstance(value, types.FunctionType):
            kept = _without_weights(value)
            setattr(keras.applications, name, kept)
            for module in vars(keras.applications).values():
                if getattr(module, name, None) is value:
                    setattr(module, name, kept)


def stand_in(tf) -> None:
    """Gives these in place of the network, in this process."""
    import matplotlib.image
    import pandas
    import requests

    read_csv, imread = pandas.read_csv, matplotlib.image.imread

    def read_table(source, *arguments, **named):
        known = table(source) if isinstance(source, str) else None
        return read_csv(source if known is None else known, *arguments, **named)

    def read_picture(source, *arguments, **named):
        if source is None:
            return files.picture(0)
        return imread(source, *arguments, **named)

    pandas.read_csv = read_table
    matplotlib.image.imread = read_picture
    requests.get = lambda *_, **__: _Reply()
    _stand_in_for_keras(tf)
    datasets.stand_in_for_tfds(tf)
