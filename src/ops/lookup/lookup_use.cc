// Lookup tables are read and changed.
#include "framework/op_registry.h"
#include "ops/element_moves.h"
#include "ops/lookup/table.h"

namespace gk {
namespace {

StatusOr<Ref<TableResource>> TableOf(KernelContext& c) {
  return TableResource::Of(c.input(0));
}

// The tensors are of the table's types. `value` may be null.
Status CheckTableTypes(const TableResource& table, DataType key,
                       const DataType* value, bool gives_value) {
  const TableTypes& types = table.types();
  if (key == types.key && (value == nullptr || *value == types.value)) {
    return OkStatus();
  }
  const auto signature = [&](DataType k, DataType v) {
    std::string text = Format("resource, {}", DataTypeString(k));
    if (value != nullptr) text += Format(", {}", DataTypeString(v));
    text += "->";
    if (gives_value) text += DataTypeString(v);
    return text;
  };
  return InvalidArgument("Signature mismatch, have: {} expected: {}",
                         signature(key, value ? *value : types.value),
                         signature(types.key, types.value));
}

Status ComputeFind(KernelContext& c) {
  GK_ASSIGN_OR_RETURN(const Ref<TableResource> table, TableOf(c));
  const Tensor &keys = c.input(1), &otherwise = c.input(2);
  const DataType value = otherwise.dtype();
  GK_RETURN_IF_ERROR(CheckTableTypes(*table, keys.dtype(), &value, true));
  GK_RETURN_IF_ERROR(table->CheckFind(keys, otherwise));
  GK_ASSIGN_OR_RETURN(const TensorShape shape,
                      table->ValuesShape(keys.shape()));
  Tensor* out;
  GK_RETURN_IF_ERROR(c.Allocate(0, value, shape, &out));
  return table->Find(keys, otherwise, out);
}

template <Status (TableResource::*kChange)(const Tensor&, const Tensor&)>
Status ComputeChange(KernelContext& c) {
  GK_ASSIGN_OR_RETURN(const Ref<TableResource> table, TableOf(c));
  const Tensor &keys = c.input(1), &values = c.input(2);
  const DataType value = values.dtype();
  GK_RETURN_IF_ERROR(CheckTableTypes(*table, keys.dtype(), &value, false));
  GK_RETURN_IF_ERROR(table->CheckInsert(keys, values));
  return (table.get()->*kChange)(keys, values);
}

Status ComputeRemove(KernelContext& c) {
  GK_ASSIGN_OR_RETURN(const Ref<TableResource> table, TableOf(c));
  GK_RETURN_IF_ERROR(
      CheckTableTypes(*table, c.input(1).dtype(), nullptr, false));
  GK_RETURN_IF_ERROR(table->ValuesShape(c.input(1).shape()).status());
  return table->Remove(c.input(1));
}

Status ComputeSize(KernelContext& c) {
  GK_ASSIGN_OR_RETURN(const Ref<TableResource> table, TableOf(c));
  c.set_output(0, Tensor::Scalar(table->Size()));
  return OkStatus();
}

Status ComputeExport(KernelContext& c) {
  GK_ASSIGN_OR_RETURN(const Ref<TableResource> table, TableOf(c));
  const DataType key = c.attr<DataType>("Tkeys");
  const DataType value = c.attr<DataType>("Tvalues");
  if (key != table->types().key || value != table->types().value) {
    return InvalidArgument(
        "The table has keys of type {} and values of type "
        "{}, not {} and {}",
        DataTypeString(table->types().key),
        DataTypeString(table->types().value), DataTypeString(key),
        DataTypeString(value));
  }
  Tensor keys, values;
  GK_RETURN_IF_ERROR(table->Export(&keys, &values));
  c.set_output(0, std::move(keys));
  c.set_output(1, std::move(values));
  return OkStatus();
}

Status ComputeInitialize(KernelContext& c) {
  GK_ASSIGN_OR_RETURN(const Ref<TableResource> table, TableOf(c));
  const Tensor &keys = c.input(1), &values = c.input(2);
  const DataType value = values.dtype();
  GK_RETURN_IF_ERROR(CheckTableTypes(*table, keys.dtype(), &value, false));
  if (keys.rank() != 1) {
    return InvalidArgument("Keys must be a vector, but received shape{}",
                           keys.shape().DebugString());
  }
  if (values.rank() != 1) {
    return InvalidArgument("Values must be a vector, but received shape{}",
                           values.shape().DebugString());
  }
  if (keys.dim(0) != values.dim(0)) {
    return InvalidArgument("Keys and values must have the same size {} vs {}",
                           keys.dim(0), values.dim(0));
  }
  return table->Initialize(keys, values);
}

// ---- Shapes ----

Status HandleScalar(InferenceContext& c) {
  PartialTensorShape scalar;
  return c.WithRank(0, 0, &scalar);
}

// What is known of the table's values, or null; an error if the types differ.
Status ValuesOf(InferenceContext& c, DataType key, DataType value,
                const HandleShape** values) {
  *values = nullptr;
  GK_RETURN_IF_ERROR(HandleScalar(c));
  const HandleData* data = c.input_handle(0);
  if (data == nullptr || data->size() != 2) return OkStatus();
  const DataType known[] = {(*data)[0].dtype, (*data)[1].dtype};
  const DataType asked[] = {key, value};
  for (int i = 0; i < 2; ++i) {
    if (asked[i] != DataType::kInvalid && known[i] != DataType::kInvalid &&
        known[i] != asked[i]) {
      return InvalidArgument(
          "Trying to read value with wrong dtype. Expected {} got {}",
          DataTypeString(known[i]), DataTypeString(asked[i]));
    }
  }
  *values = &(*data)[1];
  return OkStatus();
}

Status FindShape(InferenceContext& c) {
  const HandleShape* value;
  GK_RETURN_IF_ERROR(ValuesOf(c, c.input_type(1), c.input_type(2), &value));
  if (value == nullptr) return OkStatus();
  const PartialTensorShape& key = (*c.input_handle(0))[0].shape;
  const PartialTensorShape& keys = c.input(1);
  if (keys.unknown_rank() || key.unknown_rank() ||
      value->shape.unknown_rank()) {
    return OkStatus();
  }
  if (keys.rank() < key.rank()) {
    return InvalidArgument("Shape must be at least rank {} but is rank {}",
                           key.rank(), keys.rank());
  }
  PartialTensorShape out = TensorShape();
  for (int i = 0; i + key.rank() < keys.rank(); ++i) out.AddDim(keys.dim(i));
  for (int i = 0; i < value->shape.rank(); ++i) {
    out.AddDim(value->shape.dim(i));
  }
  c.set_output(0, std::move(out));
  return OkStatus();
}

Status ChangeShape(InferenceContext& c) {
  const HandleShape* value;
  return ValuesOf(c, c.input_type(1),
                  c.num_inputs() > 2 ? c.input_type(2) : DataType::kInvalid,
                  &value);
}

Status InitializeShape(InferenceContext& c) {
  GK_RETURN_IF_ERROR(HandleScalar(c));
  PartialTensorShape keys, values;
  GK_RETURN_IF_ERROR(c.WithRank(1, 1, &keys));
  GK_RETURN_IF_ERROR(c.WithRank(2, 1, &values));
  int64_t n;
  return InferenceContext::MergeDims(keys.dim(0), values.dim(0), &n);
}

Status SizeShape(InferenceContext& c) {
  GK_RETURN_IF_ERROR(HandleScalar(c));
  c.set_output(0, PartialTensorShape(TensorShape()));
  return OkStatus();
}

// Of dense tables the keys have one dimension more.
Status ExportShape(InferenceContext& c) {
  const HandleShape* value;
  GK_RETURN_IF_ERROR(ValuesOf(c, c.attr<DataType>("Tkeys"),
                              c.attr<DataType>("Tvalues"), &value));
  return OkStatus();
}

constexpr uint64_t kReads = kStateful | kReadsResource | kNoGradient;
constexpr uint64_t kWrites =
    kStateful | kReadsResource | kWritesResource | kNoGradient;

const OpRecord kRecords[] = {
    {.name = "LookupTableFindV2",
     .inputs = "table_handle: resource; keys: Tin; default_value: Tout",
     .outputs = "values: Tout",
     .attrs = "Tin: type; Tout: type",
     .traits = kReads,
     .shape = FindShape,
     .kernel = {.compute = ComputeFind},
     .doc = "The values of keys in a table; default_value, or its row, for "
            "those that are not there."},

    {.name = "LookupTableInsertV2",
     .inputs = "table_handle: resource; keys: Tin; values: Tout",
     .outputs = "",
     .attrs = "Tin: type; Tout: type",
     .traits = kWrites,
     .shape = ChangeShape,
     .kernel = {.compute = ComputeChange<&TableResource::Insert>},
     .doc = "Puts keys with their values into a table."},

    {.name = "LookupTableRemoveV2",
     .inputs = "table_handle: resource; keys: Tin",
     .outputs = "",
     .attrs = "Tin: type",
     .traits = kWrites,
     .shape = ChangeShape,
     .kernel = {.compute = ComputeRemove},
     .doc = "Takes keys, those that are there, out of a table."},

    {.name = "LookupTableSizeV2",
     .inputs = "table_handle: resource",
     .outputs = "size: int64",
     .attrs = "",
     .traits = kReads,
     .shape = SizeShape,
     .kernel = {.compute = ComputeSize},
     .doc = "How many keys a table has."},

    {.name = "LookupTableExportV2",
     .inputs = "table_handle: resource",
     .outputs = "keys: Tkeys; values: Tvalues",
     .attrs = "Tkeys: type; Tvalues: type",
     .traits = kReads,
     .shape = ExportShape,
     .kernel = {.compute = ComputeExport},
     .doc = "All keys of a table and their values."},

    {.name = "LookupTableImportV2",
     .inputs = "table_handle: resource; keys: Tin; values: Tout",
     .outputs = "",
     .attrs = "Tin: type; Tout: type",
     .traits = kWrites,
     .shape = ChangeShape,
     .kernel = {.compute = ComputeChange<&TableResource::Import>},
     .doc = "Replaces all that is in a table."},

    {.name = "InitializeTableV2",
     .inputs = "table_handle: resource; keys: Tkey; values: Tval",
     .outputs = "",
     .attrs = "Tkey: type; Tval: type",
     .traits = kWrites,
     .shape = InitializeShape,
     .kernel = {.compute = ComputeInitialize},
     .doc = "Gives a table its content, once."},
};

}  // namespace

GK_REGISTER_OPS(lookup_use)

}  // namespace gk
