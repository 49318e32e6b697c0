"""What generated functions carry about: their options and their scope."""

import enum

from graphkiln.autograph import symbols


class Feature(enum.Enum):
    """Optional conversions, for `experimental_autograph_options`.

    >>> tf.autograph.experimental.Feature.EQUALITY_OPERATORS.value
    'EQUALITY_OPERATORS'
    """

    ALL = "ALL"
    AUTO_CONTROL_DEPS = "AUTO_CONTROL_DEPS"
    ASSERT_STATEMENTS = "ASSERT_STATEMENTS"
    BUILTIN_FUNCTIONS = "BUILTIN_FUNCTIONS"
    EQUALITY_OPERATORS = "EQUALITY_OPERATORS"
    LISTS = "LISTS"
    NAME_SCOPES = "NAME_SCOPES"

    @classmethod
    def all(cls) -> tuple["Feature", ...]:
        """All features.

        >>> tf.autograph.experimental.Feature.LISTS in (
        ...     tf.autograph.experimental.Feature.all())
        True
        """
        return tuple(cls.__members__.values())

    @classmethod
    def all_but(
        cls, exclude: "Feature | list[Feature] | tuple[Feature, ...] | set[Feature]"
    ) -> tuple["Feature", ...]:
        """All features except some.

        >>> len(tf.autograph.experimental.Feature.all_but(()))
        7
        """
        if not isinstance(exclude, (list, tuple, set)):
            exclude = (exclude,)
        return tuple(f for f in cls.all() if f not in set(exclude))


def checked_features(features) -> tuple[Feature, ...]:
    """`features` as a tuple; TypeError for anything that is no Feature."""
    if features is None:
        return ()
    if isinstance(features, Feature):
        features = (features,)
    features = tuple(features)
    for feature in features:
        if not isinstance(feature, Feature):
            raise TypeError(
                "experimental_autograph_options must be None, a Feature or a "
                f"tuple of them, got {feature!r}"
            )
    return features


class ConversionOptions:
    """How a function was converted."""

    __slots__ = (
        "recursive", "user_requested", "optional_features",
        "internal_convert_user_code",
    )

    def __init__(
        self,
        recursive: bool = True,
        user_requested: bool = False,
        optional_features: tuple = (),
        internal_convert_user_code: bool = True,
    ):
        self.recursive = recursive
        self.user_requested = user_requested
        self.optional_features = optional_features
        self.internal_convert_user_code = internal_convert_user_code

    def source(self) -> str:
        """The expression that makes these options in generated code."""
        features = ", ".join(f"ag__.{f}" for f in self.optional_features)
        if len(self.optional_features) == 1:
            features += ","
        return (
            f"ag__.ConversionOptions(recursive={self.recursive}, "
            f"user_requested={self.user_requested}, "
            f"optional_features=({features}), "
            f"internal_convert_user_code={self.internal_convert_user_code})"
        )


STD = ConversionOptions()


class FunctionScope:
    """The body of a generated function while it runs."""

    __slots__ = ("function_name", "name", "options")

    def __init__(self, function_name: str, name: str, options):
        self.function_name = function_name
        self.name = name
        self.options = options

    def __enter__(self) -> "FunctionScope":
        return self

    def __exit__(self, *error) -> None:
        pass

    def ret(self, value: object, did_return: object) -> object:
        """What the function returns."""
        if type(value) is symbols.UndefinedReturnValue:
            return None
        return value
