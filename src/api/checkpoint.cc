#include "graphkiln/checkpoint.h"

#include <future>
#include <utility>

#include "api/inner.h"
#include "api/module_objects.h"
#include "api/sharding.h"
#include "checkpoint/checkpoint_state.h"
#include "checkpoint/object_graph.h"
#include "checkpoint/restoration.h"
#include "io/path.h"
#include "saved_model/meta_graph_file.h"

namespace gk::api {
namespace {

constexpr char kSaveCounter[] = "save_counter";

}  // namespace

struct Checkpoint::Rep {
  explicit Rep(const Module& module, Objects objects)
      : root(module), attached(std::move(objects)) {}

  TrackablePtr Described() const { return DescribedModule(root, attached); }
  const Variable& Counter() {
    if (!counter) {
      counter = Variable(Tensor(int64_t{0}),
                         {.name = kSaveCounter, .trainable = false});
      attached.emplace(kSaveCounter, *counter);
    }
    return *counter;
  }
  void Wait() {
    if (written.valid()) ThrowUnlessOk(written.get());
  }

  const Module root;
  Objects attached;
  std::optional<Variable> counter;
  std::future<Status> written;
};

struct LoadStatus::Rep {
  std::shared_ptr<Checkpoint::Rep> checkpoint;
  std::shared_ptr<Restoration> restoration;
  TrackablePtr root() const { return checkpoint->Described(); }
};

Checkpoint::Checkpoint(Objects objects)
    : Checkpoint(Module("checkpoint"), std::move(objects)) {}

Checkpoint::Checkpoint(const Module& root, Objects attached)
    : rep_(std::make_shared<Rep>(root, std::move(attached))) {}

Variable Checkpoint::save_counter() const { return rep_->Counter(); }

std::string Checkpoint::write(const std::string& prefix,
                              const CheckpointOptions& options) const {
  return Guarded([&] {
    EnsureReady();
    rep_->Wait();
    const auto work =
        [snapshot = TakeSnapshot(rep_->Described()), prefix,
         written = options.written,
         sharding = Inner(options.experimental_sharding_callback)]() -> Status {
      GK_RETURN_IF_ERROR(WriteSnapshot(snapshot, prefix, sharding));
      if (written) written(prefix);
      return OkStatus();
    };
    if (options.enable_async) {
      rep_->written = std::async(std::launch::async, work);
    } else {
      ThrowUnlessOk(work());
    }
    return prefix;
  });
}

std::string Checkpoint::save(const std::string& prefix,
                             const CheckpointOptions& options) const {
  return Guarded([&] {
    const Variable& counter = rep_->Counter();
    counter.assign_add(1);
    const int64_t number = Inner(counter.value()).scalar<int64_t>();
    CheckpointOptions noted = options;
    noted.written = [then = options.written](const std::string& path) {
      proto::CheckpointState state;
      state.model_checkpoint_path = path;
      state.all_model_checkpoint_paths = {path};
      ThrowUnlessOk(WriteCheckpointState(std::string(::gk::io::FolderOf(path)),
                                         std::move(state)));
      if (then) then(path);
    };
    return write(Format("{}-{}", prefix, number), noted);
  });
}

LoadStatus Checkpoint::read(const std::string& path,
                            const CheckpointOptions& options) const {
  return Guarded([&] {
    EnsureReady();
    rep_->Wait();
    auto status = std::make_shared<LoadStatus::Rep>();
    status->checkpoint = rep_;
    status->restoration = ValueOrThrow(Restoration::Start(
        ValueOrThrow(BundleReader::Open(path)), rep_->Described(),
        !options.experimental_skip_slot_variables));
    return LoadStatus(std::move(status));
  });
}

namespace {

// Of a saved model, that of its variables.
std::string CheckpointOf(const std::string& path) {
  return Guarded([&] {
    return ValueOrThrow(ContainsSavedModel(path))
               ? path + "/variables/variables"
               : path;
  });
}

}  // namespace

LoadStatus Checkpoint::restore(const std::string& path,
                               const CheckpointOptions& options) const {
  // It is in the checkpoint that `save` wrote; by name it need not be.
  rep_->Counter();
  LoadStatus status = read(CheckpointOf(path), options);
  if (status.rep_->restoration->by_name()) {
    for (const Trackable::Child& child : status.rep_->root()->Children()) {
      if (child.name == kSaveCounter) {
        status.rep_->restoration->AddOptional(child.object);
      }
    }
  }
  return status;
}

void Checkpoint::sync() const {
  Guarded([&] { rep_->Wait(); });
}

const LoadStatus& LoadStatus::assert_consumed() const {
  ThrowUnlessOk(rep_->restoration->AssertConsumed(rep_->root()));
  return *this;
}
const LoadStatus& LoadStatus::assert_existing_objects_matched() const {
  ThrowUnlessOk(rep_->restoration->AssertExistingObjectsMatched(rep_->root()));
  return *this;
}
const LoadStatus& LoadStatus::assert_nontrivial_match() const {
  ThrowUnlessOk(rep_->restoration->AssertNontrivialMatch(rep_->root()));
  return *this;
}

struct CheckpointReader::Rep {
  std::shared_ptr<BundleReader> bundle;
};

CheckpointReader::CheckpointReader(const std::string& path) {
  Guarded([&] {
    rep_ = std::make_shared<const Rep>(
        Rep{ValueOrThrow(BundleReader::Open(path))});
  });
}
Tensor CheckpointReader::get_tensor(const std::string& name) const {
  return Guarded([&] { return Outer(ValueOrThrow(rep_->bundle->Read(name))); });
}
bool CheckpointReader::has_tensor(const std::string& name) const {
  return rep_->bundle->Contains(name);
}
std::map<std::string, Shape> CheckpointReader::variable_shapes() const {
  std::map<std::string, Shape> shapes;
  for (const auto& [name, info] : rep_->bundle->tensors()) {
    shapes.emplace(name, Outer(PartialTensorShape(info.shape)));
  }
  return shapes;
}
std::map<std::string, DataType> CheckpointReader::variable_dtypes() const {
  std::map<std::string, DataType> dtypes;
  for (const auto& [name, info] : rep_->bundle->tensors()) {
    dtypes.emplace(name, Outer(info.dtype));
  }
  return dtypes;
}

std::optional<std::string> latest_checkpoint(const std::string& folder) {
  return Guarded([&] { return ValueOrThrow(LatestCheckpoint(folder)); });
}

}  // namespace gk::api
