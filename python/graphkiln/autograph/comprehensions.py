"""The conversion of comprehensions and generator expressions.

`[f(x) for x in xs if c(x)]` becomes a function with a loop that appends to a
list, which is converted as any other. Sets and dicts stay Python's: tensors
cannot be their keys. A generator expression stays one unless what it runs over
is a tensor.
"""

import ast

from graphkiln.autograph.expressions import (
    Expressions,
    ag,
    ag_call,
    load,
    place,
)


def _never_leaves(node: ast.AST) -> bool:
    """Does it have to stay in the function that it is in?"""
    return any(
        isinstance(n, (ast.Await, ast.Yield, ast.YieldFrom))
        or isinstance(n, ast.comprehension) and n.is_async
        for n in ast.walk(node)
    )


class Comprehensions(Expressions):
    """Converts comprehensions; what makes functions of them is a subclass."""

    # Inside a lambda or generator expression of the user's, whose variables
    # no function around it sees.
    enclosed = 0

    def function(self, node, name: str, options, root: bool):
        raise NotImplementedError

    def visit_Lambda(self, node: ast.Lambda) -> ast.expr:
        if not self.enclosed and any(
            isinstance(n, (ast.ListComp, ast.GeneratorExp))
            for n in ast.walk(node.body)
        ) and not _never_leaves(node):
            return self._as_function(node)
        self.enclosed += 1
        made = super().visit_Lambda(node)
        self.enclosed -= 1
        return made

    def _as_function(self, node: ast.Lambda) -> ast.expr:
        """A lambda as a function with a name, which has room for loops."""
        name = self.names.new("ag__lambda")
        whole = ast.FunctionDef(
            name, node.args, [place(ast.Return(node.body), node.body)], [],
            None,
        )
        place(whole, node)
        self.prelude.append(self.function(whole, name, ag("STD"), root=False))
        return place(load(name), node)

    def visit_ListComp(self, node: ast.ListComp) -> ast.expr:
        if self.enclosed or _never_leaves(node):
            return self.generic_visit(node)
        return place(
            ast.Call(
                load(self._loop(node)),
                [self.visit(node.generators[0].iter)], [],
            ),
            node,
        )

    def visit_GeneratorExp(self, node: ast.GeneratorExp) -> ast.expr:
        if self.enclosed or _never_leaves(node):
            return self.generic_visit(node)
        loop = self._loop(node)
        source = self.names.new("itr", internal=True)
        first = node.generators[0]
        self.enclosed += 1
        self.lazy_depth += 1
        generators = [
            ast.comprehension(
                self.visit(first.target), load(source),
                [self.visit(test) for test in first.ifs], 0,
            ),
            *(self.visit(g) for g in node.generators[1:]),
        ]
        lazily = ast.GeneratorExp(self.visit(node.elt), generators)
        self.lazy_depth -= 1
        self.enclosed -= 1
        arguments = ast.arguments(
            [], [ast.arg(source)], None, [], [], None, []
        )
        return place(
            ag_call(
                "generator", self.visit(first.iter),
                ast.Lambda(arguments, lazily), load(loop),
            ),
            node,
        )

    def _loop(self, node) -> str:
        """The name of a function that makes the list, given what the first
        loop runs over."""
        made = self.names.new("made")
        source = self.names.new("itr", internal=True)
        append = ast.Expr(
            ast.Call(
                ast.Attribute(load(made), "append", ast.Load()), [node.elt], []
            )
        )
        statement: ast.stmt = append
        filtered = any(g.ifs for g in node.generators)
        for i, g in reversed(list(enumerate(node.generators))):
            for test in reversed(g.ifs):
                statement = place(ast.If(test, [statement], []), test)
            over: ast.expr = g.iter if i else load(source)
            if not filtered:
                # Known lengths give a Python list.
                over = ast.Call(ag("each"), [over], [])
                over.gk_over = True
            statement = place(ast.For(g.target, over, [statement], []), g.iter)
        assigned = sorted({
            n.target.id for n in ast.walk(node) if isinstance(n, ast.NamedExpr)
        })
        start = ast.Assign(
            [ast.Name(made, ast.Store())], ast.List([], ast.Load())
        )
        start.gk_list = True
        body: list[ast.stmt] = [start, statement, ast.Return(load(made))]
        outside = [n for n in assigned if n not in self.globals]
        for n in outside:
            self.start_undefined(n)
        if outside:
            body.insert(0, ast.Nonlocal(outside))
        if declared := [n for n in assigned if n in self.globals]:
            body.insert(0, ast.Global(declared))
        name = self.names.new("listcomp")
        arguments = ast.arguments(
            [], [ast.arg(source)], None, [], [], None, []
        )
        whole = place(ast.FunctionDef(name, arguments, body, [], None), node)
        self.prelude.append(self.function(whole, name, ag("STD"), root=False))
        return name
