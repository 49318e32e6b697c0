"""Cells that differ for a reason: guide or *, a piece of the cell, the reason."""

from __future__ import annotations

_CODE = (
    "code that AutoGraph made is shown, which loads modules by a function of its "
    "own (`ldf`) and names the state of a branch in a fixed order"
)
_JACOBIAN = (
    "TensorFlow warns of retracing a function of its own that vectorizes the jacobian"
)
_PROMOTION = "the refusal of a promotion has the same start and class and other advice"

EXPLAINED: list[tuple[str, str, str]] = [
    (
        "ragged_tensor", "dense_to_ragged_batch",
        "TensorFlow warns that the name is deprecated; graphkiln has the name and "
        "no such warnings",
    ),
    ("function", "tf.autograph.to_code", _CODE),
    ("intro_to_graphs", "tf.autograph.to_code", _CODE),
    (
        "intro_to_graphs", "as_graph_def",
        "constants of branches that nothing uses are not kept, so that names and "
        "order of nodes differ",
    ),
    (
        "function", "captures_leaked_tensor",
        "the same error is raised while the function is traced, not when its trace "
        "is called, so that it names the line; the last sentence differs",
    ),
    (
        "function", "recursive_fn",
        "a RecursionError where TensorFlow raises a StagingError made of one, with "
        "the line once instead of once for each call",
    ),
    ("advanced_autodiff", "batch_jacobian(y, x)", _JACOBIAN),
    ("advanced_autodiff", "tape.jacobian(y, x)", _JACOBIAN),
    ("tf_numpy_type_promotion", 'dtype_conversion_mode="safe"', _PROMOTION),
    (
        "tf_numpy_type_promotion", "tf.add(tf.add(a, b), c)",
        "an array takes the dtype of the tensor it is added to, whichever comes "
        "first; tf.add of TensorFlow refuses where the array comes first, its other "
        "functions do not",
    ),
    (
        "checkpoint", "print(restore.listed)",
        "a list that is an attribute stays the list that it was, and prints as one",
    ),
    (
        "checkpoint", "reader.get_tensor(key)",
        "the message names the checkpoint as well",
    ),
]
