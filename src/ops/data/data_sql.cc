// A dataset of the rows that a query of a database gives.
#include <optional>

#include "framework/op_registry.h"
#include "ops/data/dataset_kernel.h"
#include "ops/data/sqlite_library.h"

namespace gk {
namespace {

class SqlDataset final : public Dataset {
 public:
  SqlDataset(ElementSignature signature, std::string file, std::string query)
      : Dataset(std::move(signature), {}),
        file_(std::move(file)),
        query_(std::move(query)) {}

  std::string_view kind() const override { return "SqlDataset"; }
  int64_t Cardinality() const override { return kUnknownCardinality; }
  StatusOr<IteratorPtr> MakeIterator(const ContextRef&) const override {
    return IteratorPtr(new Iterator(this));
  }

 private:
  class Iterator final : public DatasetIterator {
   public:
    explicit Iterator(const SqlDataset* d) : dataset_(d) {}
    Status GetNext(const CancellationToken* cancellation, TensorVector* element,
                   bool* end) override {
      GK_RETURN_IF_ERROR(CheckCancellation(cancellation));
      if (over_) {
        *end = true;
        return OkStatus();
      }
      const std::vector<DataType>& types = dataset_->signature().types;
      if (!rows_) {
        GK_ASSIGN_OR_RETURN(
            SqliteQuery rows,
            SqliteQuery::Open(dataset_->file_, dataset_->query_));
        if (rows.num_columns() != static_cast<int>(types.size())) {
          return InvalidArgument(
              "The number of columns in query ({}) must match the number of "
              "elements in output_types ({}).",
              rows.num_columns(), types.size());
        }
        rows_.emplace(std::move(rows));
      }
      const Status status = rows_->Next(types, element, end);
      if (*end || !status.ok()) {
        over_ = true;
        rows_.reset();
      }
      return status;
    }

   private:
    const Ref<const SqlDataset> dataset_;
    std::optional<SqliteQuery> rows_;
    bool over_ = false;
  };

  const std::string file_, query_;
};

Status ComputeSql(KernelContext& c) {
  constexpr const char* kNames[] = {"driver_name", "data_source_name", "query"};
  std::string texts[3];
  for (int i = 0; i < 3; ++i) {
    if (!c.input(i).shape().IsScalar()) {
      return InvalidArgument("{} must be a scalar", kNames[i]);
    }
    texts[i] = c.input(i).scalar<std::string>();
  }
  if (texts[0] != "sqlite") {
    return InvalidArgument(
        "The database type, {}, is not supported by SqlDataset. The set of "
        "supported databases is: {{'sqlite'}}.",
        texts[0]);
  }
  ElementSignature signature = SignatureAttrs(c);
  for (const DataType type : signature.types) {
    if (SqliteQuery::Gives(type)) continue;
    return InvalidArgument(
        "Each element of `output_types` must be one of: DT_STRING, DT_INT8, "
        "DT_INT16, DT_INT32, DT_INT64, DT_UINT8, DT_UINT16, DT_BOOL, "
        "DT_DOUBLE, but one is {}",
        DataTypeString(type));
  }
  for (const PartialTensorShape& shape : signature.shapes) {
    if (shape.IsCompatibleWith(TensorShape())) continue;
    return InvalidArgument(
        "Each element of `output_shapes` must be a scalar, but one is {}",
        shape.DebugString());
  }
  return SetDataset(
      c, MakeRef<SqlDataset>(std::move(signature), std::move(texts[1]),
                             std::move(texts[2])));
}

const OpRecord kRecords[] = {
    {.name = "SqlDataset",
     .inputs = "driver_name: string; data_source_name: string; query: string",
     .outputs = "handle: variant",
     .attrs = GK_ELEMENT_ATTRS,
     .traits = kStateful,
     .shape = shape_fn::Scalar,
     .kernel = {.compute = ComputeSql},
     .doc = "A dataset of the rows that a query of a database gives."},
};

}  // namespace

GK_REGISTER_OPS(data_sql)

}  // namespace gk
