// Lookup tables are made.
#include "framework/op_registry.h"
#include "ops/lookup/table.h"
#include "ops/named_resource.h"

namespace gk {
namespace {

Status CheckTypes(KernelContext& c) {
  const DataType key = c.attr<DataType>("key_dtype");
  const DataType value = c.attr<DataType>("value_dtype");
  if (IsTableKey(key) && IsTableValue(value)) return OkStatus();
  return NotFound("No table has keys of type {} and values of type {} ({})",
                  DataTypeString(key), DataTypeString(value), c.record().name);
}

HandleData HandleDataOf(const TableTypes& types) {
  return {{types.key, types.key_shape}, {types.value, types.value_shape}};
}

// A table of another's types must not be taken for it.
Status CheckFound(const Tensor& handle, const TableTypes& types) {
  GK_ASSIGN_OR_RETURN(const Ref<TableResource> table,
                      TableResource::Of(handle));
  const TableTypes& found = table->types();
  if (found.key == types.key && found.value == types.value &&
      found.key_shape == types.key_shape &&
      found.value_shape == types.value_shape) {
    return OkStatus();
  }
  return InvalidArgument(
      "Conflicting key/value dtypes {}->{} with {}-{} for table {}",
      DataTypeString(types.key), DataTypeString(types.value),
      DataTypeString(found.key), DataTypeString(found.value), table->name());
}

template <class Make>
Status OutputTable(KernelContext& c, const TableTypes& types,
                   std::string_view kind, Make make) {
  GK_RETURN_IF_ERROR(CheckTypes(c));
  GK_RETURN_IF_ERROR(OutputResource(
      c, kind, HandleDataOf(types),
      [&](const std::string& name) -> StatusOr<Ref<Resource>> {
        GK_ASSIGN_OR_RETURN(Ref<TableResource> table, make(name));
        return Ref<Resource>(std::move(table));
      }));
  return CheckFound(c.output(0), types);
}

TableTypes TypesOf(KernelContext& c) {
  return {
      c.attr<DataType>("key_dtype"), c.attr<DataType>("value_dtype"), {}, {}};
}

// ---- Static and changing ones ----

template <bool kFixed>
Status ComputeHashTable(KernelContext& c) {
  const TableTypes types = TypesOf(c);
  return OutputTable(
      c, types, "table",
      [&](const std::string& name) -> StatusOr<Ref<TableResource>> {
        return MakeHashTable(name, types, kFixed);
      });
}

StatusOr<TensorShape> ValueShapeOf(const AttrMap& attrs) {
  const auto* shape = attrs.Get<PartialTensorShape>("value_shape");
  return shape ? shape->AsTensorShape() : TensorShape();
}

Status ComputeTableOfTensors(KernelContext& c) {
  TableTypes types = TypesOf(c);
  GK_ASSIGN_OR_RETURN(types.value_shape, ValueShapeOf(c.attrs()));
  if (types.value_shape.rank() != 1) {
    return InvalidArgument("Default value must be a vector, got shape {}",
                           types.value_shape.DebugString());
  }
  return OutputTable(
      c, types, "table",
      [&](const std::string& name) -> StatusOr<Ref<TableResource>> {
        return MakeHashTable(name, types, false);
      });
}

// ---- Dense ones ----

Status ComputeDenseTable(KernelContext& c) {
  TableTypes types = TypesOf(c);
  types.key_shape = c.input(0).shape();
  GK_ASSIGN_OR_RETURN(types.value_shape, ValueShapeOf(c.attrs()));
  const DataType key = types.key;
  if (key != DataType::kString && key != DataType::kBool && !IsInteger(key)) {
    return NotFound("No dense table has keys of type {} ({})",
                    DataTypeString(key), c.record().name);
  }
  return OutputTable(
      c, types, "table",
      [&](const std::string& name) -> StatusOr<Ref<TableResource>> {
        DenseTableOptions options;
        GK_ASSIGN_OR_RETURN(options.empty_key, c.input(0).Copy());
        GK_ASSIGN_OR_RETURN(options.deleted_key, c.input(1).Copy());
        options.buckets = c.attr<int64_t>("initial_num_buckets");
        options.max_load_factor = c.attr<float>("max_load_factor");
        return MakeDenseTable(name, types, options);
      });
}

// ---- Shapes ----

Status SetTable(InferenceContext& c, PartialTensorShape key,
                PartialTensorShape value) {
  c.set_output(0, PartialTensorShape(TensorShape()));
  c.set_output_handle(0, {{c.attr<DataType>("key_dtype"), std::move(key)},
                          {c.attr<DataType>("value_dtype"), std::move(value)}});
  return OkStatus();
}

Status HashTableShape(InferenceContext& c) {
  return SetTable(c, TensorShape(), TensorShape());
}

Status TableOfTensorsShape(InferenceContext& c) {
  return SetTable(c, TensorShape(), c.attr<PartialTensorShape>("value_shape"));
}

Status DenseTableShape(InferenceContext& c) {
  return SetTable(c, c.input(0), c.attr<PartialTensorShape>("value_shape"));
}

constexpr uint64_t kMakes = kStateful | kNoGradient;

#define NAME_ATTRS                                         \
  "container: string = ''; shared_name: string = ''; "     \
  "use_node_name_sharing: bool = False; key_dtype: type; " \
  "value_dtype: type"

const OpRecord kRecords[] = {
    {.name = "HashTableV2",
     .inputs = "",
     .outputs = "table_handle: resource",
     .attrs = NAME_ATTRS,
     .traits = kMakes,
     .shape = HashTableShape,
     .kernel = {.compute = ComputeHashTable<true>},
     .doc = "A lookup table that gets its content once."},

    {.name = "AnonymousHashTable",
     .inputs = "",
     .outputs = "table_handle: resource",
     .attrs = "key_dtype: type; value_dtype: type",
     .traits = kMakes,
     .shape = HashTableShape,
     .kernel = {.compute = ComputeHashTable<true>},
     .doc = "A lookup table that gets its content once and lives as long as "
            "its handles."},

    {.name = "MutableHashTableV2",
     .inputs = "",
     .outputs = "table_handle: resource",
     .attrs = NAME_ATTRS,
     .traits = kMakes,
     .shape = HashTableShape,
     .kernel = {.compute = ComputeHashTable<false>},
     .doc = "A lookup table that ops change."},

    {.name = "AnonymousMutableHashTable",
     .inputs = "",
     .outputs = "table_handle: resource",
     .attrs = "key_dtype: type; value_dtype: type",
     .traits = kMakes,
     .shape = HashTableShape,
     .kernel = {.compute = ComputeHashTable<false>},
     .doc = "A lookup table that ops change and that lives as long as its "
            "handles."},

    {.name = "MutableHashTableOfTensorsV2",
     .inputs = "",
     .outputs = "table_handle: resource",
     .attrs = NAME_ATTRS "; value_shape: shape = []",
     .traits = kMakes,
     .shape = TableOfTensorsShape,
     .kernel = {.compute = ComputeTableOfTensors},
     .doc = "A lookup table of vectors that ops change."},

    {.name = "AnonymousMutableHashTableOfTensors",
     .inputs = "",
     .outputs = "table_handle: resource",
     .attrs = "key_dtype: type; value_dtype: type; value_shape: shape = []",
     .traits = kMakes,
     .shape = TableOfTensorsShape,
     .kernel = {.compute = ComputeTableOfTensors},
     .doc = "A lookup table of vectors that ops change and that lives as long "
            "as its handles."},

    {.name = "MutableDenseHashTableV2",
     .inputs = "empty_key: key_dtype; deleted_key: key_dtype",
     .outputs = "table_handle: resource",
     .attrs = NAME_ATTRS
     "; value_shape: shape = []; initial_num_buckets: int = 131072; "
     "max_load_factor: float = 0.800000011920929",
     .traits = kMakes,
     .shape = DenseTableShape,
     .kernel = {.compute = ComputeDenseTable},
     .doc = "A lookup table whose keys lie in buckets, marked by two keys that "
            "it cannot hold."},

    {.name = "AnonymousMutableDenseHashTable",
     .inputs = "empty_key: key_dtype; deleted_key: key_dtype",
     .outputs = "table_handle: resource",
     .attrs = "key_dtype: type; value_dtype: type; value_shape: shape = []; "
              "initial_num_buckets: int = 131072; max_load_factor: float = "
              "0.800000011920929",
     .traits = kMakes,
     .shape = DenseTableShape,
     .kernel = {.compute = ComputeDenseTable},
     .doc = "A lookup table whose keys lie in buckets and that lives as long "
            "as its handles."},
};

}  // namespace

GK_REGISTER_OPS(lookup_make)

}  // namespace gk
