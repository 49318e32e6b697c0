"""Where tf.experimental.numpy is not TensorFlow's, and why: patterns of expressions,
the modes, the reason. Where TensorFlow refuses what we compute, the reason is what
is wrong there."""

ALWAYS = ("as it is", "legacy", "all", "safe", "legacy prefer_float32")
YIELDING = ("all", "safe")
OFF = ("as it is",)

# Errors of TensorFlow's that are no answers to what was asked.
SLIPS = (
    "Could not find device for node",  # no kernel for CPUs
    # Its own functions call methods that tensors get when a program asks for them.
    "Tensor object has no attribute '(astype|ravel)'",
    "object has no attribute '(dtype|is_floating|__ror__)'",
    "^list index out of range$",  # scalars multiplied as matrices
)

DIFFERENCES = (
    (r"^tnp\.(iscomplex|isreal)\((True|\[True, False\]|'a')", ALWAYS,
     "it compares bools and strings with the number 0"),
    (r"^tnp\.(heaviside|triu)\(.*(True)", ALWAYS, "it makes a bool of the number 0"),
    (r"^tnp\.(hypot|logaddexp2?)\(", OFF, "it adds operands of two dtypes"),
    (r"^tnp\.logaddexp2?\(\[", ALWAYS, "it subtracts lists"),
    (r"^tnp\.rad2deg\((True|\[True, False\]|'a')\)", YIELDING,
     "it multiplies bools by making bools of numbers"),
    (r"^tnp\.log(2|10)\(.*c64\)", ("safe",),
     "NumPy divides what the mode forbids to divide"),
    (r"^\(.*\) (<|!=) \(", YIELDING,
     "it has no rules for these comparisons, only for `==`"),
    (r"^\(tf\.Variable.* (<|==|!=) \(|\) (<|==|!=) \(tf\.Variable",
     ("legacy", "legacy prefer_float32"),
     "it does not see the dtypes of variables in comparisons"),
    (r"^.*\[(np\.array\(\[\[|\[True)", OFF,
     "TypeError, not InvalidArgumentError, of wrong indices"),
    (r"\[np\.int8\(1\), np\.uint8\(0\)\]", YIELDING, "it joins int8 and uint8"),
    (r"^tnp\.(var|ones|eye)\(.*(ddof=1|dtype=None)\)", ALWAYS,
     "it makes a dtype of None"),
    (r"^grad\(lambda x: tnp\.var", ("safe",),
     "its variance divides by integers, which the mode forbids"),
    (r"^tnp\.meshgrid\(\[1, 2\], \[3\.5, 4\]", ALWAYS,
     "it multiplies arrays of two dtypes"),
    (r"^tnp\.moveaxis\(cube, 0, 0\)", ALWAYS, "it returns what it got, no tensor"),
    (r"^tnp\.vsplit\(m, 2\)", ALWAYS, "it takes no lists"),
    (r"^tnp\.cross\(\[1, 2, 3, 4\]", ALWAYS,
     "ValueError, as NumPy says; FailedPreconditionError"),
    (r"^tnp\.cross\(x, x\)", ALWAYS, "it does not know the shape; IndexError"),
    (r"^tnp\.argsort\(x\) of \[\[S\(None", YIELDING,
     "its branches have different types"),
    (r"^tnp\.(array\(\[1, 2j\]\)|vdot\(\[1j, 2\])", ("legacy prefer_float32",),
     "complex64 is no dtype for lists of mixed numbers"),
)
