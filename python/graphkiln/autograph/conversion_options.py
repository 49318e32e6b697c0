"""How generated functions were converted."""


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
