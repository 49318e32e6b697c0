"""Decorators that read the parameters of functions: what is called in the place
of a public function is looked up in C++ (python/src/ops/dispatch.h)."""

import functools
import inspect
import typing
from collections.abc import Callable

from graphkiln import _graphkiln


def dispatch_for_api(api: Callable, *signatures: dict) -> Callable:
    """Decorates a function that is called in the place of `api` for
    arguments of certain types.

    Args:
      api: a function of TensorFlow's API that computes with tensors.
      *signatures: each a dictionary, the name of an argument -> its type, a
        Union of types or a List of one. Without any the annotations of the
        function decorated count.

    The function takes the parameters of `api`, whatever their defaults are, or
    `*args, **kwargs`. It may leave out `name`, which is then the name scope that
    it is called in.

    Raises ValueError if `api` cannot be dispatched, or if the parameters of
    the function are not those of `api`.

    >>> class Masked(tf.experimental.ExtensionType):
    ...     values: tf.Tensor
    ...     mask: tf.Tensor
    >>> @tf.experimental.dispatch_for_api(tf.math.reduce_max)
    ... def masked_max(input_tensor: Masked, axis=None, keepdims=False,
    ...                name=None):
    ...     kept = tf.boolean_mask(input_tensor.values, input_tensor.mask)
    ...     return tf.math.reduce_max(kept, axis, keepdims)
    >>> tf.math.reduce_max(Masked([1, 9], [True, False])).numpy().item()
    1
    """
    if not _graphkiln.can_dispatch(api):
        raise ValueError(f"{api} does not support dispatch.")
    wanted = inspect.signature(api)
    for form in signatures:
        _check_names(form, wanted)

    def decorate(target: Callable) -> Callable:
        call = _with_name(target, wanted)
        _check_parameters(inspect.signature(call), wanted)
        for form in signatures or (typing.get_type_hints(target),):
            form = {k: v for k, v in form.items() if k != "return"}
            _check_names(form, wanted)
            if not form:
                raise ValueError(
                    "The Dispatch function must have at least one annotated "
                    "parameter, or `dispatch_for_api` a signature."
                )
            _graphkiln.add_dispatch_target(api, target, call, form)
        return target

    return decorate


def _with_name(target: Callable, wanted: inspect.Signature) -> Callable:
    """`target`, which takes a `name` if the API does."""
    given = inspect.signature(target)
    parameters = list(given.parameters.values())
    if (
        "name" not in wanted.parameters
        or "name" in given.parameters
        or any(p.kind is p.VAR_KEYWORD for p in parameters)
    ):
        return target

    @functools.wraps(target)
    def named(*args, **kwargs):
        values = given_with_name.bind(*args, **kwargs).arguments
        name = values.pop("name", None)
        if name is None:
            return target(**values)
        with _graphkiln.name_scope(name):
            return target(**values)

    given_with_name = given.replace(parameters=[
        *parameters,
        inspect.Parameter(
            "name", inspect.Parameter.POSITIONAL_OR_KEYWORD, default=None
        ),
    ])
    named.__signature__ = given_with_name
    return named


def _check_parameters(
    given: inspect.Signature, wanted: inspect.Signature
) -> None:
    kinds = [p.kind for p in given.parameters.values()]
    if kinds == [inspect.Parameter.VAR_POSITIONAL,
                 inspect.Parameter.VAR_KEYWORD]:
        return
    if [(p.name, p.kind) for p in given.parameters.values()] != [
        (p.name, p.kind) for p in wanted.parameters.values()
    ]:
        raise ValueError(
            f"Dispatch function's signature {_plain(given)} does not match "
            f"API's signature {_plain(wanted)}."
        )


def _check_names(form: dict, wanted: inspect.Signature) -> None:
    for name in form:
        if name not in wanted.parameters:
            raise ValueError(
                f"signature includes annotation for unknown parameter {name!r}."
            )


def _plain(signature: inspect.Signature) -> inspect.Signature:
    return inspect.Signature([
        p.replace(annotation=p.empty) for p in signature.parameters.values()
    ])
