#include "api/dataset_objects.h"

#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "api/exported_function.h"
#include "api/inner.h"
#include "api/table_objects.h"
#include "function/remade_dataset.h"
#include "graphkiln/function.h"
#include "graphkiln/ops.h"
#include "saved_model/meta_graph_file.h"

namespace gk::api {
namespace {

using saved_model::Asset;

// The handle of a dataset, which functions capture.
class TrackerObject final : public ExportedObject {
 public:
  explicit TrackerObject(const Dataset& dataset) : dataset_(dataset) {
    for (const ::gk::Tensor& names : FilesOfDataset(handle())) {
      for (const std::string& path : names.flat<std::string>()) {
        files_.try_emplace(path, path);
      }
    }
  }

  // Beside the dataset's own address.
  const void* identity() const override {
    return static_cast<const char*>(IdentityOf(dataset_)) + 1;
  }
  std::string Text() const override { return "the handle of a Dataset"; }
  std::vector<Child> Children() override {
    std::vector<Child> children;
    for (const auto& [path, file] : files_) {
      children.push_back({"file_" + std::to_string(children.size()),
                          api::Described(file, /*whole=*/true)});
    }
    const auto create = function(
        [this] {
          return Outer(ValueOrThrow(RemadeDataset(
              handle(), [this](const ::gk::Tensor& t) { return Saved(t); })));
        },
        {.name = kCreateResource});
    create.get_concrete_function();
    children.push_back({kCreateResource, saved_model::ExportedFunctionObject(
                                             kCreateResource, create)});
    return children;
  }
  ExportedFacts Facts() override {
    ExportedFacts facts;
    facts.message.mutable_resource();
    facts.tensors = {handle()};
    return facts;
  }

 private:
  ::gk::Tensor handle() const { return Inner(dataset_.variant()); }
  // The names of files as they are in the model's folder.
  ::gk::Tensor Saved(const ::gk::Tensor& names) const {
    std::vector<Tensor> paths;
    for (const std::string& path : names.flat<std::string>()) {
      paths.push_back(files_.at(path).asset_path());
    }
    if (paths.empty()) return names;
    return Inner(gk::api::ops::Pack(paths));
  }

  const Dataset dataset_;
  std::map<std::string, Asset> files_;
};

class DatasetObject final : public ExportedObject {
 public:
  explicit DatasetObject(const Dataset& dataset) : dataset_(dataset) {}
  const void* identity() const override { return IdentityOf(dataset_); }
  std::string Text() const override { return "Dataset"; }
  std::vector<Child> Children() override {
    return {{"_variant_tracker", std::make_shared<TrackerObject>(dataset_)}};
  }
  ExportedFacts Facts() override { return FactsOfHolder(); }

 private:
  const Dataset dataset_;
};

}  // namespace

const void* IdentityOf(const Dataset& dataset) {
  return Inner(dataset.variant()).impl();
}

ExportedObjectRef Described(const Dataset& dataset, bool whole) {
  return std::make_shared<DatasetObject>(dataset);
}

}  // namespace gk::api
