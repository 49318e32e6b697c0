"""Inputs that are longer than those of the tables: loops that take several rows,
words or keys at once, by the same call on both."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest

Call = tuple[str, dict[str, Any]]


def places(rng: np.random.Generator, n: int, sizes: list[int]) -> np.ndarray:
    flat = np.sort(rng.choice(int(np.prod(sizes)), n, replace=False))
    return np.stack(np.unravel_index(flat, sizes), 1).astype(np.int64)


def floats(rng: np.random.Generator, *shape: int) -> np.ndarray:
    return rng.standard_normal(shape).astype(np.float32)


def rising(rng: np.random.Generator, n: int, last: int) -> np.ndarray:
    return np.sort(np.r_[0, rng.integers(0, last + 1, n), last]).astype(np.int64)


def texts(rng: np.random.Generator, n: int, longest: int) -> np.ndarray:
    letters = np.frombuffer(b"abAZz @[`{\x80\xff\n 1", np.uint8)
    lengths = rng.integers(0, longest, n)
    return np.array([bytes(rng.choice(letters, k)) for k in lengths], object)


def sparse_calls(rng: np.random.Generator) -> Iterator[Call]:
    for sizes in ([300], [20, 30], [4, 9, 11]):
        shape = np.array(sizes)
        a, b = places(rng, 90, sizes), places(rng, 120, sizes)
        for threshold in (0, 0.7):
            yield (
                "SparseAdd",
                {
                    "a_indices": a,
                    "a_values": floats(rng, 90),
                    "a_shape": shape,
                    "b_indices": b,
                    "b_values": floats(rng, 120),
                    "b_shape": shape,
                    "thresh": np.float32(threshold),
                },
            )
        both = np.unique(np.concatenate([a, b]), axis=0)
        kept = np.delete(both, [0, 5, len(both) - 1], 0)
        for total in (both, kept):
            yield (
                "SparseAddGrad",
                {
                    "backprop_val_grad": floats(rng, len(total)),
                    "a_indices": a,
                    "b_indices": b,
                    "sum_indices": total,
                },
            )
        start = shape // 3
        inside = a[((a >= start) & (a < start + shape // 2)).all(1)]
        yield (
            "SparseSliceGrad",
            {
                "backprop_val_grad": floats(rng, len(inside)),
                "input_indices": a,
                "input_start": start,
                "output_indices": inside - start,
            },
        )
        yield (
            "SparseToDense",
            {
                "sparse_indices": a[rng.permutation(90)],
                "output_shape": shape,
                "sparse_values": floats(rng, 90),
                "default_value": np.float32(3),
                "validate_indices": False,
            },
        )
    ids, rows = np.sort(rng.integers(0, 40, 200)), rng.integers(0, 60, 200)
    for how in ("Sum", "Mean", "SqrtN"):
        for version, size in (("Grad", ""), ("GradV2", "dense_")):
            for n in (60, 9000):
                yield (
                    f"SparseSegment{how}{version}",
                    {
                        "grad": floats(rng, 40, 37),
                        "indices": rows,
                        "segment_ids": ids,
                        f"{size}output_dim0": np.int32(n),
                    },
                )
    for how in ("Sum", "Mean", "Prod", "Max", "Min"):
        for width in (1, 5, 33):
            yield (
                f"Segment{how}",
                {"data": floats(rng, 200, width), "segment_ids": ids // 5},
            )


def ragged_calls(rng: np.random.Generator) -> Iterator[Call]:
    for inner in ((), (3,), (2, 2)):
        splits = [rising(rng, 6, 12), rising(rng, 11, 40)]
        values = floats(rng, 40, *inner)
        yield (
            "RaggedTensorToSparse",
            {"rt_nested_splits": splits, "rt_dense_values": values},
        )
        for width in (-1, 2, 9):
            yield (
                "RaggedTensorToTensor",
                {
                    "shape": np.array([-1, -1, width] + [-1] * len(inner)),
                    "values": values,
                    "default_value": np.float32(7),
                    "row_partition_tensors": splits,
                    "row_partition_types": ["ROW_SPLITS"] * 2,
                },
            )
        yield (
            "RaggedGather",
            {
                "params_nested_splits": splits,
                "params_dense_values": values,
                "indices": rng.integers(0, 7, 9),
                "OUTPUT_RAGGED_RANK": 2,
            },
        )
    for dtype in (np.int32, np.int64, np.float32):
        yield (
            "RaggedRange",
            {
                "starts": rng.integers(-9, 9, 20).astype(dtype),
                "limits": rng.integers(-99, 99, 20).astype(dtype),
                "deltas": rng.choice([-3, -1, 1, 2], 20).astype(dtype),
            },
        )
    yield (
        "RaggedFillEmptyRows",
        {
            "value_rowids": np.sort(rng.integers(0, 30, 99)),
            "values": floats(rng, 99),
            "nrows": np.int64(40),
            "default_value": np.float32(7),
        },
    )


def count_calls(rng: np.random.Generator) -> Iterator[Call]:
    for dtype in (np.int32, np.int64):
        values = rng.integers(0, 50, 1200).astype(dtype)
        for weights in (floats(rng, 1200), np.zeros(0, np.int32)):
            size = {"values": values, "size": dtype(40), "weights": weights}
            splits = {"splits": rising(rng, 20, 1200)}
            pairs = {
                "indices": places(rng, 1200, [40, 60]),
                "dense_shape": np.array([40, 60]),
            }
            yield "RaggedBincount", {**splits, **size}
            yield "SparseBincount", {**pairs, **size}
            for most in (-1, 30):
                for binary in (False, True):
                    options = {
                        "values": values,
                        "weights": weights,
                        "maxlength": most,
                        "binary_output": binary,
                    }
                    yield "RaggedCountSparseOutput", {**splits, **options}
                    yield "SparseCountSparseOutput", {**pairs, **options}
                    square = {"values": values.reshape(4, -1)}
                    if len(weights):
                        square["weights"] = weights.reshape(4, -1)
                    yield "DenseCountSparseOutput", {**options, **square}


def text_calls(rng: np.random.Generator) -> Iterator[Call]:
    for longest in (5, 64, 65, 150):
        sides: dict[str, Any] = {}
        for side in ("hypothesis", "truth"):
            lengths = rng.integers(longest // 2, longest + 1, 6)
            sides[f"{side}_indices"] = np.array(
                [[r, k] for r, n in enumerate(lengths) for k in range(n)]
            )
            sides[f"{side}_values"] = rng.integers(0, 4, lengths.sum())
            sides[f"{side}_shape"] = np.array([6, longest])
        yield "EditDistance", {**sides, "normalize": False}
    x = texts(rng, 60, 40)
    for op in ("StringLower", "StringUpper", "StringStrip"):
        yield op, {"input": x}
    for separators in (b" ", b"", b"aZ"):
        for skip in (False, True):
            yield (
                "StringSplit",
                {
                    "input": x,
                    "delimiter": np.array(separators, object),
                    "skip_empty": skip,
                },
            )
    for pad in (False, True):
        yield "EncodeBase64", {"input": x, "pad": pad}
    for length in (4, 8, 12, 16, 40):
        for little in (False, True):
            yield (
                "DecodePaddedRaw",
                {
                    "input_bytes": x,
                    "fixed_length": np.int32(length),
                    "out_type": "int32",
                    "little_endian": little,
                },
            )
    for separator in ("", "-", "::"):
        yield (
            "UnsortedSegmentJoin",
            {
                "inputs": texts(rng, 60, 3).reshape(20, 3),
                "segment_ids": rng.integers(0, 6, 20),
                "num_segments": np.int64(7),
                "separator": separator,
            },
        )
    for dtype in (np.int64, np.int8, np.uint8):
        sets = [rng.integers(0, 120, (5, n)).astype(dtype) for n in (50, 9)]
        for how in ("a-b", "b-a", "intersection", "union"):
            yield (
                "DenseToDenseSetOperation",
                {"set1": sets[0], "set2": sets[1], "set_operation": how},
            )


FAMILIES = (sparse_calls, ragged_calls, count_calls, text_calls)


def answers(tf: Any, op: str, given: dict[str, Any]) -> list[np.ndarray]:
    def tensor(value: Any) -> Any:
        if isinstance(value, (np.ndarray, np.generic)):
            return tf.constant(value)
        if isinstance(value, list) and isinstance(value[0], np.ndarray):
            return [tf.constant(v) for v in value]
        return value

    found = getattr(tf.raw_ops, op)(**{k: tensor(v) for k, v in given.items()})

    def flat(value: Any) -> Iterator[np.ndarray]:
        if isinstance(value, (list, tuple)):
            for v in value:
                yield from flat(v)
        else:
            yield value.numpy()

    return list(flat(found))


@pytest.mark.parametrize("family", FAMILIES)
def test_values(family, both):
    for op, given in family(np.random.default_rng(7)):
        ours = answers(both.ours, op, given)
        theirs = answers(both.theirs, op, given)
        assert len(ours) == len(theirs), op
        for mine, other in zip(ours, theirs, strict=True):
            assert mine.dtype == other.dtype and mine.shape == other.shape, op
            if mine.dtype.kind == "f":
                np.testing.assert_allclose(mine, other, 1e-5, 1e-6, err_msg=op)
            else:
                assert np.array_equal(mine, other), (op, given)


@pytest.mark.parametrize("kind", ["int64", "string"])
def test_tables(kind, both):
    rng = np.random.default_rng(8)
    numbers = np.unique(rng.integers(0, 900, 400))
    wanted = rng.integers(0, 900, 500)

    def keys(n: np.ndarray) -> np.ndarray:
        if kind == "int64":
            return n
        return np.array([b"k%d" % i * (1 + i % 4) for i in n], object)

    def answer(tf: Any) -> list[Any]:
        initial = tf.lookup.KeyValueTensorInitializer(
            tf.constant(keys(numbers)), tf.constant(numbers * 3)
        )
        fixed = tf.lookup.StaticHashTable(initial, -1)
        table = tf.lookup.experimental.MutableHashTable(getattr(tf, kind), tf.int64, -1)
        twice = np.concatenate([numbers, numbers[:70]])
        table.insert(tf.constant(keys(twice)), tf.constant(np.arange(len(twice))))
        table.remove(tf.constant(keys(numbers[50:100])))
        table.insert(tf.constant(keys(wanted[:40])), tf.constant(np.arange(40)))
        x = tf.constant(keys(wanted))
        found = [t.lookup(x).numpy().tolist() for t in (fixed, table)]
        return [*found, int(table.size())]

    assert answer(both.ours) == answer(both.theirs)
