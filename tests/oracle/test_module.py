"""tf.Module finds what TensorFlow's finds, in the same order."""

import collections.abc

import pytest


def _modules(tf):
    class Part(tf.Module):
        def __init__(self, **attributes):
            super().__init__()
            for name, value in attributes.items():
                setattr(self, name, value)

    return Part


def _paths(module, **options):
    """Of what the program gave; private attributes are the library's."""
    return [
        path
        for path, _ in module._flatten(with_path=True, **options)
        if not any(str(step).startswith("_") for step in path)
    ]


def test_composites_are_expanded(both):
    def program(tf):
        m = _modules(tf)(
            a=tf.ragged.constant([[1], [2, 3]]), b=[tf.sparse.from_dense([1, 0])]
        )
        return _paths(m), _paths(m, expand_composites=True)

    assert program(both.ours) == program(both.theirs)


def test_the_key_sorts_inner_modules_too(both):
    def program(tf):
        part = _modules(tf)
        m = part(a=1, b=part(y=2, x=3))
        return _paths(m, attribute_traversal_key=lambda name: [-ord(c) for c in name])

    assert program(both.ours) == program(both.theirs)


def test_paths_of_cycles(both):
    def program(tf):
        part = _modules(tf)
        m = part(v=tf.Variable(1.0))
        m.me, m.list = m, [m, part(m=m)]
        return _paths(m), len(m.submodules)

    assert program(both.ours) == program(both.theirs)


def test_a_predicate_is_asked_once_of_each_leaf(both):
    def program(tf):
        part = _modules(tf)
        inner, asked = part(), []
        m = part(a=inner, b=[inner, 7])
        list(m._flatten(predicate=lambda leaf: asked.append(leaf is inner)))
        return sum(asked)

    assert program(both.ours) == program(both.theirs) == 1


class Refusing(collections.abc.Mapping):
    def __getitem__(self, key):
        raise TypeError("mine")

    def __iter__(self):
        return iter(["a"])

    def __len__(self):
        return 1

    def __repr__(self):
        return "Refusing()"


@pytest.mark.parametrize("value", [Refusing(), {1: 2, "b": 3}])
def test_what_cannot_be_walked_is_told(both, value):
    def program(tf):
        with pytest.raises(ValueError, match="Error processing property 'a' of"):
            _modules(tf)(a=value).variables

    program(both.theirs)
    program(both.ours)


@pytest.mark.parametrize("name", ["a", "a\n", "\u00e9", "a\u00e9", "a-b", "", "1", "_"])
def test_names(both, name):
    def program(tf):
        try:
            return tf.Module(name).name
        except ValueError as e:
            return str(e)

    assert program(both.ours) == program(both.theirs)


@pytest.mark.parametrize("name", ["ABCd", "_Ab", "AaBb", "A1B", "HTTPServer2Go", "_A"])
def test_names_of_classes(both, name):
    def program(tf):
        return type(name, (tf.Module,), {})().name

    assert program(both.ours) == program(both.theirs)
