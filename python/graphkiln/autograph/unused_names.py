"""Names for what generated code adds."""

import ast


class UnusedNames:
    """Names that no user symbol of the function has."""

    def __init__(self, tree: ast.AST):
        self.taken = set()
        for node in ast.walk(tree):
            if isinstance(node, ast.Name):
                self.taken.add(node.id)
            elif isinstance(node, ast.arg):
                self.taken.add(node.arg)
            elif isinstance(node, (ast.FunctionDef, ast.ClassDef)):
                self.taken.add(node.name)
            elif isinstance(node, (ast.Global, ast.Nonlocal)):
                self.taken.update(node.names)
        # Flags and scopes: read as they are.
        self.internal: set[str] = set()

    def new(self, base: str, internal: bool = False) -> str:
        name, n = base, 0
        while name in self.taken:
            n += 1
            name = f"{base}_{n}"
        self.taken.add(name)
        if internal:
            self.internal.add(name)
        return name
