"""Optional conversions."""

import enum


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
