// What of the extension is public and is no op: in which namespace of `tf`, and
// under which names; "name=attribute" where they differ. A function with a "*"
// at the end can be dispatched by the types of its arguments.
#include <algorithm>
#include <string>
#include <string_view>

#include "python/src/host/package_facts.h"

namespace gk::py {
namespace {

struct Exports {
  const char* space;
  const char* names;
};

constexpr Exports kExports[] = {
    {"",
     "Assert* TensorArray TensorArraySpec case* cond* foldl* foldr* scan* "
     "switch_case while_loop "
     "NoneTensorSpec get_current_name_scope "
     "DeviceSpec GradientTape Graph IndexedSlices IndexedSlicesSpec Operation "
     "TensorSpec TypeSpec type_spec_from_value "
     "OptionalSpec RaggedTensor RaggedTensorSpec RegisterGradient SparseTensor "
     "SparseTensorSpec Variable VariableAggregation VariableSynchronization "
     "broadcast_dynamic_shape* broadcast_static_shape* "
     "constant_initializer=Constant "
     "control_dependencies custom_gradient device get_static_value "
     "grad_pass_through gradients group hessians import_graph_def init_scope "
     "inside_function is_symbolic_tensor map_fn name_scope no_gradient "
     "ones_initializer=Ones print=print_values "
     "random_normal_initializer=RandomNormalOfVersion2 "
     "random_uniform_initializer=RandomUniformOfVersion2 "
     "recompute_grad tuple* variable_creator_scope vectorized_map "
     "zeros_initializer=Zeros"},
    {"__internal__",
     "CompositeTensor EagerTensor FuncGraph "
     "register_type_spec_from_value_converter"},
    {"__internal__.types", "Tensor=AbstractTensor"},
    {"autodiff", "ForwardAccumulator GradientTape"},
    {"compat", "dimension_value"},
    {"compat.v1",
     "Dimension Graph SparseTensorValue assign assign_add assign_sub "
     "control_dependencies get_default_graph "
     "import_graph_def placeholder"},
    {"compat.v1.logging",
     "DEBUG ERROR FATAL INFO WARN debug error fatal get_verbosity info "
     "log set_verbosity warn=warning warning"},
    {"config",
     "LogicalDevice LogicalDeviceConfiguration PhysicalDevice "
     "experimental_functions_run_eagerly=functions_run_eagerly "
     "experimental_run_functions_eagerly=run_functions_eagerly "
     "functions_run_eagerly get_logical_device_configuration "
     "get_soft_device_placement get_visible_devices list_logical_devices "
     "list_physical_devices run_functions_eagerly "
     "set_logical_device_configuration set_soft_device_placement "
     "set_visible_devices"},
    {"config.experimental",
     "enable_op_determinism enable_tensor_float_32_execution "
     "VirtualDeviceConfiguration=LogicalDeviceConfiguration "
     "get_virtual_device_configuration=get_logical_device_configuration "
     "set_virtual_device_configuration=set_logical_device_configuration "
     "get_device_details get_device_policy get_memory_growth "
     "get_synchronous_execution get_visible_devices list_logical_devices "
     "list_physical_devices set_device_policy set_memory_growth "
     "set_synchronous_execution set_visible_devices "
     "tensor_float_32_execution_enabled"},
    {"config.optimizer",
     "get_experimental_options get_jit set_experimental_options set_jit"},
    {"config.threading",
     "get_inter_op_parallelism_threads get_intra_op_parallelism_threads "
     "set_inter_op_parallelism_threads set_intra_op_parallelism_threads"},
    {"data",
     "DatasetSpec Iterator IteratorSpec NumpyIterator Options "
     "ThreadingOptions"},
    {"data.experimental",
     "AutoShardPolicy AutotuneAlgorithm AutotuneOptions DistributeOptions "
     "ExternalStatePolicy OptimizationOptions ServiceOptions "
     "ThreadingOptions Optional cardinality=data_cardinality "
     "enumerate_dataset=data_enumerate_dataset "
     "from_variant=data_from_variant "
     "get_next_as_optional=data_get_next_as_optional "
     "get_single_element=data_get_single_element "
     "enable_debug_mode=data_enable_debug_mode "
     "get_structure=data_get_structure scan=data_scan "
     "take_while=data_take_while to_variant=data_to_variant "
     "unbatch=data_unbatch Counter=data_Counter "
     "assert_cardinality=data_assert_cardinality "
     "bucket_by_sequence_length=data_bucket_by_sequence_length "
     "choose_from_datasets=data_choose_from_datasets "
     "dense_to_ragged_batch=data_dense_to_ragged_batch "
     "dense_to_sparse_batch=data_dense_to_sparse_batch "
     "group_by_window=data_group_by_window "
     "ignore_errors=data_ignore_errors "
     "rejection_resample=data_rejection_resample "
     "sample_from_datasets=data_sample_from_datasets unique=data_unique "
     "Reducer copy_to_device=data_copy_to_device "
     "group_by_reducer=data_group_by_reducer "
     "map_and_batch=data_map_and_batch "
     "parallel_interleave=data_parallel_interleave "
     "prefetch_to_device=data_prefetch_to_device "
     "from_list=data_from_list make_csv_dataset=data_make_csv_dataset "
     "save=data_save load=data_load snapshot=data_snapshot"},
    {"debugging",
     "Assert* assert_proper_iterable* assert_same_float_dtype* assert_shapes* "
     "disable_check_numerics disable_traceback_filtering "
     "enable_check_numerics enable_traceback_filtering "
     "get_log_device_placement is_numeric_tensor "
     "is_traceback_filtering_enabled set_log_device_placement"},
    {"dtypes",
     "DType as_dtype bfloat16 bool complex128 complex64 float16 float32 "
     "float64 int16 int32 int64 int8 resource string uint16 uint32 "
     "uint64 uint8 variant double=float64 half=float16 qint16 qint32 "
     "qint8 quint16 quint8"},
    {"dtypes.experimental",
     "float4_e2m1fn float8_e4m3b11fnuz float8_e4m3fn float8_e4m3fnuz "
     "float8_e5m2 float8_e5m2fnuz int2 int4 uint2 uint4"},
    {"errors",
     "ABORTED ALREADY_EXISTS AbortedError AlreadyExistsError CANCELLED "
     "CancelledError DATA_LOSS DEADLINE_EXCEEDED DataLossError "
     "DeadlineExceededError FAILED_PRECONDITION FailedPreconditionError "
     "INTERNAL INVALID_ARGUMENT InaccessibleTensorError InternalError "
     "InvalidArgumentError NOT_FOUND NotFoundError OK OUT_OF_RANGE "
     "OpError OperatorNotAllowedInGraphError OutOfRangeError "
     "PERMISSION_DENIED PermissionDeniedError RESOURCE_EXHAUSTED "
     "ResourceExhaustedError UNAUTHENTICATED UNAVAILABLE UNIMPLEMENTED "
     "UNKNOWN UnauthenticatedError UnavailableError UnimplementedError "
     "UnknownError error_code_from_exception_type "
     "exception_type_from_error_code"},
    {"experimental",
     "float4_e2m1fn float8_e4m3b11fnuz float8_e4m3fn float8_e4m3fnuz "
     "float8_e5m2 float8_e5m2fnuz int2 int4 uint2 uint4 "
     "DynamicRaggedShape ExtensionTypeBatchEncoder ExtensionTypeSpec Optional "
     "RowPartition "
     "dispatch_for_binary_elementwise_apis "
     "dispatch_for_binary_elementwise_assert_apis "
     "dispatch_for_api dispatch_for_unary_elementwise_apis "
     "unregister_dispatch_for"},
    {"experimental.dlpack", "from_dlpack to_dlpack"},
    {"experimental.extension_type", "as_dict"},
    {"graph_util", "convert_variables_to_constants_v2 import_graph_def"},
    {"initializers",
     "Constant GlorotNormal GlorotUniform HeNormal HeUniform LecunNormal "
     "LecunUniform Ones RandomNormal RandomUniform TruncatedNormal "
     "VarianceScaling Zeros"},
    {"io", "TFRecordOptions TFRecordWriter write_graph"},
    {"io.gfile",
     "GFile copy=gfile_copy exists=gfile_exists "
     "get_registered_schemes=gfile_get_registered_schemes glob=gfile_glob "
     "isdir=gfile_isdir join=gfile_join listdir=gfile_listdir "
     "makedirs=gfile_makedirs mkdir=gfile_mkdir "
     "register_file_system=gfile_register_file_system remove=gfile_remove "
     "rename=gfile_rename rmtree=gfile_rmtree stat=gfile_stat "
     "walk=gfile_walk"},
    {"nest",
     "assert_same_structure=nest_assert_same flatten=nest_flatten "
     "is_nested=nest_is_nested map_structure=nest_map "
     "pack_sequence_as=nest_pack"},
    {"ragged",
     "boolean_mask=ragged_boolean_mask* constant=ragged_constant* "
     "range=ragged_range* stack=ragged_stack* "
     "stack_dynamic_partitions=ragged_stack_dynamic_partitions* "
     "row_splits_to_segment_ids=ragged_row_splits_to_segment_ids* "
     "segment_ids_to_row_splits=ragged_segment_ids_to_row_splits*"},
    {"sparse",
     "SparseTensor from_dense=sparse_from_dense mask=sparse_mask "
     "reorder=sparse_reorder "
     "to_dense=sparse_to_dense"},
    {"random",
     "Algorithm Generator create_rng_state get_global_generator "
     "set_global_generator set_seed"},
    {"random.experimental",
     "Algorithm Generator create_rng_state get_global_generator "
     "set_global_generator"},
    {"strings", "format=format_values*"},
    {"sysconfig",
     "CXX11_ABI_FLAG CXX_VERSION MONOLITHIC_BUILD get_build_info "
     "get_compile_flags get_include get_lib get_link_flags"},
    {"test", "assert_equal_graph_def"},
    {"version",
     "COMPILER_VERSION GIT_VERSION GRAPHKILN_VERSION GRAPH_DEF_VERSION "
     "GRAPH_DEF_VERSION_MIN_CONSUMER GRAPH_DEF_VERSION_MIN_PRODUCER "
     "VERSION"},
    {"types.experimental", "FunctionType"},
};

}  // namespace

void AddPublicNames(nanobind::module_& m) {
  nanobind::dict names;
  nanobind::list dispatched;
  for (const Exports& e : kExports) {
    std::string plain;
    std::string_view rest = e.names;
    while (!rest.empty()) {
      std::string_view name = rest.substr(0, rest.find(' '));
      rest.remove_prefix(std::min(name.size() + 1, rest.size()));
      if (name.ends_with('*')) {
        name.remove_suffix(1);
        std::string full(e.space);
        if (!full.empty()) full += '.';
        full += name.substr(0, name.find('='));
        dispatched.append(full.c_str());
      }
      plain.append(name).append(" ");
    }
    names[e.space] = plain.c_str();
  }
  m.attr("exports") = names;
  m.attr("dispatched_exports") = nanobind::frozenset(dispatched);
}

}  // namespace gk::py
