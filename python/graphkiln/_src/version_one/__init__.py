"""TensorFlow's first version: names of tf.compat.v1 beside those that the second
kept."""
