"""What the constructors of operators have in common."""

from graphkiln._src.linalg import hints


def parameters_of(names: dict) -> dict:
    """The arguments of the constructor whose locals() these are, at its start."""
    return {
        k: v for k, v in names.items() if k not in ("self", "__class__")
    }


def hints_of(parameters: dict, **changed) -> dict:
    """The hints and the name among a constructor's arguments, but those that it
    knows better."""
    names = (
        "is_non_singular", "is_self_adjoint", "is_positive_definite", "is_square",
        "name",
    )
    return {**{k: parameters[k] for k in names}, **changed}


def always_square(is_square, message):
    return hints.must_be(True, is_square, message)


def real_is_self_adjoint(dtype, is_self_adjoint):
    """A diagonal of real numbers is its own adjoint."""
    return hints.must_be(
        not dtype.is_complex, is_self_adjoint,
        "A real diagonal operator is always self adjoint.",
    )


def check_rank(tensor, rank, message):
    """ValueError if a tensor is known to have fewer dimensions; `message` has
    braces for the tensor, whose text is long in the making."""
    known = tensor.shape.rank
    if known is not None and known < rank:
        raise ValueError(message.format(tensor))


def same_dtype(operators, message, told=lambda pairs: "   ".join(pairs)):
    """The dtype of all operators; TypeError if they have several."""
    dtype = operators[0].dtype
    if any(o.dtype != dtype for o in operators):
        pairs = (str((o.name, o.dtype)) for o in operators)
        raise TypeError(message % told(pairs))
    return dtype


def hints_of_all(operators, parameters, words, message):
    """What all operators are, an operator made of them is as well; ValueError with
    the message, of a hint and its word, if the user denies that."""
    return {
        hint: hints.must_be(
            all(getattr(o, hint) for o in operators), parameters[hint],
            message.format(hint=hint, word=word),
        )
        for hint, word in words.items()
    }


def factors_of(operators):
    """A list of operators, of which there must be one, and their dtype."""
    operators = list_of(operators)
    if not operators:
        raise ValueError(
            f"Expected a non-empty list of operators. Found: {operators}"
        )
    return operators, same_dtype(
        operators, "Expected all operators to have the same dtype.  Found %s"
    )


def list_of(operators):
    """A list of operators; TypeError for what is none."""
    if isinstance(operators, (str, bytes)) or not hasattr(operators, "__iter__"):
        raise TypeError(
            "Expected argument \"values\" to be iterable.  "
            f"Found: {type(operators)}"
        )
    return list(operators)
