"""PNG files that are inflated in one piece: every kind of pixels, filters, interlaced
or not, in several chunks, and damaged in every part. Pixels and refusals are
TensorFlow's."""

from __future__ import annotations

import struct
import zlib

import numpy as np
import pytest
from test_image_files import chunk

# Kind of pixels: numbers of each, bits of a number.
KINDS = {0: (1, (1, 2, 4, 8, 16)), 2: (3, (8, 16)), 3: (1, (1, 2, 4, 8)),
         4: (2, (8, 16)), 6: (4, (8, 16))}  # fmt: skip
CASES = [(kind, depth) for kind, (_, depths) in KINDS.items() for depth in depths]
HEIGHT, WIDTH = 301, 457
# Left, top, and steps to the right and down of the passes of interlaced pictures.
PASSES = [(0, 0, 8, 8), (4, 0, 8, 8), (0, 4, 4, 8), (2, 0, 4, 4), (0, 2, 2, 4),
          (1, 0, 2, 2), (0, 1, 1, 2)]  # fmt: skip


def rows_of(rng, height: int, width: int, bits: int) -> bytes:
    """Lines with a filter each; what the filters are of does not matter."""
    size = (width * bits + 7) // 8
    rows = rng.integers(0, 40, (height, 1 + size)).astype(np.uint8)
    rows[:, 0] = rng.integers(0, 5, height)
    return rows.tobytes()


def stream(rng, kind: int, depth: int, interlaced: bool) -> bytes:
    bits = KINDS[kind][0] * depth
    if not interlaced:
        return rows_of(rng, HEIGHT, WIDTH, bits)
    return b"".join(
        rows_of(rng, -(-(HEIGHT - top) // down), -(-(WIDTH - left) // right), bits)
        for left, top, right, down in PASSES
    )


def file_of(kind, depth, data: bytes, *, interlaced=False, pieces=1, level=6) -> bytes:
    head = struct.pack(">IIBBBBB", WIDTH, HEIGHT, depth, kind, 0, 0, interlaced)
    palette = b""
    if kind == 3:
        colours = np.random.default_rng(5).integers(0, 256, 3 << depth)
        palette = chunk(b"PLTE", colours.astype(np.uint8).tobytes())
    packed = zlib.compress(data, level)
    size = -(-len(packed) // pieces)
    parts = [packed[i * size : (i + 1) * size] for i in range(pieces)]
    return (
        b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", head) + palette
        + b"".join(chunk(b"IDAT", part) for part in parts)
        + chunk(b"tEXt", b"Comment\0none") + chunk(b"IEND", b"")
    )  # fmt: skip


def answer(tf, file: bytes, **how):
    try:
        return tf.io.decode_png(tf.constant(file), **how).numpy()
    except Exception as error:  # noqa: BLE001
        return type(error).__name__


def agree(both, file: bytes, **how) -> None:
    own, theirs = (answer(tf, file, **how) for tf in (both.ours, both.theirs))
    if isinstance(theirs, str) or isinstance(own, str):
        assert isinstance(own, str) == isinstance(theirs, str), (own, theirs)
        assert own == theirs
    else:
        np.testing.assert_array_equal(own, theirs)


@pytest.mark.parametrize("interlaced", [False, True])
@pytest.mark.parametrize(("kind", "depth"), CASES)
def test_kinds(both, kind, depth, interlaced):
    rng = np.random.default_rng(kind * 100 + depth)
    data = stream(rng, kind, depth, interlaced)
    for pieces, level in ((1, 6), (3, 1), (2, 0)):
        file = file_of(
            kind, depth, data, interlaced=interlaced, pieces=pieces, level=level
        )
        for channels in (0, 1, 3, 4):
            agree(both, file, channels=channels)
        agree(both, file, channels=3, dtype="uint16")


def damages(file: bytes, data: bytes):
    yield "more", file_of(2, 8, data + b"more than there are pixels")
    yield "less", file_of(2, 8, data[:-5000])
    yield "nothing", file_of(2, 8, b"")
    yield "an unknown filter", file_of(2, 8, b"\7" + data[1:])
    at = file.index(b"IDAT")
    yield "a piece missing", file[: at + 500] + file[at + 900 :]
    for share in range(1, 20):
        place = len(file) * share // 20
        yield f"cut at {place}", file[:place]
        yield f"flipped at {place}", (
            file[:place] + bytes([file[place] ^ 1]) + file[place + 1 :]
        )
    # The checksum of the chunk is right, its data is not.
    head, end = file[: at - 4], file[file.index(b"tEXt") - 4 :]
    packed = zlib.compress(data)
    for share in range(20):
        place = 2 + (len(packed) - 3) * share // 20
        wrong = packed[:place] + bytes([packed[place] ^ 16]) + packed[place + 1 :]
        yield f"wrong at {place}", head + chunk(b"IDAT", wrong) + end
    yield "its sum", head + chunk(b"IDAT", packed[:-1] + b"\0") + end
    yield "more behind it", head + chunk(b"IDAT", packed + bytes(99)) + end
    yield "no end", head + chunk(b"IDAT", packed)
    yield "apart", (
        head + chunk(b"IDAT", packed[:99]) + chunk(b"tEXt", b"a\0b")
        + chunk(b"IDAT", packed[99:]) + end
    )  # fmt: skip


def test_damaged(both):
    data = stream(np.random.default_rng(1), 2, 8, False)
    file = file_of(2, 8, data, pieces=2)
    for what, damaged in damages(file, data):
        try:
            agree(both, damaged, channels=3)
        except AssertionError as error:
            raise AssertionError(what) from error
