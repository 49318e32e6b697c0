"""Programs that run out of memory: python fuzz/memory_limits.py

Half of the children get a limit of address space shortly above what they have
(ulimit -v); in the others `operator new` fails now and then, which reaches
places that a limit hits once in a thousand runs. Every one must get a Python
error of the right class, go on, and work as before once there is memory.
"""

import atexit
import itertools
import os
import random
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator

from campaign import Case, main

FAILING_NEW = r"""
#include <link.h>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <new>
// oneDNN does not look whether it got what it asks for: graphkiln asks before.
static uintptr_t spared_begin = 0, spared_end = 0;
static int FindSpared(dl_phdr_info* library, size_t, void*) {
  if (std::strstr(library->dlpi_name, "libdnnl") == nullptr) return 0;
  spared_begin = library->dlpi_addr;
  for (int i = 0; i < library->dlpi_phnum; ++i) {
    const auto& part = library->dlpi_phdr[i];
    if (part.p_type == PT_LOAD) {
      spared_end = library->dlpi_addr + part.p_vaddr + part.p_memsz;
    }
  }
  return 1;
}
static int one_in = 0;
static unsigned long long state = 1;
extern "C" void fail_one_in(int n, unsigned long long seed) {
  dl_iterate_phdr(FindSpared, nullptr);
  one_in = n; state = seed * 2 + 1;
}
static bool fails(void* caller) {
  if (one_in == 0) return false;
  const auto from = reinterpret_cast<uintptr_t>(caller);
  if (from >= spared_begin && from < spared_end) return false;
  // Threads may draw the same number: no harm.
  state = state * 6364136223846793005ull + 1442695040888963407ull;
  return (state >> 33) % one_in == 0;
}
#define FAILS fails(__builtin_return_address(0))
void* operator new(size_t n) {
  void* p = FAILS ? nullptr : malloc(n);
  if (p == nullptr) throw std::bad_alloc();
  return p;
}
void* operator new[](size_t n) {
  void* p = FAILS ? nullptr : malloc(n);
  if (p == nullptr) throw std::bad_alloc();
  return p;
}
void* operator new(size_t n, std::align_val_t a) {
  void* p = nullptr;
  if (FAILS || posix_memalign(&p, size_t(a), n) != 0) throw std::bad_alloc();
  return p;
}
void* operator new[](size_t n, std::align_val_t a) {
  void* p = nullptr;
  if (FAILS || posix_memalign(&p, size_t(a), n) != 0) throw std::bad_alloc();
  return p;
}
void* operator new(size_t n, const std::nothrow_t&) noexcept {
  return FAILS ? nullptr : malloc(n);
}
void* operator new[](size_t n, const std::nothrow_t&) noexcept {
  return FAILS ? nullptr : malloc(n);
}
void operator delete(void* p) noexcept { free(p); }
void operator delete[](void* p) noexcept { free(p); }
void operator delete(void* p, size_t) noexcept { free(p); }
void operator delete[](void* p, size_t) noexcept { free(p); }
void operator delete(void* p, std::align_val_t) noexcept { free(p); }
void operator delete[](void* p, std::align_val_t) noexcept { free(p); }
void operator delete(void* p, size_t, std::align_val_t) noexcept { free(p); }
void operator delete[](void* p, size_t, std::align_val_t) noexcept { free(p); }
"""

HEAD = """
import faulthandler; faulthandler.enable()
import ctypes, gc, resource, sys
import numpy as np
import graphkiln as tf
v = tf.Variable(tf.range(1000, dtype=tf.float32))
f = tf.function(lambda x: tf.tanh(x) * 2. + v[0])
x = tf.linspace(0., 1., 100)
good = f(x).numpy()
before = v.numpy()
def workload():
"""

TAIL = """
def limited(turn):
    kind, amount, seed = {kind!r}, {amount}, {seed} + turn
    if kind == "limit":
        size = int(open("/proc/self/statm").read().split()[0]) * 4096
        resource.setrlimit(resource.RLIMIT_AS, (size + amount, resource.RLIM_INFINITY))
        return lambda: resource.setrlimit(resource.RLIMIT_AS, (resource.RLIM_INFINITY,) * 2)
    lib = ctypes.CDLL(None)
    lib.fail_one_in.argtypes = [ctypes.c_int, ctypes.c_ulonglong]
    lib.fail_one_in(amount, seed)
    return lambda: lib.fail_one_in(0, 0)
outcomes = {{}}
for turn in range({turns}):
    end = limited(turn)
    try:
        workload(); what = "finished"
    except BaseException as error:
        what = type(error).__name__
        text = None
        try: text = str(error)[:3000]
        except MemoryError: pass
    finally:
        end()
    if what == "InternalError" or what == "SystemError": print(text)
    outcomes[what] = outcomes.get(what, 0) + 1
    text = None
    gc.collect()
print(outcomes)
if not np.array_equal(f(x).numpy(), good): print("WRONG function")
if not np.array_equal(v.numpy(), before): print("WRONG variable", v.numpy()[:5])
"""

WORKLOADS = {
    "strings": "tf.fill([3_000_000], 'x'); tf.tile(['abc'] * 1000, [2000])",
    "string functions": "tf.strings.as_string(tf.range(300_000)); tf.strings.join([tf.fill([100_000], 'a' * 40), 'b'])",
    "where": "tf.where(tf.range(10_000_000) % 2 == 0)",
    "unique": "tf.unique(tf.range(2_000_000) % 1000)",
    "shuffle": "tf.random.shuffle(tf.range(5_000_000))",
    "sort": "tf.sort(tf.random.uniform([3_000_000])); tf.argsort(tf.random.uniform([300_000]))",
    "top k": "tf.math.top_k(tf.random.uniform([3_000_000]), 1_000_000)",
    "products": "tf.matmul(tf.ones([2000, 2000]), tf.ones([2000, 2000]))",
    "convolution": "tf.nn.conv2d(tf.ones([8, 128, 128, 16]), tf.ones([3, 3, 16, 32]), 1, 'SAME')",
    "elementwise": "x = tf.ones([20_000_000]); y = tf.exp(x) * x + tf.tanh(x)",
    "concat": "tf.concat([tf.ones([1000, 1000])] * 30, 0); tf.stack([tf.ones([1000, 1000])] * 20)",
    "gather": "tf.gather(tf.ones([1000, 100]), tf.zeros([200_000], tf.int32))",
    "reductions": "tf.reduce_sum(tf.ones([3000, 3000]), 0); tf.cumsum(tf.ones([5_000_000]))",
    "numbers": "tf.random.normal([10_000_000]); tf.range(20_000_000); tf.zeros([30_000_000])",
    "conversions": "tf.constant(np.ones(20_000_000)).numpy(); tf.constant(list(range(300_000)))",
    "nested lists": "tf.constant([[float(i)] * 100 for i in range(3000)]); tf.constant([['a'] * 100] * 1000)",
    "ragged": "r = tf.ragged.constant([[1] * (i % 10) for i in range(20_000)]); (r + 1).to_tensor()",
    "sparse": "tf.sparse.to_dense(tf.sparse.from_dense(tf.eye(1500)))",
    "traces": """for i in range(10):
        tf.function(lambda x: tf.reduce_sum(tf.tanh(x) * i))(tf.ones([100]))""",
    "large trace": """@tf.function
    def g(x):
        for _ in range(500): x = tf.tanh(x) + 1.
        return x
    g(tf.ones([10]))""",
    "large values in a trace": """@tf.function
    def g(x):
        y = tf.exp(x); z = tf.concat([x, y], 0); return tf.reduce_sum(tf.where(z > 0.)) + tf.unique(tf.cast(z, tf.int64))[0][0]
    g(tf.ones([3_000_000]))""",
    "loops": """@tf.function
    def g(x):
        ta = tf.TensorArray(tf.float32, 0, dynamic_size=True)
        for i in tf.range(200):
            x = tf.tanh(x) + 1.
            ta = ta.write(i, x)
        return ta.stack()
    g(tf.ones([20_000]))""",
    "gradients": """x = tf.ones([3_000_000])
    with tf.GradientTape() as t:
        t.watch(x); y = tf.reduce_sum(tf.tanh(x) * tf.exp(x))
    t.gradient(y, x)""",
    "gradient of a loop": """@tf.function
    def g(x):
        with tf.GradientTape() as t:
            t.watch(x); y = x
            for _ in tf.range(30): y = tf.tanh(y) * 1.1
        return t.gradient(y, x)
    g(tf.ones([100_000]))""",
    "jacobian": """x = tf.ones([300])
    with tf.GradientTape() as t:
        t.watch(x); y = tf.tanh(x) * x[0]
    t.jacobian(y, x)""",
    "variables": "w = tf.Variable(tf.ones([5_000_000])); w.assign_add(tf.ones([5_000_000])); w.assign(w * 2.)",
    "scatter": "w = tf.Variable(tf.zeros([2_000_000])); w.scatter_nd_update(tf.reshape(tf.range(1_000_000), [-1, 1]), tf.ones([1_000_000]))",
    "datasets": """d = tf.data.Dataset.range(20_000).map(lambda i: tf.ones([1000])).batch(500).prefetch(4)
    for e in d: pass""",
    "parallel datasets": """d = tf.data.Dataset.range(2000).map(lambda i: tf.ones([10_000]) * tf.cast(i, tf.float32), num_parallel_calls=4).shuffle(200).batch(50)
    for e in d: pass""",
    "cached datasets": """d = tf.data.Dataset.range(3000).map(lambda i: tf.fill([200], 'x')).cache()
    for e in d: pass
    for e in d: pass""",
    "windows": """d = tf.data.Dataset.range(5000).window(50, shift=1).flat_map(lambda w: w.batch(50))
    for e in d: pass""",
    "generators": """def gen():
        for i in range(300): yield np.ones(10_000, np.float32)
    for e in tf.data.Dataset.from_generator(gen, output_signature=tf.TensorSpec([10_000], tf.float32)).batch(30): pass""",
    "callbacks": """@tf.function(autograph=False)
    def g(x): return tf.py_function(lambda y: np.concatenate([y.numpy()] * 3), [x], tf.float32)
    g(tf.ones([2_000_000]))""",
    "graph defs": """c = tf.function(lambda x: tf.tanh(x) + tf.ones([1000, 100])).get_concrete_function(tf.TensorSpec([None, 100]))
    g = c.graph.as_graph_def(); g.SerializeToString()
    tf.graph_util.import_graph_def(g) if hasattr(tf.graph_util, 'import_graph_def') else tf.compat.v1.wrap_function(lambda: tf.graph_util.import_graph_def(g), [])""",
    "map_fn": "tf.map_fn(lambda x: x * 2., tf.ones([2000, 500]))",
    "einsum": "tf.einsum('abc,cd->abd', tf.ones([50, 200, 100]), tf.ones([100, 300]))",
    "text of tensors": "str(tf.ones([1000, 1000])); repr(tf.fill([10_000], 'a'))",
    "structures": "tf.nest.map_structure(lambda x: x + 1., [tf.ones([1000])] * 2000)",
    "errors": """try: tf.matmul(tf.ones([2, 3]), tf.ones([2, 3]))
    except tf.errors.InvalidArgumentError: pass
    tf.function(lambda x: tf.reshape(x, [7]))(tf.ones([8]))""",
    "threads": """import threading
    ts = [threading.Thread(target=lambda: tf.function(lambda x: tf.matmul(x, x))(tf.ones([500, 500]))) for _ in range(4)]
    for t in ts: t.start()
    for t in ts: t.join()""",
}


def _failing_new() -> str | None:
    """The library whose operator new fails; None without a compiler."""
    compiler = os.environ.get("CXX") or shutil.which("c++")
    if compiler is None:
        return None
    folder = tempfile.mkdtemp()
    atexit.register(shutil.rmtree, folder, ignore_errors=True)
    source = os.path.join(folder, "failing_new.cc")
    library = os.path.join(folder, "failing_new.so")
    with open(source, "w") as file:
        file.write(FAILING_NEW)
    subprocess.run(
        [compiler, "-std=c++17", "-O1", "-fPIC", "-shared", source, "-o",
         library],
        check=True,
    )
    return library


def cases(choose: random.Random) -> Iterator[Case]:
    library = _failing_new()
    names = list(WORKLOADS)
    for round_ in itertools.count():
        choose.shuffle(names)
        for place, name in enumerate(names):
            inject = library is not None and (place + round_) % 2 == 0
            if inject:
                kind, turns = "inject", 15
                amount = choose.choice([10, 50, 300, 2000, 20_000])
            else:
                kind, turns = "limit", 3
                amount = int(2 ** choose.uniform(12, 29))
            tail = TAIL.format(kind=kind, amount=amount, turns=turns,
                               seed=choose.randrange(2**31))
            yield Case(
                f"{kind}: {name}",
                HEAD + "    " + WORKLOADS[name] + "\n" + tail,
                environment={"LD_PRELOAD": library} if inject else {},
                patience=300,
            )


if __name__ == "__main__":
    sys.exit(main(__doc__, 60, cases))
