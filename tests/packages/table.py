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
        name="dm-sonnet",
        version="2.0.2",
        kind="module library",
        tests=("sonnet/src",),
        needs=("absl-py", "dm-tree", "tabulate", "wrapt"),
    ),
)
