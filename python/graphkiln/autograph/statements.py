"""The conversion of functions and statements: see `Functions`."""

import ast

from graphkiln.autograph import conditions, flow, lowering
from graphkiln.autograph import names as symbols
from graphkiln.autograph.comprehensions import Comprehensions
from graphkiln.autograph.expressions import (
    ag, ag_call, lazy, load, pattern, place, text
)
from graphkiln.autograph.facts import facts_of
from graphkiln.autograph.parsing import contains_yield, parse

class Functions(Comprehensions):
    """Converts one function and those inside it."""

    def __init__(self, names, class_name, shadowed):
        super().__init__(names, class_name, shadowed)
        self.globals: set[str] = set()
        # Names that must exist before their first assignment, by generated
        # function around: (local symbols, names to start as Undefined).
        self._frames: list[tuple[frozenset | None, set[str]]] = []
        self.prelude: list[ast.stmt] = []

    # Functions.

    def function(
        self, node: ast.FunctionDef, name: str, options: ast.expr, root: bool
    ) -> ast.FunctionDef:
        kept = (
            self.scope_name, self.first_argument, self.globals, self._frames,
            self.prelude, self.lazy_depth, self.enclosed, self.free,
        )
        arguments = self.arguments(node.args, nested=not root)
        self.scope_name = self.names.new("fscope", internal=True)
        self._frames = [(None, set())]
        self.prelude, self.lazy_depth, self.enclosed = [], 0, 0
        given = [*node.args.posonlyargs, *node.args.args]
        self.first_argument = (
            self.mangled(given[0].arg) if given
            else node.args.vararg and node.args.vararg.arg + "[0]"
        )
        if self.first_argument and "[" in self.first_argument:
            self.first_argument = None
        is_global, is_nonlocal = symbols.declared(node)
        self.globals = is_global
        self.free = frozenset().union(*symbols.free_uses(node))
        body = node.body
        document = []
        if (
            isinstance(body[0], ast.Expr)
            and isinstance(body[0].value, ast.Constant)
            and isinstance(body[0].value.value, str)
        ):
            document, body = [body[0]], body[1:]
        low = lowering.Lowering(self.names)
        lowered = low.function(body, node)
        at_end = {n for n in (low.do_return, low.retval) if n}
        parameters = {
            a.arg for a in ast.walk(node.args) if isinstance(a, ast.arg)
        }
        outside = is_global | is_nonlocal
        flow.Flow(lowered, parameters | outside, outside, at_end)
        made = self.block(lowered)
        made = self._starts() + made
        if low.do_return is not None:
            value = load(low.retval) if low.retval else text(None)
            made.append(
                self._after(
                    ast.Return(
                        ast.Call(
                            ast.Attribute(
                                load(self.scope_name), "ret", ast.Load()
                            ),
                            [value, load(low.do_return)], [],
                        )
                    ),
                    node,
                )
            )
        scope = ast.Call(
            ag("FunctionScope"),
            [text(node.name), text(self.scope_name), options], [],
        )
        head: list[ast.stmt] = []
        if is_global:
            head.append(ast.Global(sorted(map(self.mangled, is_global))))
        if is_nonlocal:
            head.append(ast.Nonlocal(sorted(map(self.mangled, is_nonlocal))))
        whole = ast.With(
            [ast.withitem(scope, ast.Name(self.scope_name, ast.Store()))],
            made or [ast.Pass()],
        )
        result = ast.FunctionDef(
            name, arguments, document + head + [whole], [],
            None if root else node.returns,
        )
        place(result, node)
        (
            self.scope_name, self.first_argument, self.globals, self._frames,
            self.prelude, self.lazy_depth, self.enclosed, self.free,
        ) = kept
        return result

    @staticmethod
    def _after(statement: ast.stmt, node: ast.AST) -> ast.stmt:
        """At the last line of `node`, where Python returns from it."""
        last = node.body[-1]
        return place(statement, last)

    def visit_FunctionDef(self, node: ast.FunctionDef):
        decorators = [self.visit(d) for d in node.decorator_list]
        left_alone = contains_yield(node) or any(
            "do_not_convert" in ast.unparse(d) for d in node.decorator_list
        )
        if left_alone:
            made = ast.FunctionDef(
                node.name, node.args, node.body, decorators, node.returns
            )
            return place(made, node)
        made = self.function(
            node, self.mangled(node.name), ag("STD"), root=False
        )
        made.decorator_list = decorators + [
            place(ag("autograph_artifact"), node)
        ]
        return made

    def visit_AsyncFunctionDef(self, node):
        return node

    def visit_ClassDef(self, node: ast.ClassDef):
        """The methods are converted; what else the body says is Python's."""
        outside, self._class_name = self._class_name, node.name
        body = [
            self.visit(s) if isinstance(s, ast.FunctionDef) else s
            for s in node.body
        ]
        self._class_name = outside
        made = ast.ClassDef(
            node.name, [self.visit(b) for b in node.bases],
            [ast.keyword(k.arg, self.visit(k.value)) for k in node.keywords],
            body, [self.visit(d) for d in node.decorator_list],
        )
        return place(made, node)

    # Names that nothing is assigned to yet.

    def _starts(self) -> list[ast.stmt]:
        _, wanted = self._frames[-1]
        return [self._undefined(n) for n in sorted(wanted)]

    def _undefined(
        self, name: str, at: ast.AST | None = None, pending: bool = False
    ) -> ast.stmt:
        value = ag_call("Undefined", text(name))
        if pending:
            value.args.append(text(True))
        node = ast.Assign([ast.Name(self.mangled(name), ast.Store())], value)
        return place(node, at) if at is not None else node

    def start_undefined(self, name: str) -> None:
        for local, wanted in reversed(self._frames):
            if local is None or name in local:
                wanted.add(name)
                return

    # Statements.

    def block(self, statements: list[ast.stmt]) -> list[ast.stmt]:
        made: list[ast.stmt] = []
        outer, self.prelude = self.prelude, []
        for s in statements:
            if isinstance(s, (ast.Global, ast.Nonlocal)):
                continue
            result = self.visit(s)
            made += self.prelude
            self.prelude = []
            made += result if isinstance(result, list) else [result]
        self.prelude = outer
        return made

    def setter(self, name: str, at: ast.AST) -> str:
        function = self.names.new("set_" + name, internal=True)
        self.start_undefined(name)
        value = ast.arg("value_")
        body = [
            ast.Nonlocal([name]),
            ast.Assign([ast.Name(name, ast.Store())], load("value_")),
            ast.Return(load("value_")),
        ]
        if name in self.globals:
            body[0] = ast.Global([name])
        self.prelude.append(self._def(function, [value], body, at))
        return function

    def _def(self, name, parameters, body, at) -> ast.FunctionDef:
        arguments = ast.arguments([], parameters, None, [], [], None, [])
        return place(ast.FunctionDef(name, arguments, body, [], None), at)

    def visit_Expr(self, node: ast.Expr):
        if symbols.directive(node.value) == "set_element_type":
            return self._element_type(node)
        return self.generic_visit_copy(node)

    def _element_type(self, node: ast.Expr) -> ast.stmt:
        """The directive gives a list that the function makes its type."""
        call = node.value
        if not call.args or not isinstance(call.args[0], ast.Name):
            return place(ast.Pass(), node)
        name = self.mangled(call.args[0].id)
        made = ast.Call(
            ag("set_element_type"),
            [self.visit(a) for a in call.args],
            [ast.keyword(k.arg, self.visit(k.value)) for k in call.keywords],
        )
        return place(ast.Assign([ast.Name(name, ast.Store())], made), node)

    def visit_Delete(self, node: ast.Delete):
        made = []
        for target in node.targets:
            if isinstance(target, ast.Name):
                self._check_read(target, made)
                made.append(self._undefined(target.id, node))
            else:
                made.append(place(ast.Delete([self.visit(target)]), node))
        return made

    def _check_read(self, target: ast.Name, made: list) -> None:
        made.append(
            place(
                ast.Expr(ag_call("ld", load(self.mangled(target.id)))), target
            )
        )

    def visit_Assign(self, node: ast.Assign):
        value = self.visit(node.value)
        for target in node.targets:
            if isinstance(target, (ast.Tuple, ast.List)):
                if not isinstance(node.value, ast.Tuple) or any(
                    isinstance(e, (ast.Tuple, ast.List)) for e in target.elts
                ):
                    value = self._unpacked(value, target)
                break
        made = ast.Assign([self.visit(t) for t in node.targets], value)
        return ast.copy_location(made, node)

    def _unpacked(self, value: ast.expr, target: ast.expr) -> ast.expr:
        return place(ag_call("unpack", value, pattern(target)), target)

    def visit_AnnAssign(self, node: ast.AnnAssign):
        value = None if node.value is None else self.visit(node.value)
        if value is not None:
            return place(ast.Assign([self.visit(node.target)], value), node)
        return place(ast.Pass(), node)

    def visit_AugAssign(self, node: ast.AugAssign):
        made = [
            ast.copy_location(
                ast.AugAssign(
                    self.visit(node.target), node.op, self.visit(node.value)
                ),
                node,
            )
        ]
        if isinstance(node.target, ast.Name):
            name = self.mangled(node.target.id)
            read = ast.Assign(
                [ast.Name(name, ast.Store())], ag_call("ld", load(name))
            )
            made.insert(0, place(read, node))
        return made

    def visit_Assert(self, node: ast.Assert):
        message = text(None) if node.msg is None else self._lazy(node.msg)
        return place(
            ast.Expr(
                ag_call(
                    "assert_stmt", self.visit(node.test), message,
                    text(ast.unparse(node.test)),
                )
            ),
            node,
        )

    def visit_With(self, node: ast.With):
        items = [
            ast.withitem(
                self.visit(i.context_expr),
                None if i.optional_vars is None
                else self.visit(i.optional_vars),
            )
            for i in node.items
        ]
        made = ast.With(items, self.block(node.body) or [ast.Pass()])
        return ast.copy_location(made, node)

    def visit_Try(self, node: ast.Try):
        handlers = []
        for h in node.handlers:
            kind = None if h.type is None else self.visit(h.type)
            name = None if h.name is None else self.mangled(h.name)
            handlers.append(
                ast.copy_location(
                    ast.ExceptHandler(kind, name, self.block(h.body)), h
                )
            )
        made = ast.Try(
            self.block(node.body) or [ast.Pass()], handlers,
            self.block(node.orelse), self.block(node.finalbody),
        )
        return ast.copy_location(made, node)

    def visit_Match(self, node: ast.Match):
        cases = []
        for c in node.cases:
            guard = None if c.guard is None else self.visit(c.guard)
            cases.append(
                ast.match_case(
                    c.pattern, guard, self.block(c.body) or [ast.Pass()]
                )
            )
        return ast.copy_location(
            ast.Match(self.visit(node.subject), cases), node
        )

    # Branches and loops.

    def visit_If(self, node: ast.If):
        state, outputs, undefined, unsure = flow.state_of(node)
        at = node.test
        functions = [
            *self._state_functions(state, at),
            self._body("if_body", state, node.body, node, at),
            self._body("else_body", state, node.orelse, node, at),
        ]
        call = ag_call(
            "if_stmt", self.visit(node.test),
            *self._loads(functions[2:] + functions[:2]),
            self._symbols(state), text(outputs),
        )
        if lists := self._grown(node, state):
            call.args.append(self._symbols(lists))
        moved = getattr(node, "gk_moved", ())
        if moved := [s for s in state if s in moved]:
            call.keywords.append(ast.keyword("moved", self._symbols(moved)))
        return self._assembled(functions, undefined, unsure, call, node, at)

    def _assembled(self, functions, undefined, unsure, call, node, at):
        for name in unsure:
            self.start_undefined(name)
        made = list(functions)
        settled = facts_of(node).settled
        made += [self._undefined(n, at, n in settled) for n in undefined]
        made.append(place(ast.Expr(call), at))
        return made

    @staticmethod
    def _grown(node: ast.stmt, state: list[str]) -> list[str]:
        """The lists of the state that a branch or loop changes in place."""
        grown = facts_of(node).grown
        return [s for s in state if s in grown]

    @staticmethod
    def _loads(functions: list[ast.FunctionDef]) -> list[ast.expr]:
        return [load(f.name) for f in functions]

    @staticmethod
    def _symbols(state: list[str]) -> ast.Tuple:
        return ast.Tuple([text(s) for s in state], ast.Load())

    def _scoping(self, state: list[str]) -> list[ast.stmt]:
        """The declarations of a generated function that assigns state."""
        plain = [s for s in state if not symbols.is_composite(s)]
        is_global = [self.mangled(s) for s in plain if s in self.globals]
        others = [self.mangled(s) for s in plain if s not in self.globals]
        made: list[ast.stmt] = []
        if is_global:
            made.append(ast.Global(is_global))
        if others:
            made.append(ast.Nonlocal(others))
        return made

    def _body(self, base, state, statements, node, at, first=None):
        """A branch's or loop's body as a function. `first`: (parameters,
        statements to begin with)."""
        modified = facts_of(node).modified
        self._frames.append((modified - frozenset(state), set()))
        made = self.block(statements)
        begin = self._starts()
        self._frames.pop()
        parameters = []
        if first is not None:
            parameters, assignments = first
            begin = begin + assignments
        body = self._scoping(state) + begin + made
        return self._def(
            self.names.new(base), parameters, body or [ast.Pass()], at
        )

    def _state_functions(self, state: list[str], at) -> list[ast.FunctionDef]:
        values: list[ast.expr] = []
        targets: list[ast.expr] = []
        later: list[ast.stmt] = []
        for i, symbol in enumerate(state):
            if not symbols.is_composite(symbol):
                values.append(load(self.mangled(symbol)))
                targets.append(ast.Name(self.mangled(symbol), ast.Store()))
                continue
            read = self._raw(symbol)
            values.append(ag_call("ldu", lazy(read), text(symbol)))
            hidden = self.names.new("value_", internal=True)
            targets.append(ast.Name(hidden, ast.Store()))
            target = self._raw(symbol)
            target.ctx = ast.Store()
            key = (
                text(target.attr) if isinstance(target, ast.Attribute)
                else target.slice
            )
            erase = (
                "erase_attribute" if isinstance(target, ast.Attribute)
                else "erase_item"
            )
            later.append(
                ast.If(
                    ag_call("is_undefined", load(hidden)),
                    [ast.Expr(ag_call(erase, target.value, key))],
                    [ast.Assign([target], load(hidden))],
                )
            )
        get = self._def(
            self.names.new("get_state"), [],
            [ast.Return(ast.Tuple(values, ast.Load()))], at,
        )
        body = self._scoping(state)
        if targets:
            body.append(
                ast.Assign(
                    [ast.Tuple(targets, ast.Store())], load("vars_")
                )
            )
        body += later
        put = self._def(
            self.names.new("set_state"), [ast.arg("vars_")],
            body or [ast.Pass()], at,
        )
        return [get, put]

    def _raw(self, symbol: str) -> ast.expr:
        """The expression of a composite symbol, names as they are."""
        node = parse(symbol, mode="eval").body
        for n in ast.walk(node):
            if isinstance(n, ast.Name):
                n.id = self.mangled(n.id)
            elif isinstance(n, ast.Attribute):
                n.attr = self.mangled(n.attr)
        return node

    def _loop_options(self, body: list[ast.stmt]):
        """(body without directives, items of the options)."""
        kept, options = [], []
        for s in body:
            if not isinstance(s, ast.Expr) or (
                symbols.directive(s.value) != "set_loop_options"
            ):
                kept.append(s)
                continue
            keywords = list(s.value.keywords)
            order = (
                "parallel_iterations", "swap_memory", "maximum_iterations",
                "shape_invariants",
            )
            for name, value in zip(order, s.value.args):
                keywords.append(ast.keyword(name, value))
            for k in keywords:
                value = k.value
                if k.arg == "shape_invariants":
                    value = self._invariants(value)
                else:
                    value = self.visit(value)
                options.append((k.arg, value))
        return kept, options

    def _invariants(self, node: ast.expr) -> ast.expr:
        """Pairs (variable, shape) with the variables' symbols added."""
        if not isinstance(node, (ast.List, ast.Tuple)):
            return self.visit(node)
        made = []
        for pair in node.elts:
            if isinstance(pair, (ast.Tuple, ast.List)) and len(pair.elts) == 2:
                symbol = symbols.symbol(pair.elts[0])
                made.append(
                    ast.Tuple(
                        [self.visit(e) for e in pair.elts] + [text(symbol)],
                        ast.Load(),
                    )
                )
            else:
                made.append(self.visit(pair))
        return place(ast.List(made, ast.Load()), node)

    def _options(self, items) -> ast.Dict:
        return ast.Dict([text(k) for k, _ in items], [v for _, v in items])

    def visit_While(self, node: ast.While):
        state, _, undefined, unsure = flow.state_of(node)
        at = node.test
        body, options = self._loop_options(node.body)
        functions = [
            *self._state_functions(state, at),
            self._body("loop_body", state, body, node, at),
        ]
        self.lazy_depth += 1
        test = self.visit(node.test)
        self.lazy_depth -= 1
        stops = node.gk_stops
        operands, read = conditions.operands(node.test), ()
        endless = isinstance(node.test, ast.Constant) and node.test.value
        if not operands and not (stops and endless):
            # What is called may read attributes and items, too.
            tested = facts_of(node).tested
            read = [
                s for s in state if s in tested or symbols.is_composite(s)
            ]
        condition = conditions.Reads(
            tuple(self.mangled(name) for name in operands), tuple(read),
            tuple(self.mangled(name) for name in conditions.called(node.test)),
        )
        if stops:
            going = lowering.none_of(stops, at)
            if endless:
                test = going
            else:
                test = ag_call("and_", lazy(going), lazy(test))
            options.append(("stops", self._symbols(stops)))
        made = self._def(
            self.names.new("loop_test"), [], [ast.Return(test)], at
        )
        conditions.note(made, condition)
        functions.append(made)
        if lists := self._grown(node, state):
            options.append(("lists", self._symbols(lists)))
        get, put, repeated, tested = functions
        call = ag_call(
            "while_stmt", *self._loads([tested, repeated, get, put]),
            self._symbols(state), self._options(options),
        )
        return self._assembled(functions, undefined, unsure, call, node, at)

    def visit_For(self, node: ast.For):
        state, _, undefined, unsure = flow.state_of(node)
        at = ast.copy_location(ast.Pass(), node)
        at.end_lineno = node.iter.end_lineno
        at.end_col_offset = node.iter.end_col_offset
        body, options = self._loop_options(node.body)
        options.insert(0, ("iterate_names", text(ast.unparse(node.target))))
        iterate = self.names.new("itr", internal=True)
        item: ast.expr = load(iterate)
        if isinstance(node.target, (ast.Tuple, ast.List)):
            item = self._unpacked(item, node.target)
        first = place(
            ast.Assign([self.visit(node.target)], item), node.target
        )
        functions = [
            *self._state_functions(state, at),
            self._body(
                "loop_body", state, body, node, at,
                ([ast.arg(iterate)], [first]),
            ),
        ]
        extra: ast.expr = text(None)
        if node.gk_stops:
            tested = self._def(
                self.names.new("extra_test"), [],
                [ast.Return(lowering.none_of(node.gk_stops, at))], at,
            )
            functions.append(tested)
            extra = load(tested.name)
            options.append(("stops", self._symbols(node.gk_stops)))
        if lists := self._grown(node, state):
            options.append(("lists", self._symbols(lists)))
        get, put, repeated = functions[:3]
        call = ag_call(
            "for_stmt", self.visit(node.iter), extra,
            *self._loads([repeated, get, put]), self._symbols(state),
            self._options(options),
        )
        return self._assembled(functions, undefined, unsure, call, node, at)
