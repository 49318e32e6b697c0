"""Which Python module defines which name of tf.__internal__ and tf.__operators__, and
strategies of several machines: names that stand in no other table. See `_exports`."""

EXPORTS: dict[str, str] = {
    "graphkiln._src.distribute.other_strategies": """
        __internal__.distribute.ShardedVariable
        distribute.ParameterServerStrategy
        distribute.coordinator.ClusterCoordinator
        distribute.experimental.CentralStorageStrategy
        distribute.experimental.ParameterServerStrategy
        distribute.experimental.PreemptionCheckpointHandler
        distribute.coordinator.RemoteValue
        distribute.experimental.coordinator.ClusterCoordinator
        distribute.experimental.coordinator.RemoteValue
        compat.v1.distribute.experimental.CentralStorageStrategy
        compat.v1.distribute.experimental.ParameterServerStrategy
        """,
    "graphkiln._src.host.nest_paths": """
        __internal__.nest.flatten_up_to
        __internal__.nest.get_traverse_shallow_structure __internal__.nest.is_attrs
        __internal__.nest.is_mapping __internal__.nest.list_to_tuple
        __internal__.nest.map_structure_up_to __internal__.nest.sequence_like
        __internal__.nest.yield_flat_paths
        """,
    "graphkiln._src.internal.autograph_context": """
        __internal__.autograph.control_status_ctx __internal__.autograph.tf_convert
        """,
    "graphkiln._src.internal.combinations": """
        __internal__.test.combinations.NamedObject
        __internal__.test.combinations.OptionalParameter
        __internal__.test.combinations.ParameterModifier
        __internal__.test.combinations.TestCombination
        __internal__.test.combinations.combine
        __internal__.test.combinations.generate
        __internal__.test.combinations.times
        """,
    "graphkiln._src.internal.contexts": """
        __internal__.eager_context.eager_mode __internal__.eager_context.get_config
        __internal__.eager_context.get_device_name
        __internal__.eager_context.get_executor
        __internal__.eager_context.set_soft_device_placement
        __internal__.execute_fn_for_device __internal__.get_enclosing_xla_context
        __internal__.get_name_scope __internal__.is_tfrt_enabled
        __internal__.load_context __internal__.monitoring.BoolGauge
        __internal__.tf2.enabled
        """,
    "graphkiln._src.internal.decorator": """
        __internal__.decorator.make_decorator __internal__.decorator.unwrap
        """,
    "graphkiln._src.internal.dispatch": """
        __internal__.dispatch.GlobalOpDispatcher __internal__.dispatch.OpDispatcher
        __internal__.dispatch.add_dispatch_support
        """,
    "graphkiln._src.internal.feature_column": """
        __internal__.feature_column.DenseColumn
        __internal__.feature_column.FeatureColumn
        __internal__.feature_column.FeatureTransformationCache
        __internal__.feature_column.SequenceDenseColumn
        __internal__.feature_column.StateManager
        __internal__.feature_column.deserialize_feature_column
        __internal__.feature_column.serialize_feature_column
        """,
    "graphkiln._src.internal.functions": """
        __internal__.function.Function __internal__.record_gradient
        __internal__.train.update_checkpoint_state
        """,
    "graphkiln._src.saved_model.partial": """
        __internal__.saved_model.load_partial
        """,
    "graphkiln._src.types.spec_messages": """
        __internal__.saved_model.decode_proto
        __internal__.saved_model.encode_structure
        """,
    "graphkiln._src.saved_model.session_builder": """
        __internal__.saved_model.SavedModelBuilder
        """,
    "graphkiln._src.saved_model.session_loader": """
        __internal__.saved_model.parse_saved_model
        """,
    "graphkiln._src.internal.hooks": """
        __internal__.register_call_context_function
        __internal__.register_clear_session_function
        __internal__.register_get_session_function
        __internal__.register_load_model_function
        __internal__.tracking.register_session_provider
        """,
    "graphkiln._src.training.mixed_precision": """
        __internal__.mixed_precision.register_loss_scale_wrapper
        __internal__.train.is_mixed_precision_graph_rewrite_enabled
        __internal__.train.set_using_mixed_precision_policy
        """,
    "graphkiln._src.internal.operators": """
        __operators__.add __operators__.eq __operators__.getitem __operators__.ne
        __operators__.ragged_getitem
        """,
    "graphkiln._src.internal.ops": """
        __internal__.ops.broadcast_weights __internal__.ops.is_resource_variable
        __internal__.train.assign_moving_average
        """,
    "graphkiln._src.internal.revived_types": """
        __internal__.saved_model.load.VersionedTypeRegistration
        __internal__.saved_model.load.get_setter
        __internal__.saved_model.load.register_revived_type
        __internal__.saved_model.load.registered_identifiers
        """,
    "graphkiln._src.internal.tracking": """
        __internal__.tracking.CheckpointInitialValue
        __internal__.tracking.DelegatingTrackableMixin
        __internal__.tracking.ObjectGraphView
        __internal__.tracking.saveable_objects_from_trackable
        __internal__.tracking.streaming_restore
        """,
    "graphkiln._src.function.smart_cond": "__internal__.smart_cond.smart_cond",
    "graphkiln._src.checkpoint.slots": """
        __internal__.tracking.CheckpointInitialValueCallable
        """,
    "graphkiln._src.checkpoint.auto_trackable": """
        __internal__.tracking.AutoTrackable
        __internal__.tracking.no_automatic_dependency_tracking
        """,
    "graphkiln._src.checkpoint.trackable": """
        __internal__.tracking.Trackable __internal__.tracking.TrackableReference
        """,
    "graphkiln._src.checkpoint.tracked_containers": """
        __internal__.tracking.TrackableDataStructure
        __internal__.tracking.sticky_attribute_assignment
        __internal__.tracking.wrap=wrap_or_unwrap
        """,
}
