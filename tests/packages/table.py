"""Packages that build on TensorFlow's Python interface, and how their own tests
are run. A row is all that it takes to add one."""

from __future__ import annotations

from dataclasses import dataclass, field


@dataclass(frozen=True)
class Package:
    name: str  # on PyPI
    version: str
    kind: str
    # Files and folders with tests, below the folder that the package is
    # installed in, or below the sdist's.
    tests: tuple[str, ...]
    # What it needs besides, as pip's requirements. Never TensorFlow; NumPy is
    # in both environments.
    needs: tuple[str, ...] = ()
    # The tests are not in the wheel.
    from_sdist: bool = False
    # pytest's -k, and options.
    select: str = ""
    options: tuple[str, ...] = ()
    environment: dict[str, str] = field(default_factory=dict)
    # Fixtures of a conftest.py that is in neither archive.
    fixtures: dict[str, str] = field(default_factory=dict)
    # Parts of tests' names, and which later step of the roadmap they touch: held
    # back.
    later: dict[str, str] = field(default_factory=dict)
    # Parts of names of tests that fail, and why. What is in no table shows the
    # error.
    reasons: dict[str, str] = field(default_factory=dict)


PACKAGES = (
    Package(
        name="einops",
        version="0.8.2",
        kind="array adapter",
        tests=("einops/tests",),
        environment={"EINOPS_TEST_BACKENDS": "numpy,tensorflow"},
        later={"test_keras_layer": "Keras"},
    ),
    Package(
        name="autoray",
        version="0.11.0",
        kind="array adapter",
        tests=("tests",),
        needs=("scipy",),
        from_sdist=True,
        select="tensorflow",
    ),
    Package(
        name="dm-sonnet",
        version="2.0.2",
        kind="module library",
        tests=("sonnet/src",),
        needs=("absl-py", "dm-tree", "tabulate", "wrapt", "scipy"),
        later={
            "conformance/checkpoint_test": "checkpoints",
            "conformance/goldens_test": "checkpoints",
            "conformance/saved_model_test": "SavedModels",
            "conformance/distribute_test": "several devices",
            "src/distribute/": "several devices",
            "conformance/keras_test": "Keras",
            "optimizers/adam_test": "Keras",
            "optimizers/momentum_test": "Keras",
            "optimizers/rmsprop_test": "Keras",
            "optimizers/sgd_test": "Keras",
            "conformance/xla_test": "jit_compile",
        },
        reasons={
            "UnrolledLSTM": "traces CudnnRNN, an op for GPUs alone, which "
            "graphkiln does not have",
        },
    ),
    Package(
        name="graph-nets",
        version="1.1.0",
        kind="graph neural networks",
        tests=("graph_nets/tests_tf2",),
        needs=(
            "dm-sonnet==2.0.2", "absl-py", "dm-tree", "tabulate", "wrapt",
            "networkx", "scipy", "six",
        ),
        from_sdist=True,
    ),
    Package(
        name="tensornetwork",
        version="0.4.6",
        kind="tensor networks",
        # Others import PyTorch.
        tests=(
            "tensornetwork/backends/tensorflow",
            "tensornetwork/backends/backend_test.py",
            "tensornetwork/contractors",
            "tensornetwork/matrixproductstates",
            "tensornetwork/tests",
        ),
        needs=("graphviz", "opt-einsum", "h5py", "scipy"),
        fixtures={"backend": "tensorflow"},
        later={"test_gradient_decent": "compat.v1.train"},
    ),
    Package(
        name="tensorly",
        version="0.10.0",
        kind="tensor decompositions",
        # Of the decompositions those that take no minutes on TensorFlow.
        tests=(
            "tensorly/tests",
            "tensorly/tenalg",
            "tensorly/metrics",
            "tensorly/random",
            "tensorly/solvers",
            "tensorly/decomposition/tests/test_tr_svd.py",
            "tensorly/decomposition/tests/test_tt_decomposition.py",
            "tensorly/utils",
        ),
        needs=("scipy",),
        environment={"TENSORLY_BACKEND": "tensorflow"},
    ),
    Package(
        name="tensorflow-graphics",
        version="2021.12.3",
        kind="geometry and rendering",
        tests=(
            "tensorflow_graphics/geometry",
            "tensorflow_graphics/image",
            "tensorflow_graphics/math",
            "tensorflow_graphics/nn/loss",
            "tensorflow_graphics/nn/metric",
            "tensorflow_graphics/rendering",
            "tensorflow_graphics/util",
        ),
        needs=("absl-py", "scipy", "six", "termcolor", "tqdm", "trimesh", "networkx"),
        later={"rendering/opengl": "custom ops"},
    ),
    Package(
        name="opt-einsum",
        version="3.4.0",
        kind="array adapter",
        tests=("opt_einsum/tests",),
        select="tensorflow",
    ),
    Package(
        name="sympy",
        version="1.14.0",
        kind="symbolic algebra, which prints programs",
        tests=(
            "sympy/printing/tests/test_tensorflow.py",
            "sympy/utilities/tests/test_lambdify.py",
        ),
        needs=("mpmath",),
        select="tensorflow",
        reasons={
            "test_tensorflow_variables": "a variable of a graph for sessions is "
            "no key of a dictionary",
        },
    ),
    Package(
        name="t3f",
        version="1.2.0",
        kind="tensor trains",
        tests=("t3f",),
        options=("-p", "old_numpy_names", "-p", "empty_keras"),
        later={"nn_test": "Keras"},
        reasons={
            "autodiff_test": "asks tensorflow.python whether calls are eager, and "
            "takes graphs where there is no such module",
            "Overflow": "a static shape of more than 2^63 elements",
        },
    ),
)
