"""Calls of ops that eager code repeats are remembered by their attributes.

Checked runs (GK_CHECK_PLANS) convert every remembered call anew and compare.
"""

from __future__ import annotations

import threading

import graphkiln as tf
import numpy as np
import pytest

RAW = tf.raw_ops
IMAGE = tf.constant(np.arange(32, dtype=np.float32).reshape(1, 4, 4, 2))


def pool(size, **other):
    given = {"ksize": size, "strides": size, "padding": "VALID"} | other
    return RAW.MaxPool(input=IMAGE, **given)


def test_a_list_that_was_changed_is_another_attribute() -> None:
    size = [1, 2, 2, 1]
    for _ in range(3):
        assert pool(size).shape == (1, 2, 2, 2)
    size[1] = 4
    for _ in range(3):
        assert pool(size).shape == (1, 1, 2, 2)
    size.append(1)
    with pytest.raises((ValueError, tf.errors.InvalidArgumentError)):
        pool(size)
    del size[4]
    size[2] = 4
    assert pool(tuple(size)).shape == (1, 1, 1, 2)
    assert pool(size).shape == (1, 1, 1, 2)


def test_more_calls_than_are_remembered() -> None:
    for _ in range(3):
        for high in range(1, 5):
            for wide in range(1, 5):
                out = pool([1, high, wide, 1])
                assert out.shape == (1, 4 // high, 4 // wide, 2)
                assert out.numpy()[0, 0, 0, 1] == IMAGE[0, high - 1, wide - 1, 1]


def test_values_that_are_equal_but_not_the_same() -> None:
    x = tf.constant([1.0, -2.0])
    for _ in range(3):
        zero = RAW.LeakyRelu(features=x, alpha=0.0)
        minus = RAW.LeakyRelu(features=x, alpha=-0.0)
        assert not np.signbit(zero.numpy()[0])
        assert np.signbit(zero.numpy()[1]) != np.signbit(minus.numpy()[1])
        assert RAW.LeakyRelu(features=x, alpha=1).numpy()[1] == -2
    for _ in range(3):
        RAW.Sum(input=x, axis=tf.constant(0), keep_dims=True)
        with pytest.raises(TypeError):
            RAW.Sum(input=x, axis=tf.constant(0), keep_dims=1)
        RAW.Pack(values=[x, x], axis=1)
        with pytest.raises(TypeError):
            RAW.Pack(values=[x, x], axis=1.0)
    ksize = [1, 2, 2, 1]
    for size in (ksize, [1, 2.0, 2, 1], ksize):
        if size is ksize:
            pool(size)
        else:
            with pytest.raises(TypeError):
                pool(size)


def test_dtypes_and_lengths_of_lists() -> None:
    floats, ints = tf.constant([1.0]), tf.constant([1])
    for _ in range(3):
        assert RAW.Pack(values=[floats, floats]).dtype == tf.float32
        assert RAW.Pack(values=[ints, ints, ints]).shape == (3, 1)
        assert RAW.Pack(values=[ints, ints]).shape == (2, 1)
        with pytest.raises(tf.errors.InvalidArgumentError):
            RAW.Pack(values=[ints, floats])
        both = RAW.IdentityN(input=[ints, floats])
        assert [t.dtype for t in both] == [tf.int32, tf.float32]
        both = RAW.IdentityN(input=[floats, ints])
        assert [t.dtype for t in both] == [tf.float32, tf.int32]
        assert RAW.Cast(x=floats, DstT=tf.int32).dtype == tf.int32
        assert RAW.Cast(x=floats, DstT=tf.int64).dtype == tf.int64
        assert RAW.Cast(x=ints, DstT=tf.int64).dtype == tf.int64


def test_gradients_errors_and_graphs() -> None:
    for _ in range(3):
        with tf.GradientTape() as tape:
            tape.watch(IMAGE)
            y = pool([1, 2, 2, 1])
        assert tape.gradient(y, IMAGE).numpy().sum() == 8
        with pytest.raises(tf.errors.InvalidArgumentError, match="Op:MaxPool"):
            pool([1, 9, 9, 1], strides=[1, 2, 2, 1])
        graph = tf.function(lambda: pool([1, 2, 2, 1]))
        assert np.array_equal(graph(), pool([1, 2, 2, 1]))
    with pytest.raises(tf.errors.InvalidArgumentError, match="name: mine"):
        pool([1, 9, 9, 1], strides=[1, 2, 2, 1], name="mine")


def test_several_outputs_are_named() -> None:
    for _ in range(3):
        found = RAW.Unique(x=tf.constant([3, 3, 1]))
        assert found._fields == ("y", "idx")
        assert found.idx.numpy().tolist() == [0, 0, 1]
        assert type(found)._make([1, 2]) == (1, 2)


def test_seeds_go_on_and_unseeded_numbers_differ() -> None:
    def draw(seed):
        shape = tf.constant([2])
        return RAW.RandomUniform(
            shape=shape, dtype=tf.float32, seed=seed, seed2=seed
        ).numpy()

    tf.random.set_seed(1)
    first = [draw(7).tolist() for _ in range(5)]
    tf.random.set_seed(1)
    assert [draw(7).tolist() for _ in range(5)] == first
    assert len({tuple(v) for v in first}) == 5
    assert len({tuple(draw(0)) for _ in range(200)}) == 200


def test_several_threads() -> None:
    big = tf.constant(np.ones((1, 256, 256, 1), np.float32))
    wrong: list[object] = []

    def work(size: int) -> None:
        for _ in range(20):
            out = RAW.AvgPool(
                value=big,
                ksize=[1, size, size, 1],
                strides=[1, size, size, 1],
                padding="VALID",
            )
            if out.shape != (1, 256 // size, 256 // size, 1):
                wrong.append(out.shape)
            filter = tf.ones([size, size, 1, 1])
            out = RAW.Conv2D(
                input=big, filter=filter, strides=[1, size, size, 1], padding="VALID"
            )
            if out.numpy().max() != size * size:
                wrong.append(out)

    threads = [threading.Thread(target=work, args=(n,)) for n in range(1, 9)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not wrong


def test_a_list_of_one_tensor_is_packed_each_time() -> None:
    t = tf.constant([1.0, 2.0, 3.0])
    for _ in range(4):
        assert RAW.Identity(input=[t]).shape == (1, 3)
        assert RAW.Square(x=(t,)).shape == (1, 3)
        assert RAW.Sum(input=[t], axis=tf.constant([0])).shape == (3,)


def test_a_tensor_in_place_of_a_list_is_its_rows_each_time() -> None:
    t = tf.constant([[1.0, 2.0, 3.0]])
    for _ in range(4):
        assert RAW.AddN(inputs=t).shape == (3,)
        assert RAW.Pack(values=t).shape == (1, 3)
