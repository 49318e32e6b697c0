// Checkpoints: values of variables in files, found again by the names of what
// holds them. TensorFlow reads them, and they may be TensorFlow's.
//
//   struct Net : gk::Module { ... };
//   Net net;
//   gk::Checkpoint checkpoint({{"net", net}, {"step", step}});
//   const std::string path = checkpoint.save("/tmp/run/ckpt");
//   checkpoint.restore(path).assert_consumed();
#ifndef GRAPHKILN_CHECKPOINT_H_
#define GRAPHKILN_CHECKPOINT_H_

#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <variant>

#include <graphkiln/dataset.h>
#include <graphkiln/lookup.h>
#include <graphkiln/module.h>
#include <graphkiln/sharding.h>
#include <graphkiln/variable.h>

namespace gk {
GK_API_NAMESPACE {

// Of Checkpoint::save, write, restore and read.
struct CheckpointOptions {
  // Is it written by another thread? The values are those of the call;
  // Checkpoint::sync waits.
  bool enable_async = false;
  // Called with the path when it is written.
  std::function<void(const std::string& path)> written = {};
  // Are the slots of optimizers left as they are when it is restored, and not
  // missed?
  bool experimental_skip_slot_variables = false;
  ShardingCallback experimental_sharding_callback = {};
};

// What became of a checkpoint that was restored. What modules track later is
// restored then, so assertions may fail first and hold later.
class GK_EXPORT LoadStatus {
 public:
  // Throws Error unless all objects are in the checkpoint and all its values
  // were restored; it names what is missing.
  const LoadStatus& assert_consumed() const;
  // Unless all objects are in the checkpoint, which may have more.
  const LoadStatus& assert_existing_objects_matched() const;
  // If nothing but the root is.
  const LoadStatus& assert_nontrivial_match() const;

 private:
  friend class Checkpoint;
  struct Rep;
  explicit LoadStatus(std::shared_ptr<const Rep> rep) : rep_(std::move(rep)) {}
  std::shared_ptr<const Rep> rep_;
};

// A handle; copying shares it. Not thread-safe.
class GK_EXPORT Checkpoint {
 public:
  // What is saved, by the names that it has in the checkpoint. Of tables what
  // is in those that change.
  using Objects =
      std::map<std::string,
               std::variant<Module, Variable, Iterator, lookup::Table>>;
  // Of these.
  explicit Checkpoint(Objects objects);
  // The module's own attributes, and `attached` beside them.
  explicit Checkpoint(const Module& root, Objects attached = {});

  // Writes "PREFIX-N", N counting up, and notes it for latest_checkpoint. Gives
  // the path. Throws Error of the file system.
  std::string save(const std::string& prefix,
                   const CheckpointOptions& options = {}) const;
  // Writes a checkpoint of that very name. An older one stays whole until the
  // new one is.
  std::string write(const std::string& prefix,
                    const CheckpointOptions& options = {}) const;
  // Throws Error: NotFound without one, DataLoss of a damaged one, ValueError
  // of a value of another shape than the variable's. A saved model's folder
  // stands for the values of its variables.
  LoadStatus restore(const std::string& path,
                     const CheckpointOptions& options = {}) const;
  // Of one that `write` wrote.
  LoadStatus read(const std::string& path,
                  const CheckpointOptions& options = {}) const;
  // How often `save` was called; a variable that is saved, too.
  Variable save_counter() const;
  // Waits for what another thread writes; throws what went wrong there.
  void sync() const;

  // --- For the library itself.
  struct Rep;

 private:
  std::shared_ptr<Rep> rep_;
};

// The tensors of a checkpoint by name. A handle.
class GK_EXPORT CheckpointReader {
 public:
  // Throws Error: NotFound, or DataLoss of a damaged index.
  explicit CheckpointReader(const std::string& path);
  // Throws Error: NotFound; DataLoss if a checksum does not match.
  Tensor get_tensor(const std::string& name) const;
  bool has_tensor(const std::string& name) const;
  std::map<std::string, Shape> variable_shapes() const;
  std::map<std::string, DataType> variable_dtypes() const;

 private:
  struct Rep;
  std::shared_ptr<const Rep> rep_;
};

// The newest checkpoint of a folder, by its file "checkpoint".
GK_EXPORT std::optional<std::string> latest_checkpoint(
    const std::string& folder);

}  // GK_API_NAMESPACE
}  // namespace gk

#endif  // GRAPHKILN_CHECKPOINT_H_
