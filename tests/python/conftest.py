"""Every plan that a test makes proves what it claims while it runs
(docs/internals/plans.md). GK_CHECK_PLANS=0 in the environment turns that off."""

from __future__ import annotations

import os

os.environ.setdefault("GK_CHECK_PLANS", "1")
