"""tf.test.Benchmark."""

from __future__ import annotations

import math
import numbers
import os
import re
import statistics
import sys
import time
from typing import Any

from graphkiln import _proto
from graphkiln._src.session.default_session import get_default_session

_known: list[type] = []


class _Registered(type):
    """Notes classes of benchmarks as they are made."""

    def __new__(mcs, name: str, bases: tuple, attrs: dict) -> type:
        cls = super().__new__(mcs, name, bases, attrs)
        if not cls.is_abstract():
            _known.append(cls)
        return cls


class Benchmark(metaclass=_Registered):
    """Base class of benchmarks: each method whose name begins with "benchmark"
    is one. `tf.test.main` runs them with --benchmark_filter=REGEX.

    >>> class SumBenchmark(tf.test.Benchmark):
    ...     def benchmark_sum(self):
    ...         tf.reduce_sum(tf.ones([100]))
    >>> SumBenchmark().benchmark_sum()
    """

    @classmethod
    def is_abstract(cls) -> bool:
        """Is it the base class, which is not run?"""
        return len(cls.mro()) <= 2

    def _get_name(self, overwrite_name: str | None = None) -> str:
        """The class and the method that calls."""
        frame, found = sys._getframe(1), None
        while frame is not None:
            if isinstance(frame.f_locals.get("self"), Benchmark):
                found = (type(frame.f_locals["self"]), frame.f_code.co_name)
            frame = frame.f_back
        if found is None:
            raise ValueError("Unable to determine calling Benchmark class.")
        return f"{found[0].__name__}.{overwrite_name or found[1]}"

    def report_benchmark(
        self,
        iters: int | None = None,
        cpu_time: float | None = None,
        wall_time: float | None = None,
        throughput: float | None = None,
        extras: dict | None = None,
        name: str | None = None,
        metrics: list | None = None,
    ) -> None:
        """Prints a result or, with TEST_REPORT_FILE_PREFIX in the environment,
        writes it to a file of its own.

        Args:
          iters: how often it ran.
          cpu_time: seconds.
          wall_time: seconds.
          throughput: megabytes a second.
          extras: numbers and texts by name.
          name: instead of the method's.
          metrics: dictionaries with "name", "value" and, if it has bounds,
            "min_value" and "max_value".
        """
        if extras is not None and not isinstance(extras, dict):
            raise TypeError("extras must be a dict")
        if metrics is not None and not isinstance(metrics, list):
            raise TypeError("metrics must be a list")
        for metric in metrics or ():
            for key in ("name", "value"):
                if key not in metric:
                    raise TypeError(f"metric must has a '{key}' field")
        entries = _proto.BenchmarkEntries()
        entry = entries.entry.add()
        entry.name = self._get_name(name)
        for key, value in (
            ("iters", iters), ("cpu_time", cpu_time), ("wall_time", wall_time),
            ("throughput", throughput),
        ):
            if value is not None:
                setattr(entry, key, value)
        for key, value in (extras or {}).items():
            if isinstance(value, numbers.Number):
                entry.extras[key].double_value = value
            else:
                entry.extras[key].string_value = str(value)
        for metric in metrics or ():
            made = entry.metrics.add(name=metric["name"], value=metric["value"])
            for key in ("min_value", "max_value"):
                if key in metric:
                    getattr(made, key).value = metric[key]
        prefix = os.environ.get("TEST_REPORT_FILE_PREFIX")
        if prefix is None:
            print(str(entries))
            return
        path = prefix + entry.name.replace("/", "__")
        if os.path.exists(path):
            raise OSError(f"File already exists: {path}")
        with open(path, "wb") as file:
            file.write(entries.SerializeToString())

    def run_op_benchmark(
        self,
        sess: Any,
        op_or_tensor: Any,
        feed_dict: dict | None = None,
        burn_iters: int = 2,
        min_iters: int = 10,
        store_trace: bool = False,
        store_memory_usage: bool = True,
        name: str | None = None,
        extras: dict | None = None,
        mbs: float = 0,
    ) -> dict:
        """Runs something in a session again and again, and reports the median.

        Args:
          sess: a session.
          op_or_tensor: what is fetched.
          feed_dict: what is fed.
          burn_iters: runs that do not count.
          min_iters: runs that count.
          store_trace: accepted for compatibility: sessions write no traces.
          store_memory_usage: accepted for compatibility.
          name: of the result.
          extras: more numbers and texts for the result.
          mbs: megabytes that a run moves.

        Returns:
          What was reported, with the mean and the deviation.
        """
        for _ in range(burn_iters):
            sess.run(op_or_tensor, feed_dict=feed_dict)
        seconds = []
        for _ in range(min_iters):
            start = time.time()
            sess.run(op_or_tensor, feed_dict=feed_dict)
            seconds.append(time.time() - start)
        median = statistics.median(seconds) if seconds else -1
        told = {
            "iters": min_iters,
            "wall_time": median,
            "extras": dict(extras or {}),
            "name": name,
            "throughput": mbs / median if median else math.inf,
        }
        self.report_benchmark(**told)
        told["extras"]["wall_time_mean"] = statistics.fmean(seconds or [-1])
        told["extras"]["wall_time_stdev"] = (
            statistics.stdev(seconds) if len(seconds) > 1 else -1
        )
        return told

    def evaluate(self, tensors: Any) -> Any:
        """The values of tensors, by the default session.

        Args:
          tensors: a structure of tensors of a graph.
        """
        session = get_default_session()
        if session is None:
            raise ValueError("There is no default session.")
        return session.run(tensors)


def run_benchmarks(pattern: str) -> None:
    """Runs all benchmarks whose "module.Class.method" has the pattern in it;
    "all": all of them."""
    ran = []
    for cls in list(_known):
        instance = None
        for attribute in dir(cls):
            name = f"{cls.__module__}.{cls.__name__}.{attribute}"
            if not attribute.startswith("benchmark") or not callable(
                getattr(cls, attribute)
            ):
                continue
            if pattern == "all" or re.search(pattern, name):
                ran.append(name)
                instance = instance or cls()
                getattr(instance, attribute)()
    if not ran:
        raise ValueError(f"No benchmarks matched the pattern: '{pattern}'")


def benchmark_config() -> Any:
    """A ConfigProto for sessions of benchmarks, whose graphs keep the order of
    their operations.

    >>> type(tf.test.benchmark_config()).__name__
    'ConfigProto'
    """
    config = _proto.ConfigProto()
    config.graph_options.rewrite_options.dependency_optimization = (
        _proto.RewriterConfig.OFF
    )
    return config
