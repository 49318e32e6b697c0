"""What a thread needs memory for when it first does something: where that is
missing, there is an error, and never an end of the process.

The C library allocates a thread's copy of the variables of libraries that were
loaded late on their first use, and aborts if it cannot; so do notes of what to
destroy when the thread ends, and the data of OpenMP's threads.
"""

from __future__ import annotations

import os
import shutil
import subprocess

import pytest
from child_program import check_child

# As glibc's own where the system gives no more: a small block that the thread
# let go of is what it gets again, what it had of large ones is divided, and
# anything else fails.
FAILING_MALLOC = r"""
#include <errno.h>
#include <malloc.h>
#include <stdbool.h>
#include <stddef.h>

void* __libc_malloc(size_t);
void* __libc_calloc(size_t, size_t);
void* __libc_realloc(void*, size_t);
void* __libc_memalign(size_t, size_t);
void __libc_free(void*);

enum { kSizes = 64, kKept = 7 };
static __thread long left = -1;  // allocations until it fails; -1: never
static __thread bool all;        // all from there on, else that one
static __thread char kept[kSizes];
static __thread size_t spare;    // bytes of large blocks
void fail_after(long n, bool all_from_there) {
  for (int i = 0; i < kSizes; ++i) kept[i] = 0;
  spare = 0;
  left = n;
  all = all_from_there;
}
long stop_failing(void) { long l = left; left = -1; return l; }

static bool fails(size_t bytes) {
  if (left < 0) return false;
  const size_t size = (bytes < 24 ? 24 : bytes) + 7;
  if (size / 16 < kSizes && kept[size / 16] > 0) {
    --kept[size / 16];
    return false;
  }
  if (spare >= size + 16) {
    spare -= size + 16;
    return false;
  }
  if (left > 0) { --left; return false; }
  if (!all) left = -1;
  errno = ENOMEM;
  return true;
}
void free(void* p) {
  if (p != NULL && left >= 0) {
    const size_t size = malloc_usable_size(p) + 7;
    if (size / 16 >= kSizes) spare += size;
    else if (kept[size / 16] < kKept) ++kept[size / 16];
  }
  __libc_free(p);
}
void* malloc(size_t n) { return fails(n) ? NULL : __libc_malloc(n); }
void* calloc(size_t n, size_t m) {
  return fails(n * m) ? NULL : __libc_calloc(n, m);
}
void* realloc(void* p, size_t n) { return fails(n) ? NULL : __libc_realloc(p, n); }
void* memalign(size_t a, size_t n) {
  return fails(n + a) ? NULL : __libc_memalign(a, n);
}
void* aligned_alloc(size_t a, size_t n) { return memalign(a, n); }
int posix_memalign(void** p, size_t a, size_t n) {
  *p = memalign(a, n);
  return *p ? 0 : ENOMEM;
}
"""

WORK = {
    "a small op": "tf.add(a, a)",
    "an op that fails": "tf.matmul(a, b)",
    "a product": "tf.matmul(big, big)",
    "a convolution": "tf.nn.conv2d(image, kernel, 1, 'SAME')",
    "strings": "tf.strings.as_string(a)",
    "a function": "f(a)",
    "a loop": "loop(a)",
    "a function that fails": "fails(a)",
    "a gradient": "gradient()",
    "a variable": "v.assign_add(a)",
    "a dataset": "[e for e in d]",
    "a trace": "tf.function(lambda x: tf.tanh(x) + x)(a)",
    "names": "named()",
}


@pytest.fixture(scope="module")
def failing_malloc(tmp_path_factory) -> str:
    compiler = os.environ.get("CC") or shutil.which("cc")
    if compiler is None:
        pytest.skip("needs a C compiler")
    folder = tmp_path_factory.mktemp("failing")
    source, library = folder / "malloc.c", folder / "malloc.so"
    source.write_text(FAILING_MALLOC)
    subprocess.run([compiler, "-O1", "-fPIC", "-shared", "-fno-builtin",
                    str(source), "-o", str(library)], check=True)
    return str(library)


@pytest.mark.parametrize("work", WORK)
@pytest.mark.parametrize("all_", [False, True], ids=["one fails", "all fail"])
def test_first_uses_in_threads_without_memory(
    work, all_, failing_malloc, monkeypatch
):
    monkeypatch.setenv("LD_PRELOAD", failing_malloc)
    # What is measured is what a program does, not what proves its plans.
    monkeypatch.setenv("GK_CHECK_PLANS", "0")
    out = check_child(
        f"""
        import ctypes, threading
        import numpy as np
        import graphkiln as tf
        library = ctypes.CDLL(None)
        library.fail_after.argtypes = [ctypes.c_long, ctypes.c_bool]
        library.stop_failing.restype = ctypes.c_long
        a, b = tf.ones([3]), tf.ones([2, 5])
        big = tf.ones([200, 200])
        image, kernel = tf.ones([1, 16, 16, 8]), tf.ones([3, 3, 8, 8])
        v = tf.Variable(a)
        f = tf.function(lambda x: tf.tanh(x) * x + v, autograph=False)
        fails = tf.function(lambda x: tf.gather(x, tf.size(x) + 7))
        d = tf.data.Dataset.range(6).map(
            lambda i: i + 1, num_parallel_calls=2).batch(2).prefetch(1)
        @tf.function
        def loop(x):
            for _ in tf.range(3): x = tf.cumsum(x)
            return x
        def gradient():
            with tf.GradientTape() as t:
                y = f(a)
            return t.gradient(y, v)
        def named():
            with tf.name_scope("n"):
                return tf.Variable(a)
        def work():
            return {WORK[work]}
        def is_allowed(error):
            # Python's own words for a lock that it has no memory for.
            return isinstance(error, allowed) or "allocate lock" in str(error)
        allowed = (MemoryError, tf.errors.ResourceExhaustedError,
                   tf.errors.InvalidArgumentError, tf.errors.CancelledError)
        try: work()  # once, where there is memory
        except tf.errors.InvalidArgumentError: pass
        seen = set()
        finished = False
        def run(n):
            global finished
            library.fail_after(n, {all_})
            try:
                work()
            except BaseException as error:
                library.stop_failing()
                if not is_allowed(error): print("WRONG", n, repr(error))
                seen.add(type(error).__name__)
            finally:
                left = library.stop_failing()
            finished = left > 0
        for n in range(400):
            t = threading.Thread(target=run, args=(n,)); t.start(); t.join()
            if finished: break
        print(n, sorted(seen), float(tf.reduce_sum(f(a))) > 0.)
        """,
        patience=300,
    )
    assert "WRONG" not in out, out
    assert out.endswith("True\n")


def test_threads_have_our_variables_from_their_start():
    """Also where memory is short later on: nothing is left to be allocated."""
    out = check_child(
        """
        import ctypes, threading
        import graphkiln._graphkiln as module

        class Info(ctypes.Structure):
            _fields_ = [("address", ctypes.c_size_t), ("name", ctypes.c_char_p),
                        ("headers", ctypes.c_void_p), ("number", ctypes.c_uint16),
                        ("adds", ctypes.c_ulonglong), ("subs", ctypes.c_ulonglong),
                        ("tls_module", ctypes.c_size_t), ("tls_data", ctypes.c_void_p)]
        Visit = ctypes.CFUNCTYPE(
            ctypes.c_int, ctypes.POINTER(Info), ctypes.c_size_t, ctypes.c_void_p)

        def look():
            def visit(info, size, _):
                name = info.contents.name.decode()
                if info.contents.tls_module and (
                    "_graphkiln" in name or "libstdc++" in name
                ):
                    print(name.rpartition("/")[2], bool(info.contents.tls_data))
                return 0
            ctypes.CDLL(None).dl_iterate_phdr(Visit(visit), None)
        t = threading.Thread(target=look); t.start(); t.join()
        """
    )
    lines = out.splitlines()
    assert lines and all(line.endswith(" True") for line in lines), out
