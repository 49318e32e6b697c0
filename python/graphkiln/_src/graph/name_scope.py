"""Name scopes, init_scope and device placement."""

from graphkiln._graphkiln import current_scope, device, init_scope, name_scope

__all__ = ["current_scope", "device", "init_scope", "name_scope"]
