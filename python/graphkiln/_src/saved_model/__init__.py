"""tf.saved_model: Python's side of programs in files."""
