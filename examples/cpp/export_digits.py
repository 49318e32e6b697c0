"""Writes the digits that ship inside scikit-learn for digits.cc to read.

usage: export_digits.py FILE

One image a line: its label, then 64 pixels from 0 to 16; shuffled as in
examples/digits.py, whose held-out images come first.
"""

import sys
from pathlib import Path

import numpy as np
from sklearn.datasets import load_digits


def main() -> None:
    data = load_digits()
    order = np.random.default_rng(0).permutation(len(data.target))
    rows = np.column_stack([data.target, data.data]).astype(int)[order]
    path = Path(sys.argv[1])
    path.parent.mkdir(parents=True, exist_ok=True)
    np.savetxt(path, rows, fmt="%d", delimiter=",")


if __name__ == "__main__":
    main()
