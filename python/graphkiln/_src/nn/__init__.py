"""Functions of tf.nn that call functions of the program, or give tensors of
several kinds."""
