// Connectionist temporal classification (Graves, "Supervised sequence labelling
// with recurrent neural networks", chapter 7): the loss of one sequence with
// its gradient, and the most likely labels by beam search.
//
// `inputs` are logits of one sequence: `steps` rows, `row` elements apart, of
// `classes` numbers. Sums of probabilities go through float's exp and log1p
// for every T, as TensorFlow's do, so that results agree to the last digits.
#ifndef GK_KERNELS_CTC_H_
#define GK_KERNELS_CTC_H_

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <deque>
#include <limits>
#include <span>
#include <unordered_map>
#include <vector>

namespace gk {

template <class T>
inline constexpr T kLogOfZero = -std::numeric_limits<T>::infinity();

// log(exp(a) + exp(b)).
template <class T>
T LogOfSum(T a, T b) {
  if (a == kLogOfZero<T>) return b;
  if (b == kLogOfZero<T>) return a;
  const float low = static_cast<float>(a > b ? b - a : a - b);
  return (a > b ? a : b) + log1pf(expf(low));
}

// --- The loss of hard paths: op CTCLoss. The blank is the last class.

template <class T>
class CtcLoss {
 public:
  CtcLoss(int64_t classes, std::span<const int> labels, bool merges)
      : classes_(classes), merges_(merges) {
    const int blank = static_cast<int>(classes - 1);
    for (const int label : labels) {
      path_.push_back(blank);
      path_.push_back(label);
    }
    path_.push_back(blank);
  }

  // The loss; `gradient` has rows like `inputs`.
  T Run(const T* inputs, int64_t steps, int64_t row, T* gradient) {
    const int64_t u = path_.size();
    Softmax(inputs, steps, row);
    Forward(steps);
    Backward(steps);
    T total = kLogOfZero<T>;
    for (int64_t i = 0; i < u; ++i) {
      total = LogOfSum(total, alpha_[i] + beta_[i]);
    }
    std::vector<T> sums(classes_);
    for (int64_t t = 0; t < steps; ++t) {
      T* out = gradient + t * row;
      const T* y = &y_[t * classes_];
      if (total == kLogOfZero<T>) {  // no path has any probability
        std::copy(y, y + classes_, out);
        continue;
      }
      std::fill(sums.begin(), sums.end(), kLogOfZero<T>);
      for (int64_t i = 0; i < u; ++i) {
        T& sum = sums[path_[i]];
        sum = LogOfSum(sum, alpha_[t * u + i] + beta_[t * u + i]);
      }
      for (int64_t c = 0; c < classes_; ++c) {
        out[c] = y[c] - expf(static_cast<float>(sums[c] - total));
      }
    }
    return -total;
  }

 private:
  void Softmax(const T* inputs, int64_t steps, int64_t row) {
    y_.resize(steps * classes_);
    for (int64_t t = 0; t < steps; ++t) {
      const T* in = inputs + t * row;
      T* out = &y_[t * classes_];
      const T most = *std::max_element(in, in + classes_);
      T sum = 0;
      for (int64_t c = 0; c < classes_; ++c) {
        out[c] = std::exp(in[c] - most);
        sum += out[c];
      }
      for (int64_t c = 0; c < classes_; ++c) out[c] /= sum;
    }
  }

  T LogY(int64_t t, int64_t i) const {
    return std::log(y_[t * classes_ + path_[i]]);
  }
  bool IsBlank(int64_t i) const { return path_[i] == classes_ - 1; }
  // May a path go from place `low` to `low + 2` at once?
  bool Skips(int64_t from, int64_t to) const {
    return !IsBlank(from) && !(merges_ && path_[from] == path_[to]);
  }

  // Places that a path can have reached, and from which it can still end.
  std::pair<int64_t, int64_t> Reach(int64_t t, int64_t steps) const {
    const int64_t u = path_.size();
    return {std::max<int64_t>(0, u - 2 * (steps - t)),
            std::min(u, 2 * (t + 1))};
  }

  void Forward(int64_t steps) {
    const int64_t u = path_.size();
    alpha_.assign(steps * u, kLogOfZero<T>);
    alpha_[0] = LogY(0, 0);
    if (u > 1) alpha_[1] = LogY(0, 1);
    for (int64_t t = 1; t < steps; ++t) {
      const T* last = &alpha_[(t - 1) * u];
      const auto [begin, end] = Reach(t, steps);
      for (int64_t i = begin; i < end; ++i) {
        T sum = merges_ || IsBlank(i) ? last[i] : kLogOfZero<T>;
        if (i > 0) sum = LogOfSum(sum, last[i - 1]);
        if (i > 1 && Skips(i, i - 2)) sum = LogOfSum(sum, last[i - 2]);
        alpha_[t * u + i] = LogY(t, i) + sum;
      }
    }
  }

  void Backward(int64_t steps) {
    const int64_t u = path_.size();
    beta_.assign(steps * u, kLogOfZero<T>);
    for (int64_t i = std::max<int64_t>(0, u - 2); i < u; ++i) {
      beta_[(steps - 1) * u + i] = 0;
    }
    for (int64_t t = steps - 2; t >= 0; --t) {
      const T* next = &beta_[(t + 1) * u];
      const auto [begin, end] = Reach(t, steps);
      for (int64_t i = begin; i < end; ++i) {
        T sum = kLogOfZero<T>;
        const auto add = [&](int64_t to) {
          sum = LogOfSum(sum, next[to] + LogY(t + 1, to));
        };
        if (merges_ || IsBlank(i)) add(i);
        if (i + 1 < u) add(i + 1);
        if (i + 2 < u && Skips(i, i + 2)) add(i + 2);
        beta_[t * u + i] = sum;
      }
    }
  }

  const int64_t classes_;
  const bool merges_;
  std::vector<int> path_;
  std::vector<T> y_, alpha_, beta_;
};

// --- The loss of soft paths: op CTCLossV2. The blank is class 0; paths that
// cannot be are very unlikely instead, so that the loss stays finite.

class SoftCtcLoss {
 public:
  // `labels` may be followed by others; `count` of them end a path.
  SoftCtcLoss(int64_t classes, std::span<const int> labels, int64_t count)
      : classes_(classes),
        labels_(labels.begin(), labels.end()),
        count_(count),
        n_(static_cast<int64_t>(labels.size()) + 1) {}

  // All `steps` rows of the gradient are written; those from `length` on are 0.
  float Run(const float* inputs, int64_t steps, int64_t length, int64_t row,
            float* gradient) {
    const int64_t states = 2 * n_;
    LogSoftmax(inputs, steps, row);
    std::vector<float> forward((steps + 1) * states, kUnlikely);
    forward[0] = 0;
    for (int64_t t = 0; t < steps; ++t) {
      float* to = &forward[(t + 1) * states];
      Step(&forward[t * states], to, true);
      for (int64_t s = 0; s < states; ++s) to[s] += Observed(t, s);
      Normalise(to);
    }
    std::vector<float> ends(states, kUnlikely);
    if (count_ < n_) ends[count_] = ends[n_ + count_] = 0;
    std::vector<float> behind = ends, seen(states), now(states);
    float sum = 0;
    for (int64_t t = steps - 1; t >= 0; --t) {
      if (t < length) {
        Gradient(t, &forward[(t + 1) * states], behind, gradient + t * row);
      } else {
        std::fill_n(gradient + t * row, classes_, 0.0f);
      }
      for (int64_t s = 0; s < states; ++s) {
        seen[s] = behind[s] + Observed(t, s);
      }
      Step(seen.data(), now.data(), false);
      const float part = Normalise(now.data());
      if (t < length) {
        sum += part;
        behind = now;
      } else {
        behind = ends;
      }
    }
    return -(behind[0] + sum);
  }

 private:
  static constexpr float kUnlikely = -706.89361572265625f;  // log(1e-307)

  void LogSoftmax(const float* inputs, int64_t steps, int64_t row) {
    log_y_.resize(steps * classes_);
    for (int64_t t = 0; t < steps; ++t) {
      const float* in = inputs + t * row;
      const float most = *std::max_element(in, in + classes_);
      float sum = 0;
      for (int64_t c = 0; c < classes_; ++c) sum += std::exp(in[c] - most);
      const float all = std::log(sum);
      for (int64_t c = 0; c < classes_; ++c) {
        log_y_[t * classes_ + c] = in[c] - most - all;
      }
    }
  }

  // States are the start, each label, and a blank behind each of these. A
  // label that is no class can always be seen.
  float Observed(int64_t t, int64_t s) const {
    if (s == 0) return kLogOfZero<float>;
    if (s >= n_) return log_y_[t * classes_];
    const int label = labels_[s - 1];
    if (label < 0 || label >= classes_) return 0;
    return log_y_[t * classes_ + label];
  }

  // to[s]: over the states that lead to s, or to which s leads.
  void Step(const float* from, float* to, bool ahead) const {
    const int64_t states = 2 * n_;
    std::copy(from, from + states, to);
    const auto edge = [&](int64_t a, int64_t b) {
      if (ahead) {
        to[b] = LogOfSum(to[b], from[a]);
      } else {
        to[a] = LogOfSum(to[a], from[b]);
      }
    };
    edge(0, n_ > 1 ? 1 : n_);
    if (n_ > 1) edge(0, n_);
    for (int64_t i = 1; i < n_; ++i) {
      edge(n_ + i - 1, i);
      edge(i, n_ + i);
      if (i + 1 < n_ && labels_[i - 1] != labels_[i]) edge(i, i + 1);
    }
  }

  float Normalise(float* states) const {
    const float sum = LogOfAll(states, 2 * n_);
    for (int64_t s = 0; s < 2 * n_; ++s) states[s] -= sum;
    return sum;
  }
  static float LogOfAll(const float* values, int64_t n) {
    float sum = kLogOfZero<float>;
    for (int64_t i = 0; i < n; ++i) sum = LogOfSum(sum, values[i]);
    return sum;
  }

  void Gradient(int64_t t, const float* forward,
                const std::vector<float>& behind, float* out) const {
    const int64_t states = 2 * n_;
    std::vector<float> both(states), classes(classes_, kLogOfZero<float>);
    for (int64_t s = 0; s < states; ++s) both[s] = forward[s] + behind[s];
    const float all = LogOfAll(both.data(), states);
    for (int64_t s = 0; s < n_; ++s) {
      classes[0] = LogOfSum(classes[0], both[n_ + s] - all);
      if (s == 0) continue;
      const int label = labels_[s - 1];
      if (label <= 0 || label >= classes_) continue;
      classes[label] = LogOfSum(classes[label], both[s] - all);
    }
    for (int64_t c = 0; c < classes_; ++c) {
      out[c] = std::exp(log_y_[t * classes_ + c]) - std::exp(classes[c]);
    }
  }

  const int64_t classes_;
  std::vector<int> labels_;
  const int64_t count_, n_;
  std::vector<float> log_y_;
};

// --- Beam search. The blank is the last class.

template <class T>
class CtcBeams {
 public:
  CtcBeams(int64_t classes, int64_t width) : classes_(classes), width_(width) {
    entries_.emplace_back();
    entries_[0].now = {T(0), T(0), kLogOfZero<T>};
    Push(&entries_[0]);
  }

  void Step(const T* logits) {
    T most = logits[0];
    for (int64_t c = 1; c < classes_; ++c) most = std::max(most, logits[c]);
    T sum = 0;
    for (int64_t c = 0; c < classes_; ++c) sum += std::exp(logits[c] - most);
    const T offset = most + std::log(sum);
    std::vector<Entry*> branches = Sorted(&kept_);
    kept_.clear();
    state_ = State::kUnordered;
    for (Entry* b : branches) b->last = b->now;
    for (Entry* b : branches) {
      if (b->parent != nullptr) {
        if (b->parent->active()) {
          const T before = b->label == b->parent->label ? b->parent->last.blank
                                                        : b->parent->last.total;
          b->now.label = LogOfSum(b->now.label, before);
        }
        b->now.label += logits[b->label] - offset;
      }
      b->now.blank = b->last.total + logits[classes_ - 1] - offset;
      b->now.total = LogOfSum(b->now.blank, b->now.label);
      Push(b);
    }
    for (Entry* b : branches) {
      if (!IsCandidate(b->last.total)) continue;
      for (int label = 0; label < classes_ - 1; ++label) {
        const auto found = b->children.find(label);
        if (found != b->children.end() && found->second->active()) continue;
        const T before = label == b->label ? b->last.blank : b->last.total;
        const T value = logits[label] - offset + before;
        if (!IsCandidate(value)) {
          if (found != b->children.end()) {
            found->second->last = found->second->now = {};
          }
          continue;
        }
        Entry* child;
        if (found != b->children.end()) {
          child = found->second;
        } else {
          child = &entries_.emplace_back();
          child->parent = b;
          child->label = label;
          b->children.emplace(label, child);
        }
        child->now = {value, kLogOfZero<T>, value};
        if (static_cast<int64_t>(kept_.size()) == width_) Bottom()->now = {};
        Push(child);
      }
    }
  }

  int64_t num_paths() const { return kept_.size(); }

  // The best `n` label sequences and their logarithms, the best first.
  void Best(int64_t n, bool merges, std::vector<std::vector<int>>* paths,
            T* logs) const {
    std::vector<Entry*> kept = kept_;
    kept = Sorted(&kept);
    for (int64_t i = 0; i < n; ++i) {
      std::vector<int> path;
      int last = -1;
      for (const Entry* e = kept[i]; e->parent != nullptr; e = e->parent) {
        if (!merges || e->label != last) path.push_back(e->label);
        last = e->label;
      }
      std::reverse(path.begin(), path.end());
      paths->push_back(std::move(path));
      logs[i] = kept[i]->now.total;
    }
  }

 private:
  struct Logs {
    T total = kLogOfZero<T>, blank = kLogOfZero<T>, label = kLogOfZero<T>;
  };
  struct Entry {
    Entry* parent = nullptr;
    int label = -1;
    Logs last, now;
    std::unordered_map<int, Entry*> children;
    bool active() const { return now.total != kLogOfZero<T>; }
  };
  // How the kept ones lie; which of equal ones stays depends on it, and is
  // as TensorFlow has it.
  enum class State { kUnordered, kBottomFirst, kHeap };

  static bool Better(const Entry* a, const Entry* b) {
    return a->now.total > b->now.total;
  }

  bool IsCandidate(T total) {
    return total > kLogOfZero<T> &&
           (static_cast<int64_t>(kept_.size()) < width_ ||
            total > Bottom()->now.total);
  }

  Entry* Bottom() {
    if (state_ == State::kUnordered) {
      size_t least = 0;
      for (size_t i = 1; i < kept_.size(); ++i) {
        if (Better(kept_[least], kept_[i])) least = i;
      }
      std::swap(kept_[0], kept_[least]);
      state_ = State::kBottomFirst;
    }
    return kept_.front();
  }

  void Push(Entry* e) {
    if (state_ == State::kHeap) {
      if (!Better(e, kept_.front())) return;
      std::pop_heap(kept_.begin(), kept_.end(), Better);
      kept_.back() = e;
      std::push_heap(kept_.begin(), kept_.end(), Better);
      return;
    }
    kept_.push_back(e);
    if (static_cast<int64_t>(kept_.size()) == width_ + 1) {
      std::make_heap(kept_.begin(), kept_.end(), Better);
      std::pop_heap(kept_.begin(), kept_.end(), Better);
      kept_.pop_back();
      state_ = State::kHeap;
    } else if (state_ == State::kBottomFirst &&
               !Better(kept_.back(), kept_.front())) {
      std::swap(kept_.front(), kept_.back());
    }
  }

  std::vector<Entry*> Sorted(std::vector<Entry*>* kept) const {
    std::vector<Entry*> all = *kept;
    if (state_ == State::kHeap) {
      std::sort_heap(all.begin(), all.end(), Better);
    } else {
      std::sort(all.begin(), all.end(), Better);
    }
    return all;
  }

  const int64_t classes_, width_;
  std::deque<Entry> entries_;
  std::vector<Entry*> kept_;
  State state_ = State::kUnordered;
};

}  // namespace gk

#endif  // GK_KERNELS_CTC_H_
