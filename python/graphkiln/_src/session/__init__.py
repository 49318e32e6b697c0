"""Sessions, which run graphs as TensorFlow's first version did."""
