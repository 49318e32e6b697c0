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
    # Only where TensorFlow itself is.
    needs_on_tensorflow: tuple[str, ...] = ()
    # The tests are not in the wheel.
    from_sdist: bool = False
    # Nor in the sdist: "owner/name@commit" on GitHub.
    repository: str = ""
    # The folder of the repository that holds the package, where it is not taken
    # from PyPI.
    code: str = ""
    # They are not on PyPI: a folder beside this file has tests of ours, which
    # compare what they find with what they found on TensorFlow.
    own: str = ""
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
        # A test of its layer needs Keras in both environments.
        environment={"EINOPS_TEST_BACKENDS": "numpy,tensorflow"},
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
    ),
    Package(
        name="t3f",
        version="1.2.0",
        kind="tensor trains",
        tests=("t3f",),
        options=("-p", "old_numpy_names", "-p", "empty_keras"),
        later={"nn_test": "Keras"},
        reasons={
            "autodiff_test": "demands that two float32 sums that cancel differ by less "
            "than 1e-5 of their size, which is below their rounding",
        },
    ),
    Package(
        name="pymanopt",
        version="2.2.1",
        kind="optimisation on manifolds",
        tests=("tests/backends/test_tensorflow.py",),
        needs=("scipy", "autograd"),
        repository="pymanopt/pymanopt@d66677fd18262e8e61dadbf6899d885ca96b999a",
        # It imports PyTorch.
        options=("--noconftest",),
    ),
    Package(
        name="eagerpy",
        version="0.30.0",
        kind="array adapter",
        tests=("tests",),
        needs=("typing-extensions",),
        repository="jonasrauber/eagerpy@5b3b37a1e8c49aa3d34b3ed87a5075a20fd50f2f",
        options=("--backend", "tensorflow"),
    ),
    Package(
        name="torchquad",
        version="0.5.0",
        kind="numerical integration",
        tests=("tests",),
        needs=("autoray", "loguru", "tqdm", "scipy"),
        repository="esa/torchquad@4e5e95b0c585c53e58d51c37ebbae0ce13231a60",
        select="tensorflow",
        options=("-p", "empty_keras"),
    ),
    Package(
        name="phiml",
        version="1.15.1",
        kind="arrays of differential equations",
        tests=("tests/commit/backend", "tests/commit/math"),
        needs=("scipy", "packaging", "h5py"),
        repository="tum-pbs/PhiML@48a1030af562d5daf1a2f211899c509cda4751be",
        code=".",
    ),
    Package(
        name="pot",
        version="0.9.6.post1",
        kind="optimal transport",
        tests=(
            "test/test_backend.py", "test/test_utils.py", "test/test_gaussian.py",
            "test/test_1d_solver.py", "test/test_weak.py", "test/test_optim.py",
            "test/test_ot.py", "test/test_sliced.py", "test/test_gmm.py",
        ),
        needs=("scipy",),
        repository="PythonOT/POT@85113e9a380f5fcf684c50c73c1ff6a164a7366e",
        # Others take minutes on TensorFlow.
        select="tf and not test_solve_grid",
    ),
    Package(
        name="tensorcircuit-ng",
        version="1.9.1",
        kind="quantum circuits, tensor networks",
        # Others need JAX or cotengra, or take minutes on TensorFlow.
        tests=(
            "tests/test_backends.py", "tests/test_calibrating.py",
            "tests/test_channels.py", "tests/test_dmcircuit.py",
            "tests/test_gates.py", "tests/test_lattice.py",
            "tests/test_mpscircuit.py", "tests/test_quantum.py",
            "tests/test_quditcircuit.py", "tests/test_quditgates.py",
            "tests/test_symbolcircuit.py",
        ),
        needs=(
            "scipy", "tensornetwork-ng", "networkx", "sympy", "graphviz",
            "opt-einsum", "h5py", "mpmath", "pytest-lazy-fixtures", "matplotlib",
            "contourpy", "cycler", "fonttools", "kiwisolver", "pillow", "pyparsing",
            "python-dateutil", "six",
        ),
        repository="tensorcircuit/tensorcircuit-ng@22a6be7aaee9d23291afe96d78eff688e8be8931",
        code=".",
        select="tfb",
        later={
            "test_backend_methods": "Keras", "test_optimizers": "Keras",
            "test_reduced_density_from_density": "Keras",
        },
    ),
    Package(
        name="pennylane",
        version="0.42.3",
        kind="quantum circuits",
        tests=(
            "tests/math", "tests/ops", "tests/measurements", "tests/devices/qubit",
            "tests/templates/test_embeddings",
        ),
        needs=(
            "scipy", "networkx", "rustworkx", "autograd", "appdirs",
            "autoray==0.7.2", "cachetools", "pennylane-lightning==0.42.0", "requests",
            "tomlkit", "packaging", "diastatic-malt", "astunparse", "gast",
            "termcolor", "scipy-openblas32", "six", "pytest-mock", "pytest-rng",
            "flaky", "urllib3", "idna", "certifi", "charset-normalizer",
        ),
        repository="PennyLaneAI/pennylane@63937da99caa0c9b35911eb8b775ff53343aa01d",
        options=("-m", "tf"),
    ),
    Package(
        name="tensorflow-probability",
        version="0.25.0",
        kind="probabilistic",
        # Its own tests are in its repository alone (repository= would take them).
        own="probability",
        tests=(".",),
        needs=(
            "absl-py", "cloudpickle", "decorator", "dm-tree", "gast",
            "opt-einsum", "scipy", "six", "wrapt",
        ),
        # On TensorFlow it asks for Keras 2 when it is imported.
        needs_on_tensorflow=("tf-keras==2.21.0",),
        # Of the tests of distributions those of their methods and derivatives: the
        # others trace functions, for an hour on TensorFlow.
        select="not test_distributions or test_methods or test_gradient_of_log_prob",
        options=("-p", "old_numpy_names", "-p", "empty_keras"),
        reasons={
            "cholesky_concat": "not positive definite: TensorFlow leaves above "
            "the diagonal what was in memory",
            "AutoBatched]": "eager tf.vectorized_map calls the function for each "
            "row, TensorFlow traces it, where TFP draws gamma distributions in "
            "another way",
        },
    ),
    Package(
        name="tf-quant-finance",
        version="0.0.1.dev34",
        kind="mathematics of finance",
        # Of what takes no minutes on TensorFlow.
        tests=(
            "tf_quant_finance/math/root_search",
            "tf_quant_finance/math/interpolation",
            "tf_quant_finance/math/integration",
            "tf_quant_finance/math/gradient_test.py",
            "tf_quant_finance/math/jacobian_test.py",
            "tf_quant_finance/math/segment_ops_test.py",
            "tf_quant_finance/math/diff_ops_test.py",
            "tf_quant_finance/math/piecewise_test.py",
            "tf_quant_finance/datetime",
        ),
        needs=("absl-py", "attrs", "six"),
        repository="google/tf-quant-finance@4551a94e8267a5c5eef9ad9d6079abaae19dcf14",
        code=".",
        options=("-p", "empty_probability"),
    ),
)
