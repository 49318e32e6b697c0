"""What is known of ifs and loops, kept with their nodes."""

import ast


class Facts:
    """What is known of one if or loop: sets of symbols."""

    def __init__(self):
        self.live_in: frozenset[str] = frozenset()
        self.live_out: frozenset[str] = frozenset()
        self.modified: frozenset[str] = frozenset()
        # Lists among them that are changed in place.
        self.grown: frozenset[str] = frozenset()
        # Assigned before on every way, and on some way.
        self.bound: frozenset[str] = frozenset()
        # Of a loop with an else clause: what this assigns, so that only a
        # break leads past it.
        self.settled: frozenset[str] = frozenset()
        self.maybe: frozenset[str] = frozenset()
        # What the condition of a loop reads.
        self.tested: frozenset[str] = frozenset()


def facts_of(node: ast.stmt) -> Facts:
    facts = getattr(node, "gk_facts", None)
    if facts is None:
        facts = node.gk_facts = Facts()
    return facts
