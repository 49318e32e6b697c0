#include "api/table_objects.h"

#include <memory>
#include <random>
#include <utility>
#include <vector>

#include "api/exported_function.h"
#include "api/inner.h"
#include "api/lookup_rep.h"
#include "framework/graph_builder.h"
#include "graphkiln/function.h"
#include "graphkiln/ops.h"
#include "saved_model/meta_graph_file.h"

namespace gk::api {
namespace {

using lookup::StaticVocabularyTable;
using lookup::Table;
using saved_model::Asset;
using saved_model::Exported;
using saved_model::ExportedFunctionObject;

// Of tables, as TensorFlow's checkpoints name them.
constexpr char kContent[] = "table";
constexpr char kKeys[] = "-keys", kValues[] = "-values";
constexpr char kStaticTable[] = "tf.StaticHashTable";
constexpr char kGenericObject[] = "_generic_user_object";

class AssetObject final : public ExportedObject {
 public:
  explicit AssetObject(Asset asset) : asset_(std::move(asset)) {}
  const void* identity() const override { return IdentityOf(asset_); }
  std::string Text() const override { return Format("Asset('{}')", path()); }
  ExportedFacts Facts() override {
    ExportedFacts facts;
    facts.message.mutable_asset();
    facts.tensors = {Inner(asset_.asset_path())};
    facts.asset = path();
    return facts;
  }

 private:
  std::string path() const {
    return Inner(asset_.asset_path()).scalar<std::string>();
  }
  const Asset asset_;
};

// What holds objects together that have an address of their own.
class HolderObject final : public ExportedObject {
 public:
  HolderObject(const void* identity, std::string text,
               std::vector<Child> children)
      : identity_(identity),
        text_(std::move(text)),
        children_(std::move(children)) {}
  const void* identity() const override { return identity_; }
  std::string Text() const override { return text_; }
  std::vector<Child> Children() override { return children_; }
  ExportedFacts Facts() override { return FactsOfHolder(); }

 private:
  const void* const identity_;
  const std::string text_;
  const std::vector<Child> children_;
};

// The functions by which a loaded model makes, fills and lets go of the table.
std::vector<Trackable::Child> ResourceFunctions(const Table& table) {
  std::vector<Trackable::Child> functions;
  const auto add = [&](const std::string& name, const auto& body) {
    const auto made = function(body, {.name = name});
    made.get_concrete_function();
    functions.push_back({name, ExportedFunctionObject(name, made)});
  };
  // Other processes find no table by this name.
  std::random_device random;
  std::string name = table.rep().kind + "_";
  for (int i = 0; i < 4; ++i) name += Format("{:08x}", random());
  add(kCreateResource, [&] { return table.rep().make_named(name); });
  add(kInitializeResource, [&] {
    if (!table.rep().changes()) table.rep().fill(table.resource_handle());
    return Tensor(1);
  });
  add("_destroy_resource", [] { return Tensor(1); });
  return functions;
}

class TableObject final : public ExportedObject {
 public:
  TableObject(Table table, bool whole)
      : table_(std::move(table)), whole_(whole) {}

  const void* identity() const override { return IdentityOf(table_); }
  std::string Text() const override {
    return Format("{} of {} to {}", rep().kind,
                  DataTypeName(Inner(table_.key_dtype())),
                  DataTypeName(Inner(table_.value_dtype())));
  }
  std::vector<Child> Children() override {
    if (!whole_) return {};
    std::vector<Child> children = ResourceFunctions(table_);
    if (rep().changes()) return children;
    std::vector<Child> parts;
    if (rep().file)
      parts.push_back({"_filename", Described(*rep().file, true)});
    children.push_back(
        {"_initializer", std::make_shared<HolderObject>(
                             &rep().initializer, "what a table is filled from",
                             std::move(parts))});
    return children;
  }
  std::vector<Value> Values() override {
    if (!rep().changes()) return {};
    return {{kContent, "", {kKeys, kValues}}};
  }
  TensorVector Save() override {
    if (!rep().changes()) return {};
    const auto [keys, values] = table_.export_values();
    return {Inner(keys), Inner(values)};
  }
  void Restore(const std::string& value, const TensorVector& tensors) override {
    gk::api::ops::LookupTableImportV2(
        table_.resource_handle(), Outer(tensors.at(0)), Outer(tensors.at(1)));
  }
  ExportedFacts Facts() override {
    ExportedFacts facts;
    facts.message.mutable_resource();
    facts.tensors = {Inner(table_.resource_handle())};
    if (rep().changes()) {
      facts.saveables.emplace(kContent, SavingFunctions());
    } else {
      facts.message.registered_name = kStaticTable;
    }
    return facts;
  }

 private:
  const Table::Rep& rep() const { return table_.rep(); }

  std::pair<ExportedTrace, ExportedTrace> SavingFunctions() const {
    using Part = std::map<std::string, Tensor>;
    const auto save = function(
        [&](const Tensor& key) {
          const auto [keys, values] = table_.export_values();
          const auto part = [&](const char* suffix, const Tensor& tensor) {
            return Part{{"name", key + Tensor(suffix)},
                        {"slice_spec", Tensor("")},
                        {"tensor", tensor}};
          };
          return std::vector{part(kKeys, keys), part(kValues, values)};
        },
        {.name = "save", .argument_names = {"checkpoint_key"}});
    const auto restore = function(
        [&](const Tensor& keys, const Tensor& values) {
          gk::api::ops::LookupTableImportV2(table_.resource_handle(), keys,
                                            values);
          return Tensor(1);
        },
        {.name = "restore",
         .argument_names = {"restored_tensors_0", "restored_tensors_1"}});
    const auto any = [](DataType dtype) {
      return TensorSpec{Shape::UnknownRank(), dtype};
    };
    return {Exported(save.get_concrete_function(
                TensorSpec{Shape(), DataType::kString, "checkpoint_key"})),
            Exported(restore.get_concrete_function(any(table_.key_dtype()),
                                                   any(table_.value_dtype())))};
  }

  const Table table_;
  const bool whole_;
};

}  // namespace

ExportedFacts FactsOfHolder() {
  ExportedFacts facts;
  proto::SavedUserObject& user = facts.message.mutable_user_object();
  user.identifier = kGenericObject;
  user.version.mut().producer = 1;
  user.version.mut().min_consumer = 1;
  return facts;
}

const void* IdentityOf(const Table& table) { return &table.rep(); }
const void* IdentityOf(const StaticVocabularyTable& table) {
  return &table.table().rep().vocabulary;
}
const void* IdentityOf(const Asset& asset) { return &asset.asset_path(); }

bool IsInCheckpoints(const Table& table) { return table.rep().changes(); }

ExportedObjectRef Described(const Table& table, bool whole) {
  return std::make_shared<TableObject>(table, whole);
}
ExportedObjectRef Described(const StaticVocabularyTable& table, bool whole) {
  return std::make_shared<HolderObject>(
      IdentityOf(table), "StaticVocabularyTable",
      std::vector<Trackable::Child>{
          {"_table", Described(table.table(), whole)}});
}
ExportedObjectRef Described(const Asset& asset, bool whole) {
  return std::make_shared<AssetObject>(asset);
}

}  // namespace gk::api
