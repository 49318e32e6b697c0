"""The conversion of expressions: names, calls, logic, comparisons."""

import ast

from graphkiln.autograph.lowering import place
from graphkiln.autograph.names import symbol

# Builtins whose meaning depends on the calling frame, or that never run user
# code worth converting.
_DIRECT = frozenset(
    "print super locals globals vars dir eval exec breakpoint isinstance "
    "issubclass hasattr getattr setattr type id repr callable __import__"
    .split()
)

# Attributes that mean the caller's frame when called.
_OF_FRAME = frozenset(("currentframe", "_getframe", "stack"))


def ag(name: str) -> ast.Attribute:
    return ast.Attribute(ast.Name("ag__", ast.Load()), name, ast.Load())


def ag_call(name: str, *arguments: ast.expr) -> ast.Call:
    node = ast.Call(ag(name), list(arguments), [])
    node.gk_internal = True
    return node


def text(value: object) -> ast.Constant:
    return ast.Constant(value)


def load(name: str) -> ast.Name:
    return ast.Name(name, ast.Load())


def pattern(target: ast.expr) -> ast.expr:
    """A tuple of targets as what `unpack` takes: nested tuples of None, and
    "*" for a starred target."""
    if isinstance(target, (ast.Tuple, ast.List)):
        return ast.Tuple([pattern(e) for e in target.elts], ast.Load())
    return text("*" if isinstance(target, ast.Starred) else None)


def lazy(value: ast.expr) -> ast.Lambda:
    arguments = ast.arguments([], [], None, [], [], None, [])
    return ast.Lambda(arguments, value)


class Expressions(ast.NodeTransformer):
    """Converts expressions; statements are a subclass's."""

    def __init__(self, names, class_name: str | None, shadowed):
        self.names = names
        self._class_name = class_name
        # Is a builtin's name another thing's in this function?
        self._shadowed = shadowed
        # Generated lambdas around the present expression.
        self.lazy_depth = 0
        # Names that the function does not assign to as its own.
        self.free: frozenset[str] = frozenset()
        self.scope_name = "fscope"
        self.first_argument: str | None = None

    def mangled(self, name: str) -> str:
        if (
            self._class_name
            and name.startswith("__")
            and not name.endswith("__")
        ):
            return "_" + self._class_name.lstrip("_") + name
        return name

    def _lazy(self, node: ast.expr) -> ast.Lambda:
        self.lazy_depth += 1
        value = self.visit(node)
        self.lazy_depth -= 1
        return place(lazy(value), node)

    def visit_Name(self, node: ast.Name) -> ast.expr:
        node = place(ast.Name(self.mangled(node.id), node.ctx), node)
        if (
            isinstance(node.ctx, ast.Load)
            and node.id not in self.names.internal
            and node.id != "ag__"
        ):
            kind = "ldf" if node.id in self.free else "ld"
            return place(ag_call(kind, node), node)
        return node

    def visit_Attribute(self, node: ast.Attribute) -> ast.expr:
        value = self.visit(node.value)
        return place(
            ast.Attribute(value, self.mangled(node.attr), node.ctx), node
        )

    def visit_Call(self, node: ast.Call) -> ast.expr:
        if getattr(node, "gk_internal", False):
            return node
        function = node.func
        if isinstance(function, ast.Name) and function.id in _DIRECT:
            if not self._shadowed(function.id):
                return self._direct(node)
        if isinstance(function, ast.Attribute) and function.attr in _OF_FRAME:
            if symbol(function) in ("inspect.currentframe", "sys._getframe",
                                    "inspect.stack"):
                return self._direct(node)
        if getattr(node, "gk_over", False):
            return place(
                ag_call("each", *(self.visit(a) for a in node.args)), node
            )
        arguments = ast.Tuple(
            [self.visit(a) for a in node.args], ast.Load()
        )
        if node.keywords:
            keywords = ast.Dict(
                [
                    None if k.arg is None else text(self.mangled(k.arg))
                    for k in node.keywords
                ],
                [self.visit(k.value) for k in node.keywords],
            )
        else:
            keywords = text(None)
        return place(
            ag_call(
                "converted_call", self.visit(function), arguments, keywords,
                load(self.scope_name),
            ),
            node,
        )

    def _direct(self, node: ast.Call) -> ast.expr:
        if getattr(node.func, "id", None) == "super" and not node.args:
            if self.first_argument is None:
                return node
            made = ast.Call(
                node.func, [load("__class__"), load(self.first_argument)], []
            )
            return place(made, node)
        made = ast.Call(
            node.func,
            [self.visit(a) for a in node.args],
            [ast.keyword(k.arg, self.visit(k.value)) for k in node.keywords],
        )
        return place(made, node)

    def visit_BoolOp(self, node: ast.BoolOp) -> ast.expr:
        name = "and_" if isinstance(node.op, ast.And) else "or_"
        return place(
            ag_call(name, *(self._lazy(v) for v in node.values)), node
        )

    def visit_UnaryOp(self, node: ast.UnaryOp) -> ast.expr:
        if isinstance(node.op, ast.Not):
            return place(ag_call("not_", self.visit(node.operand)), node)
        return self.generic_visit_copy(node)

    def visit_IfExp(self, node: ast.IfExp) -> ast.expr:
        return place(
            ag_call(
                "if_exp", self.visit(node.test), self._lazy(node.body),
                self._lazy(node.orelse), text(ast.unparse(node.test)),
            ),
            node,
        )

    def visit_Compare(self, node: ast.Compare) -> ast.expr:
        operands = [node.left, *node.comparators]
        if len(node.ops) == 1:
            return self._comparison(
                self.visit(node.left), node.ops[0],
                self.visit(node.comparators[0]), node,
            )
        if all(
            isinstance(o, (ast.Name, ast.Constant)) for o in operands[1:-1]
        ):
            self.lazy_depth += 1
            parts = [
                place(
                    lazy(
                        self._comparison(self.visit(a), op, self.visit(b), node)
                    ),
                    node,
                )
                for a, op, b in zip(operands, node.ops, operands[1:])
            ]
            self.lazy_depth -= 1
            return place(ag_call("and_", *parts), node)
        # Each operand is evaluated once.
        parts = []
        for op, operand in zip(node.ops, node.comparators):
            arguments = ast.arguments(
                [], [ast.arg("a"), ast.arg("b")], None, [], [], None, []
            )
            compare = self._comparison(load("a"), op, load("b"), node)
            parts.append(place(ast.Lambda(arguments, compare), node))
            parts.append(self._lazy(operand))
        return place(
            ag_call("chained", self.visit(node.left), *parts), node
        )

    def _comparison(self, left, op, right, at) -> ast.expr:
        if isinstance(op, ast.In):
            return place(ag_call("in_", left, right), at)
        if isinstance(op, ast.NotIn):
            return place(ag_call("not_", ag_call("in_", left, right)), at)
        return place(ast.Compare(left, [op], [right]), at)

    def visit_NamedExpr(self, node: ast.NamedExpr) -> ast.expr:
        value = self.visit(node.value)
        name = self.mangled(node.target.id)
        if self.lazy_depth == 0:
            return place(
                ast.NamedExpr(ast.Name(name, ast.Store()), value), node
            )
        return place(
            ast.Call(load(self.setter(name, node)), [value], []), node
        )

    def setter(self, name: str, at: ast.AST) -> str:
        raise NotImplementedError

    def visit_Lambda(self, node: ast.Lambda) -> ast.expr:
        depth, self.lazy_depth = self.lazy_depth, 0
        first, self.first_argument = self.first_argument, None
        made = ast.Lambda(
            self.arguments(node.args, True), self.visit(node.body)
        )
        self.lazy_depth, self.first_argument = depth, first
        return place(ag_call("autograph_artifact", place(made, node)), node)

    def arguments(self, node: ast.arguments, nested: bool) -> ast.arguments:
        """Parameters with converted defaults, or placeholders for defaults
        that the function object brings along."""

        def value(default):
            if default is None:
                return None
            if nested:
                return self.visit(default)
            return place(text(None), default)

        def parameter(a):
            if a is None:
                return None
            return place(
                ast.arg(self.mangled(a.arg), a.annotation if nested else None),
                a,
            )

        return ast.arguments(
            [parameter(a) for a in node.posonlyargs],
            [parameter(a) for a in node.args],
            parameter(node.vararg),
            [parameter(a) for a in node.kwonlyargs],
            [value(d) for d in node.kw_defaults],
            parameter(node.kwarg),
            [value(d) for d in node.defaults],
        )

    def visit_comprehension(self, node: ast.comprehension):
        return ast.comprehension(
            self.visit(node.target),
            place(ag_call("each", self.visit(node.iter)), node.iter),
            [self.visit(test) for test in node.ifs],
            node.is_async,
        )

    def generic_visit_copy(self, node: ast.AST) -> ast.AST:
        """`node` with converted parts; trees of source files are shared, so
        no node of them may change."""
        fields = {}
        for field, value in ast.iter_fields(node):
            if isinstance(value, list):
                fields[field] = [
                    self.visit(v) if isinstance(v, ast.AST) else v
                    for v in value
                ]
            elif isinstance(value, ast.AST):
                fields[field] = self.visit(value)
            else:
                fields[field] = value
        made = type(node)(**fields)
        return ast.copy_location(made, node)

    generic_visit = generic_visit_copy
