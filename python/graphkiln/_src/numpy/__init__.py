"""tf.experimental.numpy: NumPy's functions, on tensors. What is public of them
stands in `_exports.py`; each part is loaded when somebody needs it."""
