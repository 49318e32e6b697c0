"""tf.train.ClusterSpec and tf.train.Coordinator beside TensorFlow's."""

from __future__ import annotations

import threading
import time

import pytest

CLUSTERS = [
    {"w": ["a:1", "b:2"], "ps": {1: "c:3", 4: "d"}}, {}, {"w": []}, {"w": "x"},
    {"w": 5}, {"w": [5]}, {"w": {"a": "b"}}, {"w": {1: 5}}, None, [1], {5: ["a"]},
    {"w": ("a", "b")}]  # fmt: skip


def told(function):
    try:
        return function()
    except Exception as error:  # noqa: BLE001
        return type(error).__name__, str(error)


def cluster(tf, given):
    made = told(lambda: tf.train.ClusterSpec(given))
    if isinstance(made, tuple):
        return made
    answers = [repr(made), made.as_dict(), made.jobs, bool(made)]
    answers.append(str(made.as_cluster_def()))
    answers.append(tf.train.ClusterSpec(made) == made)
    answers.append(tf.train.ClusterSpec(made.as_cluster_def()) == made)
    answers.append(made == made.as_dict())
    for job in ("w", "ps", "x", 3):
        # Of a job without tasks TensorFlow cannot tell them.
        methods = ("num_tasks", "task_indices") + ("job_tasks",) * (given != {"w": []})
        for method in methods:
            answers.append(told(lambda m=method, j=job: getattr(made, m)(j)))
        for i in (-1, 0, 1, 4):
            answers.append(told(lambda j=job, i=i: made.task_address(j, i)))
    return answers


@pytest.mark.parametrize("given", CLUSTERS, ids=str)
def test_clusters(both, given):
    assert cluster(both.ours, given) == cluster(both.theirs, given)


def test_servers(both):
    text = []
    for tf in (both.ours, both.theirs):
        spec = tf.train.ClusterSpec(CLUSTERS[0]).as_cluster_def()
        text.append(
            str(tf.train.ServerDef(cluster=spec, job_name="w", task_index=1, port=9))
        )
    assert text[0] == text[1]


def coordinators(tf):
    make = tf.train.Coordinator
    coord = make()
    yield coord.should_stop(), coord.joined, coord.wait_for_stop(0.01)
    yield told(coord.join), coord.joined, coord.should_stop()
    coord.clear_stop()
    yield coord.joined, coord.should_stop()
    coord.request_stop(tf.errors.OutOfRangeError(None, None, "end"))
    yield coord.should_stop(), told(coord.join), told(coord.raise_requested_exception)
    coord = make(clean_stop_exception_types=(ValueError,))
    coord.request_stop(ValueError("v"))
    yield told(coord.join)

    coord = make()

    def fails():
        with coord.stop_on_exception():
            raise KeyError("k")

    thread = threading.Thread(target=fails)
    coord.register_thread(thread)
    thread.start()
    yield told(coord.join), coord.joined, coord.should_stop()
    slow = threading.Thread(target=lambda: time.sleep(1.5), name="slow")
    slow.start()
    for ignore in (False, True):
        coord = make()
        coord.request_stop()
        yield told(
            lambda c=coord, i=ignore: c.join(
                [slow], stop_grace_period_secs=0.1, ignore_live_threads=i
            )
        )
    slow.join()


def test_coordinators(both):
    assert list(coordinators(both.ours)) == list(coordinators(both.theirs))


def test_errors_that_tensorflow_cannot_print(both):
    tf = both.ours
    coord = tf.train.Coordinator()
    coord.request_stop(ValueError("x"))
    with pytest.raises(ValueError, match="x"):
        coord.join()
    with pytest.raises(KeyError):
        coord.request_stop(KeyError("after the end"))
    with pytest.raises(TypeError, match="`ex` must be an error"):
        tf.train.Coordinator().request_stop(5)
