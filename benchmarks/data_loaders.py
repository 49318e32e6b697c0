#!/usr/bin/env python3
"""The workloads of data.py that torch's DataLoader and grain know, in their words.

usage: data_loaders.py torch|grain [--only=ROW,ROW] [--files=FOLDER] [--cpu]

The files are those that data.py made. Pictures are decoded by Pillow, as such
programs do; the rest is NumPy's. Loading happens in the process itself, and on
the clock by two worker processes as well: the faster of the two counts. --cpu
counts the processor's time of the process alone, and so has no workers.

Example:
    compare.py --workloads data.py --cpu --only jpeg_224 \\
        --peer "grain=.venv-grain/bin/python benchmarks/data_loaders.py"
"""

from __future__ import annotations

import json
import sys
import tempfile
import time
from collections.abc import Callable, Iterable
from pathlib import Path

import numpy as np

PICTURES, REPEATS, BATCH = 64, 4, 32
NUMBERS = 50_000
MEAN = np.array([0.485, 0.456, 0.406], np.float32)
STD = np.array([0.229, 0.224, 0.225], np.float32)
CPU = "--cpu" in sys.argv


def clock() -> float:
    return time.process_time() if CPU else time.perf_counter()


def passes(made: Callable[[int], Iterable], elements: int) -> float:
    """Seconds an element; `made` gives a pass, with so many workers."""

    def once(workers: int) -> float:
        begin = clock()
        for _ in made(workers):
            pass
        return (clock() - begin) / elements

    once(0)
    counts = (0,) if CPU else (0, 2)
    return min(once(workers) for workers in counts for _ in range(2))


def cropped(path: str, rng: np.random.Generator) -> np.ndarray:
    from PIL import Image

    with Image.open(path) as file:
        image = np.asarray(file.convert("RGB"))
    y = rng.integers(image.shape[0] - 223)
    x = rng.integers(image.shape[1] - 223)
    image = image[y : y + 224, x : x + 224]
    if rng.random() < 0.5:
        image = image[:, ::-1]
    return (image.astype(np.float32) / 255 - MEAN) / STD


def paths(folder: Path) -> list[str]:
    return [str(folder / f"{i}.jpg") for i in range(PICTURES)] * REPEATS


def torch_jpeg_224(folder: Path) -> float:
    from torch.utils.data import DataLoader, Dataset

    class Pictures(Dataset):
        paths = paths(folder)
        rng = np.random.default_rng(0)

        def __len__(self) -> int:
            return len(self.paths)

        def __getitem__(self, i: int) -> np.ndarray:
            return cropped(self.paths[i], self.rng)

    data = Pictures()
    return passes(
        lambda n: DataLoader(data, BATCH, shuffle=True, num_workers=n), len(data)
    )


def grain_jpeg_224(folder: Path) -> float:
    import grain.python as grain

    class Load(grain.RandomMapTransform):
        def random_map(self, path: str, rng: np.random.Generator) -> np.ndarray:
            return cropped(path, rng)

    def made(workers: int) -> Iterable:
        data = grain.MapDataset.source(paths(folder)).shuffle(seed=0)
        data = data.seed(0).random_map(Load()).batch(BATCH)
        # Threads of its own: the GIL is given up while a picture is decoded.
        data = data.to_iter_dataset(
            grain.ReadOptions(num_threads=2, prefetch_buffer_size=4)
        )
        if workers:
            data = data.mp_prefetch(grain.MultiprocessingOptions(num_workers=workers))
        return data

    return passes(made, PICTURES * REPEATS)


def grain_range(folder: Path) -> float:
    import grain.python as grain

    data = grain.MapDataset.range(NUMBERS).map(lambda x: x * 2)
    data = data.filter(lambda x: x % 3 == 0)
    return passes(
        lambda n: data.to_iter_dataset(grain.ReadOptions(num_threads=0)).batch(256),
        NUMBERS,
    )


ROWS = {
    "torch": {"jpeg_224": torch_jpeg_224},
    "grain": {"jpeg_224": grain_jpeg_224, "range_map_filter_batch": grain_range},
}


def main() -> None:
    module = next((a for a in sys.argv[1:] if a[0] != "-"), "")
    if module not in ROWS:
        sys.exit(__doc__)
    only, folder = list(ROWS[module]), Path(tempfile.gettempdir()) / "data_benchmark"
    for option in sys.argv[1:]:
        name, _, value = option.partition("=")
        if name == "--only":
            only = [row for row in value.split(",") if row in ROWS[module]]
        elif name == "--files":
            folder = Path(value)
    for name in only:
        seconds = ROWS[module][name](folder)
        print(json.dumps({"name": name, "s": seconds}), flush=True)


if __name__ == "__main__":
    main()
