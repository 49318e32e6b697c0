"""tf.function: what is Python's of it."""
