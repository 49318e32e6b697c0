"""Files of pictures, read and written by both: pixels, shapes, refusals."""

from __future__ import annotations

import base64
import struct
import zlib
from typing import Any

import numpy as np
import pytest

# Small files, by another program.
FILES = {
    name: base64.b64decode(text)
    for name, text in {
        "lossy": (
            "UklGRkAAAABXRUJQVlA4IDQAAADwAQCdASoHAAUAAoBCJbACdLoAAwhAW5AA/uh6CjxF"
            "t/6nyX/GwN/ww/r1DNGfyWTxLAAA"
        ),
        "lossless": (
            "UklGRk4AAABXRUJQVlA4TEIAAAAvBgABALkyRPQ/dhHR/4CaNpKc4Y/z2rvP+csFocRt"
            "GygqLy7a8dT9elRB2zYs7K5jAuzCohAYwvsMRC5GVUY5owA="
        ),
        "alpha": (
            "UklGRlQAAABXRUJQVlA4TEgAAAAvBgABELkyRPQ/dhHR/4CaNpKc4Y/z2rvP+csFYbRt"
            "G6u8eGi/78tRBW3bsLC7VtC2DQu9kwlAxk6sGFER8UJ8AyGXoaqh3BA="
        ),
        "moving": (
            "UklGRvQAAABXRUJQVlA4WAoAAAACAAAAAwAAAwAAQU5JTQYAAAAAAAAAAABBTk1GYgAA"
            "AAAAAAAAAAMAAAMAAAAAAAJWUDhMSQAAAC8DwAAAf6CobSPmc3vxp3RAwslM2zZm0avb"
            "oA660DTJNv//dTD/8d9DQsDtkBDQHRICskNCAIIAiDULFiyYtGDBgpGI/oevsQgAQU5N"
            "Rl4AAAAAAAAAAAADAAADAAAAAAAAVlA4TEUAAAAvA8AAAH9AkG2DsU3yfEdV0LYN433+"
            "3AaITNrm3jcF8+9xBOY/9hkE+E4Q4HdBgGcFAUAQADFowYIFFixYMBvR/7inMgAA"
        ),
        "cmyk": (
            "/9j/7gAOQWRvYmUAZAAAAAAA/9sAQwAQCwwODAoQDg0OEhEQExgoGhgWFhgxIyUdKDoz"
            "PTw5Mzg3QEhcTkBEV0U3OFBtUVdfYmdoZz5NcXlwZHhcZWdj/8AAFAgACQAKBEMRAE0R"
            "AFkRAEsRAP/EAB8AAAEFAQEBAQEBAAAAAAAAAAABAgMEBQYHCAkKC//EALUQAAIBAwMC"
            "BAMFBQQEAAABfQECAwAEEQUSITFBBhNRYQcicRQygZGhCCNCscEVUtHwJDNicoIJChYX"
            "GBkaJSYnKCkqNDU2Nzg5OkNERUZHSElKU1RVVldYWVpjZGVmZ2hpanN0dXZ3eHl6g4SF"
            "hoeIiYqSk5SVlpeYmZqio6Slpqeoqaqys7S1tre4ubrCw8TFxsfIycrS09TV1tfY2drh"
            "4uPk5ebn6Onq8fLz9PX29/j5+v/aAA4EQwBNAFkASwAAPwDndS/5CH41if2LL/dNddeS"
            "9a7e471sx/6tfoKP7Fl/umswy8mqJ61jal/yEPxrsKuXner1x3rZj/1a/QUVmHqaonrX"
            "/9k="
        ),
        "prog": (
            "/9j/4AAQSkZJRgABAQAAAQABAAD/2wBDABALDA4MChAODQ4SERATGCgaGBYWGDEjJR0o"
            "OjM9PDkzODdASFxOQERXRTc4UG1RV19iZ2hnPk1xeXBkeFxlZ2P/2wBDARESEhgVGC8a"
            "Gi9jQjhCY2NjY2NjY2NjY2NjY2NjY2NjY2NjY2NjY2NjY2NjY2NjY2NjY2NjY2NjY2Nj"
            "Y2NjY2P/wgARCAATABUDASIAAhEBAxEB/8QAFwABAQEBAAAAAAAAAAAAAAAAAAMEBf/E"
            "ABgBAAMBAQAAAAAAAAAAAAAAAAEDBAAC/9oADAMBAAIQAxAAAAHVDHBPfYcxVtUBRqKR"
            "/8QAGBABAQEBAQAAAAAAAAAAAAAAAQIhABH/2gAIAQEAAQUCLyr6bwXyl6V8DKOkz//E"
            "ABsRAAICAwEAAAAAAAAAAAAAAAADAQIREjEy/9oACAEDAQE/AXpjQomMD/BXh//EABkR"
            "AAIDAQAAAAAAAAAAAAAAAAADEBMhMf/aAAgBAgEBPwFSNKBXY//EABQQAQAAAAAAAAAA"
            "AAAAAAAAADD/2gAIAQEABj8CH//EABkQAAIDAQAAAAAAAAAAAAAAAAABEBFBMf/aAAgB"
            "AQABPyFYTYuEWIhWBF8FYP/aAAwDAQACAAMAAAAQTAAD/8QAFhEAAwAAAAAAAAAAAAAA"
            "AAAAAAER/9oACAEDAQE/EIhFGcDuT//EABURAQEAAAAAAAAAAAAAAAAAAAEA/9oACAEC"
            "AQE/ECiJxb//xAAWEAEBAQAAAAAAAAAAAAAAAAAAQVH/2gAIAQEAAT8Qvr6s3W61Eslk"
            "I//Z"
        ),
        "gif": (
            "R0lGODdhAQABAIEAAAAAAAAAAAAAAAAAACwAAAAAAQABAAAIBAABBAQAOw=="
        ),
        "anim": (
            "R0lGODdhBwAGAIUAAOPkI+HkHOPgJuHgH9rkKtrgLdTkFdTgGOPXKeHXItrXMNTXG+PJ"
            "LOHJJdrJM9TJHr3kDr3gEb3XFKDkB6DgCqDXDb3JF6DJEIDkAIDgA4DXBoDJCeO2L+G2"
            "KNq2NtS2IeOfMuGfK9qfOdSfJL22GqC2E72fHaCfFoC2DICfDwAAAAAAAAAAAAAAAAAA"
            "AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA"
            "ACwAAAAABwAGAAAIMgAxTIBgIAAAAhkoRDgwQEABDRUkLEiAQMGGCxYeNGDgAEUJEh86"
            "cPCQ4oSJESFAiAgIACH5BAEAACoALAAAAAAHAAYAheO2DuG2B9q2FdS2AOOfEeGfCtqf"
            "GNSfA8i2HK22I8ifH62fJo62Ko6fLeOHFOGHDdqHG9SHBsiHIq2HKY6HMONuF+FuENpu"
            "HtRuCchuJa1uLI5uM+NWGuFWE9pWIdRWDONBHeFBFtpBJNRBD8hWKK1WL8hBK61BMo5W"
            "No5BOQAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA"
            "AAAAAAAAAAAAAAAAAAAAAAAAAAgyAAcEACAAQQIGBwoQMKBgQYMIDxxAkDCBAgYLFS5k"
            "0LDhQwcOHkiUQDEiBAgRJk6kCAgAIfkEAQAAKgAsAAAAAAcABgCF2lYAyFYH2kEDyEEK"
            "rVYOrUER2i8GyC8NrS8UjlYVjkEYji8b2iMJyCMQrSMXjiMe2h0M2hwPyB0TyBwWrR0a"
            "rRwdjh0hjhwkbFYcTVYjbEEfTUEmNFYqNEEtbC8iTS8pNC8wbCMlTSMsNCMzbB0obBwr"
            "TR0vTRwyNB02NBw5AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA"
            "AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAACDIAAQQgkABDBg4CBhRQoGFDBwMHECzw"
            "8AEEgwYOHoQQMQKCBAoWSJhAEWFChQslTqQICAA7"
        ),
        "inter": (
            "R0lGODdhBwALAIIAAN3eI93JKZ/ZDN2rLZ+rFd1uNZ9uHMI4MiwAAAAABwALAAAIMgAF"
            "CARAEIBAAQUNDix4MIDDAAQiDpg4ICIBigMMaCzAsYBGAx09GjgQcuSBkyhTngwIADs="
        ),
    }.items()
}


def chunk(kind: bytes, data: bytes) -> bytes:
    return (
        struct.pack(">I", len(data)) + kind + data
        + struct.pack(">I", zlib.crc32(kind + data))
    )


def png(kind: int, depth: int, rows: list[bytes], size: tuple[int, int], *,
        between: bytes = b"") -> bytes:
    """A PNG file of `size` (height, width), without filters."""
    head = struct.pack(">IIBBBBB", size[1], size[0], depth, kind, 0, 0, 0)
    data = zlib.compress(b"".join(b"\0" + row for row in rows))
    return (
        b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", head) + between
        + chunk(b"IDAT", data) + chunk(b"IEND", b"")
    )


def bmp(bits: int, size: tuple[int, int], *, top_down: bool = False) -> bytes:
    height, width = size
    stride = (bits * width + 31) // 32 * 4
    data = np.random.default_rng(3).integers(0, 256, height * stride)
    return (
        b"BM" + struct.pack("<IIIIiiHH", 0, 0, 54, 40, width,
                            -height if top_down else height, 1, bits)
        + bytes(24) + data.astype(np.uint8).tobytes()
    )


def gif(frames: list[tuple[tuple[int, int, int, int], int, int | None]]) -> bytes:
    """Frames of one colour: (left, top, width, height), colour, transparent."""
    out = b"GIF89a" + struct.pack("<HHBBB", 6, 5, 0x81, 0, 0)
    out += bytes(range(12))
    for (left, top, width, height), color, transparent in frames:
        if transparent is not None:
            out += b"\x21\xf9\x04\x01\0\0" + bytes([transparent, 0])
        out += b"," + struct.pack("<HHHHB", left, top, width, height, 0)
        bits = "".join(
            format(code, "03b")[::-1]
            for _ in range(width * height)
            for code in (4, color)
        ) + format(5, "03b")[::-1]
        data = bytes(
            int(bits[i : i + 8][::-1], 2) for i in range(0, len(bits), 8)
        )
        out += b"\x02"
        for i in range(0, len(data), 255):
            out += bytes([len(data[i : i + 255])]) + data[i : i + 255]
        out += b"\0"
    return out + b";"


PALETTE = chunk(b"PLTE", bytes([10, 20, 30, 200, 100, 50, 0, 255, 7, 9, 9, 9]))
RNG = np.random.default_rng(5)
ROWS8 = [RNG.integers(0, 256, 5 * 4).astype(np.uint8).tobytes() for _ in range(3)]
FILES |= {
    "gray": png(0, 8, [r[:5] for r in ROWS8], (3, 5)),
    "gray1": png(0, 1, [r[:1] for r in ROWS8], (3, 5)),
    "gray4": png(0, 4, [r[:3] for r in ROWS8], (3, 5)),
    "gray16": png(0, 16, [r[:10] for r in ROWS8], (3, 5)),
    "gray_alpha": png(4, 8, [r[:10] for r in ROWS8], (3, 5)),
    "rgb": png(2, 8, [r[:15] for r in ROWS8], (3, 5)),
    "rgb_trns": png(2, 8, [r[:15] for r in ROWS8], (3, 5),
                    between=chunk(b"tRNS", b"\0" + ROWS8[0][:1] + b"\0"
                                  + ROWS8[0][1:2] + b"\0" + ROWS8[0][2:3])),
    "rgba": png(6, 8, ROWS8, (3, 5)),
    "rgb16": png(2, 16, [r + r[:10] for r in ROWS8], (3, 5)),
    "palette": png(3, 2, [r[:2] for r in ROWS8], (3, 5), between=PALETTE),
    "palette_trns": png(3, 2, [r[:2] for r in ROWS8], (3, 5),
                        between=PALETTE + chunk(b"tRNS", b"\x05\xff")),
    "bmp8": bmp(8, (3, 5)),
    "bmp24": bmp(24, (4, 5)),
    "bmp32": bmp(32, (4, 5), top_down=True),
    "bmp1": bmp(1, (4, 5)),
    "frames": gif([((0, 0, 6, 5), 1, None), ((1, 2, 3, 2), 2, None),
                   ((0, 0, 2, 2), 3, 3), ((4, 3, 4, 4), 0, None)]),
    "part": gif([((1, 1, 3, 3), 2, None), ((0, 0, 6, 5), 1, 1)]),
    "nothing": b"",
    "text": b"no picture",
    "bm": b"BM",
}
IMAGE = RNG.integers(0, 256, (13, 17, 3)).astype(np.uint8)
SMOOTH = np.stack(
    [np.add.outer(np.arange(24) * a, np.arange(29) * b) % 256
     for a, b in ((3, 5), (7, 2), (4, 4))], -1
).astype(np.uint8)

CALLS = """
io.decode_image(F['gray'])
io.decode_image(F['rgb16'], dtype=tf.uint16)
io.decode_image(F['rgb16'], dtype=tf.float32)
io.decode_image(F['rgb16'], dtype=tf.float16)
io.decode_image(F['rgb'], dtype=tf.int32)
io.decode_image(F['prog'], dtype=tf.uint16)
io.decode_image(F['prog'], dtype=tf.float32)
io.decode_image(F['anim'])
io.decode_image(F['anim'], expand_animations=False)
io.decode_image(F['anim'], 3, tf.float32)
io.decode_image(F['alpha'], expand_animations=False)
io.decode_image(F['lossy'])
io.decode_image(F['bmp24'], dtype=tf.float32)
io.decode_image(F['bmp32'])
io.decode_image(F['bmp8'], channels=3)
io.decode_png(F['gif'])
io.decode_jpeg(F['rgb'])
io.decode_gif(F['gif'])
io.decode_gif(F['anim'])
io.decode_gif(F['inter'])
io.decode_gif(F['frames'])
io.decode_gif(F['part'])
io.decode_gif(F['anim'][:-30])
io.decode_gif(F['rgba'])
io.decode_bmp(F['bmp24'])
io.decode_bmp(F['bmp24'], 4)
io.decode_bmp(F['bmp32'])
io.decode_bmp(F['bmp32'], 3)
io.decode_bmp(F['bmp8'])
io.decode_webp(F['lossy'])
io.decode_webp(F['lossless'], 3)
io.decode_webp(F['alpha'], 4)
io.decode_jpeg(F['cmyk'])
io.decode_jpeg(F['prog'])
io.decode_jpeg(F['prog'], 1)
io.decode_jpeg(F['prog'], ratio=2)
io.decode_jpeg(F['prog'], ratio=8)
io.decode_jpeg(F['prog'], dct_method='INTEGER_ACCURATE')
io.decode_jpeg(F['prog'], fancy_upscaling=False)
io.decode_jpeg(J[:-20], try_recover_truncated=True, acceptable_fraction=0.5)
io.decode_jpeg(J)
io.decode_jpeg(J1)
io.decode_jpeg(J1, channels=3)
io.decode_and_crop_jpeg(J, [1, 2, 3, 4])
io.decode_and_crop_jpeg(J, [10, 11, 13, 18])
io.decode_and_crop_jpeg(J, [3, 20, 9, 9], channels=1)
io.extract_jpeg_shape(J)
io.extract_jpeg_shape(F['cmyk'], tf.int64)
io.is_jpeg(J)
io.is_jpeg([J, F['rgb'], b''])
io.encode_jpeg(image)
io.encode_jpeg(image, 'rgb', 30, True, True, False, 'cm', 12, 13, 'some words')
io.encode_jpeg(image[..., :1], format='grayscale')
io.decode_png(io.encode_png(image))
io.decode_png(io.encode_png(image[..., :2], 9))
io.decode_png(io.encode_png(tf.cast(image, tf.uint16) * 250), dtype=tf.uint16)
io.encode_png(tf.stack([image, image])).shape
im.adjust_jpeg_quality(image, 40)
im.adjust_jpeg_quality(tf.cast(smooth, tf.float32) / 255., 70)
im.adjust_jpeg_quality(smooth, 70, 'INTEGER_ACCURATE')
im.random_jpeg_quality(smooth, 20, 80, seed=3)
im.stateless_random_jpeg_quality(smooth, 20, 80, [3, 4])
"""
for_each_png = [
    f"io.decode_png(F[{name!r}], {channels}, tf.{dtype})"
    for name in ("gray", "gray1", "gray4", "gray16", "gray_alpha", "rgb",
                 "rgb_trns", "rgba", "rgb16", "palette", "palette_trns")
    for channels in (0, 1, 3, 4)
    for dtype in ("uint8", "uint16")
]

REFUSED = """
io.decode_image(F['text'])
io.decode_image(F['nothing'])
io.decode_image([F['rgb']])
io.decode_image(F['rgb'], 2)
io.decode_image(F['rgb'][:-20])
io.decode_image(F['rgb'][:20])
io.decode_image(F['bmp1'])
io.decode_image(F['bm'])
io.decode_image(F['bmp24'][:-1])
io.decode_image(F['bmp24'] + b' ')
io.decode_image(F['bmp24'], 1)
io.decode_image(F['gif'], 1)
io.decode_image(F['gif'][:-6])
io.decode_image(F['gif'][:12])
io.decode_image(F['lossy'], 4)
io.decode_image(F['alpha'], 1)
io.decode_image(F['lossy'][:-30])
io.decode_image(F['lossy'], dtype=tf.float32)
io.decode_png(F['anim'])
io.decode_png(F['bmp24'])
io.decode_png(F['rgb'], -1)
io.decode_bmp(F['rgb'])
io.decode_bmp(F['gif'])
io.decode_webp(F['gif'])
io.decode_jpeg(J, 4)
io.decode_jpeg(J, ratio=3)
io.decode_jpeg(J, dct_method='x')
io.decode_jpeg(J[:-20])
io.decode_jpeg(J[:len(J) // 2], try_recover_truncated=True, acceptable_fraction=0.9)
io.decode_jpeg(F['cmyk'], 1)
io.decode_and_crop_jpeg(J, [1, 2, 3])
io.decode_and_crop_jpeg(J, [1, 2, 0, 3])
io.decode_and_crop_jpeg(J, [-1, 2, 3, 3])
io.decode_and_crop_jpeg(J, [1, 2, 30, 3])
io.decode_and_crop_jpeg(F['rgb'], [0, 0, 1, 1])
io.extract_jpeg_shape(F['rgb'])
io.encode_jpeg(image[0])
io.encode_jpeg(image[..., :2])
io.encode_jpeg(image, 'grayscale')
io.encode_jpeg(image, quality=101)
io.encode_jpeg(image, density_unit='x')
io.encode_jpeg(image[:0])
io.encode_png(image[0])
io.encode_png(image, 10)
io.encode_png(tf.concat([image, image], -1))
im.adjust_jpeg_quality(image, 101)
im.random_jpeg_quality(image, 40, 30)
im.random_jpeg_quality(image, -1, 30)
im.stateless_random_jpeg_quality(image, 10, 130, [1, 2])
"""

STATIC = """
io.decode_image(x)
io.decode_image(x, 3)
io.decode_image(x, 3, expand_animations=False)
io.decode_jpeg(x)
io.decode_jpeg(x, 1)
io.decode_png(x, 4)
io.decode_gif(x)
io.decode_bmp(x)
io.decode_webp(x)
io.decode_webp(x, 4)
io.decode_and_crop_jpeg(x, [1, 2, 3, 4])
io.decode_and_crop_jpeg(x, [1, 2, 3, 4], 3)
io.extract_jpeg_shape(x)
io.is_jpeg(x)
im.adjust_jpeg_quality(tf.zeros([8, 8, 3]), 30)
"""


def lines(text: str) -> list[str]:
    return [line for line in text.splitlines() if line]


@pytest.fixture(scope="module")
def jpegs(both: Any) -> dict[str, bytes]:
    """Files that TensorFlow wrote."""
    encode = both.theirs.io.encode_jpeg
    return {"J": encode(SMOOTH).numpy(), "J1": encode(SMOOTH[..., :1]).numpy()}


def run(tf: Any, call: str, jpegs: dict[str, bytes], **more: Any) -> Any:
    tf.random.set_seed(1)
    names = {
        "tf": tf, "io": tf.io, "im": tf.image, "F": FILES,
        "image": tf.constant(IMAGE), "smooth": tf.constant(SMOOTH),
    }
    return eval(call, names | jpegs | more)


@pytest.mark.parametrize("call", lines(CALLS) + for_each_png)
def test_values(both, jpegs, call: str):
    both.agree(lambda tf: run(tf, call, jpegs))


@pytest.mark.parametrize("call", lines(REFUSED))
def test_refusals(both, jpegs, call: str):
    both.agree_on_error(lambda tf: run(tf, call, jpegs))


@pytest.mark.parametrize("call", lines(STATIC))
def test_static_shapes(both, jpegs, call: str):
    def shape(tf: Any) -> str:
        @tf.function(
            input_signature=[tf.TensorSpec([], tf.string)], autograph=False
        )
        def f(x: Any) -> Any:
            return run(tf, call, jpegs, x=x)

        return str(f.get_concrete_function().structured_outputs.shape)

    ours, theirs = shape(both.ours), shape(both.theirs)
    if call.startswith("io.decode_webp(x)"):
        theirs = "(None, None, None, None)"  # it may have four channels
    assert ours == theirs


def test_a_moving_webp(both):
    """TensorFlow writes beyond its memory here."""
    frames = both.ours.io.decode_webp(FILES["moving"])
    assert frames.shape.as_list() == [2, 4, 4, 4]
    assert frames.numpy()[0, 0, 0].tolist() == [128, 228, 0, 255]
    first = both.ours.io.decode_image(FILES["moving"], expand_animations=False)
    np.testing.assert_array_equal(first.numpy(), frames.numpy()[0])


@pytest.mark.parametrize("name", FILES)
def test_damaged_files(both, name: str):
    """Any bytes give pixels or a refusal."""
    tf, rng = both.ours, np.random.default_rng(11)
    data = np.frombuffer(FILES[name], np.uint8)
    if data.size == 0:
        return
    for _ in range(60):
        damaged = data.copy()
        at = rng.integers(0, data.size, rng.integers(1, 4))
        damaged[at] = rng.integers(0, 256, at.size)
        end = data.size if rng.integers(2) else rng.integers(1, data.size + 1)
        try:
            tf.io.decode_image(damaged[:end].tobytes())
        except (tf.errors.InvalidArgumentError, tf.errors.ResourceExhaustedError):
            pass
