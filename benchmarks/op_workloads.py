"""Named workloads of benchmarks/ops.py: what programs do with several ops."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from op_sizes_text import N, words

BUDGET = 0.1
M = 1 << 20


def workloads(
    tf: Any, plan: dict[str, Any]
) -> dict[str, Callable[[], tuple[Callable[[], Any], float]]]:
    """By name a function that prepares the inputs and gives what to time."""
    found: dict[str, Callable[[], tuple[Callable[[], Any], float]]] = {}

    def workload(name: str) -> Callable[[Any], None]:
        def add(prepare: Any) -> None:
            def timed() -> tuple[Callable[[], Any], float]:
                return prepare(np.random.default_rng(1)), BUDGET

            found[name] = timed

        return add

    def floats(rng: Any, *shape: int) -> Any:
        return tf.constant(rng.standard_normal(shape).astype(np.float32))

    @workload("fft 1024x1024")
    def _(rng):
        x = tf.cast(floats(rng, 1024, 1024), tf.complex64)
        return lambda: tf.signal.fft2d(x)

    @workload("fft of 1,000 (no power of two), 1,000 rows")
    def _(rng):
        x = tf.cast(floats(rng, 1000, 1000), tf.complex64)
        return lambda: tf.signal.fft(x)

    @workload("stft of 10 s")
    def _(rng):
        x = floats(rng, 160000)
        return lambda: tf.signal.stft(x, 400, 160)

    @workload("svd 256")
    def _(rng):
        x = floats(rng, 256, 256)
        return lambda: tf.linalg.svd(x)

    @workload("cholesky 1024")
    def _(rng):
        a = rng.standard_normal((1024, 1024))
        x = tf.constant((a @ a.T + 1024 * np.eye(1024)).astype(np.float32))
        return lambda: tf.linalg.cholesky(x)

    @workload("solve 512")
    def _(rng):
        a, b = floats(rng, 512, 512), floats(rng, 512, 16)
        return lambda: tf.linalg.solve(a, b)

    @workload("qr 512")
    def _(rng):
        x = floats(rng, 512, 512)
        return lambda: tf.linalg.qr(x)

    @workload("lu 512")
    def _(rng):
        x = floats(rng, 512, 512)
        return lambda: tf.linalg.lu(x)

    @workload("inverse 512")
    def _(rng):
        x = floats(rng, 512, 512)
        return lambda: tf.linalg.inv(x)

    @workload("triangular solve 512, 512 right-hand sides")
    def _(rng):
        a = np.tril(rng.standard_normal((512, 512)) * 0.1) + 2 * np.eye(512)
        x, b = tf.constant(a.astype(np.float32)), floats(rng, 512, 512)
        return lambda: tf.linalg.triangular_solve(x, b)

    @workload("10,000 solves of 4x4")
    def _(rng):
        a, b = floats(rng, 10000, 4, 4), floats(rng, 10000, 4, 1)
        return lambda: tf.linalg.solve(a, b)

    @workload("10,000 inverses of 4x4")
    def _(rng):
        a = floats(rng, 10000, 4, 4)
        return lambda: tf.linalg.inv(a)

    @workload("10,000 cholesky of 4x4")
    def _(rng):
        a = rng.standard_normal((10000, 4, 4))
        x = a @ a.transpose(0, 2, 1) + 4 * np.eye(4)
        x = tf.constant(x.astype(np.float32))
        return lambda: tf.linalg.cholesky(x)

    @workload("matmul 512")
    def _(rng):
        a, b = floats(rng, 512, 512), floats(rng, 512, 512)
        return lambda: tf.matmul(a, b)

    @workload("eigh 256")
    def _(rng):
        a = rng.standard_normal((256, 256))
        x = tf.constant((a + a.T).astype(np.float32))
        return lambda: tf.linalg.eigh(x)

    @workload("resize bilinear 1080p to 720p")
    def _(rng):
        x = floats(rng, 1, 1080, 1920, 3)
        return lambda: tf.image.resize(x, [720, 1280])

    @workload("resize bilinear 1080p to 720p, uint8")
    def _(rng):
        x = tf.constant(rng.integers(0, 255, (1, 1080, 1920, 3)).astype(np.uint8))
        return lambda: tf.image.resize(x, [720, 1280])

    @workload("resize bilinear 1080p to 720p, antialias")
    def _(rng):
        x = floats(rng, 1, 1080, 1920, 3)
        return lambda: tf.image.resize(x, [720, 1280], antialias=True)

    for kind in ("jpeg", "png"):

        @workload(f"decode {kind} 1080p")
        def _(rng, kind=kind):
            x = tf.constant(plan["files"][kind])
            return lambda: getattr(tf.io, f"decode_{kind}")(x)

    @workload("ssim 256x256")
    def _(rng):
        a = tf.constant(rng.uniform(0, 1, (4, 256, 256, 3)).astype(np.float32))
        b = tf.constant(rng.uniform(0, 1, (4, 256, 256, 3)).astype(np.float32))
        return lambda: tf.image.ssim(a, b, 1.0)

    @workload("brightness, contrast, saturation, hue 512x512")
    def _(rng):
        x = tf.constant(rng.uniform(0, 1, (4, 512, 512, 3)).astype(np.float32))

        def adjust():
            y = tf.image.adjust_brightness(x, 0.1)
            y = tf.image.adjust_contrast(y, 1.3)
            return tf.image.adjust_hue(tf.image.adjust_saturation(y, 0.8), 0.1)

        return adjust

    @workload("embedding lookup 64k of 100k")
    def _(rng):
        table = floats(rng, 100000, 64)
        ids = tf.constant(rng.integers(0, 100000, 65536))
        return lambda: tf.nn.embedding_lookup(table, ids)

    @workload("regex replace over 100,000 strings")
    def _(rng):
        x = tf.constant(words(N).make(rng))
        return lambda: tf.strings.regex_replace(x, "[aeiou]+", "<>")

    @workload("split 100,000 strings")
    def _(rng):
        x = tf.constant(words(N, 30).make(rng))
        return lambda: tf.strings.split(x)

    @workload("join 100,000 strings")
    def _(rng):
        x = tf.constant(words(N).make(rng))
        return lambda: tf.strings.join([x, x], "-")

    @workload("hash 100,000 strings")
    def _(rng):
        x = tf.constant(words(N).make(rng))
        return lambda: tf.strings.to_hash_bucket_fast(x, 1000)

    @workload("sort 1M")
    def _(rng):
        x = floats(rng, M)
        return lambda: tf.sort(x)

    @workload("argsort 1M")
    def _(rng):
        x = floats(rng, M)
        return lambda: tf.argsort(x)

    @workload("sort 1M int32")
    def _(rng):
        x = tf.constant(rng.integers(0, 1 << 30, M).astype(np.int32))
        return lambda: tf.sort(x)

    @workload("top_k 100 of 1M")
    def _(rng):
        x = floats(rng, M)
        return lambda: tf.math.top_k(x, 100)

    @workload("top_k 10 of 1024 rows of 1024")
    def _(rng):
        x = floats(rng, 1024, 1024)
        return lambda: tf.math.top_k(x, 10)

    @workload("unsorted_segment_sum 1M by 10k")
    def _(rng):
        x = floats(rng, M)
        ids = tf.constant(rng.integers(0, 10000, M).astype(np.int32))
        return lambda: tf.math.unsorted_segment_sum(x, ids, 10000)

    @workload("unique 1M")
    def _(rng):
        x = tf.constant(rng.integers(0, 100000, M))
        return lambda: tf.unique(x)

    @workload("cumsum 1M")
    def _(rng):
        x = floats(rng, M)
        return lambda: tf.cumsum(x)

    @workload("reduce_sum 1M")
    def _(rng):
        x = floats(rng, M)
        return lambda: tf.reduce_sum(x)

    def table(keys: Any, values: Any) -> Any:
        return tf.lookup.StaticHashTable(
            tf.lookup.KeyValueTensorInitializer(keys, values), -1
        )

    @workload("table lookup 1M of int64")
    def _(rng):
        keys = np.arange(0, 200000, 2)
        t = table(tf.constant(keys), tf.constant(keys * 3))
        ids = tf.constant(rng.integers(0, 200000, M))
        return lambda: t.lookup(ids)

    @workload("table lookup 1M of strings")
    def _(rng):
        keys = np.array([b"word%d" % i for i in range(50000)], object)
        t = table(tf.constant(keys), tf.constant(np.arange(50000)))
        ids = tf.constant(keys[rng.integers(0, 50000, M)])
        return lambda: t.lookup(ids)

    @workload("mutable table insert 100k")
    def _(rng):
        t = tf.lookup.experimental.MutableHashTable(tf.int64, tf.int64, -1)
        keys = tf.constant(rng.integers(0, 1 << 40, 100000))
        return lambda: t.insert(keys, keys)

    @workload("sparse times dense")
    def _(rng):
        places = np.argwhere(rng.uniform(size=(1024, 1024)) < 0.05)
        values = rng.standard_normal(len(places)).astype(np.float32)
        a, b = tf.SparseTensor(places, values, [1024, 1024]), floats(rng, 1024, 64)
        return lambda: tf.sparse.sparse_dense_matmul(a, b)

    @workload("random normal 1M")
    def _(rng):
        return lambda: tf.random.stateless_normal([M], [1, 2])

    @workload("random uniform 1M")
    def _(rng):
        return lambda: tf.random.stateless_uniform([M], [1, 2])

    @workload("shuffle 1M")
    def _(rng):
        x = floats(rng, M)
        return lambda: tf.random.shuffle(x)

    return found
