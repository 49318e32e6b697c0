#include "runtime/cluster.h"

#include <algorithm>
#include <atomic>
#include <cstring>
#include <memory>
#include <numeric>
#include <optional>

#include "base/per_thread.h"
#include "base/thread_pool.h"
#include "ops/fused_tiles.h"
#include "runtime/planned_shape.h"

namespace gk {
namespace {

// Registers of a tile: small, for operands and results pass through L1 as
// well. What fits in one tile may take more.
constexpr int64_t kTileBytes = 8 << 10, kWholeBytes = 24 << 10;
constexpr int64_t kMinTile = 256, kMaxTile = 2048;
// Work beyond this is worth a second thread, hence several tiles.
constexpr int64_t kWholeNs = 100'000;

template <class T>
void Splat(const void* from, void* to, int64_t n) {
  T v;
  std::memcpy(&v, from, sizeof(T));
  T* p = static_cast<T*>(to);
  for (int64_t i = 0; i < n; ++i) p[i] = v;
}

struct Wide {
  uint64_t a, b;
};

// One element n times. It is moved as a word of its size; the type does not
// matter.
void Spread(int size, const void* from, void* to, int64_t n) {
  switch (size) {
    case 1:
      return Splat<uint8_t>(from, to, n);
    case 2:
      return Splat<uint16_t>(from, to, n);
    case 4:
      return Splat<uint32_t>(from, to, n);
    case 8:
      return Splat<uint64_t>(from, to, n);
    default:
      return Splat<Wide>(from, to, n);
  }
}

// Registers and the table of pointers, kept per thread.
class Scratch {
 public:
  char* Get(size_t bytes) {
    if (bytes > size_) {
      ::operator delete(data_, std::align_val_t(kAlignment));
      data_ = static_cast<char*>(
          ::operator new(bytes, std::align_val_t(kAlignment)));
      size_ = bytes;
    }
    return data_;
  }
  ~Scratch() { ::operator delete(data_, std::align_val_t(kAlignment)); }

 private:
  char* data_ = nullptr;
  size_t size_ = 0;
};

}  // namespace

const TileKernel* FusableTile(const Node& node) {
  const OpRecord& op = node.op();
  if (!op.Has(kElementwise) || !op.kernel.tile || node.num_outputs() != 1 ||
      node.num_inputs() == 0) {
    return nullptr;
  }
  const Node::OutputInfo& out = node.output(0);
  const std::optional<TensorShape> domain = PlannedShape(out.shape, out.dtype);
  if (!domain) return nullptr;
  const Output& last = node.input(node.num_inputs() - 1);
  const TileKernel* tile =
      op.kernel.tile(last.node->output(last.index).dtype, node.attrs());
  if (!tile || !tile->fn || tile->num_inputs != node.num_inputs() ||
      tile->out != out.dtype) {
    return nullptr;
  }
  TensorShape all;
  for (int i = 0; i < node.num_inputs(); ++i) {
    const Output& in = node.input(i);
    if (in.node->output(in.index).dtype != tile->in[i]) return nullptr;
    const std::optional<TensorShape> shape = PlannedShape(in);
    if (!shape) return nullptr;
    StatusOr<TensorShape> broadcast = BroadcastShapes(all, *shape);
    if (!broadcast.ok()) return nullptr;
    all = std::move(*broadcast);
  }
  // Another one may be declared: the kernel will tell.
  if (!(all == *domain)) return nullptr;
  return tile;
}

int Cluster::AddInput(DataType dtype, const TensorShape& shape) {
  Input input;
  input.dtype = dtype;
  input.shape = shape;
  input.element_size = DataTypeSize(dtype);
  inputs_.push_back(std::move(input));
  return inputs_.size() - 1;
}

int Cluster::AddStep(const TileKernel& tile, std::span<const int> in,
                     const Node* node) {
  Step step;
  step.fn = tile.fn;
  if (tile.prepare) tile.prepare(node->attrs(), &step.params);
  step.node = node;
  nodes_.push_back(node);
  step.num_inputs = in.size();
  // Unused operands repeat the first, which is always readable.
  for (size_t i = 0; i < 3; ++i) step.in[i] = i < in.size() ? in[i] : in[0];
  step.cost_ns = tile.cost_ns;
  steps_.push_back(step);
  step_types_.push_back(tile.out);
  return inputs_.size() + steps_.size() - 1;
}

int Cluster::AddResult(int v) {
  const DataType t = step_types_[v - inputs_.size()];
  results_.push_back({v, t, DataTypeSize(t)});
  return results_.size() - 1;
}

// A step that only the next reader needs runs in the reader's loop, where
// there is a loop for both.
void Cluster::FuseSteps() {
  const int num_inputs = inputs_.size(), num_steps = steps_.size();
  std::vector<int> uses(num_inputs + num_steps);
  for (const Result& r : results_) ++uses[r.value];
  for (const Step& step : steps_) {
    for (int i = 0; i < step.num_inputs; ++i) ++uses[step.in[i]];
  }
  std::vector<bool> gone(num_steps);
  for (Step& step : steps_) {
    for (int i = 0; i < step.num_inputs; ++i) {
      const int v = step.in[i];
      if (v < num_inputs || uses[v] != 1) continue;
      const Step& first = steps_[v - num_inputs];
      const TileFn fn = FusedTile(first.fn, step.fn, i);
      if (!fn) continue;
      int in[3] = {};
      int n = std::copy_n(first.in, first.num_inputs, in) - in;
      for (int k = 0; k < step.num_inputs; ++k) {
        if (k != i) in[n++] = step.in[k];
      }
      step.fn = fn;
      step.num_inputs = n;
      for (int k = 0; k < 3; ++k) step.in[k] = in[k < n ? k : 0];
      gone[v - num_inputs] = true;
      break;
    }
  }
  std::vector<int> now(num_inputs + num_steps);
  std::iota(now.begin(), now.begin() + num_inputs, 0);
  int kept = 0;
  for (int s = 0; s < num_steps; ++s) {
    if (gone[s]) continue;
    for (int& v : steps_[s].in) v = now[v];
    now[num_inputs + s] = num_inputs + kept;
    step_types_[kept] = step_types_[s];
    cost_ns_ += steps_[s].cost_ns;
    steps_[kept++] = steps_[s];
  }
  steps_.resize(kept);
  step_types_.resize(kept);
  for (Result& r : results_) r.value = now[r.value];
}

void Cluster::ChooseModes(const TensorShape& domain) {
  const int rank = domain.rank();
  // Strides over the whole domain, then dimensions merged where every
  // strided input walks them as one.
  for (Input& input : inputs_) {
    if (input.shape.num_elements() == n_) continue;  // kFull
    if (input.shape.num_elements() == 1) {
      input.mode = Mode::kScalar;
      continue;
    }
    input.mode = Mode::kStrided;
    input.strides.assign(rank, 0);
    int64_t stride = 1;
    const int skip = rank - input.shape.rank();
    for (int d = input.shape.rank() - 1; d >= 0; --d) {
      if (input.shape.dim(d) != 1) input.strides[d + skip] = stride;
      stride *= input.shape.dim(d);
    }
  }
  std::vector<int> kept;
  for (int d = 0; d < rank; ++d) {
    if (domain.dim(d) == 1) continue;
    bool merge = !kept.empty();
    if (merge) {
      for (const Input& input : inputs_) {
        if (input.mode == Mode::kStrided &&
            input.strides[kept.back()] != input.strides[d] * domain.dim(d)) {
          merge = false;
        }
      }
    }
    if (merge) {
      dims_.back() *= domain.dim(d);
      kept.back() = d;
    } else {
      dims_.push_back(domain.dim(d));
      kept.push_back(d);
    }
  }
  for (Input& input : inputs_) {
    if (input.mode != Mode::kStrided) continue;
    std::vector<int64_t> strides;
    for (int d : kept) strides.push_back(input.strides[d]);
    input.strides = std::move(strides);
  }
}

// Steps take the lowest free register; a register is free again after the
// last step that reads it. A step may write over an operand that dies there.
void Cluster::ColourRegisters() {
  const int num_inputs = inputs_.size(), num_steps = steps_.size();
  std::vector<int> last_use(num_inputs + num_steps, -1);
  for (int s = 0; s < num_steps; ++s) {
    for (int v : steps_[s].in) last_use[v] = s;
  }
  std::vector<bool> written_out(num_inputs + num_steps);
  for (const Result& r : results_) written_out[r.value] = true;
  int next = 0;
  for (Input& input : inputs_) {
    if (input.mode != Mode::kFull) input.reg = next++;
  }
  std::vector<int> free;
  step_registers_.assign(num_steps, -1);
  for (int s = 0; s < num_steps; ++s) {
    const Step& step = steps_[s];
    for (int i = 0; i < 3; ++i) {
      const int v = step.in[i];
      const bool repeated =
          (i > 0 && step.in[0] == v) || (i > 1 && step.in[1] == v);
      if (v < num_inputs || written_out[v] || repeated || last_use[v] != s) {
        continue;
      }
      free.push_back(step_registers_[v - num_inputs]);
    }
    if (written_out[num_inputs + s]) continue;
    if (free.empty()) {
      step_registers_[s] = next++;
    } else {
      // Element sizes may differ, so an operand is written over in place only
      // by a result of its own size: reading ahead of the write stays right.
      int pick = -1;
      for (int k = free.size() - 1; k >= 0 && pick < 0; --k) {
        bool clash = false;
        for (int v : step.in) {
          if (v >= num_inputs && !written_out[v] &&
              step_registers_[v - num_inputs] == free[k] &&
              DataTypeSize(step_types_[v - num_inputs]) !=
                  DataTypeSize(step_types_[s])) {
            clash = true;
          }
        }
        if (!clash) pick = k;
      }
      if (pick < 0) {
        step_registers_[s] = next++;
      } else {
        step_registers_[s] = free[pick];
        free.erase(free.begin() + pick);
      }
    }
    // Never read: free at once.
    if (last_use[num_inputs + s] < 0) free.push_back(step_registers_[s]);
  }
  num_registers_ = next;
}

void Cluster::Finish(const TensorShape& domain) {
  n_ = domain.num_elements();
  FuseSteps();
  ChooseModes(domain);
  ColourRegisters();
  ChooseTile();
}

void Cluster::FinishPlainly(const TensorShape& domain) {
  n_ = domain.num_elements();
  ChooseModes(domain);
  for (Input& input : inputs_) {
    if (input.mode != Mode::kFull) input.reg = num_registers_++;
  }
  step_registers_.assign(steps_.size(), -1);
  for (int& reg : step_registers_) reg = num_registers_++;
  for (const Result& r : results_) {
    step_registers_[r.value - int(inputs_.size())] = -1;
  }
  for (const Step& step : steps_) cost_ns_ += step.cost_ns;
  ChooseTile();
}

void Cluster::ChooseTile() {
  int size = 1;
  for (const Input& i : inputs_) size = std::max(size, i.element_size);
  for (DataType t : step_types_) size = std::max(size, DataTypeSize(t));
  const int64_t element_bytes = size * std::max(num_registers_, 1);
  tile_ = std::max<int64_t>(n_, 1);
  if (tile_ > kWholeBytes / element_bytes || tile_ * cost_ns_ > kWholeNs) {
    int64_t most = kMaxTile;
    while (most > kMinTile && most * element_bytes > kTileBytes) most /= 2;
    tile_ = std::min(tile_, most);
  }
  register_bytes_ = (tile_ * size + kAlignment - 1) / kAlignment * kAlignment;
}

// A tile reads its part of the input for the last time in the step that
// writes over it, or before.
bool Cluster::MayWriteOver(int i, int r) const {
  const int writer = results_[r].value - int(inputs_.size());
  if (inputs_[i].mode != Mode::kFull ||
      inputs_[i].element_size != results_[r].element_size) {
    return false;
  }
  for (int s = writer + 1; s < int(steps_.size()); ++s) {
    if (std::find(steps_[s].in, steps_[s].in + 3, i) != steps_[s].in + 3) {
      return false;
    }
  }
  return true;
}

const void* Cluster::FillStrided(const Input& input, const void* from,
                                 int64_t start, int64_t n, void* to) const {
  const int size = input.element_size;
  const char* base = static_cast<const char*>(from);
  const int rank = dims_.size();
  // Along the last dimension an operand is either spread or walked one by one.
  const int64_t inner = dims_[rank - 1], inner_stride = input.strides[rank - 1];
  int64_t row = start / inner, column = start % inner;
  char* out = static_cast<char*>(to);
  if (inner_stride == 1 && inner < n &&
      std::all_of(input.strides.begin(), input.strides.end() - 1,
                  [](int64_t s) { return s == 0; })) {
    // The same row again and again: of short ones many are copied at once.
    std::memcpy(out, base + column * size, (inner - column) * size);
    std::memcpy(out + (inner - column) * size, base, column * size);
    for (int64_t have = inner; have < n;) {
      const int64_t more = std::min(have, n - have);
      std::memcpy(out + have * size, out, more * size);
      have += more;
    }
    return to;
  }
  while (true) {
    int64_t at = column * inner_stride;
    int64_t rest = row;
    for (int d = rank - 2; d >= 0; --d) {
      at += rest % dims_[d] * input.strides[d];
      rest /= dims_[d];
    }
    const int64_t run = std::min(n, inner - column);
    if (inner_stride == 1 && out == to && run == n) return base + at * size;
    if (inner_stride == 1) {
      std::memcpy(out, base + at * size, run * size);
    } else {
      Spread(size, base + at * size, out, run);
    }
    n -= run;
    if (n == 0) return to;
    out += run * size;
    column = 0;
    ++row;
  }
}

// Elements from `begin` to `end`.
void Cluster::RunTiles(const void* const* in, void* const* out, int64_t begin,
                       int64_t end, std::atomic<int>* failed) const {
  const int num_inputs = inputs_.size();
  int num_steps = steps_.size();
  const size_t table_bytes =
      (sizeof(void*) * (num_inputs + num_steps) + kAlignment - 1) / kAlignment *
      kAlignment;
  char* memory = PerThread<Scratch, Scratch>::Get().Get(
      table_bytes + num_registers_ * register_bytes_);
  void** value = reinterpret_cast<void**>(memory);
  char* registers = memory + table_bytes;
  const int64_t fill = std::min(tile_, end - begin);
  for (int i = 0; i < num_inputs; ++i) {
    const Input& input = inputs_[i];
    value[i] = const_cast<void*>(in[i]);
    if (input.mode == Mode::kScalar) {
      value[i] = registers + input.reg * register_bytes_;
      Spread(input.element_size, in[i], value[i], fill);
    }
  }
  for (int s = 0; s < num_steps; ++s) {
    value[num_inputs + s] =
        step_registers_[s] < 0
            ? nullptr
            : registers + step_registers_[s] * register_bytes_;
  }
  for (int64_t start = begin; start < end; start += tile_) {
    const int64_t n = std::min(tile_, end - start);
    for (int i = 0; i < num_inputs; ++i) {
      const Input& input = inputs_[i];
      if (input.mode == Mode::kFull) {
        value[i] = const_cast<char*>(static_cast<const char*>(in[i])) +
                   start * input.element_size;
      } else if (input.mode == Mode::kStrided) {
        value[i] = const_cast<void*>(FillStrided(
            input, in[i], start, n, registers + input.reg * register_bytes_));
      }
    }
    for (size_t r = 0; r < results_.size(); ++r) {
      value[results_[r].value] =
          static_cast<char*>(out[r]) + start * results_[r].element_size;
    }
    for (int s = 0; s < num_steps; ++s) {
      const Step& step = steps_[s];
      const void* const operands[3] = {value[step.in[0]], value[step.in[1]],
                                       value[step.in[2]]};
      if (step.fn(value[num_inputs + s], operands, n, &step.params) != 0) {
        // An earlier step may fail in a later tile: then that is to blame.
        num_steps = s;
      }
    }
  }
  int seen = failed->load(std::memory_order_relaxed);
  while (num_steps < seen && !failed->compare_exchange_weak(seen, num_steps)) {
  }
}

int Cluster::Run(const void* const* in, void* const* out) const {
  if (n_ == 0) return -1;
  const int64_t tiles = (n_ + tile_ - 1) / tile_;
  const int num_steps = steps_.size();
  std::atomic<int> failed{num_steps};
  if (tiles == 1 || static_cast<double>(n_) * cost_ns_ < kWholeNs) {
    RunTiles(in, out, 0, n_, &failed);
  } else {
    ThreadPool::Global().ParallelRange(
        tiles, std::max<int64_t>(1, cost_ns_ * tile_),
        [&](int64_t first, int64_t last) {
          RunTiles(in, out, first * tile_, std::min(last * tile_, n_), &failed);
        });
  }
  const int step = failed.load();
  return step == num_steps ? -1 : step;
}

int Cluster::RunPart(const void* const* in, void* const* out, int64_t first,
                     int64_t count) const {
  const int num_steps = steps_.size();
  std::atomic<int> failed{num_steps};
  if (count > 0) RunTiles(in, out, first, first + count, &failed);
  const int step = failed.load();
  return step == num_steps ? -1 : step;
}

bool Cluster::CanFail() const {
  return std::any_of(nodes_.begin(), nodes_.end(), [](const Node* node) {
    return node->op().kernel.tile_error != nullptr;
  });
}

}  // namespace gk
