"""Questions asked in processes of their own, so that a call that kills or hangs
its process is an answer as well, and the next process goes on with the next."""

from __future__ import annotations

import importlib
import os
import pickle
import resource
import selectors
import signal
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import Any

from limited_child import limit_this_process

from conformance import answers, comparing
from conformance.questions import Question

# Time of the processor, and of the clock, that one question may take.
SECONDS = 12.0
CLOCK_SECONDS = 40.0
MORE_MEMORY = 6 << 30
OURS_DIED, THEIRS_DIED = "graphkiln died", "TensorFlow died"


@dataclass(frozen=True)
class Verdict:
    question: Question
    verdict: str  # comparing.AGREE ..., OURS_DIED, THEIRS_DIED
    detail: str = ""
    # What was answered, for rules about known disagreements.
    mine: tuple[str, str] = ("", "")
    theirs: tuple[str, str] = ("", "")


def _send(write: int, what: Any) -> None:
    data = pickle.dumps(what)
    data = len(data).to_bytes(4, "little") + data
    while data:
        data = data[os.write(write, data) :]


def _child(todo: list[Question], deadly: frozenset[Question], write: int) -> None:
    limit_this_process(MORE_MEMORY)
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    ours = importlib.import_module("graphkiln")
    theirs = importlib.import_module("tensorflow")
    for question in todo:
        signal.setitimer(signal.ITIMER_PROF, SECONDS)
        signal.setitimer(signal.ITIMER_REAL, CLOCK_SECONDS)
        _send(write, OURS_DIED)
        mine = answers.ask(ours, question)
        if question in deadly:
            _send(write, Verdict(question, THEIRS_DIED, "as it did before"))
            continue
        _send(write, THEIRS_DIED)
        expected = answers.ask(theirs, question)
        verdict, detail = comparing.compare(question, mine, expected)
        _send(
            write,
            Verdict(
                question, verdict, detail, (mine.error, mine.text),
                (expected.error, expected.text),
            ),
        )  # fmt: skip


@dataclass
class _Running:
    """A child and what it has not answered yet."""

    pid: int
    todo: list[Question]
    asked: str = OURS_DIED
    answered: int = 0
    buffer: bytes = b""

    def receive(self, data: bytes) -> Iterator[Verdict]:
        self.buffer += data
        while len(self.buffer) >= 4:
            end = 4 + int.from_bytes(self.buffer[:4], "little")
            if len(self.buffer) < end:
                return
            what = pickle.loads(self.buffer[4:end])
            self.buffer = self.buffer[end:]
            if isinstance(what, Verdict):
                self.todo.pop(0)
                self.answered += 1
                yield what
            else:
                self.asked = what


@dataclass
class Pool:
    """Children that ask one batch of questions each, `count` at a time."""

    batches: list[list[Question]]
    count: int = 2
    # What TensorFlow is not asked, as it dies of it.
    deadly: frozenset[Question] = frozenset()
    _selector: selectors.DefaultSelector = field(
        default_factory=selectors.DefaultSelector
    )

    def run(self, told: Callable[[Verdict], None]) -> None:
        # Loaded, but not used: each child has runtimes of its own.
        importlib.import_module("graphkiln")
        importlib.import_module("tensorflow")
        waiting = [list(b) for b in reversed(self.batches) if b]
        running = 0
        while waiting or running:
            while waiting and running < self.count:
                self._start(waiting.pop())
                running += 1
            for key, _ in self._selector.select():
                child: _Running = key.data
                data = os.read(key.fd, 1 << 16)
                for verdict in child.receive(data):
                    told(verdict)
                if data:
                    continue
                self._selector.unregister(key.fd)
                os.close(key.fd)
                _, status = os.waitpid(child.pid, 0)
                running -= 1
                # Memory may have been spoilt by what TensorFlow did before: whether
                # graphkiln dies, a process of its own tells.
                spoilt = child.asked == OURS_DIED and child.answered > 0
                if child.todo and not spoilt:
                    told(Verdict(child.todo.pop(0), child.asked, _how(status)))
                if child.todo:
                    waiting.append(child.todo)

    def _start(self, todo: list[Question]) -> None:
        read, write = os.pipe()
        pid = os.fork()
        if pid == 0:
            os.close(read)
            try:
                _child(todo, self.deadly, write)
            finally:
                os._exit(0)
        os.close(write)
        self._selector.register(read, selectors.EVENT_READ, _Running(pid, todo))


def _how(status: int) -> str:
    number = os.waitstatus_to_exitcode(status)
    if number in (-signal.SIGPROF, -signal.SIGALRM):
        return "took too long"
    return f"ended with {number}"
