"""Which symbols each branch and loop of a lowered function must carry.

One backward walk finds what is live, one forward walk what has been assigned.
Statements are structured after lowering, so both follow the syntax tree.
"""

import ast

from graphkiln.autograph import names
from graphkiln.autograph.closures import Closures
from graphkiln.autograph.facts import facts_of

_CONTROL = (ast.If, ast.While, ast.For)
_DEFINITIONS = (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)


class Flow:
    """Both walks over one function."""

    def __init__(self, body: list[ast.stmt], arguments: set[str],
                 outside: set[str], at_end: set[str]):
        self._closures = Closures()
        self._collect(body)
        self._closures.lists = _lists(body) - arguments - outside
        # What an exception may make live at any place.
        self._escape: list[frozenset[str]] = [frozenset()]
        self._outside = frozenset(outside)
        self._uses_of: dict[int, names.Uses] = {}
        self._modified_in: dict[int, frozenset[str]] = {}
        self._live(body, frozenset(at_end) | self._outside)
        self._define(body, frozenset(arguments), frozenset(arguments))

    def _collect(self, body: list[ast.stmt]) -> None:
        """Local functions by name, also those bound to lambdas."""
        for s in body:
            for n in ast.walk(s):
                if isinstance(n, (ast.FunctionDef, ast.AsyncFunctionDef)):
                    bound, function = [n.name], n
                elif isinstance(n, ast.Assign) and isinstance(
                    n.value, ast.Lambda
                ):
                    bound = [
                        t.id for t in n.targets if isinstance(t, ast.Name)
                    ]
                    function = n.value
                else:
                    continue
                reads, writes = names.free_uses(function)
                for name in bound:
                    self._closures.reads.setdefault(name, set()).update(reads)
                    self._closures.writes.setdefault(name, set()).update(
                        writes
                    )

    def _uses(self, node) -> names.Uses:
        known = self._uses_of.get(id(node))
        if known is None:
            known = names.uses(node, self._closures)
            self._uses_of[id(node)] = known
        return known

    # Writes.

    def modified(self, body: list[ast.stmt]) -> frozenset[str]:
        """What the statements assign, nested ones included."""
        result: set[str] = set()
        for s in body:
            result |= self._modified(s)
        return frozenset(result)

    def _modified(self, s: ast.stmt) -> frozenset[str]:
        known = self._modified_in.get(id(s))
        if known is not None:
            return known
        result: set[str] = set()
        for part in _expressions(s):
            result |= self._uses(part).writes
        for block in _blocks(s):
            result |= self.modified(block)
        known = frozenset(result)
        self._modified_in[id(s)] = known
        return known

    def _grown(self, body: list[ast.stmt]) -> frozenset[str]:
        if not self._closures.lists:
            return frozenset()
        result: set[str] = set()
        for s in body:
            for part in _expressions(s):
                result |= self._uses(part).grown
            for block in _blocks(s):
                result |= self._grown(block)
        return frozenset(result)

    # Liveness, backwards.

    def _live(self, body: list[ast.stmt], out: frozenset) -> frozenset:
        for s in reversed(body):
            out = self._live_statement(s, out) | self._escape[-1]
        return out

    def _live_statement(self, s: ast.stmt, out: frozenset) -> frozenset:
        if isinstance(s, ast.If):
            facts = facts_of(s)
            facts.live_out = out
            facts.live_in = (
                self._uses(s.test).reads
                | self._live(s.body, out)
                | self._live(s.orelse, out)
            )
            return facts.live_in
        if isinstance(s, (ast.While, ast.For)):
            return self._live_loop(s, out)
        if isinstance(s, ast.Try):
            return self._live_try(s, out)
        if isinstance(s, (ast.With, ast.AsyncWith)):
            swallows = out if _may_swallow(s) else frozenset()
            self._escape.append(self._escape[-1] | swallows)
            inside = self._live(s.body, out)
            self._escape.pop()
            for item in reversed(s.items):
                inside = self._step(item, inside)
            return inside
        if isinstance(s, ast.Match):
            result = self._uses(s.subject).reads | out
            for case in s.cases:
                inside = self._live(case.body, out)
                if case.guard is not None:
                    inside |= self._uses(case.guard).reads
                found = self._uses(case.pattern)
                result |= (inside - found.writes) | found.reads
            return frozenset(result)
        if isinstance(s, ast.Raise):
            return frozenset(self._uses(s).reads) | self._escape[-1]
        return self._step(s, out)

    def _step(self, node: ast.AST, out: frozenset) -> frozenset:
        found = self._uses(node)
        kills = {w for w in found.writes if not names.is_composite(w)}
        if isinstance(node, (ast.AugAssign, ast.Delete)):
            kills = set()
        # A walrus in a lazy part, or what a called function writes, may not
        # happen.
        if not isinstance(
            node, (ast.Assign, ast.AnnAssign, ast.withitem, *_DEFINITIONS,
                   ast.Import, ast.ImportFrom)
        ):
            kills = set()
        elif isinstance(node, ast.Assign):
            kills = set()
            for target in node.targets:
                kills |= {
                    w for w in self._uses(target).writes
                    if not names.is_composite(w)
                }
        return (out - (kills - self._outside)) | found.reads

    def _live_loop(self, s, out: frozenset) -> frozenset:
        facts = facts_of(s)
        facts.live_out = out
        stops = frozenset(s.gk_stops)
        if isinstance(s, ast.While):
            facts.tested = self._uses(s.test).reads
            head = out | facts.tested | stops
            targets: frozenset = frozenset()
        else:
            head = out | stops
            targets = frozenset(
                w for w in self._uses(s.target).writes
                if not names.is_composite(w)
            )
            head |= self._uses(s.target).reads
        while True:
            more = head | (self._live(s.body, head) - targets)
            if more == head:
                break
            head = more
        facts.live_in = head
        if isinstance(s, ast.For):
            return head | self._uses(s.iter).reads
        return head

    def _live_try(self, s: ast.Try, out: frozenset) -> frozenset:
        if getattr(s, "gk_return", False):
            return self._live(s.body, out)
        # Behind it only if nothing, or what a handler takes, was raised. The facts
        # that stay are those of the second walk, of both ways.
        raised = self._live(s.finalbody, self._escape[-1])
        final = self._live(s.finalbody, out | self._escape[-1])
        handlers = frozenset()
        self._escape.append(raised)
        for h in s.handlers:
            inside = self._live(h.body, final)
            if h.name:
                inside -= {h.name}
            if h.type is not None:
                inside |= self._uses(h.type).reads
            handlers |= inside
        self._escape[-1] = raised | handlers
        result = self._live(s.body, self._live(s.orelse, final))
        self._escape.pop()
        return result | handlers

    # Assignments, forwards.

    def _define(self, body, bound: frozenset, maybe: frozenset):
        for s in body:
            bound, maybe = self._define_statement(s, bound, maybe)
        return bound, maybe

    def _define_statement(self, s, bound, maybe):
        writes = self._modified(s)
        after = maybe | writes
        if isinstance(s, _CONTROL):
            facts = facts_of(s)
            facts.modified = writes
            facts.grown = self._grown([s])
            loops = not isinstance(s, ast.If)
            inside = after if loops else maybe
            facts.bound, facts.maybe = bound, maybe
            # The state of this statement is bound around it.
            carried = bound | frozenset(state_of(s)[0])
            start = carried
            if isinstance(s, ast.For):
                start = start | self._uses(s.target).writes
            a, _ = self._define(s.body, start, inside)
            b, _ = self._define(s.orelse, carried, maybe)
            if loops:
                if s.gk_orelse:
                    settled, _ = self._define(s.gk_orelse, frozenset(), maybe)
                    facts.settled = writes if s.gk_ends else settled
                return carried, after
            return carried | (a & b), after
        if isinstance(s, ast.Try):
            if getattr(s, "gk_return", False):
                return bound | writes, after
            # Any prefix of the body may have run.
            start, _ = self._define(s.body, bound, maybe)
            ends, _ = self._define(s.orelse, start, after)
            for h in s.handlers:
                inside = bound | ({h.name} if h.name else set())
                handled, _ = self._define(h.body, inside, after)
                if not isinstance(h.body[-1], ast.Raise):
                    ends &= handled - ({h.name} if h.name else set())
            final, _ = self._define(s.finalbody, bound, after)
            return ends | final, after
        if isinstance(s, (ast.With, ast.AsyncWith)):
            for item in s.items:
                bound = bound | self._uses(item).writes
            inside, _ = self._define(s.body, bound, maybe)
            return bound if _may_swallow(s) else inside, after
        if isinstance(s, ast.Match):
            for case in s.cases:
                inside = bound | self._uses(case.pattern).writes
                self._define(case.body, inside, after)
            return bound, after
        if isinstance(s, ast.Delete):
            return bound, after
        if isinstance(
            s, (ast.Assign, ast.AnnAssign, ast.AugAssign, *_DEFINITIONS,
                ast.Import, ast.ImportFrom)
        ) and not (isinstance(s, ast.AnnAssign) and s.value is None):
            return bound | writes, after
        return bound, after


def _may_swallow(s: ast.With | ast.AsyncWith) -> bool:
    """May what follows run after an error in the block? That of a context
    manager whose name says so; any other is taken to let errors pass."""
    for item in s.items:
        called = item.context_expr
        if isinstance(called, ast.Call):
            called = called.func
        name = getattr(called, "attr", getattr(called, "id", ""))
        if name in ("suppress", "raises") or name.startswith("assertRaises"):
            return True
    return False


def _lists(body: list[ast.stmt]) -> set[str]:
    """Names of lists that grow in loops: those of comprehensions, and those
    whose element type the function says."""
    found: set[str] = set()
    for s in body:
        for n in _within(s):
            if getattr(n, "gk_list", False):
                found.add(n.targets[0].id)
            elif names.directive(n) == "set_element_type" and n.args and (
                isinstance(n.args[0], ast.Name)
            ):
                found.add(n.args[0].id)
    return found


def _within(s: ast.AST):
    """A statement's nodes without those of functions in it."""
    yield s
    if not isinstance(s, (*_DEFINITIONS, ast.Lambda)):
        for child in ast.iter_child_nodes(s):
            yield from _within(child)


def state_of(s: ast.stmt) -> tuple[list[str], int, list[str], list[str]]:
    """(symbols, outputs, undefined, maybe undefined) of an if or loop: what
    it carries, how many of these are used behind it, and which of them have
    not been assigned before on any way, or on some way."""
    facts = facts_of(s)
    plain, composite = [], []
    for w in facts.modified:
        if names.is_composite(w):
            around = names.base_names(w)
            if around <= facts.live_in and not around & facts.modified:
                composite.append(w)
        elif w in facts.live_in or w in facts.live_out:
            plain.append(w)
    if isinstance(s, ast.If):
        inputs = {w for w in plain if w not in facts.live_out}
    else:
        inputs = {
            w for w in plain
            if w not in facts.live_out and w not in facts.live_in
        }
    symbols = sorted(plain + composite, key=lambda w: (w in inputs, w))
    undefined, unsure = [], []
    for w in sorted(plain):
        if w not in facts.maybe:
            undefined.append(w)
        elif w not in facts.bound:
            unsure.append(w)
    return symbols, len(symbols) - len(inputs), undefined, unsure


def _expressions(s: ast.stmt) -> list[ast.AST]:
    """The parts of a statement outside of its blocks."""
    if isinstance(s, (ast.If, ast.While)):
        return [s.test]
    if isinstance(s, ast.For):
        return [s.target, s.iter]
    if isinstance(s, (ast.With, ast.AsyncWith)):
        return list(s.items)
    if isinstance(s, ast.Try):
        return [h.type for h in s.handlers if h.type is not None]
    if isinstance(s, ast.Match):
        parts = [s.subject]
        for case in s.cases:
            parts.append(case.pattern)
            if case.guard is not None:
                parts.append(case.guard)
        return parts
    return [s]


def _blocks(s: ast.stmt) -> list[list[ast.stmt]]:
    if isinstance(s, (ast.If, ast.While, ast.For)):
        return [s.body, s.orelse]
    if isinstance(s, (ast.With, ast.AsyncWith)):
        return [s.body]
    if isinstance(s, ast.Try):
        return [
            s.body, *(h.body for h in s.handlers), s.orelse, s.finalbody
        ]
    if isinstance(s, ast.Match):
        return [case.body for case in s.cases]
    return []
