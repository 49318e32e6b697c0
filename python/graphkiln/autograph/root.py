"""What tracing calls: the conversion of a tf.function's Python function."""

from collections.abc import Callable

from graphkiln import _graphkiln
from graphkiln.autograph import (
    calls,
    failures,
    feature,
    operators,  # noqa: F401  what conversion needs
    staged_list,
)


def convert(function: Callable, features: object) -> Callable:
    """The function to trace in place of `function`. Its errors name the
    user's lines."""
    converted = calls.convert_root(
        function, feature.checked_features(features)
    )

    def traced(*args, **kwargs):
        try:
            result = converted(*args, **kwargs)
            return staged_list.unstaged(result) if staged_list.made else result
        except Exception as error:
            told = failures.explained(error)
            if told is None:
                raise
            raise told.with_traceback(error.__traceback__) from None

    return traced


_graphkiln.provide(convert)
