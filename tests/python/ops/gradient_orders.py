"""Ops whose gradients have no gradient themselves, and why: a fact that tests
hold (test_gradients.py) and docs/reference/support.md shows."""

FIRST_ORDER_ONLY = {
    "Dilation2D": "the ops of its gradient have none",
    "Igamma": "IgammaGradA has no gradient",
    "Igammac": "IgammaGradA has no gradient",
}
