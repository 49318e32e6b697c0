"""Traces of very many values take time in proportion to their number."""

from __future__ import annotations

import time
from typing import Any

import pytest

import graphkiln as tf


@pytest.mark.slow
def test_eight_times_the_values_take_eight_times_the_time() -> None:
    def seconds(n: int) -> float:
        @tf.function(
            autograph=False,
            input_signature=[tf.TensorSpec(None, tf.variant)],
        )
        def call(encoded: Any) -> Any:
            return tf.raw_ops.RaggedTensorFromVariant(
                encoded_ragged=encoded,
                input_ragged_rank=1,
                output_ragged_rank=n,
                Tvalues=tf.float32,
            )

        began = time.process_time()
        with pytest.raises(tf.errors.InvalidArgumentError):
            call(tf.raw_ops.OptionalNone())
        return time.process_time() - began

    seconds(1000)
    few = min(seconds(20_000) for _ in range(3))
    # Squared it would be 64 times; memory that caches do not hold costs twice.
    assert seconds(160_000) < 32 * few
