#!/usr/bin/env python3
"""Writes the corpora of pictures, sounds and texts.

usage: make_corpus.py FOLDER        (fuzz/corpus)

Needs graphkiln and Pillow. Each picture is small: what matters is that every
kind of a format is there, and mutations of small files reach further.
"""

from __future__ import annotations

import io
import struct
import sys
import zlib
from pathlib import Path

import numpy as np
from PIL import Image

import graphkiln as tf

RANDOM = np.random.default_rng(5)
HEIGHT, WIDTH = 9, 7


def pixels(channels: int, dtype: str = "uint8") -> np.ndarray:
    top = np.iinfo(dtype).max
    return RANDOM.integers(0, top, (HEIGHT, WIDTH, channels)).astype(dtype)


def pillow(array: np.ndarray, mode: str, format: str, **options: object) -> bytes:
    file = io.BytesIO()
    Image.fromarray(array.squeeze()).convert(mode).save(file, format, **options)
    return file.getvalue()


def frames(format: str, **options: object) -> bytes:
    pictures = [Image.fromarray(pixels(3)) for _ in range(3)]
    file = io.BytesIO()
    pictures[0].save(file, format, save_all=True, append_images=pictures[1:],
                     **options)
    return file.getvalue()


def pngs() -> dict[str, bytes]:
    files = {}
    for channels in (1, 2, 3, 4):
        for dtype in ("uint8", "uint16"):
            image = pixels(channels, dtype)
            files[f"{dtype}_{channels}"] = tf.io.encode_png(image).numpy()
    files["palette"] = pillow(pixels(3), "P", "PNG")
    files["bits"] = pillow(pixels(1), "1", "PNG")
    files["interlaced"] = interlaced()
    return files


def interlaced() -> bytes:
    """One of two pixels whose header says so: Pillow writes none."""
    def chunk(kind: bytes, data: bytes) -> bytes:
        check = zlib.crc32(kind + data)
        return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", check)

    header = struct.pack(">IIBBBBB", 2, 1, 8, 2, 0, 0, 1)
    rows = bytes([0, 1, 2, 3, 0, 4, 5, 6])  # passes 1 and 6, a pixel each
    return (
        b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", header)
        + chunk(b"IDAT", zlib.compress(rows)) + chunk(b"IEND", b"")
    )


def jpegs() -> dict[str, bytes]:
    return {
        "rgb": tf.io.encode_jpeg(pixels(3)).numpy(),
        "grey": tf.io.encode_jpeg(pixels(1)).numpy(),
        "progressive": tf.io.encode_jpeg(pixels(3), progressive=True).numpy(),
        "full_colours": pillow(pixels(3), "RGB", "JPEG", subsampling=0),
        "cmyk": pillow(pixels(3), "CMYK", "JPEG"),
        "restarts": pillow(pixels(3), "RGB", "JPEG", restart_marker_rows=1),
    }


def gifs() -> dict[str, bytes]:
    return {
        "one": pillow(pixels(3), "P", "GIF"),
        "frames": frames("GIF", duration=10),
        "parts": frames("GIF", disposal=2, optimize=True),
        "interlaced": pillow(pixels(3), "P", "GIF", interlace=True),
    }


def bmps() -> dict[str, bytes]:
    return {
        "grey": pillow(pixels(1), "L", "BMP"),
        "rgb": pillow(pixels(3), "RGB", "BMP"),
        "rgba": pillow(pixels(4), "RGBA", "BMP"),
    }


def webps() -> dict[str, bytes]:
    return {
        "lossy": pillow(pixels(3), "RGB", "WEBP"),
        "lossless": pillow(pixels(3), "RGB", "WEBP", lossless=True),
        "alpha": pillow(pixels(4), "RGBA", "WEBP"),
        "frames": frames("WEBP", duration=10),
    }


def wavs() -> dict[str, bytes]:
    files = {}
    for channels in (1, 2, 3):
        samples = RANDOM.uniform(-1, 1, (11, channels)).astype("float32")
        sound = tf.audio.encode_wav(samples, 8000).numpy()
        files[f"channels_{channels}"] = sound
    # A chunk that a reader skips, before the samples.
    sound = files["channels_1"]
    files["list"] = sound[:36] + b"LIST\x04\x00\x00\x00abcd" + sound[36:]
    return files


def texts() -> dict[str, bytes]:
    texts = {
        "groups": "(a+)(b|c)*?\n<\\1\\0>\nabcaab",
        "classes": "[^\\pL\\d]{2,5}\\b\n_\nBaum, 1.5e3; \u00e4\u00f6\u00fc",
        "anchors": "(?i)^\\s*stra\u00dfe$\n\n  STRASSE",
        "wide": "\U0001f600+\n\u4e2d\n\U0001f600\U0001f600 a\u0301 \u05d0",
        "numbers": "-\n+\n-1.25e-3",
        "base64": ",\n,\nTWFu-_8=",
        "blanks": "\n\n a  b\tc ",
    }
    files = {name: text.encode() for name, text in texts.items()}
    files["broken"] = b"\xff+\n\xc3\n\xc3(\xed\xa0\x80\xf4\x90\x80\x80\x00"
    files["utf16"] = b"a\nb\n" + "h\u00e9\U0001f600".encode("utf-16-be")
    return files


CORPORA = {
    "pictures/png": pngs, "pictures/jpeg": jpegs, "pictures/gif": gifs,
    "pictures/bmp": bmps, "pictures/webp": webps, "wav": wavs, "text": texts,
}


def main() -> None:
    for folder, make in CORPORA.items():
        place = Path(sys.argv[1]) / folder
        place.mkdir(parents=True, exist_ok=True)
        for name, content in make().items():
            (place / name).write_bytes(content)


if __name__ == "__main__":
    main()
