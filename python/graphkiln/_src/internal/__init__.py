"""What TensorFlow keeps in `tf.__internal__` for Keras of its second version and for
packages that were made together with it."""
