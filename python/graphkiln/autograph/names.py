"""Which symbols statements and expressions read and write.

A symbol is a name or a chain of attributes and simple keys: `x`, `o.v`,
`d['k']`.
"""

import ast
import functools

from graphkiln.autograph.closures import Closures
from graphkiln.autograph.parsing import parse

# Methods that change a list.
MUTATORS = frozenset(("append", "extend", "insert", "pop", "clear"))
_FUNCTIONS = (ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda)
_COMPREHENSIONS = (ast.ListComp, ast.SetComp, ast.DictComp, ast.GeneratorExp)


def symbol(node: ast.AST) -> str | None:
    """The symbol that an expression is, if it is one."""
    if isinstance(node, ast.Name):
        return node.id
    if isinstance(node, ast.Attribute):
        base = symbol(node.value)
        return None if base is None else f"{base}.{node.attr}"
    if isinstance(node, ast.Subscript):
        base = symbol(node.value)
        if base is None:
            return None
        if isinstance(node.slice, (ast.Constant, ast.Name)):
            return f"{base}[{ast.unparse(node.slice)}]"
    return None


@functools.lru_cache(maxsize=4096)
def base_names(text: str) -> set[str]:
    """The plain names that a composite symbol is made of."""
    return {
        n.id for n in ast.walk(parse(text, mode="eval"))
        if isinstance(n, ast.Name)
    }


def is_composite(text: str) -> bool:
    return not text.isidentifier()


def directive(node: ast.AST) -> str | None:
    """The name of the directive that a call is."""
    if not isinstance(node, ast.Call):
        return None
    function = node.func
    name = getattr(function, "attr", getattr(function, "id", None))
    if name in ("set_loop_options", "set_element_type"):
        return name
    return None


class Uses(ast.NodeVisitor):
    """Collects reads and writes of one expression or simple statement."""

    def __init__(self, closures: Closures):
        self.reads: set[str] = set()
        self.writes: set[str] = set()
        # Lists that are changed in place.
        self.grown: set[str] = set()
        self._closures = closures

    def visit_Name(self, node: ast.Name) -> None:
        if isinstance(node.ctx, ast.Load):
            self.reads.add(node.id)
            self.reads |= self._closures.reads.get(node.id, set())
            self.writes |= self._closures.writes.get(node.id, set())
        else:
            self.writes.add(node.id)

    def visit_Call(self, node: ast.Call) -> None:
        changed = self._changed_list(node)
        if changed in self._closures.lists:
            self.writes.add(changed)
            self.grown.add(changed)
        self.generic_visit(node)

    @staticmethod
    def _changed_list(node: ast.Call) -> str | None:
        """The name that a call changes the list of, if it does."""
        target = node.func
        if isinstance(target, ast.Attribute) and target.attr in MUTATORS:
            target = target.value
        elif directive(node) == "set_element_type" and node.args:
            target = node.args[0]
        else:
            return None
        return target.id if isinstance(target, ast.Name) else None

    def _composite(self, node) -> None:
        text = symbol(node)
        if text is not None:
            if isinstance(node.ctx, ast.Load):
                self.reads.add(text)
            else:
                self.writes.add(text)
        self.visit(node.value)
        if isinstance(node, ast.Subscript):
            self.visit(node.slice)

    visit_Attribute = _composite
    visit_Subscript = _composite

    def visit_AugAssign(self, node: ast.AugAssign) -> None:
        text = symbol(node.target)
        if text is not None:
            self.reads.add(text)
        self.visit(node.target)
        self.visit(node.value)

    def visit_AnnAssign(self, node: ast.AnnAssign) -> None:
        if node.value is not None:
            self.visit(node.value)
            self.visit(node.target)

    def _alias(self, node) -> None:
        for alias in node.names:
            self.writes.add(alias.asname or alias.name.partition(".")[0])

    visit_Import = _alias
    visit_ImportFrom = _alias

    def _function(self, node) -> None:
        reads, writes = free_uses(node)
        self.reads |= reads
        arguments = node.args
        for default in (*arguments.defaults, *arguments.kw_defaults):
            if default is not None:
                self.visit(default)
        if not isinstance(node, ast.Lambda):
            for decorator in node.decorator_list:
                self.visit(decorator)
            self.writes.add(node.name)

    visit_FunctionDef = _function
    visit_AsyncFunctionDef = _function
    visit_Lambda = _function

    def visit_ClassDef(self, node: ast.ClassDef) -> None:
        for n in ast.walk(node):
            if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Load):
                self.reads.add(n.id)
        self.writes.add(node.name)

    def _comprehension(self, node) -> None:
        inner = Uses(self._closures)
        targets: set[str] = set()
        for g in node.generators:
            found = Uses(self._closures)
            found.visit(g.target)
            targets |= found.writes
            inner.reads |= found.reads
            inner.visit(g.iter)
            for test in g.ifs:
                inner.visit(test)
        for field in ("elt", "key", "value"):
            if hasattr(node, field):
                inner.visit(getattr(node, field))
        self.reads |= {
            r for r in inner.reads
            if r not in targets
            and not (is_composite(r) and base_names(r) & targets)
        }
        self.writes |= inner.writes

    visit_ListComp = _comprehension
    visit_SetComp = _comprehension
    visit_DictComp = _comprehension
    visit_GeneratorExp = _comprehension

    def visit_MatchAs(self, node: ast.MatchAs) -> None:
        if node.name is not None:
            self.writes.add(node.name)
        self.generic_visit(node)

    def visit_MatchStar(self, node: ast.MatchStar) -> None:
        if node.name is not None:
            self.writes.add(node.name)

    def visit_MatchMapping(self, node: ast.MatchMapping) -> None:
        if node.rest is not None:
            self.writes.add(node.rest)
        self.generic_visit(node)


def uses(nodes, closures: Closures) -> Uses:
    """Reads and writes of expressions and simple statements."""
    found = Uses(closures)
    for node in nodes if isinstance(nodes, (list, tuple)) else (nodes,):
        if node is not None:
            found.visit(node)
    return found


def free_uses(function: ast.AST) -> tuple[set[str], set[str]]:
    """What a nested function reads and (nonlocal) writes outside."""
    local = {a.arg for a in ast.walk(function.args) if isinstance(a, ast.arg)}
    body = (
        [function.body] if isinstance(function, ast.Lambda) else function.body
    )
    found = Uses(Closures())
    outside: set[str] = set()
    for node in body:
        _everything(node, found, outside)
    local |= {w for w in found.writes if w not in outside}
    reads = {
        r for r in found.reads
        if (r if not is_composite(r) else None) not in local
        and not (is_composite(r) and base_names(r) & local)
    }
    return reads, {w for w in found.writes if w in outside}


def _everything(node: ast.AST, found: Uses, outside: set[str]) -> None:
    """Visits all nested statements too."""
    for n in ast.walk(node):
        if isinstance(n, (ast.Global, ast.Nonlocal)):
            outside.update(n.names)
    if isinstance(node, ast.ExceptHandler) and node.name:
        found.writes.add(node.name)
    found.visit(node)


def declared(function: ast.AST) -> tuple[set[str], set[str]]:
    """(globals, nonlocals) that a function declares."""
    found: tuple[set[str], set[str]] = (set(), set())
    if isinstance(function, ast.Lambda):
        return found

    def walk(statements) -> None:
        for s in statements:
            if isinstance(s, ast.Global):
                found[0].update(s.names)
            elif isinstance(s, ast.Nonlocal):
                found[1].update(s.names)
            elif isinstance(
                s, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)
            ):
                continue
            else:
                for child in ast.iter_child_nodes(s):
                    if isinstance(child, ast.stmt):
                        walk([child])
                    elif isinstance(
                        child, (ast.ExceptHandler, ast.match_case)
                    ):
                        walk(child.body)

    walk(function.body)
    return found
