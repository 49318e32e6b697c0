"""Traces of very many values take time in proportion to their number."""

from __future__ import annotations

import time
from typing import Any

import pytest

import graphkiln as tf


@pytest.mark.slow
def test_eight_times_the_values_take_eight_times_the_time() -> None:
    def seconds(n: int) -> float:
        def call() -> Any:
            return tf.raw_ops.RaggedTensorFromVariant(
                encoded_ragged=tf.raw_ops.OptionalNone(),
                input_ragged_rank=1,
                output_ragged_rank=n,
                Tvalues=tf.float32,
            )

        began = time.process_time()
        with pytest.raises(tf.errors.InvalidArgumentError):
            tf.function(call, autograph=False)()
        return time.process_time() - began

    seconds(1000)
    few = min(seconds(20_000) for _ in range(3))
    assert seconds(160_000) < 20 * few
