// Dataset: a description of a sequence of elements, held by a variant tensor;
// DatasetIterator: one pass over the elements. An element is a list of
// tensors, its components.
//
// A Dataset is constant and shared; it keeps the datasets and functions it is
// made of. Iterators made of it keep it alive. A Dataset is used by any number
// of threads, an iterator by one at a time.
#ifndef GK_DATA_DATASET_H_
#define GK_DATA_DATASET_H_

#include <atomic>
#include <memory>
#include <span>
#include <vector>

#include "base/event_log.h"
#include "data/dataset_options.h"
#include "data/iteration.h"
#include "data/iteration_context.h"
#include "framework/attr_value.h"
#include "framework/op_record.h"
#include "framework/tensor.h"
#include "framework/variant.h"

namespace gk {

inline constexpr int64_t kInfiniteCardinality = -1;
inline constexpr int64_t kUnknownCardinality = -2;

// Types and shapes of the components of every element.
struct ElementSignature {
  std::vector<DataType> types;
  std::vector<PartialTensorShape> shapes;
};

// What made a dataset: an op's kernel, and of what.
struct DatasetOrigin {
  const OpRecord* op = nullptr;
  AttrMap attrs;
  TensorVector inputs;
};

class Dataset;

// What an error is to whoever passes over elements: an error, or an element
// like another, which nobody need find.
enum class SkipErrors { kGiven, kPassed };

class DatasetIterator {
 public:
  virtual ~DatasetIterator();
  // GetNext(), recorded where profiles are made: what everybody calls.
  Status Next(const CancellationToken* cancellation, TensorVector* element,
              bool* end) {
    if (!EventLog::On()) [[likely]] {
      return GetNext(cancellation, element, end);
    }
    return RecordedNext(cancellation, element, end);
  }
  // Passes over up to `n` elements: `passed` says over how many, fewer than
  // `n` where the end or an error came behind them. What costs something to
  // make is not made where that changes nothing else.
  Status Skip(const CancellationToken* cancellation, int64_t n,
              SkipErrors errors, int64_t* passed, bool* end);

  // What elements that can be had as rows are, for whoever asks next: types,
  // and shapes that are all known. Null if they cannot.
  virtual const ElementSignature* RowsNow() { return nullptr; }
  // Writes up to `n` elements as RowsNow() says, one behind the other,
  // component k from rows[k] on, where there are values of its type. `count`
  // says how many, fewer than `n` where the end or an error came behind them,
  // or where RowsNow() is to be asked again.
  Status NextRows(const CancellationToken* cancellation, int64_t n,
                  std::span<void* const> rows, int64_t* count, bool* end);

 protected:
  // Some of what Skip() does, from *passed = 0 on, for n > 0: over one element
  // at least, or the end or an error, which ends it. Asks for the elements if
  // it is not defined anew.
  virtual Status DoSkip(const CancellationToken* cancellation, int64_t n,
                        SkipErrors errors, int64_t* passed, bool* end);
  // NextRows(), of one element at least, the end or an error.
  virtual Status GetRows(const CancellationToken* cancellation, int64_t n,
                         std::span<void* const> rows, int64_t* count,
                         bool* end);
  // The next element, or *end = true; after the end, the end again. The
  // caller's `cancellation` (may be null) is polled where that may take long.
  // After an error the iterator may be asked for the element behind it.
  virtual Status GetNext(const CancellationToken* cancellation,
                         TensorVector* element, bool* end) = 0;

  DatasetIterator();
  DatasetIterator(const DatasetIterator&) = delete;

 private:
  friend class Dataset;
  Status RecordedNext(const CancellationToken* cancellation,
                      TensorVector* element, bool* end);

  Ref<const Dataset> made_by_;
};

using IteratorPtr = std::unique_ptr<DatasetIterator>;

class Dataset : public VariantObject {
 public:
  ~Dataset() override;
  std::string_view type_name() const override {
    return "tensorflow::DatasetVariantWrapper";
  }
  // "MapDataset": the op that made it.
  virtual std::string_view kind() const = 0;
  // "BatchDatasetV2Op(2)::Dataset", with what `parameters` says in between.
  void AppendText(std::string* text, size_t limit) const override;
  // The number of elements, or one of the constants above. Never runs
  // anything.
  virtual int64_t Cardinality() const = 0;
  // May a repetition of it go on behind a pass that gave nothing, once one gave
  // something? TensorFlow makes one dataset of shuffle and repeat, which does.
  virtual bool repeats_empty_passes() const { return false; }
  // At the beginning of the elements. `context`: of the pass that this one is
  // part of.
  StatusOr<IteratorPtr> NewIterator(const ContextRef& context) const;
  // Begins a pass.
  StatusOr<IteratorPtr> Begin() const {
    return NewIterator(MakeRef<IterationContext>());
  }
  // Of its iterators' elements, in profiles.
  const EventType& Stage() const;

  const ElementSignature& signature() const { return signature_; }
  // What was said of it and of what it reads from; may be null.
  const DatasetOptions::Shared& options() const { return options_; }
  // What its iterators draw seeds from, those of all that it is made of.
  const SeedSources& seed_sources() const { return seed_sources_; }
  // More than those of its inputs: in what reads one input after the other
  // each has another.
  int depth() const { return depth_; }
  // Null for those that iterators make on their way.
  const DatasetOrigin* origin() const { return origin_.get(); }
  // Before anybody else has it.
  void NoteOrigin(DatasetOrigin origin) const {
    origin_ = std::make_unique<const DatasetOrigin>(std::move(origin));
  }

  // The dataset in a scalar variant, or an error.
  static StatusOr<Ref<const Dataset>> Of(const Tensor& handle);
  // ResourceExhausted if it stands on so many others that asking it for an
  // element would need too much stack.
  static StatusOr<Tensor> Wrap(Ref<const Dataset> dataset);

 protected:
  // What NewIterator() gives.
  virtual StatusOr<IteratorPtr> MakeIterator(
      const ContextRef& context) const = 0;
  // What is shown of its parameters where it is printed, such as "(2)".
  virtual std::string parameters() const { return ""; }
  // `inputs`: what the dataset reads from.
  Dataset(ElementSignature signature,
          std::initializer_list<const Dataset*> inputs);
  void AddInput(const Dataset& input);
  void AddOptions(DatasetOptions::Shared options);
  void AddSeedSources(const SeedSources& sources);

 private:
  class StageEvents;

  mutable std::atomic<const StageEvents*> stage_{nullptr};
  ElementSignature signature_;
  int depth_ = 1;  // of the datasets that this one stands on
  DatasetOptions::Shared options_;
  SeedSources seed_sources_;
  mutable std::unique_ptr<const DatasetOrigin> origin_;
};

// InvalidArgument unless the element has these types and shapes.
Status CheckElement(const ElementSignature& wanted,
                    const TensorVector& element);
// The same for all elements that `have` describes.
Status CheckSignature(const ElementSignature& wanted,
                      const ElementSignature& have);

}  // namespace gk

#endif  // GK_DATA_DATASET_H_
