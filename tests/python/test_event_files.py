"""How event files are written: when, by whom, and what becomes of those whose
program ends."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import threading
import time

import pytest
from child_program import dies_with_parent

import graphkiln as tf


def records(folder) -> list[bytes]:
    """The whole records of the one file of a folder, as long as they are whole."""
    (path,) = folder.iterdir()
    reader = tf._graphkiln._open_event_reader(str(path))
    found = []
    try:
        while (record := reader.read()) is not None:
            found.append(record)
    except tf.errors.DataLossError:
        pass
    return found


def test_a_queue_is_written_when_it_is_longer(tmp_path):
    writer = tf.summary.create_file_writer(str(tmp_path), max_queue=3)
    with writer.as_default():
        for step in range(3):
            tf.summary.scalar("a", 1.0, step=step)
        assert len(records(tmp_path)) == 1
        tf.summary.scalar("a", 1.0, step=3)
        assert len(records(tmp_path)) == 5
        tf.summary.scalar("a", 1.0, step=4)
        assert len(records(tmp_path)) == 5
        tf.summary.flush()
        assert len(records(tmp_path)) == 6


def test_what_waits_long_is_written_meanwhile(tmp_path):
    writer = tf.summary.create_file_writer(str(tmp_path), flush_millis=100)
    with writer.as_default():
        tf.summary.scalar("a", 1.0, step=0)
        for _ in range(200):
            if len(records(tmp_path)) == 2:
                break
            time.sleep(0.05)
        assert len(records(tmp_path)) == 2


def test_who_lets_go_of_a_writer_loses_nothing(tmp_path):
    writer = tf.summary.create_file_writer(str(tmp_path))
    tf.raw_ops.WriteScalarSummary(writer=writer._resource, step=0, tag="a", value=1.0)
    assert len(records(tmp_path)) == 1
    del writer
    assert len(records(tmp_path)) == 2


def test_threads(tmp_path):
    writer = tf.summary.create_file_writer(str(tmp_path), max_queue=7, flush_millis=1)

    def write(thread):
        with writer.as_default():
            for step in range(100):
                tf.summary.text(f"t{thread}", str(step), step=step)

    threads = [threading.Thread(target=write, args=(i,)) for i in range(6)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    writer.close()
    (path,) = tmp_path.iterdir()
    steps: dict[str, list[int]] = {}
    for event in tf.compat.v1.train.summary_iterator(path):
        for value in event.summary.value:
            assert tf.make_ndarray(value.tensor).item() == str(event.step).encode()
            steps.setdefault(value.tag, []).append(event.step)
    assert steps == {f"t{i}": list(range(100)) for i in range(6)}


def run(program: str, *arguments: str) -> subprocess.Popen:
    return subprocess.Popen(
        [sys.executable, "-c", "import graphkiln as tf, sys, os, time\n" + program]
        + list(arguments),
        stdout=subprocess.PIPE,
        text=True,
        **dies_with_parent(),
    )


def test_a_program_that_ends_loses_nothing(tmp_path):
    child = run(
        "writer = tf.summary.create_file_writer(sys.argv[1])\n"
        "writer.set_as_default()\n"
        "for i in range(5): tf.summary.scalar('a', i, step=i)\n",
        str(tmp_path),
    )
    assert child.wait(60) == 0
    assert len(records(tmp_path)) == 6


def test_a_program_that_is_killed_leaves_whole_records(tmp_path):
    child = run(
        "writer = tf.summary.create_file_writer(sys.argv[1], max_queue=2)\n"
        "writer.set_as_default()\n"
        "for i in range(10**9):\n"
        "    tf.summary.text('a', 'x' * 5000, step=i)\n"
        "    if i == 300: print('on', flush=True)\n",
        str(tmp_path),
    )
    assert child.stdout is not None and child.stdout.readline() == "on\n"
    child.send_signal(signal.SIGKILL)
    child.wait(60)
    child.stdout.close()
    found = records(tmp_path)
    assert len(found) >= 299
    from graphkiln import _proto

    steps = [_proto.Event.FromString(record).step for record in found[1:]]
    assert steps == list(range(len(steps)))


@pytest.mark.skipif(not hasattr(os, "fork"), reason="there is no fork")
def test_a_forked_child_writes_nothing_of_its_parents(tmp_path):
    child = run(
        "writer = tf.summary.create_file_writer(sys.argv[1])\n"
        "with writer.as_default():\n"
        "    tf.summary.scalar('a', 1.0, step=0)\n"
        "    if os.fork() == 0:\n"
        "        try: tf.summary.scalar('a', 2.0, step=1)\n"
        "        except tf.errors.FailedPreconditionError: os._exit(3)\n"
        "        os._exit(4)\n"
        "    assert os.waitstatus_to_exitcode(os.wait()[1]) == 3\n"
        "    if os.fork() == 0: sys.exit(0)\n"
        "    os.wait()\n"
        "writer.close()\n",
        str(tmp_path),
    )
    assert child.wait(60) == 0
    assert len(records(tmp_path)) == 2
