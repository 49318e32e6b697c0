"""Session.reset, and scopes' local variables."""

import pytest

import graphkiln as tf

v1 = tf.compat.v1


def test_reset_closes_the_sessions_that_are_there():
    with tf.Graph().as_default():
        v = v1.get_variable("v", initializer=2.0)
        sessions = [v1.Session(), v1.Session()]
        for session in sessions:
            session.run(v1.global_variables_initializer())
        v1.Session.reset("")
        for session in sessions:
            with pytest.raises(tf.errors.CancelledError, match="has been closed"):
                session.run(v)
        with v1.Session() as later:
            with pytest.raises(tf.errors.FailedPreconditionError):
                later.run(v)
            later.run(v1.global_variables_initializer())
            assert later.run(v) == 2.0


def test_reset_once_more_and_closing_afterwards():
    with tf.Graph().as_default():
        one = tf.constant(1)
        session = v1.Session()
        for _ in range(2):
            v1.Session.reset("")
            with pytest.raises(tf.errors.CancelledError):
                session.run(one)
        session.close()
        with pytest.raises(RuntimeError, match="a closed Session"):
            session.run(one)


def test_a_session_that_is_reset_stays_the_default_one():
    with tf.Graph().as_default():
        one = tf.constant(1)
        session = v1.InteractiveSession()
        v1.Session.reset("")
        assert v1.get_default_session() is session
        with pytest.raises(tf.errors.CancelledError):
            one.eval()
        session.close()
        assert v1.get_default_session() is None


def test_reset_of_a_closed_session():
    with tf.Graph().as_default():
        session = v1.Session()
        session.close()
        v1.Session.reset("", containers=["other"])
        with pytest.raises(RuntimeError, match="a closed Session"):
            session.run(tf.constant(1))


@pytest.mark.parametrize(
    "target, error", [("grpc://host:1", tf.errors.NotFoundError), (3, TypeError)]
)
def test_targets_that_are_not_here(target, error):
    with tf.Graph().as_default():
        session = v1.Session()
        with pytest.raises(error):
            v1.Session.reset(target)
        assert session.run(tf.constant(1)) == 1


def test_local_variables_of_a_scope():
    with tf.Graph().as_default():
        v1.get_local_variable("outside", [])
        with v1.variable_scope("s") as scope:
            inside = v1.get_local_variable("inside", [])
            v1.get_variable("global", [])
        assert scope.local_variables() == [inside]
        assert len(scope.global_variables()) == 1
