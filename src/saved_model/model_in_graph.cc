// LoadedModel::InGraph: a loaded model in a graph of a program.
#include <map>
#include <utility>
#include <vector>

#include "framework/graph_builder.h"
#include "framework/variable.h"
#include "graph/function_reader.h"
#include "saved_model/loaded_model.h"

namespace gk {
namespace {

using ObjectKind = proto::SavedObject::KindCase;

// Graphs' values in the place of a model's.
class Replaced {
 public:
  explicit Replaced(GraphValues* values,
                    std::map<const void*, Tensor>* now = nullptr)
      : values_(values), now_(now) {}

  void Add(const Tensor& before, const Tensor& now) {
    if (before && now) now_->emplace(ResourceKey(before), now);
  }
  // Of captures. Variables that are no objects of the model, local ones, are
  // made when the first captures them.
  std::vector<FunctionCapture> Of(std::vector<FunctionCapture> captures) {
    for (FunctionCapture& capture : captures) {
      Tensor& t = capture.external;
      if (!t || t.is_symbolic()) continue;
      const void* const key = ResourceKey(t);
      if (!now_->contains(key) && t.dtype() == DataType::kResource) {
        if (const StatusOr<VariableResource*> local = VariableOf(t);
            local.ok()) {
          proto::SavedVariable saved;
          saved.name = (*local)->name();
          saved.dtype = static_cast<proto::DataType>((*local)->dtype());
          (*now_)[key] = InGraph(-1, saved, **local);
        }
      }
      const auto found = now_->find(key);
      if (found != now_->end()) {
        t = found->second;
      } else if (t.dtype() != DataType::kResource &&
                 t.dtype() != DataType::kVariant) {
        t = values_->Constant(t);
      }
    }
    return captures;
  }
  Tensor InGraph(int object, const proto::SavedVariable& saved,
                 const VariableResource& variable) {
    const StatusOr<Tensor> content = variable.Read();
    return values_->Variable(object, saved, variable.shape(),
                             content.ok() ? *content : Tensor());
  }

 private:
  GraphValues* const values_;
  std::map<const void*, Tensor>* const now_;
};

}  // namespace

StatusOr<std::shared_ptr<LoadedModel>> LoadedModel::InGraph(
    std::shared_ptr<LoadedModel> eager, GraphValues* values) {
  std::shared_ptr<LoadedModel> model(
      new LoadedModel(eager->folder_, eager->meta_graph_));
  model->eager_ = std::move(eager);
  Status status;
  try {
    status = model->PutInGraph(values);
  } catch (const Error& error) {
    status = error.status();
  }
  if (status.ok()) return model;
  return status.Append(
      Format(" (loading the SavedModel at {})", model->folder_));
}

Status LoadedModel::PutInGraph(GraphValues* values) {
  const int n = static_cast<int>(objects().size());
  values_.resize(n);
  making_.resize(n);
  NameParameters();
  if (eager_->reader_) {
    GK_RETURN_IF_ERROR(ReadFunctions());
  }
  for (int i = 0; i < n; ++i) {
    GK_ASSIGN_OR_RETURN(values_[i], GraphValueOf(i, values));
  }
  // Functions of TensorFlow 1's models are parts of one graph, which were cut
  // out of it when that was read.
  if (!eager_->reader_) functions_ = eager_->functions_;
  for (int i = 0; i < n; ++i) {
    if (objects()[i].kind_case != ObjectKind::kResource || values_[i]) continue;
    GK_ASSIGN_OR_RETURN(values_[i], MakeResource(i));
  }
  if (!eager_->reader_) {
    Replaced replaced(values, &in_program_);
    for (int i = 0; i < n; ++i) replaced.Add(eager_->values_[i], values_[i]);
    for (auto& [name, function] : functions_) {
      GK_ASSIGN_OR_RETURN(
          function, function->WithCaptures(replaced.Of(function->captures())));
    }
    graph_ = eager_->graph_;
    if (graph_) replaced.Of(graph_->inputs().captures());
  }
  GK_RETURN_IF_ERROR(Initialize(values));
  for (int i = 0; i < n; ++i) {
    for (const auto& [name, functions] : objects()[i].saveable_objects) {
      TensorVector parts;
      {
        const OpBuilder::Scope eager(OpBuilder::Eager());
        parts = eager_->SavedParts(functions.save_function);
      }
      TensorVector restored;
      for (size_t k = kPerSavedTensor - 1; k < parts.size();
           k += kPerSavedTensor) {
        restored.push_back(values->Constant(parts[k]));
      }
      GK_ASSIGN_OR_RETURN(const TensorVector done,
                          CallObject(functions.restore_function, restored));
      values->Initializer(done);
    }
  }
  return OkStatus();
}

const Tensor* LoadedModel::InProgram(const Tensor& value) const {
  const auto found = in_program_.find(ResourceKey(value));
  return found == in_program_.end() ? nullptr : &found->second;
}

StatusOr<Tensor> LoadedModel::GraphValueOf(int object, GraphValues* values) {
  const Tensor& value = eager_->values_[object];
  if (!value) return Tensor();
  const proto::SavedObject& saved = objects()[object];
  switch (saved.kind_case) {
    case ObjectKind::kVariable: {
      GK_ASSIGN_OR_RETURN(VariableResource* const variable, VariableOf(value));
      return Replaced(values).InGraph(object, *saved.variable, *variable);
    }
    case ObjectKind::kConstant:
      return values->Constant(value);
    case ObjectKind::kAsset:
      return values->Asset(value.scalar<std::string>());
    case ObjectKind::kResource:
      return values->Resource(object);
    default:
      return Tensor();
  }
}

}  // namespace gk
