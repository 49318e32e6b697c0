"""tf.train's checkpoints: Python's objects over the core's object graphs."""
