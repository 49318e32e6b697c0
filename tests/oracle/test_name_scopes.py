"""Names that tf.name_scope takes, and those that it refuses."""

import pytest


@pytest.mark.parametrize("name", ["a", "\ud800", "a\0b", 3, None, b"x"])
@pytest.mark.parametrize("graph", [False, True])
def test_names(both, name, graph):
    def enter(tf):
        with tf.name_scope(name) as scope:
            return scope

    def program(tf):
        try:
            if not graph:
                return enter(tf)
            with tf.Graph().as_default():
                return enter(tf)
        except Exception as e:
            return type(e).__name__

    assert program(both.ours) == program(both.theirs)


def test_scopes_of_a_graph_that_is_not_the_default(both):
    def program(tf):
        graph, other = tf.Graph(), tf.Graph()
        with other.as_default(), graph.name_scope("outer") as scope:
            names = [scope, graph.get_name_scope(), other.get_name_scope()]
            names.append(tf.constant(1, name="c").name)
            with graph.as_default():
                names.append(tf.constant(1, name="c").name)
                with tf.name_scope("inner") as inner:
                    names += [inner, graph.get_name_scope()]
            try:
                with graph.name_scope("\ud800"):
                    pass
            except Exception as e:
                names.append(type(e).__name__)
        return [*names, graph.get_name_scope()]

    assert program(both.ours) == program(both.theirs)
