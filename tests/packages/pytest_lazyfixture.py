"""The name under which tests import pytest-lazy-fixture, which new versions of pytest
do not load: what follows it has the same function under another name."""

from pytest_lazy_fixtures import lf as lazy_fixture

__all__ = ["lazy_fixture"]
