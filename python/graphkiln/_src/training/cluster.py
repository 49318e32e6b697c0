"""tf.train.ClusterSpec."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from graphkiln import _proto


class ClusterSpec:
    """Which machines do which job: what messages and files say of a cluster.

    Args:
      cluster: a dictionary of job names to lists of addresses, or to dictionaries
        of task numbers to addresses; a tf.train.ClusterDef; a ClusterSpec.

    Raises:
      TypeError: for another cluster, another name or another address.
      ValueError: for a task's number that is none.

    >>> spec = tf.train.ClusterSpec({"worker": ["a:2222", "b:2222"]})
    >>> spec.num_tasks("worker"), spec.task_address("worker", 1)
    (2, 'b:2222')
    """

    def __init__(self, cluster: Any) -> None:
        if isinstance(cluster, ClusterSpec):
            jobs = cluster._jobs
        elif isinstance(cluster, Mapping):
            jobs = {_text(j, "Job name"): _tasks(j, of) for j, of in cluster.items()}
        elif isinstance(cluster, _proto.ClusterDef):
            jobs = {job.name: dict(job.tasks) for job in cluster.job}
        else:
            raise TypeError(
                "`cluster` must be a dictionary mapping one or more job names to "
                "lists of network addresses, or a `ClusterDef` protocol buffer"
            )
        self._jobs = {job: dict(sorted(tasks.items())) for job, tasks in jobs.items()}

    def __bool__(self) -> bool:
        return bool(self._jobs)

    def __eq__(self, other: object) -> bool:
        return self._jobs == (other._jobs if isinstance(other, ClusterSpec) else other)

    __hash__ = None  # type: ignore[assignment]

    def __repr__(self) -> str:
        known = self.as_dict()
        jobs = (f"{job!r}: {known[job] or {}!r}" for job in sorted(known))
        return f"ClusterSpec({{{', '.join(jobs)}}})"

    def as_dict(self) -> dict[str, Any]:
        """Lists of addresses by job; dictionaries where numbers are left out.

        >>> tf.train.ClusterSpec({"ps": {1: "c:1"}, "worker": ["a:1"]}).as_dict()
        {'ps': {1: 'c:1'}, 'worker': ['a:1']}
        """
        return {
            job: list(tasks.values())
            if tasks and list(tasks) == list(range(len(tasks)))
            else dict(tasks)
            for job, tasks in self._jobs.items()
        }

    def as_cluster_def(self) -> Any:
        """The same as a tf.train.ClusterDef, jobs by name.

        >>> tf.train.ClusterSpec({"worker": ["a:1"]}).as_cluster_def().job[0].name
        'worker'
        """
        made = _proto.ClusterDef()
        for job in sorted(self._jobs):
            made.job.add(name=job, tasks=self._jobs[job])
        return made

    @property
    def jobs(self) -> list[str]:
        """Names of the jobs."""
        return list(self._jobs)

    def num_tasks(self, job_name: str) -> int:
        """How many tasks a job has. ValueError if there is no such job."""
        return len(self._job(job_name))

    def task_indices(self, job_name: str) -> list[int]:
        """The numbers of a job's tasks. ValueError if there is no such job."""
        return list(self._job(job_name))

    def task_address(self, job_name: str, task_index: int) -> str:
        """Where a task is. ValueError if there is no such job or task."""
        tasks = self._job(job_name)
        if task_index not in tasks:
            raise ValueError(f"No task with index {task_index!r} in job {job_name!r}")
        return tasks[task_index]

    def job_tasks(self, job_name: str) -> list[str | None]:
        """Addresses by number, None where there is none. ValueError if there is no
        such job."""
        tasks = self._job(job_name)
        return [tasks.get(i) for i in range(max(tasks) + 1)] if tasks else []

    def _job(self, name: str) -> dict[int, str]:
        if name not in self._jobs:
            raise ValueError(f"No such job in cluster: {name!r}")
        return self._jobs[name]


def _text(value: Any, what: str) -> Any:
    if not isinstance(value, str | bytes):
        raise TypeError(f"{what} {value!r} must be bytes or unicode")
    return value


def _tasks(job: Any, tasks: Any) -> dict[int, str]:
    if isinstance(tasks, list | tuple):
        tasks = dict(enumerate(tasks))
    if not isinstance(tasks, Mapping):
        raise TypeError(
            f"The tasks for job {job!r} must be a list or a dictionary from integers "
            "to strings."
        )
    return {int(i): _text(address, "Task address") for i, address in tasks.items()}
