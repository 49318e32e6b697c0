"""Writers of data that are killed: python fuzz/killed_data_writers.py --count 200

In every case a process fills caches, snapshots, saved datasets, record or event files
until it is killed (SIGKILL) at a random moment. What was told to be written must be
there whole; what was not may be missing, never wrong, and the next writer succeeds
(of a cache once the lock of the killed one is deleted).
"""

import itertools
import random
import sys
from collections.abc import Iterator

from campaign import Case, main
from killed_child import WRITTEN_BY_A_CHILD

# write(number) in the child; check(last) behind it, where all up to `last` is written.
WRITERS = {
    "cache": """
def made(n): return D.range({size}).map(lambda x: x + n).cache(f"{{folder}}/c{{n}}")
def write(n): assert len(list(made(n).batch(1000))) > 0
def check(last):
    # As its message says, a killed writer's lock is the user's to delete.
    lock = f"{{folder}}/c{{last + 1}}_0.lockfile"
    if os.path.exists(lock): os.remove(lock)
    for n in range(1, last + 3): same(made(n), n)
""",
    "snapshot": """
def made(n): return D.range({size}).map(lambda x: x + n).snapshot(f"{{folder}}/s{{n}}")
def write(n): assert len(list(made(n).batch(1000))) > 0
def check(last):
    for n in range(1, last + 3): same(made(n), n)
""",
    "save": """
def write(n): D.range({size}).map(lambda x: x + n).save(folder + "/d")
def check(last):
    found = elements(D.load(folder + "/d"))
    assert found in (wanted(last), wanted(last + 1)), (last, found[:3], len(found))
    write(-5)
    assert elements(D.load(folder + "/d")) == wanted(-5)
""",
    "save in shards": """
def write(n):
    D.range({size}).map(lambda x: x + n).save(folder + "/d", shard_func=lambda x: x % 3)
def check(last):
    found = sorted(elements(D.load(folder + "/d")))
    assert found in (wanted(last), wanted(last + 1)), (last, found[:3], len(found))
    write(-5)
    assert sorted(elements(D.load(folder + "/d"))) == wanted(-5)
""",
    "records": """
writer = None
def record(n): return b"%d " % n * ({size} % 997 + n % 7)
def write(n):
    global writer
    if writer is None: writer = tf.io.TFRecordWriter(folder + "/r", {compression!r})
    writer.write(record(n))
    if n % 3 == 0: writer.flush()
def check(last):
    found = before_loss(iter(tf.data.TFRecordDataset(folder + "/r", {compression!r})),
                        lambda x: x.numpy())
    assert found == [record(n) for n in range(1, len(found) + 1)], found[-1:]
    least = 0 if {compression!r} else last // 3 * 3
    assert least <= len(found) <= last + 3, (last, len(found))
""",
    "events": """
writer = None
def write(n):
    global writer
    if writer is None: writer = tf.summary.create_file_writer(folder)
    with writer.as_default(): tf.summary.scalar("n", float(n), step=n)
    if n % 3 == 0: writer.flush()
def check(last):
    (name,) = os.listdir(folder)
    found = before_loss(tf.compat.v1.train.summary_iterator(folder + "/" + name),
                        lambda event: event.step)[1:]
    assert found == list(range(1, len(found) + 1)), found
    assert last // 3 * 3 <= len(found) <= last + 3, (last, len(found))
""",
}

PROGRAM = r"""
import logging, os, shutil, tempfile, warnings
warnings.simplefilter("ignore")
import graphkiln as tf
logging.disable(logging.WARNING)
D = tf.data.Dataset
folder = tempfile.mkdtemp(dir="/dev/shm" if {in_memory} else None)
def elements(d): return [int(x) for b in d.batch(1000) for x in b]
def wanted(n): return list(range(n, n + {size}))
def same(d, n):
    found = elements(d)
    assert found == wanted(n), (n, len(found), found[:3])
def before_loss(iterator, read):
    found = []
    try:
        for x in iterator: found.append(read(x))
    except tf.errors.DataLossError: pass
    return found
{writer}
{child}
try:
    last = written_by_a_child(write, {delay})
    try: check(last)
    except (AssertionError, tf.errors.OpError) as error:
        print("WRONG:", type(error).__name__, str(error)[:300], "last", last)
    print("killed after", last)
finally:
    shutil.rmtree(folder, ignore_errors=True)
"""


def cases(choose: random.Random) -> Iterator[Case]:
    for name in itertools.cycle(WRITERS):
        size = choose.choice([1, 100, 5_000])
        compression = choose.choice(["", "GZIP", "ZLIB"])
        writer = WRITERS[name].format(size=size, compression=compression)
        yield Case(
            f"{name}, {size} elements {compression}",
            PROGRAM.format(
                child=WRITTEN_BY_A_CHILD,
                writer=writer,
                size=size,
                in_memory=choose.random() < 0.5,
                delay=choose.random() ** 2 * 0.2,
            ),
            patience=120,
        )


if __name__ == "__main__":
    sys.exit(main(__doc__, 200, cases))
