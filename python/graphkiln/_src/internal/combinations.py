"""Tests that run once for each combination of their parameters."""

from __future__ import annotations

import contextlib
import functools
import importlib
import inspect
import itertools
import re
from collections import OrderedDict
from collections.abc import Callable, Iterable

from graphkiln import _graphkiln


class TestCombination:
    """What is special about some parameters of a test: which combinations run, and
    in which contexts.

    >>> tf.__internal__.test.combinations.TestCombination().context_managers({})
    []
    """

    __test__ = False

    def should_execute_combination(self, kwargs: dict) -> tuple[bool, str | None]:
        """Does this one run? If not, why."""
        return True, None

    def parameter_modifiers(self) -> list[ParameterModifier]:
        """What changes parameters before the test gets them."""
        return []

    def context_managers(self, kwargs: dict) -> list:
        """Contexts that are entered around the test."""
        return []


class ParameterModifier:
    """What changes the parameters of a combination before the test gets them.

    Args:
      parameter_name: which one it is about.
    """

    DO_NOT_PASS_TO_THE_TEST = object()

    def __init__(self, parameter_name: str | None = None) -> None:
        self._parameter_name = parameter_name

    def modified_arguments(self, kwargs: dict, requested_parameters: list[str]) -> dict:
        """What replaces parameters; `DO_NOT_PASS_TO_THE_TEST` takes one away."""
        raise NotImplementedError

    def __eq__(self, other: object) -> bool:
        return self is other or (
            type(self) is type(other) and self.__dict__ == other.__dict__
        )

    def __hash__(self) -> int:
        return hash((type(self), self._parameter_name))


class OptionalParameter(ParameterModifier):
    """A parameter that a test need not have."""

    def modified_arguments(self, kwargs: dict, requested_parameters: list[str]) -> dict:
        if self._parameter_name in requested_parameters:
            return {}
        return {self._parameter_name: self.DO_NOT_PASS_TO_THE_TEST}


class NamedObject:
    """A value with a name that stands in the names of tests.

    >>> tf.__internal__.test.combinations.NamedObject("two", 2)
    two
    """

    def __init__(self, name: str, obj: object) -> None:
        self._name = name
        self._obj = obj

    def __getattr__(self, name: str) -> object:
        return getattr(self._obj, name)

    def __call__(self, *args: object, **kwargs: object) -> object:
        return self._obj(*args, **kwargs)

    def __iter__(self) -> object:
        return iter(self._obj)

    def __repr__(self) -> str:
        return self._name


class EagerGraphCombination(TestCombination):
    """The parameter `mode`: "graph" or "eager"."""

    def context_managers(self, kwargs: dict) -> list:
        mode = kwargs.pop("mode", None)
        if mode is None:
            return []
        if mode == "eager":
            return [_eagerly()]
        if mode == "graph":
            return [_graphkiln.Graph().as_default()]
        raise ValueError(
            f"Argument 'mode' must be either 'eager' or 'graph'. Received: {mode}."
        )

    def parameter_modifiers(self) -> list[ParameterModifier]:
        return [OptionalParameter("mode")]


def _eagerly() -> object:
    return _graphkiln.EagerMode()


class TFVersionCombination(TestCombination):
    """The parameter `tf_api_version`: 1 or 2. Here the second behavior is on, so that
    those of the first do not run."""

    def should_execute_combination(self, kwargs: dict) -> tuple[bool, str | None]:
        if kwargs.pop("tf_api_version", None) == 1:
            return False, "Skipping a TF1.x test when TF2 is enabled."
        return True, None

    def parameter_modifiers(self) -> list[ParameterModifier]:
        return [OptionalParameter("tf_api_version")]


def combine(**kwargs: object) -> list[OrderedDict]:
    """All combinations of the values of parameters: a list of dictionaries.

    Args:
      **kwargs: by a parameter's name its values, a list; one that is none is the only
        value. `NamedObject`s keep their names in the names of tests.

    >>> [dict(c) for c in tf.__internal__.test.combinations.combine(a=[1, 2], b="x")]
    [{'a': 1, 'b': 'x'}, {'a': 2, 'b': 'x'}]
    """
    # Of the tests' order the first name's values change slowest.
    names = sorted(kwargs)
    values = [v if isinstance(v, list) else [v] for v in map(kwargs.get, names)]
    return [
        OrderedDict(zip(names, chosen, strict=True))
        for chosen in itertools.product(*values)
    ]


def times(*combined: list) -> list[OrderedDict]:
    """Each of some combinations with each of others.

    Args:
      *combined: lists of dictionaries.

    Raises:
      ValueError: two of them have the same parameter.

    >>> a = tf.__internal__.test.combinations.combine(a=[1, 2])
    >>> b = tf.__internal__.test.combinations.combine(b=[3])
    >>> [dict(c) for c in tf.__internal__.test.combinations.times(a, b)]
    [{'a': 1, 'b': 3}, {'a': 2, 'b': 3}]
    """
    made = []
    for chosen in itertools.product(*combined):
        items = [item for part in chosen for item in part.items()]
        one = OrderedDict(items)
        if len(one) != len(items):
            names = [list(part) for part in chosen]
            raise ValueError(f"Keys need to not overlap: {names}")
        made.append(one)
    return made


_ADDRESS = re.compile("0[xX][0-9a-fA-F]+")  # in texts of objects

DEFAULT_COMBINATIONS = EagerGraphCombination(), TFVersionCombination()


def generate(
    combinations: Iterable[dict],
    *,
    test_combinations: tuple = DEFAULT_COMBINATIONS,
) -> Callable:
    """Decorates a test of an `absl.testing.parameterized.TestCase`, or a class of
    them, that runs for each combination.

    Args:
      combinations: dictionaries of parameters.
      test_combinations: what is special about some of them; by default `mode` ("graph"
        or "eager") and `tf_api_version`.
    """
    parameterized = importlib.import_module("absl.testing.parameterized")
    combinations = list(combinations)

    def decorator(test: object) -> object:
        if isinstance(test, type):
            # The class is there already, so that its metaclass takes nothing apart.
            test._test_params_reprs = reprs = getattr(test, "_test_params_reprs", {})
            for name, value in list(vars(test).items()):
                if not (name.startswith("test") and inspect.isfunction(value)):
                    continue
                made = decorator(value)
                if inspect.isfunction(made):
                    setattr(test, name, made)
                    continue
                delattr(test, name)
                methods: dict = {}
                parameterized._update_class_dict_for_param_test_case(
                    test.__name__, methods, reprs, name, made
                )
                for method_name, method in methods.items():
                    setattr(test, method_name, method)
            return test
        run = _with_contexts(test, test_combinations)
        named = []
        for combination in combinations:
            if not isinstance(combination, dict):
                raise TypeError(f"Combination must be a dictionary: {combination!r}")
            words = [
                f"_{_plain(name)}_{_plain(_ADDRESS.sub(str(number), str(value)))}"
                for number, (name, value) in enumerate(combination.items())
            ]
            name = f"_test{''.join(words)}"
            named.append(OrderedDict([*combination.items(), ("testcase_name", name)]))
        if not named:
            return run
        return parameterized.named_parameters(*named)(run)

    return decorator


# Keras adds to these, which it asks for by `keywords`.
generate = functools.update_wrapper(
    functools.partial(generate, test_combinations=DEFAULT_COMBINATIONS), generate
)


def _plain(text: str) -> str:
    return "".join(filter(str.isalnum, text))


def _with_contexts(test: Callable, special: tuple) -> Callable:
    parameters = inspect.getfullargspec(test).args
    takes = set(parameters[1:])

    @functools.wraps(test)
    def run(self: object, **kwargs: object) -> None:
        asked = [one.should_execute_combination(kwargs.copy()) for one in special]
        reasons = [f" - {reason}" for runs, reason in asked if not runs]
        if reasons:
            self.skipTest("\n".join(reasons))
        contexts = [c for one in special for c in one.context_managers(kwargs.copy())]
        with contextlib.ExitStack() as stack:
            for context in contexts:
                stack.enter_context(context)
            passed = kwargs.copy()
            modifiers = (m for one in special for m in one.parameter_modifiers())
            for modifier in dict.fromkeys(modifiers):
                passed |= modifier.modified_arguments(kwargs.copy(), parameters)
            for name, value in list(passed.items()):
                if value is ParameterModifier.DO_NOT_PASS_TO_THE_TEST:
                    del passed[name]
            if takes - passed.keys():
                raise ValueError(
                    "The test requires parameters whose arguments were not passed: "
                    f"{takes - passed.keys()} ."
                )
            if passed.keys() - takes:
                raise ValueError(
                    "The test does not take parameters that were passed : "
                    f"{passed.keys() - takes} ."
                )
            test(self, **passed)

    del run.__wrapped__  # its own parameters are asked for
    run.__signature__ = inspect.signature(lambda self, **kwargs: None)
    return run
