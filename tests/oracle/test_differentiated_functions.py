"""Functions of TensorFlow's eager.backprop that differentiate functions, by the names
that programs import, beside TensorFlow's."""

from __future__ import annotations

from keras_children import answers


def test_what_they_give():
    theirs, ours = (
        answers(module, "differentiated_functions.py")
        for module in ("tensorflow", "graphkiln")
    )
    assert len(theirs) == 18
    assert ours == theirs
