"""Rewrites break, continue and return as assignments to flags, so that what
is left are statements with one way in and one way out.

`if c: return a` followed by more statements becomes an if with an else; only
where that is not possible, the statements behind are guarded by the flags.
"""

import ast

from graphkiln.autograph.unused_names import UnusedNames

LOOPS = (ast.For, ast.While)


def falls_through(statements: list[ast.stmt]) -> bool:
    """May control reach the end of `statements`?"""
    return not any(_never_passes(s) for s in statements)


def _never_passes(s: ast.stmt) -> bool:
    if isinstance(s, (ast.Return, ast.Raise, ast.Break, ast.Continue)):
        return True
    if isinstance(s, ast.If):
        return not falls_through(s.body) and not falls_through(s.orelse)
    if isinstance(s, ast.With):
        return not falls_through(s.body)
    if isinstance(s, ast.Try):
        if not falls_through(s.finalbody):
            return True
        return not falls_through(s.body + s.orelse) and all(
            not falls_through(h.body) for h in s.handlers
        )
    if isinstance(s, ast.While):
        if _is_true(s.test) and not _has(s.body, ast.Break):
            return True
        return not _has(s.body, ast.Break) and not falls_through(
            s.orelse or [ast.Pass()]
        )
    if isinstance(s, ast.For):
        return not _has(s.body, ast.Break) and not falls_through(
            s.orelse or [ast.Pass()]
        )
    if isinstance(s, ast.Match):
        last = s.cases[-1]
        if last.guard is not None or not (
            isinstance(last.pattern, ast.MatchAs)
            and last.pattern.pattern is None
        ):
            return False
        return all(not falls_through(c.body) for c in s.cases)
    return False


def _is_true(test: ast.expr) -> bool:
    return isinstance(test, ast.Constant) and bool(test.value)


def _blocks(s: ast.stmt):
    for field in ("body", "orelse", "finalbody"):
        block = getattr(s, field, None)
        if isinstance(block, list):
            yield block
    for part in getattr(s, "handlers", None) or getattr(s, "cases", ()):
        yield part.body


def _has(statements: list[ast.stmt], kind: type) -> bool:
    """Is there such a statement, for break and continue of this loop?"""
    for s in statements:
        if isinstance(s, kind):
            return True
        if isinstance(s, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)):
            continue
        if isinstance(s, LOOPS) and kind is not ast.Return:
            if _has(s.orelse, kind):
                return True
            continue
        if any(_has(block, kind) for block in _blocks(s)):
            return True
    return False


def returns_of(statements: list[ast.stmt]) -> list[ast.Return]:
    """The return statements of a function, without nested functions'."""
    found = []
    for s in statements:
        if isinstance(s, ast.Return):
            found.append(s)
        elif not isinstance(
            s, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)
        ):
            for block in _blocks(s):
                found += returns_of(block)
    return found


def _jumps(s: ast.stmt) -> bool:
    return any(
        _has(block, kind)
        for kind in (ast.Return, ast.Break, ast.Continue)
        for block in _blocks(s)
    )


def _stored(statements: list[ast.stmt]) -> frozenset[str]:
    return frozenset(
        node.id
        for s in statements
        for node in ast.walk(s)
        if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store)
    )


def assign(name: str, value: ast.expr | bool, at: ast.AST) -> ast.Assign:
    if not isinstance(value, ast.AST):
        value = ast.Constant(value)
    node = ast.Assign([ast.Name(name, ast.Store())], value)
    return place(node, at)


def place(node: ast.AST, at: ast.AST) -> ast.AST:
    """`node` and what is new below it, at the place of `at`. What has a place
    is not looked into: the whole tree is gone over once, in the end."""
    where = (
        at.lineno, at.col_offset,
        getattr(at, "end_lineno", at.lineno),
        getattr(at, "end_col_offset", at.col_offset),
    )
    _locate(node, where)
    for child in _children(node):
        _place_new(child, where)
    return node


def _locate(node: ast.AST, where: tuple) -> None:
    (
        node.lineno, node.col_offset, node.end_lineno, node.end_col_offset,
    ) = where


def _place_new(node: ast.AST, where: tuple) -> None:
    if "lineno" in node._attributes:
        if "lineno" in node.__dict__:
            return
        _locate(node, where)
    for child in _children(node):
        _place_new(child, where)


def _children(node: ast.AST):
    for value in node.__dict__.values():
        if type(value) is list:
            for item in value:
                if isinstance(item, ast.AST):
                    yield item
        elif isinstance(value, ast.AST) and not isinstance(
            value, ast.expr_context
        ):
            yield value


def none_of(flags: list[str], at: ast.AST) -> ast.expr:
    """The expression that none of the flags is set."""
    function = "not_" if len(flags) == 1 else "none_of"
    node = ast.Call(
        ast.Attribute(ast.Name("ag__", ast.Load()), function, ast.Load()),
        [ast.Name(f, ast.Load()) for f in flags],
        [],
    )
    node.gk_internal = True
    return place(node, at)


class Lowering:
    """Rewrites one function's body; nested functions are left alone."""

    def __init__(self, names: UnusedNames):
        self._names = names
        self.do_return: str | None = None
        self.retval: str | None = None
        self._partial = False

    def function(self, body: list[ast.stmt], at: ast.AST) -> list[ast.stmt]:
        returns = returns_of(body)
        if not returns:
            return self._block(body, None)[0]
        always = not falls_through(body)
        self.do_return = self._names.new("do_return", internal=True)
        has_value = any(
            r.value is not None
            and not (
                isinstance(r.value, ast.Constant) and r.value.value is None
            )
            for r in returns
        )
        if has_value:
            self.retval = self._names.new("retval_", internal=True)
        lowered, _ = self._block(body, None)
        first = [assign(self.do_return, False, at)]
        if has_value:
            keywords = []
            if always and self._partial:
                keywords.append(ast.keyword("pending", ast.Constant(True)))
            value = ast.Call(
                ast.Attribute(
                    ast.Name("ag__", ast.Load()), "UndefinedReturnValue",
                    ast.Load(),
                ),
                [], keywords,
            )
            value.gk_internal = True
            first.append(assign(self.retval, value, at))
        return first + lowered

    def _block(self, statements, loop) -> tuple[list[ast.stmt], list[str]]:
        """(statements, flags they may set)."""
        made: list[ast.stmt] = []
        flags: list[str] = []
        for i, s in enumerate(statements):
            rest = statements[i + 1:]
            if isinstance(s, ast.Return):
                made.append(self._return(s))
                return made, self._merge(flags, [self.do_return])
            if isinstance(s, (ast.Break, ast.Continue)):
                kind = "break_" if isinstance(s, ast.Break) else "continue_"
                if loop[kind] is None:
                    loop[kind] = self._names.new(kind, internal=True)
                made.append(assign(loop[kind], True, s))
                return made, self._merge(flags, [loop[kind]])
            if isinstance(s, ast.If) and rest and _jumps(s):
                passes = falls_through(s.body), falls_through(s.orelse)
                if not passes[0] or not passes[1]:
                    # What comes behind moves into the branch that gets there.
                    own = s
                    s = self._copy(s)
                    if passes[1]:
                        s.orelse = s.orelse + rest
                        if not _has(own.body, ast.Return):
                            s.gk_moved = _stored(rest) - _stored([own])
                    elif passes[0]:
                        s.body = s.body + rest
                    rest = []
            more, set_here = self._statement(s, loop)
            made += more
            flags = self._merge(flags, set_here)
            if i + 1 < len(statements) and not rest:
                return made, flags
            if set_here and rest:
                self._partial |= self.do_return in set_here
                inner, more_flags = self._block(rest, loop)
                guard = ast.If(none_of(set_here, rest[0]), inner, [])
                made.append(place(guard, rest[0]))
                return made, self._merge(flags, more_flags)
        return made, flags

    @staticmethod
    def _copy(s: ast.If) -> ast.If:
        made = ast.If(s.test, list(s.body), list(s.orelse))
        made.gk_moved = getattr(s, "gk_moved", frozenset())
        return ast.copy_location(made, s)

    @staticmethod
    def _merge(a: list[str], b: list[str]) -> list[str]:
        return a + [f for f in b if f not in a]

    def _return(self, s: ast.Return) -> ast.stmt:
        value = s.value or place(ast.Constant(None), s)
        body = [assign(self.do_return, True, s)]
        if self.retval is not None:
            body.append(assign(self.retval, value, s))
        reset = assign(self.do_return, False, s)
        handler = ast.ExceptHandler(None, None, [reset, ast.Raise(None, None)])
        node = place(ast.Try(body, [handler], [], []), s)
        node.gk_return = True
        return node

    def _statement(self, s, loop) -> tuple[list[ast.stmt], list[str]]:
        if isinstance(s, LOOPS):
            return self._loop(s, loop)
        if isinstance(
            s, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)
        ):
            return [s], []
        flags: list[str] = []
        if isinstance(s, ast.If):
            s = self._copy(s)
            s.body, a = self._block(s.body, loop)
            s.orelse, b = self._block(s.orelse, loop)
            return [s], self._merge(a, b)
        if isinstance(s, ast.Try):
            s = ast.copy_location(
                ast.Try(s.body, s.handlers, s.orelse, s.finalbody), s
            )
            s.body, flags = self._block(s.body, loop)
            orelse, more = self._block(s.orelse, loop)
            if flags and orelse:
                guard = ast.If(none_of(flags, orelse[0]), orelse, [])
                orelse = [place(guard, orelse[0])]
            s.orelse = orelse
            flags = self._merge(flags, more)
            handlers = []
            for h in s.handlers:
                body, more = self._block(h.body, loop)
                handlers.append(
                    ast.copy_location(
                        ast.ExceptHandler(h.type, h.name, body), h
                    )
                )
                flags = self._merge(flags, more)
            s.handlers = handlers
            s.finalbody, more = self._block(s.finalbody, loop)
            return [s], self._merge(flags, more)
        if isinstance(s, ast.With):
            body, flags = self._block(s.body, loop)
            return [ast.copy_location(ast.With(s.items, body), s)], flags
        if isinstance(s, ast.Match):
            cases = []
            for c in s.cases:
                body, more = self._block(c.body, loop)
                cases.append(ast.match_case(c.pattern, c.guard, body))
                flags = self._merge(flags, more)
            return [ast.copy_location(ast.Match(s.subject, cases), s)], flags
        return [s], []

    def _loop(self, s, outer) -> tuple[list[ast.stmt], list[str]]:
        jumps = {"break_": None, "continue_": None}
        body, flags = self._block(s.body, jumps)
        broke, skipped = jumps["break_"], jumps["continue_"]
        before = []
        stops = [f for f in flags if f != skipped]
        if skipped is not None:
            body = [assign(skipped, False, s.body[0])] + body
        if broke is not None:
            before.append(assign(broke, False, s))
        if isinstance(s, ast.While):
            test = s.test
            if any(isinstance(n, ast.NamedExpr) for n in ast.walk(test)):
                # The test assigns, so it becomes part of the body.
                name = self._names.new("test_", internal=True)
                again = assign(name, test, test)
                if stops:
                    again = place(
                        ast.If(none_of(stops, test), [again], []), test
                    )
                body = body + [again]
                before.append(assign(name, test, test))
                test = place(ast.Name(name, ast.Load()), test)
            loop = ast.While(test, body, [])
        else:
            loop = ast.For(s.target, s.iter, body, [])
        ast.copy_location(loop, s)
        loop.gk_stops = stops
        loop.gk_orelse, loop.gk_ends = [], False
        made = before + [loop]
        leaves = [f for f in stops if f == self.do_return]
        self._partial |= bool(leaves)
        if s.orelse:
            orelse, more = self._block(s.orelse, outer)
            loop.gk_orelse = orelse
            loop.gk_ends = not falls_through(s.orelse)
            if stops:
                guard = ast.If(none_of(stops, s.orelse[0]), orelse, [])
                orelse = [place(guard, s.orelse[0])]
            made += orelse
            leaves = self._merge(leaves, more)
        return made, leaves
