"""Each point of what is promised of tf.function has a test, and this table
says which.

The points of the sections are named by their subject, the demands that
programs make of the interface by their numbers. A test is "file::function" in
tests/python or tests/oracle, or "subject-name" of a program in tests/programs
or in a table of a test file.
"""

import ast
import functools
import pathlib
import re
import sys

import pytest

_TESTS = pathlib.Path(__file__).parents[1]

sys.path.insert(0, str(_TESTS / "programs"))

import outcomes  # noqa: E402

_KEYS = "test_semantics_keys::test_1_"
_SIGNATURES = "test_semantics_signatures::test_2_"
_TRACES = "test_semantics_traces::test_3_"

SECTIONS = {
    "1.1 tensors, arrays and NumPy's scalars": (
        f"{_KEYS}1_types", f"{_KEYS}1_arrays_share_with_tensors",
    ),
    "1.1 variables by type and alias": (
        "test_function::test_variables_by_type_and_alias",
        "variables_in_functions-variables_as_arguments",
    ),
    "1.1 literals": (f"{_KEYS}1_literals_by_type_and_value",),
    "1.1 lists, tuples, mappings, named tuples": (
        f"{_KEYS}1_containers", f"{_KEYS}1_types",
    ),
    "1.1 dataclasses": (f"{_KEYS}1_dataclasses",),
    "1.1 specs and composite values": (
        f"{_KEYS}1_types", "test_composites::*",
    ),
    "1.1 TensorArrays": ("semantics-keys_of_tensor_arrays",),
    "1.1 resource handles": (f"{_KEYS}1_types",),
    "1.1 other objects by weak reference": (
        f"{_KEYS}1_objects_by_weak_reference",
        "semantics-keys_of_objects", "lifetimes-arguments_are_held_weakly",
    ),
    "1.1 unhashable values": (
        "test_function::test_unhashable_argument",
        "semantics-unhashable_arguments",
    ),
    "1.1 the tracing protocol": (f"{_KEYS}1_tracing_protocol",),
    "1.2 subtypes": ("test_trace_types::test_subtypes_of_tensors",),
    "1.2 common supertypes": (
        "test_trace_types::test_common_supertype",
        "test_trace_types::test_no_common_supertype",
    ),
    "1.2 dispatch": (f"{_KEYS}2_the_most_specific_trace_serves",),
    "1.2 a general trace serves specific calls": (
        "test_function::test_general_trace_serves_specific_calls",
        "semantics-general_traces_serve",
    ),
    "1.2 reduce_retracing": (
        f"{_KEYS}2_reduce_retracing", f"{_KEYS}2_what_is_not_generalised",
        f"{_KEYS}2_composites_are_generalised",
    ),
    "1.2 the tracing count": (
        "decorators-tracing_count",
        "decorators-tracing_count_of_nested_functions",
        "variables_in_functions-tracing_count_with_variables",
    ),
    "1.3 defaults and keywords": (
        f"{_KEYS}3_defaults_are_filled_before_the_key",
        "where_code_runs-defaults_and_keywords",
    ),
    "1.3 kinds and names": (
        f"{_KEYS}3_kinds_and_names", f"{_KEYS}3_text_of_function_types",
    ),
    "1.3 binding errors": (
        "test_demands_tracing::test_demand_14_binding_errors",
        "semantics-binding_errors",
    ),
    "2 what is refused at decoration": (f"{_SIGNATURES}refused_at_decoration",),
    "2 frozen defaults": (
        "test_concrete_function::test_signature_freezes_defaults",
    ),
    "2 variable and keyword arguments": (
        f"{_SIGNATURES}variable_and_keyword_arguments",
    ),
    "2 casts": (
        f"{_SIGNATURES}arguments_are_cast", f"{_SIGNATURES}refused_at_the_call",
        f"{_SIGNATURES}symbolic_tensors_of_unknown_shape",
    ),
    "2 nested structures": (f"{_SIGNATURES}nested_and_composite",),
    "2 one trace, placeholder names": (
        f"{_SIGNATURES}one_trace_and_its_names",
    ),
    "2 methods": (f"{_SIGNATURES}methods",),
    "3.1 values and specs": (
        "semantics-concrete_functions_of_values_and_specs",
    ),
    "3.1 structured calls": (
        "semantics-structured_calls_fill_no_defaults",
        f"{_TRACES}1_structured_and_flat_calls",
    ),
    "3.1 flat calls": ("semantics-flat_calls",),
    "3.1 both forms fail": ("semantics-both_forms_of_call_fail",),
    "3.1 wrong dtype": ("semantics-concrete_function_with_another_dtype",),
    "3.1 wrong shape": (f"{_TRACES}1_shapes_are_checked",),
    "3.1 variables for tensors": (
        "semantics-variables_are_read_for_tensor_arguments",
    ),
    "3.2 names": ("semantics-function_names_and_gradient_pair",),
    "3.2 structured_input_signature": ("semantics-structured_input_signature",),
    "3.2 structured_outputs": ("semantics-structured_outputs",),
    "3.2 parts": (
        "semantics-parts_of_a_concrete_function",
        "variables_in_functions-variables_of_a_concrete_function",
    ),
    "3.2 printed forms": (
        "semantics-printed_signatures", "semantics-printed_captures",
    ),
    "3.3 return values": (
        "semantics-what_may_be_returned", "semantics-what_may_not_be_returned",
        "where_code_runs-returns",
    ),
    "3.4 eager tensors": ("semantics-captured_tensors_in_graph_defs",),
    "3.4 arrays and numbers": ("semantics-arrays_and_numbers_are_constants",),
    "3.4 variables": ("semantics-captured_variables",),
    "3.4 lifetime": (
        "variables_in_functions-weakly_referenced_variables",
        "test_function_variables::"
        "test_the_object_is_held_weakly_and_the_value_strongly",
        "test_function_variables::test_gone_with_its_closure",
        "lifetimes-captures_are_freed_with_the_function",
    ),
    "3.4 values of call time": (
        "effects-capture_by_call_time_value",
        "effects-call_time_value_in_a_nested_function",
    ),
    "3.4 nested functions": ("semantics-nested_captures_and_shared_traces",),
    "3.4 tensors out of scope": (
        "semantics-tensor_of_a_loop_body",
        "effects-leaked_tensor_in_another_function",
        "test_function::test_tensor_of_an_inner_function",
    ),
    "3.4 no numpy() of symbolic tensors": ("effects-no_numpy_while_tracing",),
    "4 the first call traces twice": (
        "effects_and_failures-first_call_traces_twice",
        "variables_in_functions-created_at_each_call",
        "effects_and_failures-later_trace_that_creates",
    ),
    "4 lifted initial values": (
        "variables_in_functions-initial_value_depends_on_the_argument",
        "variables_in_functions-initial_value_of_another_variable",
        "variables_in_functions-conditional_creation",
        "variables_in_functions-random_initial_value",
    ),
    "4 creation in nested functions, branches, loops": (
        "variables_in_functions-creation_in_a_nested_function",
        "effects_and_failures-creation_in_a_staged_branch",
        "effects_and_failures-creation_in_a_staged_loop",
    ),
    "4 callable initial values": (
        "variables_in_functions-initial_value_is_a_function",
    ),
    "4 returned variables": ("effects_and_failures-variable_returned_is_its_value",),
    "4 get_concrete_function creates": (
        "variables_in_functions-creation_by_get_concrete_function",
        "effects_and_failures-creating_method_by_get_concrete_function",
        "effects_and_failures-methods_of_temporary_objects",
    ),
    "4 init_scope": (
        "where_code_runs-where_code_runs", "where_code_runs-init_scope_nested",
        "where_code_runs-init_scope_and_symbolic_tensors",
    ),
    "5 effects are control outputs": (
        "effects_and_failures-effects_are_gathered",
        "effects-two_stateful_ops_two_control_outputs",
    ),
    "5 order by resource": (
        "effects-control_inputs_of_assignments",
        "effects-control_inputs_of_reads",
    ),
    "5 effects without resources": (
        "effects_and_failures-effects_without_resources_are_chained",
        "printing-order_in_a_function",
    ),
    "5 exempt ops": ("effects-random_ops_run_only_if_needed",),
    "5 pruning and static asserts": (
        "effects-unused_stateless_ops_are_left_out",
        "effects-unused_assertion_fails",
        "effects_and_failures-errors_of_unused_ops_do_not_appear",
        "effects_and_failures-static_asserts_fail_while_tracing",
    ),
    "5 reads": (
        "effects_and_failures-read_value_adds_an_identity",
        "effects_and_failures-names_of_reads_in_scopes",
        "variables_in_functions-reads_while_tracing",
    ),
    "5 calls of other functions": (
        "effects-kind_of_nested_call", "effects_and_failures-read_only_resource_inputs",
    ),
    "6 exceptions in the body": (
        "effects-exception_in_the_body_leaves_no_trace",
        "effects_and_failures-failed_traces_are_not_kept",
        "effects_and_failures-text_of_errors_in_user_code",
    ),
    "6 classes of errors": (
        "effects_and_failures-errors_of_user_code_keep_their_class",
    ),
    "6 shape errors": (
        "effects-shape_error_of_rank", "effects-shape_error_of_dimensions",
    ),
    "6 traceback filtering": ("debugging-traceback_filtering",),
    "6 run-time errors": ("effects-run_time_error",),
    "6 assertions": ("effects_and_failures-text_of_failed_assertions",),
    "6 retracing warning": (
        "test_retracing::test_window_of_calls",
        "test_retracing::test_first_line",
        "test_retracing::test_functions_made_in_a_loop",
        "test_retracing::test_concrete_functions_do_not_count",
    ),
    "7 parameters of tf.function": (
        "decorators-signature_of_function", "decorators-options_are_accepted",
        "decorators-unknown_option",
    ),
    "7 public names": (
        "effects_and_failures-public_names_of_functions", "decorators-attributes",
        "effects_and_failures-initialization_function",
    ),
    "7 what can be decorated": (
        "decorators-not_callable", "decorators-callable_objects",
        "decorators-builtins_and_ops", "effects_and_failures-callables_without_a_name",
        "effects_and_failures-partials",
    ),
    "7 experimental attributes": (
        "effects_and_failures-unknown_experimental_attribute",
        "effects_and_failures-implements_is_an_attribute",
    ),
    "7 methods": (
        "effects_and_failures-one_function_an_instance",
        "decorators-instances_are_collected",
        "decorators-bound_function_outlives_its_object",
        "decorators-static_and_class_methods",
        "lifetimes-bound_methods_are_freed",
    ),
    "7 copies and pickles": (
        "decorators-copies", "decorators-copies_of_traced_functions",
        "decorators-pickle", "decorators-pickle_with_signature",
    ),
    "7 nested calls and recursion": (
        "effects-kind_of_nested_call",
        "effects_and_failures-recursion_with_a_python_number",
    ),
    "7 layers that make variables": (
        "effects_and_failures-layers_made_on_the_first_call",
    ),
    "7 functions run eagerly": (
        "effects_and_failures-eager_functions_check_nothing",
        "where_code_runs-run_functions_eagerly",
    ),
    "7 threads": (
        "test_function_lifetime::test_threads_share_one_trace_a_type",
        "test_trace_cache::test_threads_share_a_bounded_cache",
    ),
    "7 lifetimes": (
        "lifetimes-tensors_are_freed", "lifetimes-variables_are_freed",
        "lifetimes-functions_are_freed", "lifetimes-gradients_keep_nothing",
        "lifetimes-concrete_functions_outlive_functions",
        "test_function_lifetime::test_memory_stays_flat",
    ),
    "8.1 what is converted": (
        "language-recursion", "language-methods_and_super",
        "language-partials", "language-decorators_and_wraps",
        "test_calls::test_methods_and_objects",
        "language-class_in_a_function",
    ),
    "8.1 what is not": (
        "staging-libraries_are_not_converted", "staging-not_to_be_converted",
        "test_calls::test_autograph_false",
        "test_calls::test_do_not_convert",
    ),
    "8.1 failed conversions are told": (
        "test_calls::test_generators_are_left_alone",
        "test_calls::test_missing_source_is_told",
        "test_calls::test_strict_mode",
        "test_language_lists::test_async_functions_are_left_alone",
    ),
    "8.2 generated code": (
        "staging-conversion_by_name",
        "test_calls::test_to_graph_and_to_code",
        "test_documents::test_generated_code_is_what_is_generated",
    ),
    "8.3 if, while, for": (
        "demands_control-33_loops_over_everything",
        "demands_control-33_ragged_rows",
        "demands_control-33_datasets_and_iterators",
    ),
    "8.3 range and len": (
        "language-range_of_tensors", "staging-lengths",
        "test_builtins::test_len_and_range",
    ),
    "8.3 enumerate, zip, map, filter": (
        "language-zip_and_enumerate", "language-map_and_filter",
        "dataset_loops-builtins_of_datasets",
    ),
    "8.3 any, all, sum, max, min": ("language-reductions",),
    "8.3 sorted": ("staging-sorting",),
    "8.3 abs, int, float": ("language-numbers", "staging-texts_become_numbers"),
    "8.3 print": ("staging-print_runs_while_tracing",),
    "8.3 assert": ("language-asserts", "test_statements::test_assert_is_staged"),
    "8.3 and, or, not, comparisons": (
        "staging-logic", "staging-lazy_logic", "language-logic",
    ),
    "8.3 conditional expressions": ("language-conditional_expressions",),
    "8.3 subscripts": (
        "language-literals_and_slices", "staging-items_cannot_be_assigned",
    ),
    "8.3 lists": (
        "language-lists_of_fixed_length", "language-lists_that_grow_in_loops",
        "test_language_lists::test_lists_that_nobody_told_of_hold_what_a_body_leaks",
    ),
    "8.3 next": (
        "language-next_with_default", "dataset_iterators-next_with_a_default",
    ),
    "8.3 raise and try": (
        "staging-raising_in_a_branch", "staging-trying_while_tracing",
        "language-try_except_else_finally", "language-try_raising",
        "language-try_with_return",
    ),
    "8.3 match and walrus": (
        "language-match_statements", "language-match_with_break_and_return",
        "language-walrus", "language-walrus_in_a_comprehension",
    ),
    "8.3 comprehensions": (
        "language-filtered_comprehension", "language-generator_expressions",
        "language-sets_and_dicts_of_python_keys",
    ),
    "8.3 values of tensors are not known": (
        "staging-values_of_tensors_are_not_known",
    ),
    "8.3 features": ("test_calls::test_features", "staging-levels_of_verbosity"),
    "8.4 conditions": (
        "wrong-condition_not_bool", "wrong-condition_vector",
        "wrong-string_cond",
    ),
    "8.4 undefined symbols": (
        "wrong-one_branch", "staging-undefined_but_never_used",
        "test_autograph_errors::test_text",
    ),
    "8.4 returns": ("wrong-missing_return", "wrong-return_structs"),
    "8.4 dtypes, shapes, structures": (
        "wrong-dtype_branches", "staging-branches_may_differ_in_shape",
        "wrong-dict_change", "wrong-object_in_branch",
    ),
    "8.4 graph of a branch": (
        "staging-nodes_of_a_branch",
        "test_compat_assign::test_names_of_results_in_branches_and_loops",
    ),
    "8.5 state keeps its type": (
        "demands_control-34_dtypes_change", "demands_control-35_shapes_change",
        "demands_control-35_structures_change", "wrong-shape_invariant_bad",
    ),
    "8.5 symbols that the body defines": (
        "staging-symbol_of_a_loop_that_never_runs",
        "staging-none_before_a_loop", "test_autograph_errors::test_text",
    ),
    "8.5 items and attributes": (
        "staging-symbols_of_loops", "language-objects_and_dicts",
    ),
    "8.5 break, continue, return": (
        "language-while_with_break_and_continue",
        "language-return_from_nested_loops", "staging-returns_in_loops",
    ),
    "8.5 conditions that turn": (
        "demands_control-36_conditions_that_turn",
        "demands_control-36_breaks_that_turn",
    ),
    "8.5 set_loop_options": (
        "staging-maximum_iterations", "demands_control-39_shape_invariants",
    ),
    "8.5 over datasets": (
        "dataset_loops-loop", "dataset_loops-loop_shapes_may_change",
        "demands_control-38_shapes_over_datasets",
    ),
    "8.5 graph of a loop": ("staging-node_of_a_while",),
    "8.6 tf.while_loop": (
        "control_flow-while_errors", "control_flow-while_with_invariants",
    ),
    "8.6 tf.cond": ("control_flow-cond_errors", "wrong-cond_fn_wrong"),
    "9 what is watched": (
        "gradients-only_trainable_variables_are_watched",
        "gradients-watching_what_has_no_gradient",
    ),
    "9 used twice": ("gradients-used_twice",),
    "9 stop_recording and reset": ("gradients-stopping_and_forgetting",),
    "9 targets and sources": (
        "gradients-targets_are_summed", "gradients-unconnected",
    ),
    "9 no gradient": ("gradients-dtypes_without_gradient",),
    "9 slices of variables": ("gradients-slices_of_variables",),
    "9 assignments": ("gradients-assignments_behind_a_read",),
    "9 higher orders": (
        "gradients-fourth_order_through_a_loop",
        "control_flow-third_derivative_of_cond",
        "control_flow-higher_derivatives_of_while",
        "test_nested_gradients::*",
    ),
    "9 tapes and functions": (
        "gradients-orders_inside_and_outside_of_functions",
    ),
    "9 custom gradients": (
        "gradients-gradients_of_ones_own",
        "test_function_gradients::test_custom_gradient_with_variables",
    ),
    "9 stop_gradient, recompute_grad, py_function": (
        "test_function_gradients::test_stop_gradient",
        "functional-recomputed_twice", "host_functions-py_function_gradients",
    ),
    "9 symbolic gradients": (
        "gradients-symbolic_gradients_need_a_graph",
        "functional-symbolic_gradients", "functional-hessians",
    ),
    "9 Jacobians": (
        "gradients-batches_need_two_dimensions", "test_jacobian::*",
        "test_forward_accumulator::test_jacobian_of_many_rows_in_a_graph",
    ),
    "9 forward mode": (
        "forward_mode-products", "forward_mode-nested",
        "forward_mode-forward_over_backward", "forward_mode-control_flow",
        "forward_mode-bad_arguments", "test_gradients::test_forward_mode",
    ),
    "10 writing": ("tensor_arrays-write_and_stack", "tensor_arrays-refusals"),
    "10 reading": ("tensor_arrays-reads_clear",),
    "10 rows and pieces": ("tensor_arrays-rows", "tensor_arrays-pieces"),
    "10 sizes": ("tensor_arrays-sizes", "demands_control-46_empty_stack"),
    "10 behind the end": (
        "demands_control-48_write_behind_the_end",
        "demands_control-48_read_before_the_start",
    ),
    "10 loops, branches, arguments, results": (
        "tensor_arrays-loops_and_branches", "tensor_arrays-arguments",
        "tensor_arrays-results",
    ),
    "10 dropped writes": ("tensor_arrays-dropped_writes",),
    "10 gradients": ("tensor_arrays-gradients",),
    "10 list ops": ("tensor_lists-items", "tensor_lists-items_that_fail"),
    "12 literals by type": (f"{_KEYS}1_literals_by_type_and_value",),
    "12 wrong shapes": (
        "test_concrete_function::*",
    ),
    "12 returns and tensor breaks": (
        "language-return_in_a_staged_while",
        "language-while_true_with_a_tensor_break",
        "language-while_true_with_return",
        "test_statements::test_python_for_with_tensor_break_and_return",
    ),
    "12 loops with else": (
        "language-for_else", "language-while_else",
        "language-for_else_that_returns",
    ),
    "12 unpacking and comprehensions": (
        "language-unpacking_rows", "language-starred_targets",
        "staging-unpacking_and_comprehensions",
    ),
    "12 lambdas on one line": ("language-two_lambdas_on_a_line",),
    "12 builtins over tensors": (
        "language-reductions", "language-logic", "language-map_and_filter",
    ),
    "12 print": ("staging-print_runs_while_tracing",),
    "12 and of no bools": ("wrong-int_and",),
    "12 next with a default": ("dataset_iterators-next_with_a_default",),
    "12 generators": (
        "test_language_lists::test_a_decorated_generator_is_refused",
        "staging-generator_functions_are_called",
    ),
    "12 arrays written twice, dropped writes": (
        "tensor_arrays-write_and_stack", "tensor_arrays-dropped_writes",
    ),
    "12 zero iterations": (
        "demands_control-33_loops_over_everything",
        "test_autograph_errors::test_zero_iterations",
    ),
    "12 forward mode through loops": (
        "forward_mode-control_flow",
        "forward_mode-through_a_while_in_a_nested_function",
    ),
    "12 messages that name the path": (
        "test_autograph_errors::test_text", "wrong-structure_loop",
    ),
    "12 order of effects": ("effects-control_inputs_of_assignments",),
    "12 names of operands": ("test_node_names::*",),
}


def _test_of_demand(number: int) -> re.Pattern:
    """What the names of the tests of a demand begin with."""
    return re.compile(
        rf"(test_demands_\w+::test_demand_|demands(_control)?-){number}_"
    )


# Tables of programs inside of test files: file, decorator, name in the table.
_TABLES = (
    ("autograph/test_language.py", "program", "language"),
    ("autograph/test_language_statements.py", "program", "language"),
    ("autograph/test_wrong_programs.py", "wrong", "wrong"),
)


def _of_tables() -> set[str]:
    """The programs of the tables as "subject-name"."""
    return {
        f"{subject}-{node.name}"
        for file, decorator, subject in _TABLES
        for node in ast.parse((_TESTS / "python" / file).read_text()).body
        if isinstance(node, ast.FunctionDef)
        and any(
            isinstance(d, ast.Call) and d.func.id == decorator
            for d in node.decorator_list if isinstance(d, ast.Call)
            and isinstance(d.func, ast.Name)
        )
    }


@functools.lru_cache
def _names() -> frozenset:
    """All tests and programs that the table may name."""
    names = {outcomes.name_of(program) for program in outcomes.programs()}
    names |= _of_tables()
    for folder in ("python", "oracle"):
        for file in (_TESTS / folder).rglob("test_*.py"):
            names.add(f"{file.stem}::*")
            names |= {
                f"{file.stem}::{node.name}"
                for node in ast.walk(ast.parse(file.read_text()))
                if isinstance(node, ast.FunctionDef)
                and node.name.startswith("test_")
            }
    return frozenset(names)


@pytest.mark.parametrize("point", SECTIONS)
def test_point_has_a_test(point):
    missing = [name for name in SECTIONS[point] if name not in _names()]
    assert SECTIONS[point] and not missing


@pytest.mark.parametrize("number", range(1, 55))
def test_demand_has_a_test(number):
    pattern = _test_of_demand(number)
    assert any(pattern.match(name) for name in _names())
