"""The extension's classes in hands that mean them no good.

What no program should do to an object of a class written in C must end in one
of Python's errors: never in a crash, nor in an error of ours (InternalError,
SystemError).
"""

import os
import subprocess
import sys

import pytest

import graphkiln as tf

# Objects whose __init__ never ran, and what every object can be asked.
OBJECTS = r"""
import copy, faulthandler, gc, pickle, warnings
faulthandler.enable()
warnings.simplefilter("ignore")
import graphkiln as tf, graphkiln._graphkiln as extension
asked = {
    "repr": repr, "str": str, "hash": hash, "bool": bool, "len": len, "iter": iter,
    "copy": copy.copy, "deepcopy": copy.deepcopy, "pickle": pickle.dumps,
    "equal": lambda o: o == o, "less": lambda o: o < o, "other": lambda o: o != 3,
    "item": lambda o: o[0], "call": lambda o: o(), "sum": lambda o: o + 1,
    "tensor": tf.convert_to_tensor, "flat": tf.nest.flatten,
    "composite": lambda o: tf.nest.flatten(o, expand_composites=True),
    "enter": lambda o: o.__enter__(), "leave": lambda o: o.__exit__(None, None, None),
    "traced": lambda o: tf.function(lambda x: 1)(o),
}
def attempt(what, f, *args):
    try:
        return f(*args)
    except BaseException as e:
        if isinstance(e, SystemError) or type(e).__name__ == "InternalError":
            print(what, repr(e), flush=True)
def ask(what, o):
    for name, f in asked.items():
        attempt(f"{what}: {name}", f, o)
    for name in dir(type(o)):
        if name != "__class__":
            attempt(f"{what}.{name}", getattr, o, name)
            attempt(f"{what}.{name} = None", setattr, o, name, None)
            attempt(f"del {what}.{name}", delattr, o, name)
def without_init(cls):
    class Without(cls):
        def __init__(self, *args):
            self.me = self
    return Without()
for name, cls in list(vars(extension).items()):
    if isinstance(cls, type) and not issubclass(cls, BaseException):
        for how, make in (
            ("new", lambda: cls.__new__(cls)),
            ("object", lambda: object.__new__(cls)),
            ("init", lambda: cls()),
            ("subclass", lambda: without_init(cls)),
        ):
            o = attempt(f"{name} by {how}", make)
            if o is not None:
                ask(f"{name} by {how}", o)
gc.collect()
print("done")
"""


def test_objects_without_init_are_no_danger():
    done = subprocess.run(
        [sys.executable, "-c", OBJECTS],
        capture_output=True,
        text=True,
        timeout=300,
        env=dict(os.environ, PYTHONFAULTHANDLER="1"),
        check=False,
    )
    assert (done.returncode, done.stdout) == (0, "done\n"), done.stderr[-2000:]


def containing_itself():
    items: list = []
    items.append(items)
    return items


@pytest.mark.parametrize(
    "make",
    [
        tf.data.DatasetSpec,
        tf.OptionalSpec,
        tf.data.IteratorSpec,
    ],
    ids=lambda cls: cls.__name__,
)
def test_a_spec_that_contains_itself_has_no_hash(make):
    spec = make(containing_itself())
    with pytest.raises(RecursionError):
        hash(spec)
    with pytest.raises(RecursionError):
        _ = spec == make(containing_itself())


NOT_UNICODE = "\ud800"


@pytest.mark.parametrize(
    ("error", "call"),
    [
        (ValueError, lambda: tf.data.Dataset.sample_from_datasets(iter([]))),
        (
            ValueError,
            lambda: tf.data.Dataset.choose_from_datasets(
                iter([]), tf.data.Dataset.range(2)
            ),
        ),
        (ValueError, lambda: tf.RaggedTensorSpec([None, None])._from_components([])),
        (
            ValueError,
            lambda: tf.experimental.DynamicRaggedShape.Spec(
                [], [2], tf.int64
            )._from_components([]),
        ),
        (ValueError, lambda: tf.Graph().name_scope(NOT_UNICODE).__enter__()),
        (UnicodeEncodeError, lambda: tf.RegisterGradient(NOT_UNICODE)),
        (UnicodeEncodeError, lambda: tf.no_gradient(NOT_UNICODE)),
        (TypeError, lambda: tf.sparse.SparseTensor.from_value(NOT_UNICODE)),
        (TypeError, lambda: tf.types.experimental.FunctionType([3])),
    ],
)
def test_what_does_not_belong_there_is_an_error(error, call):
    with pytest.raises(error):
        call()
