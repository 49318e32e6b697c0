# What is compiled to be small (docs/decisions/size.md). Nothing of these layers
# runs in a loop.
set(GK_SMALL_LAYERS
    "proto|io|checkpoint|graph|grappler|data|saved_model|profiler|command_line|api")

# Parts of layers that need no speed: ops without loops of their own, and what
# neither a call nor the making of a node goes through.
set(GK_PLAIN_OPS "/ops/(composition|data|file|checkpoint|summary)/")
string(JOIN "|" GK_CALLED_FUNCTION
  captured_variables concrete_function derivatives
  eager_tensor_array forward_accumulator func_graph function_type graph_scopes
  polymorphic_function retracing_detector staged_value tensor_array trace_.*
  variable_creation variant_cache)
set(GK_CALLED_FUNCTION "/src/function/(${GK_CALLED_FUNCTION})\\.cc$")
