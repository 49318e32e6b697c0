"""Damaged checkpoints: python fuzz/damaged_checkpoints.py --count 40

In every case a child damages files of checkpoints fifty times, each time in another
way, and reads them in a random way. Reading must give the values that were written,
or an error of a file that names it and the place in it; then no variable has
changed.
"""

import random
import sys
from collections.abc import Iterator

from campaign import Case, main

# One case damages so often.
DAMAGES = 50

PROGRAM = """
import logging, os, random, resource, shutil, tempfile, warnings
warnings.simplefilter("ignore")
import numpy as np
import graphkiln as tf
logging.disable(logging.ERROR)
resource.setrlimit(resource.RLIMIT_AS, (16 << 30, 16 << 30))
choose = random.Random({seed})
folder = tempfile.mkdtemp()
whole, hurt = folder + "/whole", folder + "/hurt"
os.mkdir(whole)
numbers = np.random.default_rng({seed})
def variables():
    return dict(
        w=tf.Variable(numbers.random([40, 30]).astype("f4"), name="w"),
        n=tf.Variable(numbers.integers(0, 99, [7]), name="scope/n"),
        b=tf.Variable(True, name="b"),
        s=tf.Variable(["", "word", "x" * 400], name="s"),
        h=tf.Variable(tf.cast([1.5, -2.5], tf.bfloat16), name="h"),
    )
held = variables()
values = {{name: v.numpy() for name, v in held.items()}}
checkpoint = tf.train.Checkpoint(**held)
named = {{v.name[:-2]: v for v in held.values()}}
first = [v for v in named.values() if v.dtype != tf.bfloat16]
Saver = tf.compat.v1.train.Saver
checkpoint.save(whole + "/objects")
Saver(list(named.values())).save(None, whole + "/names", write_state=False)
Saver(list(named.values()), sharded=True).save(
    None, whole + "/pieces", write_state=False)
Saver(first, write_version=1).save(None, whole + "/old", write_state=False)
tf.raw_ops.SaveV2(
    prefix=whole + "/parts", tensor_names=["w", "w"],
    shape_and_slices=["40 30 0,25:-", "40 30 25,15:-"],
    tensors=[held["w"][:25], held["w"][25:]])
tf.raw_ops.SaveSlices(
    filename=whole + "/old_parts", tensor_names=["w", "w"],
    shapes_and_slices=["40 30 0,25:-", "40 30 25,15:-"],
    data=[held["w"][:25], held["w"][25:]])
names = sorted(os.listdir(whole))

def damage(content, other):
    kind = choose.choice("bit byte run cut more swap zeros repeat splice lost".split())
    at = choose.randrange(len(content))
    length = choose.choice([1, 2, 4, 8, 100])
    to = choose.randrange(len(content))
    if kind == "bit": content[at] ^= 1 << choose.randrange(8)
    elif kind == "byte": content[at] = choose.randrange(256)
    elif kind == "run": content[at : at + length] = choose.randbytes(length)
    elif kind == "cut": del content[at:]
    elif kind == "more": content += choose.randbytes(length)
    elif kind == "swap":
        a, b = content[at : at + length], content[to : to + length]
        content[at : at + len(b)], content[to : to + len(a)] = b, a
    elif kind == "zeros": content[at : at + length] = bytes(length)
    elif kind == "repeat": content[to:to] = content[at : at + length]
    elif kind == "splice": content[at:] = other[min(at, len(other)) :]
    else: content = None
    return kind, content

def same(got, want):
    return got.dtype == want.dtype and np.array_equal(got, want)

def read_tensors(path):
    reader = tf.train.load_checkpoint(path)
    wrong = []
    for name, shape in tf.train.list_variables(path):
        key = name.split("/.ATTRIBUTES")[0]
        if key.startswith("_CHECKPOINTABLE") or key == "save_counter": continue
        want = {{v.name[:-2]: n for n, v in held.items()}}.get(key, key)
        if want not in values: wrong.append("there is " + name)
        elif not same(np.asarray(reader.get_tensor(name)), values[want]):
            wrong.append("value of " + name)
    return wrong
def restored(variables, read):
    for v in variables.values(): v.assign(tf.zeros_like(v))
    try:
        read()
    except tf.errors.OpError:
        for name, v in variables.items():
            if not same(v.numpy(), tf.zeros_like(v).numpy()):
                return ["half of it was restored: " + name]
        raise
    return [
        "value of " + name for name, v in variables.items()
        if not same(v.numpy(), values[name])]
def read_objects(path):
    return restored(held, lambda: tf.train.Checkpoint(**held).restore(path)
                    .assert_consumed())
def read_names(path, of):
    chosen = {{n: v for n, v in held.items() if n in of}}
    return restored(chosen, lambda: Saver(list(chosen.values())).restore(None, path))
old = [n for n in held if n != "h"]
readers = {{
    "objects-1": [read_tensors, read_objects, lambda p: read_names(p, list(held))],
    "names": [read_tensors, lambda p: read_names(p, list(held)), read_objects],
    "pieces": [read_tensors, lambda p: read_names(p, list(held))],
    "old": [read_tensors, lambda p: read_names(p, old)],
    "parts": [read_tensors, lambda p: read_names(p, ["w"])],
    "old_parts": [lambda p: read_names(p, ["w"])],
}}
told = right = 0
for number in range({damages}):
    shutil.rmtree(hurt, ignore_errors=True)
    shutil.copytree(whole, hurt)
    name = choose.choice([n for n in names if n != "checkpoint"])
    path = os.path.join(hurt, name)
    content = bytearray(open(path, "rb").read())
    with open(os.path.join(whole, choose.choice(names)), "rb") as f: other = f.read()
    kind, content = damage(content, other)
    if content is None: os.remove(path)
    else: open(path, "wb").write(content)
    prefix = name.split(".")[0]
    read = choose.choice(readers[prefix])
    try:
        wrong = read(os.path.join(hurt, prefix))
    except (tf.errors.OpError, ValueError) as error:
        told += 1
        text = str(error)
        missing = kind == "lost" and os.path.join(hurt, prefix) in text
        wrong = []
        if os.path.join(hurt, prefix) not in text: wrong.append("no file in: " + text)
        elif not missing and not any(word in text for word in (
            'tensor "', 'entry "', " at ", "offset", "table file", "too short",
            "bad magic", "header", "empty", "Key ", "_CHECKPOINTABLE",
        )): wrong.append("no place in: " + text)
    except AssertionError as error:
        # Names of the index were changed so that it is whole again.
        wrong = ["asserts: " + str(error)]
    else:
        right += 1
    for what in wrong: print("WRONG", number, name, kind, what)
print({damages}, "damaged:", told, "errors,", right, "right values")
shutil.rmtree(folder)
"""


def cases(choose: random.Random) -> Iterator[Case]:
    while True:
        seed = choose.randrange(2**31)
        yield Case(
            f"damages of seed {seed}",
            PROGRAM.format(seed=seed, damages=DAMAGES),
            patience=300,
        )


if __name__ == "__main__":
    sys.exit(main(__doc__, 40, cases))
