#include "ops/data/batch_dataset.h"

#include <algorithm>
#include <type_traits>
#include <utility>

#include "base/thread_pool.h"
#include "data/read_ahead.h"
#include "ops/data/dataset_kernel.h"
#include "ops/element_moves.h"

namespace gk {
namespace {

// Adds the components of elements to those of a group, one element behind the
// other, until it has `size` of them, and leaves it empty if there are none, or
// fewer where the remainder is dropped.
Status Gather(DatasetIterator& input, const CancellationToken* cancellation,
              int64_t size, size_t width, bool drop_remainder,
              TensorVector* group, bool* ended) {
  auto rows = static_cast<int64_t>(group->size() / width);
  while (!*ended && rows < size) {
    GK_RETURN_IF_ERROR(CheckCancellation(cancellation));
    TensorVector row;
    GK_RETURN_IF_ERROR(input.Next(cancellation, &row, ended));
    if (*ended) break;
    if (row.size() != width) {
      return InvalidArgument("Cannot batch elements with different components");
    }
    for (Tensor& t : row) group->push_back(std::move(t));
    ++rows;
  }
  if (rows < size && drop_remainder) group->clear();
  return OkStatus();
}

// What gathers batches from an input.
class BatchIterator : public DatasetIterator {
 public:
  BatchIterator(IteratorPtr input, int64_t size, size_t width,
                bool drop_remainder)
      : input_(std::move(input)),
        size_(size),
        width_(width),
        drop_remainder_(drop_remainder) {}

 protected:
  // Behind what `group` has.
  Status GatherTo(const CancellationToken* cancellation, TensorVector* group) {
    return Gather(*input_, cancellation, size_, width_, drop_remainder_, group,
                  &ended_);
  }
  Status DoSkip(const CancellationToken* cancellation, int64_t n, SkipErrors,
                int64_t* passed, bool* end) override {
    for (; *passed < n; ++*passed) {
      int64_t rows = 0;
      if (!ended_) {
        GK_RETURN_IF_ERROR(CheckCancellation(cancellation));
        GK_RETURN_IF_ERROR(input_->Skip(cancellation, size_, SkipErrors::kGiven,
                                        &rows, &ended_));
      }
      *end = rows == 0 || (rows < size_ && drop_remainder_);
      if (*end) break;
    }
    return OkStatus();
  }

  const IteratorPtr input_;
  const int64_t size_;
  const size_t width_;
  const bool drop_remainder_;
  bool ended_ = false;
};

// The rows of a batch, one after the other.
class GroupIterator final : public BatchIterator {
 public:
  using BatchIterator::BatchIterator;

  Status GetNext(const CancellationToken* cancellation, TensorVector* element,
                 bool* end) override {
    element->clear();
    GK_RETURN_IF_ERROR(GatherTo(cancellation, element));
    *end = element->empty();
    return OkStatus();
  }
};

StatusOr<TensorShape> BatchShape(int64_t count, std::span<const int64_t> each) {
  std::vector<int64_t> dims{count};
  dims.insert(dims.end(), each.begin(), each.end());
  return TensorShape::Make(dims);
}

Status DifferentShapes(size_t k, const TensorShape& first, int64_t i,
                       const TensorShape& other) {
  return InvalidArgument(
      "Cannot batch tensors with different shapes in component {}. First "
      "element had shape {} and element {} had shape {}.",
      k, first.DebugString(), i, other.DebugString());
}

// Component k of all rows of a group, which loses what nobody else has.
StatusOr<Tensor> Stack(TensorVector& group, size_t width, size_t k) {
  const Tensor& first = group[k];
  for (size_t i = k + width; i < group.size(); i += width) {
    const Tensor& other = group[i];
    if (other.dtype() != first.dtype()) {
      return InvalidArgument("Cannot batch elements with different components");
    }
    if (other.shape() == first.shape()) continue;
    return DifferentShapes(k, first.shape(), static_cast<int64_t>(i / width),
                           other.shape());
  }
  GK_ASSIGN_OR_RETURN(const TensorShape shape,
                      BatchShape(static_cast<int64_t>(group.size() / width),
                                 first.shape().dims()));
  GK_ASSIGN_OR_RETURN(Tensor batch, Tensor::Allocate(first.dtype(), shape));
  GK_RETURN_IF_ERROR(
      VisitMoved(first.dtype(), [&]<class T>(std::type_identity<T>) {
        T* to = static_cast<T*>(batch.raw_data());
        for (size_t i = k; i < group.size(); i += width) {
          T* const from = static_cast<T*>(group[i].raw_data());
          const int64_t n = group[i].num_elements();
          if (!std::is_trivially_copyable_v<T> && group[i].IsExclusive()) {
            to = std::move(from, from + n, to);
          } else {
            to = std::copy_n(from, n, to);
          }
        }
      }));
  return batch;
}

Status StackAll(TensorVector group, size_t width, TensorVector* batch) {
  for (size_t k = 0; k < width; ++k) {
    GK_ASSIGN_OR_RETURN(Tensor stacked, Stack(group, width, k));
    batch->push_back(std::move(stacked));
  }
  return OkStatus();
}

// Batches of elements that are had as rows: written where the batch has them.
// Others are gathered and stacked.
class RowsIterator final : public BatchIterator {
 public:
  using BatchIterator::BatchIterator;

  Status GetNext(const CancellationToken* cancellation, TensorVector* element,
                 bool* end) override {
    element->clear();
    const ElementSignature* const rows = ended_ ? nullptr : input_->RowsNow();
    if (rows == nullptr || !Fits(*rows)) {
      return Stacked(cancellation, {}, element, end);
    }
    const ElementSignature shared = *rows;
    GK_ASSIGN_OR_RETURN(TensorVector batch, Space(shared, size_));
    int64_t count = 0;
    while (count < size_ && !ended_) {
      GK_RETURN_IF_ERROR(CheckCancellation(cancellation));
      const ElementSignature* const now = input_->RowsNow();
      if (now == nullptr || !Same(*now, shared)) {
        GK_ASSIGN_OR_RETURN(TensorVector group, Elements(batch, count));
        return Stacked(cancellation, std::move(group), element, end);
      }
      std::vector<void*> at;
      for (Tensor& t : batch) {
        at.push_back(static_cast<char*>(t.raw_data()) +
                     count * (t.num_elements() / size_) * SizeOf(t.dtype()));
      }
      int64_t more = 0;
      GK_RETURN_IF_ERROR(
          input_->NextRows(cancellation, size_ - count, at, &more, &ended_));
      count += more;
    }
    if (count == 0 || (count < size_ && drop_remainder_)) {
      *end = true;
    } else if (count == size_) {
      *element = std::move(batch);
    } else {
      GK_ASSIGN_OR_RETURN(*element, Space(shared, count));
      for (size_t k = 0; k < batch.size(); ++k) {
        GK_RETURN_IF_ERROR(
            CopyRows(batch[k], 0, count, (*element)[k].raw_data()));
      }
    }
    return OkStatus();
  }

 private:
  // Larger batches are made when it is known how many elements there are.
  static constexpr int64_t kMostBytes = int64_t{64} << 20;

  // Of an element in memory, also where that is an object.
  static int64_t SizeOf(DataType t) {
    int64_t size = 0;
    const Status known = VisitMoved(
        t, [&]<class T>(std::type_identity<T>) { size = sizeof(T); });
    if (!known.ok()) size = kMostBytes;
    return size;
  }

  bool Fits(const ElementSignature& rows) const {
    int64_t bytes = 0;
    for (size_t k = 0; k < rows.types.size(); ++k) {
      if (!rows.shapes[k].IsFullyDefined()) return false;
      int64_t each = SizeOf(rows.types[k]);
      for (const int64_t d : rows.shapes[k].dims()) {
        each = MultiplyWithoutOverflow(each, d);
        if (each < 0) return false;
      }
      bytes += each;
      if (bytes > kMostBytes) return false;
    }
    return rows.types.size() == width_ && size_ <= kMostBytes / (bytes + 1);
  }
  static bool Same(const ElementSignature& a, const ElementSignature& b) {
    return a.types == b.types && a.shapes == b.shapes;
  }

  static StatusOr<TensorVector> Space(const ElementSignature& rows,
                                      int64_t count) {
    TensorVector space;
    for (size_t k = 0; k < rows.types.size(); ++k) {
      GK_ASSIGN_OR_RETURN(const TensorShape shape,
                          BatchShape(count, rows.shapes[k].dims()));
      GK_ASSIGN_OR_RETURN(Tensor t, Tensor::Allocate(rows.types[k], shape));
      space.push_back(std::move(t));
    }
    return space;
  }

  // The first `count` rows as elements.
  static StatusOr<TensorVector> Elements(const TensorVector& batch,
                                         int64_t count) {
    TensorVector group;
    for (int64_t i = 0; i < count; ++i) {
      for (const Tensor& t : batch) {
        GK_ASSIGN_OR_RETURN(Tensor row, Row(t, i));
        group.push_back(std::move(row));
      }
    }
    return group;
  }

  // A batch of `group` and the elements behind it.
  Status Stacked(const CancellationToken* cancellation, TensorVector group,
                 TensorVector* element, bool* end) {
    GK_RETURN_IF_ERROR(GatherTo(cancellation, &group));
    *end = group.empty();
    return *end ? OkStatus() : StackAll(std::move(group), width_, element);
  }
};

// Batches of elements each of which is written where its batch has it when it
// comes.
class InPlaceIterator final : public BatchIterator {
 public:
  using BatchIterator::BatchIterator;

  Status GetNext(const CancellationToken* cancellation, TensorVector* element,
                 bool* end) override {
    TensorVector batch;
    std::vector<TensorShape> shapes;
    Different different;
    int64_t count = 0, room = 0;
    for (; count < size_; ++count) {
      GK_RETURN_IF_ERROR(CheckCancellation(cancellation));
      TensorVector row;
      if (!ended_)
        GK_RETURN_IF_ERROR(input_->Next(cancellation, &row, &ended_));
      if (ended_) break;
      if (row.size() != width_) {
        return InvalidArgument(
            "Cannot batch elements with different components");
      }
      if (count == 0) {
        for (const Tensor& t : row) shapes.push_back(t.shape());
      }
      // What is wrong with an element is said when all have come.
      for (size_t k = 0; k < width_; ++k) {
        if (row[k].shape() == shapes[k]) continue;
        if (different.at == 0 || k < different.k) {
          different = {k, count, row[k].shape()};
        }
      }
      if (different.at > 0) continue;
      if (count == room) {
        room = std::min(size_, count == 0 ? FirstRoom(row) : 2 * room);
        GK_RETURN_IF_ERROR(Resize(row, count, room, &batch));
      }
      for (size_t k = 0; k < width_; ++k) {
        GK_RETURN_IF_ERROR(Write(row[k], count, &batch[k]));
      }
    }
    *end = count == 0 || (count < size_ && drop_remainder_);
    if (*end) return OkStatus();
    if (different.at > 0) {
      return DifferentShapes(different.k, shapes[different.k], different.at,
                             different.shape);
    }
    if (count < room) {
      GK_RETURN_IF_ERROR(Resize(batch, count, count, &batch));
    }
    *element = std::move(batch);
    return OkStatus();
  }

 private:
  // The first component, and of those the first element, that does not have
  // the shape of the first element.
  struct Different {
    size_t k = 0;
    int64_t at = 0;  // 0: there is none
    TensorShape shape;
  };

  // How many elements there is room for before it is known how many come.
  static int64_t FirstRoom(const TensorVector& row) {
    constexpr int64_t kMostBytes = int64_t{64} << 20;
    int64_t bytes = 1;
    for (const Tensor& t : row) bytes += t.byte_size() + kElementOverhead;
    return std::max<int64_t>(1, kMostBytes / bytes);
  }
  static constexpr int64_t kElementOverhead = 16;

  // `batch` of so many elements like `row`, with the first `count` it had.
  static Status Resize(const TensorVector& row, int64_t count, int64_t size,
                       TensorVector* batch) {
    const bool shrinks = &row == batch;
    TensorVector made;
    for (size_t k = 0; k < row.size(); ++k) {
      std::span<const int64_t> each = row[k].shape().dims();
      if (shrinks) each = each.subspan(1);
      GK_ASSIGN_OR_RETURN(const TensorShape shape, BatchShape(size, each));
      GK_ASSIGN_OR_RETURN(Tensor t, Tensor::Allocate(row[k].dtype(), shape));
      if (count > 0) {
        GK_RETURN_IF_ERROR(CopyRows((*batch)[k], 0, count, t.raw_data()));
      }
      made.push_back(std::move(t));
    }
    *batch = std::move(made);
    return OkStatus();
  }
  static Status Write(const Tensor& row, int64_t i, Tensor* batch) {
    return VisitMoved(row.dtype(), [&]<class T>(std::type_identity<T>) {
      std::copy_n(static_cast<const T*>(row.raw_data()), row.num_elements(),
                  static_cast<T*>(batch->raw_data()) + i * row.num_elements());
    });
  }
};

class BatchDataset final : public DatasetOfInput {
 public:
  // parallel 0: one batch after the other; -1: tuned.
  BatchDataset(std::string_view kind, ElementSignature signature,
               Ref<const Dataset> input, int64_t size, bool drop_remainder,
               int64_t parallel)
      : DatasetOfInput(std::move(signature), std::move(input)),
        kind_(kind),
        size_(size),
        drop_remainder_(drop_remainder),
        parallel_(parallel) {}

  std::string_view kind() const override { return kind_; }
  // Of `mapped`, which is made of `input`: each where its batch has it.
  BatchDataset(ElementSignature signature, Ref<const Dataset> input,
               Ref<const Dataset> mapped, int64_t size, bool drop_remainder)
      : BatchDataset("MapAndBatchDataset", std::move(signature),
                     std::move(input), size, drop_remainder, 0) {
    mapped_ = std::move(mapped);
  }

  int64_t Cardinality() const override {
    const int64_t n = batched().Cardinality();
    if (n < 0) return n;
    return n / size_ + (n % size_ == 0 || drop_remainder_ ? 0 : 1);
  }
  StatusOr<IteratorPtr> MakeIterator(const ContextRef& context) const override {
    GK_ASSIGN_OR_RETURN(IteratorPtr in, batched().NewIterator(context));
    const size_t width = batched().signature().types.size();
    if (mapped_) {
      return IteratorPtr(
          new InPlaceIterator(std::move(in), size_, width, drop_remainder_));
    }
    if (parallel_ == 0) {
      return IteratorPtr(
          new RowsIterator(std::move(in), size_, width, drop_remainder_));
    }
    ElementFn stack = [width](TensorVector group, const CancellationToken*,
                              TensorVector* batch, bool*) {
      return StackAll(std::move(group), width, batch);
    };
    return ParallelMap(std::make_unique<GroupIterator>(std::move(in), size_,
                                                       width, drop_remainder_),
                       std::move(stack),
                       InParallel(context->resources(), parallel_),
                       PassedOver::kNothing);
  }

 protected:
  std::string parameters() const override { return Format("({})", size_); }

 private:
  const Dataset& batched() const { return mapped_ ? *mapped_ : input(); }

  const std::string_view kind_;
  const int64_t size_;
  const bool drop_remainder_;
  const int64_t parallel_;
  Ref<const Dataset> mapped_;  // null: the input is batched
};

}  // namespace

Ref<const Dataset> BatchOf(std::string_view kind, ElementSignature signature,
                           Ref<const Dataset> input, int64_t size,
                           bool drop_remainder, int64_t parallel) {
  return MakeRef<BatchDataset>(kind, std::move(signature), std::move(input),
                               size, drop_remainder, parallel);
}

Ref<const Dataset> MapAndBatch(ElementSignature signature,
                               Ref<const Dataset> input,
                               Ref<const Dataset> mapped, int64_t size,
                               bool drop_remainder) {
  return MakeRef<BatchDataset>(std::move(signature), std::move(input),
                               std::move(mapped), size, drop_remainder);
}

}  // namespace gk
