"""What a program has asked for of NumPy's ways."""

# How operands of several dtypes are brought together: "off" and "legacy" are
# NumPy's rules ("legacy" also for the operators of tensors), in "safe" and "all"
# the dtypes of Python's numbers yield to others.
mode = "off"
# Are Python's floats of 32 bits rather than of 64?
prefers_float32 = False
# What the class of tensors has of NumPy's arrays, by name; empty before a
# program asks for it.
members: dict[str, object] = {}


def yields() -> bool:
    """Do the dtypes of Python's numbers yield to others?"""
    return mode in ("safe", "all")
