"""Writers of checkpoints that are killed: python fuzz/killed_writers.py --count 200

In every case a process writes checkpoints as fast as it can, each with values of its
own, until it is killed (SIGKILL) at a random moment. What is left must be a whole
checkpoint, the last one that the writer said it had finished or the one after it,
and the next writer must succeed and, where it can know them, leave no files of the
killed one.
"""

import itertools
import random
import sys
from collections.abc import Iterator

from campaign import Case, main
from killed_child import WRITTEN_BY_A_CHILD

# Each takes the number of the checkpoint to write; gives its path.
WRITERS = {
    "write": """
v = [tf.Variable(tf.zeros([{size}])) for _ in range(3)]
checkpoint = tf.train.Checkpoint(v=v)
def write(): return checkpoint.write(folder + "/c")
def read(): checkpoint.read(folder + "/c").assert_consumed()
""",
    "write from another thread": """
v = [tf.Variable(tf.zeros([{size}])) for _ in range(3)]
checkpoint = tf.train.Checkpoint(v=v)
options = tf.train.CheckpointOptions(enable_async=True)
def write():
    checkpoint.write(folder + "/c", options)
    checkpoint.sync()
def read(): checkpoint.read(folder + "/c").assert_consumed()
""",
    "write data files of some size": """
import random
v = [tf.Variable(tf.zeros([{size}])) for _ in range(3)]
checkpoint = tf.train.Checkpoint(v=v)
def write():
    most = random.choice([10, 20, 40]) * {size} // 10
    checkpoint.write(folder + "/c", tf.train.CheckpointOptions(
        experimental_sharding_callback=tf.train.experimental.MaxShardSizePolicy(most)))
def read(): checkpoint.read(folder + "/c").assert_consumed()
""",
    "manager": """
v = [tf.Variable(tf.zeros([{size}])) for _ in range(3)]
checkpoint = tf.train.Checkpoint(v=v)
manager = None
def write():
    global manager
    if manager is None: manager = tf.train.CheckpointManager(checkpoint, folder, 2)
    manager.save()
def read():
    path = tf.train.latest_checkpoint(folder)
    assert path == tf.train.get_checkpoint_state(folder).model_checkpoint_path
    checkpoint.restore(path).assert_consumed()
""",
    "saver": """
v = [tf.Variable(tf.zeros([{size}]), name="v%d" % i) for i in range(3)]
saver = tf.compat.v1.train.Saver(v)
def write(): saver.save(None, folder + "/c")
def read(): saver.restore(None, tf.train.latest_checkpoint(folder))
""",
    "saver in pieces": """
v = [tf.Variable(tf.zeros([{size}]), name="v%d" % i) for i in range(3)]
saver = tf.compat.v1.train.Saver(v, sharded=True)
def write(): saver.save(None, folder + "/c")
def read(): saver.restore(None, tf.train.latest_checkpoint(folder))
""",
    "saver of the first format": """
v = [tf.Variable(tf.zeros([{size}]), name="v%d" % i) for i in range(3)]
saver = tf.compat.v1.train.Saver(v, write_version=1)
def write(): saver.save(None, folder + "/c")
def read(): saver.restore(None, tf.train.latest_checkpoint(folder))
""",
}

PROGRAM = r"""
import logging, os, re, shutil, tempfile, warnings
warnings.simplefilter("ignore")
import numpy as np
import graphkiln as tf
logging.disable(logging.WARNING)
folder = tempfile.mkdtemp(dir="/dev/shm" if {in_memory} else None)
{writer}
def fill(number):
    for one in v: one.assign(tf.fill([{size}], float(number)))
{child}
def fill_and_write(number):
    fill(number)
    write()
try:
    last = written_by_a_child(fill_and_write, {delay})
    left = set(os.listdir(folder))
    read()
    found = [np.unique(one.numpy()).tolist() for one in v]
    if found not in ([[float(last)]] * 3, [[last + 1.]] * 3):
        print("WRONG: values", found, "after checkpoint", last)
    fill(-1)
    write()
    fill(0)
    read()
    if [np.unique(one.numpy()).tolist() for one in v] != [[-1.]] * 3:
        print("WRONG: the next writer's values are not read")
    after = sorted(os.listdir(folder))
    allowed = re.compile(r"(checkpoint|c|c\.index|c\.data-\d+-of-\d+)$")
    strange = [n for n in after if not allowed.match(n)]
    shards = [n for n in after if ".data-" in n]
    wanted = int(shards[0].rpartition("-")[2]) if shards else 1
    if {tidy} and (strange or len(after) > wanted + 2): print("WRONG: left behind:", after)
    print("killed after", last, "checkpoints;", len(left), "files")
finally:
    shutil.rmtree(folder, ignore_errors=True)
"""


def cases(choose: random.Random) -> Iterator[Case]:
    for name in itertools.cycle(WRITERS):
        size = choose.choice([10, 10_000, 300_000])
        yield Case(
            f"{name}, {size} numbers",
            PROGRAM.format(
                child=WRITTEN_BY_A_CHILD,
                # A killed manager may have been about to delete or to note one;
                # pieces are put together in a folder of the writer's own.
                tidy=name not in ("manager", "saver in pieces"),
                writer=WRITERS[name].format(size=size),
                size=size,
                in_memory=choose.random() < 0.5,
                delay=choose.random() ** 2 * 0.3,
            ),
            patience=120,
        )


if __name__ == "__main__":
    sys.exit(main(__doc__, 200, cases))
