"""tf.version and tf.sysconfig.

`tf.__version__` is the version of the interface that we implement, so that
programs that ask for "at least 2.x" run; `graphkiln.version.GRAPHKILN_VERSION`
is our own.
"""

import os

from graphkiln import _graphkiln, _loading

VERSION = _loading.load("graphkiln").__version__
GRAPHKILN_VERSION = _graphkiln.__version__
GIT_VERSION = f"graphkiln-{GRAPHKILN_VERSION}"
COMPILER_VERSION = "C++20"
# The numbers that GraphDefs carry in `versions`.
GRAPH_DEF_VERSION = 2384
GRAPH_DEF_VERSION_MIN_CONSUMER = 0
GRAPH_DEF_VERSION_MIN_PRODUCER = 0


def _folder(name: str) -> str:
    here = os.path.dirname(os.path.abspath(_graphkiln.__file__))
    return os.path.join(here, name)


def get_include():
    """The folder of the C++ headers.

    >>> tf.sysconfig.get_include().endswith("include")
    True
    """
    return _folder("include")


def get_lib():
    """The folder of the shared library.

    >>> isinstance(tf.sysconfig.get_lib(), str)
    True
    """
    return _folder("").rstrip(os.sep)


def get_compile_flags():
    """What a compiler needs to find the headers.

    >>> tf.sysconfig.get_compile_flags()[-1]
    '-std=c++20'
    """
    return [f"-I{get_include()}", "-std=c++20"]


def get_link_flags():
    """What a linker needs to find the library.

    >>> isinstance(tf.sysconfig.get_link_flags(), list)
    True
    """
    return [f"-L{get_lib()}", "-lgraphkiln"]


def get_build_info():
    """How this package was built.

    >>> tf.sysconfig.get_build_info()["is_cuda_build"]
    False
    """
    return {
        "is_cuda_build": False,
        "is_rocm_build": False,
        "is_tensorrt_build": False,
        "graphkiln_version": GRAPHKILN_VERSION,
    }
