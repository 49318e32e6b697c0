"""Runs a program in all the ways and says which differ."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable

from . import running
from .comparison import EXACT, NEAR, Sensitivity, difference
from .program import Program
from .running import (
    EAGER,
    EAGER_TAPE,
    TAPES,
    TRACED,
    VALUES,
    Mode,
    Outcome,
    Runner,
)

# How often a program is run with other last digits.
SHAKEN = 6


@dataclasses.dataclass
class Verdict:
    # The mode that differs and what differs there; None if none does.
    mode: Mode | None = None
    said: str = ""
    # "ran", "failed" (as it should, everywhere), "refused" (eager only).
    ended: str = "ran"
    # Did the other library run it too?
    compared: bool = False


def modes_of(seed: int) -> tuple[Mode, ...]:
    """Those a program runs in: always traced, and some of the others, so
    that each seed costs little."""
    modes = [TRACED, VALUES[1 + seed % 2]]
    if seed % 4 < 2:
        modes.append(TAPES[(seed // 4) % len(TAPES)])
    return tuple(modes)


class Checker:
    def __init__(self, ours: Runner, theirs: Runner | None = None):
        self._ours = ours
        self._theirs = theirs
        self._loaded = 0

    def load(self, source: str) -> tuple[Callable, str]:
        self._loaded += 1
        name = f"<program {self._loaded}>"
        return running.load(source, name), name

    def check(self, made: Program, modes: tuple[Mode, ...] | None = None,
              ) -> Verdict:
        """The first difference that there is."""
        program, name = self.load(made.source)
        try:
            return self._check(made, program, modes or modes_of(made.seed))
        finally:
            running.forget(name)

    def _check(self, made: Program, program: Callable,
               modes: tuple[Mode, ...]) -> Verdict:
        verdict = Verdict()
        wanted = self._ours.run(program, EAGER)
        if wanted[-1].error:
            verdict.ended = "failed"
        for mode in modes:
            if mode.tape is None:
                found = self._ours.run(program, mode)
                tolerance = EXACT
                if made.differentiates:
                    tolerance = made.tolerance
                said = difference(wanted, found, tolerance, made.unknown)
                if said and made.differentiates:
                    said = difference(
                        wanted, found, tolerance, made.unknown,
                        self._sensitivity(program, EAGER, wanted))
                if wanted[-1].error is None and found[-1].error and not said:
                    verdict.ended = "refused"
            elif verdict.ended != "ran":
                continue
            else:
                said = self._check_gradients(made, program, mode)
            if said:
                return Verdict(mode, said, verdict.ended)
        if self._theirs and verdict.ended != "failed":
            said = self._check_other(program, modes, verdict, wanted)
            if said:
                return Verdict(TRACED, f"TensorFlow: {said}", verdict.ended)
        return verdict

    def _sensitivity(self, program: Callable, mode: Mode,
                     outcomes: list[Outcome]) -> Sensitivity:
        return Sensitivity(outcomes, [
            self._ours.run(program, mode, noise)
            for noise in range(1, SHAKEN + 1)
        ])

    def _check_gradients(self, made: Program, program: Callable,
                         mode: Mode) -> str | None:
        if made.loses_gradients:
            against = dataclasses.replace(mode, passes=True, lowered=True)
            if against == mode:
                return None
        else:
            against = EAGER_TAPE
        wanted = self._ours.run(program, against)
        found = self._ours.run(program, mode)
        said = difference(wanted, found, made.tolerance, made.unknown)
        if said and not against.traced:
            said = difference(
                wanted, found, made.tolerance, made.unknown,
                self._sensitivity(program, against, wanted))
        return said

    def _check_other(self, program: Callable, modes: tuple[Mode, ...],
                     verdict: Verdict, wanted: list[Outcome]) -> str | None:
        theirs = self._theirs.run(program, TRACED)
        if theirs[-1].error:
            return None
        if verdict.ended == "refused":
            found = self._ours.run(program, TRACED)
            return f"runs what was refused: {found[-1].message}"
        verdict.compared = True
        said = self._differs(program, theirs, wanted, EAGER)
        if said:
            return said
        for mode in modes:
            if mode.tape and mode.passes and mode.lowered:
                theirs = self._theirs.run(program, mode)
                if theirs[-1].error:
                    continue
                found = self._ours.run(program, mode)
                said = self._differs(program, theirs, found, EAGER_TAPE)
                if said:
                    return f"{mode.name}: {said}"
        return None

    def _differs(self, program: Callable, theirs: list[Outcome],
                 found: list[Outcome], eager: Mode) -> str | None:
        """What differs between the libraries, and is not explained by what
        they do eagerly, in the mode `eager`."""
        said = difference(theirs, found, NEAR)
        if not said:
            return None
        # Where the other library contradicts itself, its eager run counts.
        plain = self._theirs.run(program, eager)
        if difference(plain, theirs, NEAR):
            theirs = plain
            said = difference(theirs, found, NEAR)
        if not said:
            return None
        return difference(
            theirs, found, NEAR, False, self._sensitivity(
                program, eager, self._ours.run(program, eager)))
