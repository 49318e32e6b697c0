#include "ops/math/contraction_order.h"

#include <algorithm>
#include <array>
#include <limits>
#include <utility>

namespace gk {
namespace {

// More operands than this are not searched through: 3^12 ways.
constexpr size_t kMostSearched = 12;
constexpr size_t kFew = 8;
// What sizes that are not known count as.
constexpr double kUnknownSize = 64;

using Sizes = std::array<double, 256>;

Sizes SizesOf(const EinsumEquation& equation,
              std::span<const PartialTensorShape> shapes) {
  Sizes sizes;
  sizes.fill(0);
  const auto note = [&](char label, double size) {
    double& known = sizes[static_cast<unsigned char>(label)];
    known = std::max(known, size);
  };
  for (size_t i = 0; i < shapes.size(); ++i) {
    const std::string& term = equation.inputs[i];
    const PartialTensorShape& shape = shapes[i];
    const int dots =
        shape.unknown_rank()
            ? 0
            : shape.rank() - static_cast<int>(term.size()) + 1;
    double spread = 1;
    int at = 0;
    for (char label : term) {
      const int count = label == kEllipsis ? std::max(dots, 0) : 1;
      for (int n = 0; n < count; ++n, ++at) {
        const bool known = !shape.unknown_rank() && at < shape.rank() &&
                           shape.dim(at) >= 0;
        const double size =
            known ? static_cast<double>(shape.dim(at)) : 0;
        if (label != kEllipsis) note(label, size);
        else spread *= std::max(size, 1.0);
      }
    }
    if (HasLabel(term, kEllipsis)) note(kEllipsis, spread);
  }
  for (double& size : sizes) size = size == 0 ? kUnknownSize : size;
  return sizes;
}

double SizeOf(std::string_view labels, const Sizes& sizes) {
  double n = 1;
  for (char label : labels) n *= sizes[static_cast<unsigned char>(label)];
  return n;
}

// The labels of `a` and `b` that `needed` says yes to, small dimensions first
// and then by name; "..." before all.
template <class Needed>
std::string ProductLabels(const std::string& a, const std::string& b,
                          const Sizes& sizes, Needed&& needed) {
  std::string labels;
  for (char label : UniqueLabels(a + b)) {
    if (needed(label)) labels += label;
  }
  std::sort(labels.begin(), labels.end(), [&](char x, char y) {
    if ((x == kEllipsis) != (y == kEllipsis)) return x == kEllipsis;
    const double sx = sizes[static_cast<unsigned char>(x)],
                 sy = sizes[static_cast<unsigned char>(y)];
    return std::pair(sx, x) < std::pair(sy, y);
  });
  return labels;
}

// The operands that are left, as the order takes shape.
class Planner {
 public:
  Planner(const EinsumEquation& equation, const Sizes& sizes)
      : terms_(equation.inputs), output_(equation.output), sizes_(sizes) {}

  size_t left() const { return terms_.size(); }
  const std::vector<std::string>& terms() const { return terms_; }

  std::string ProductOf(size_t i, size_t j) const {
    return ProductLabels(terms_[i], terms_[j], sizes_, [&](char label) {
      if (HasLabel(output_, label)) return true;
      for (size_t k = 0; k < terms_.size(); ++k) {
        if (k != i && k != j && HasLabel(terms_[k], label)) return true;
      }
      return false;
    });
  }

  void Contract(size_t i, size_t j) {
    if (i > j) std::swap(i, j);
    const std::string made = left() == 2 ? output_ : ProductOf(i, j);
    order_.steps.push_back({static_cast<int>(i), static_cast<int>(j),
                            EinsumEquation{{terms_[j], terms_[i]}, made}});
    terms_.erase(terms_.begin() + static_cast<ptrdiff_t>(j));
    terms_.erase(terms_.begin() + static_cast<ptrdiff_t>(i));
    terms_.push_back(made);
  }

  ContractionOrder Take() && { return std::move(order_); }

 private:
  std::vector<std::string> terms_;
  std::string output_;
  const Sizes& sizes_;
  ContractionOrder order_;
};

bool ShareLabels(std::string_view a, std::string_view b) {
  return a.find_first_of(b) != a.npos;
}

// At each step what frees the most memory; products of what has nothing in
// common come last.
void GreedyOrder(const Sizes& sizes, Planner* planner) {
  while (planner->left() > 1) {
    const std::vector<std::string>& terms = planner->terms();
    size_t first = 0, second = 1;
    double least = std::numeric_limits<double>::infinity();
    bool shares = false;
    for (size_t i = 0; i < terms.size(); ++i) {
      for (size_t j = i + 1; j < terms.size(); ++j) {
        const bool share = ShareLabels(terms[i], terms[j]);
        if (shares && !share) continue;
        const double cost = SizeOf(planner->ProductOf(i, j), sizes) -
                            SizeOf(UniqueLabels(terms[i]), sizes) -
                            SizeOf(UniqueLabels(terms[j]), sizes);
        if (share != shares || cost < least) {
          first = i, second = j;
          least = cost;
          shares = share;
        }
      }
    }
    planner->Contract(first, second);
  }
}

// The order of the fewest multiplications, from the best ones of all subsets.
class Search {
 public:
  Search(const EinsumEquation& equation, const Sizes& sizes)
      : n_(equation.inputs.size()), best_(size_t{1} << n_) {
    const size_t all = best_.size() - 1;
    std::vector<std::string> unions(best_.size());
    for (size_t set = 1; set <= all; ++set) {
      for (size_t i = 0; i < n_; ++i) {
        if ((set >> i & 1) != 0) unions[set] += equation.inputs[i];
      }
      unions[set] = UniqueLabels(unions[set]);
    }
    for (size_t set = 1; set <= all; ++set) {
      Best& best = best_[set];
      for (char label : unions[set]) {
        if (HasLabel(equation.output, label) ||
            HasLabel(unions[all & ~set], label)) {
          best.labels += label;
        }
      }
      if ((set & (set - 1)) == 0) {
        best.labels = unions[set];
        best.cost = 0;
        continue;
      }
      for (size_t part = (set - 1) & set; part > 0; part = (part - 1) & set) {
        const size_t other = set & ~part;
        if (part < other) continue;  // each pair once
        const double cost =
            best_[part].cost + best_[other].cost +
            SizeOf(UniqueLabels(best_[part].labels + best_[other].labels),
                   sizes);
        if (cost < best.cost) {
          best.cost = cost;
          best.part = part;
        }
      }
    }
  }

  void Contract(Planner* planner) {
    for (size_t i = 0; i < n_; ++i) places_.push_back(size_t{1} << i);
    Contract(best_.size() - 1, planner);
  }

 private:
  struct Best {
    double cost = std::numeric_limits<double>::infinity();
    size_t part = 0;  // one of the two
    std::string labels;
  };

  void Contract(size_t set, Planner* planner) {
    if ((set & (set - 1)) == 0) return;
    const size_t part = best_[set].part, other = set & ~part;
    Contract(part, planner);
    Contract(other, planner);
    const size_t i = PlaceOf(part), j = PlaceOf(other);
    planner->Contract(i, j);
    places_.erase(places_.begin() + static_cast<ptrdiff_t>(std::max(i, j)));
    places_.erase(places_.begin() + static_cast<ptrdiff_t>(std::min(i, j)));
    places_.push_back(set);
  }
  size_t PlaceOf(size_t set) const {
    return static_cast<size_t>(
        std::find(places_.begin(), places_.end(), set) - places_.begin());
  }

  size_t n_;
  std::vector<Best> best_;
  std::vector<size_t> places_;  // sets of the operands that are left
};

}  // namespace

StatusOr<ContractionOrder> OrderContractions(
    const EinsumEquation& equation, std::span<const PartialTensorShape> shapes,
    std::string_view strategy) {
  static constexpr std::string_view kSearching[] = {
      "optimal", "branch-1", "branch-2", "branch-all", "dp",
      "dynamic-programming"};
  static constexpr std::string_view kGreedy[] = {
      "greedy", "eager", "opportunistic", "random-greedy", "random-greedy-128"};
  const size_t n = equation.inputs.size();
  bool searches = false;
  if (std::ranges::find(kSearching, strategy) != std::end(kSearching)) {
    searches = n <= kMostSearched;
  } else if (strategy == "auto" || strategy == "auto-hq") {
    searches = n <= kFew;
  } else if (std::ranges::find(kGreedy, strategy) == std::end(kGreedy)) {
    return ValueError(
        "Argument `optimize` got '{}', expected 'greedy', 'optimal', "
        "'branch-2', 'branch-all' or 'auto'",
        strategy);
  }
  const Sizes sizes = SizesOf(equation, shapes);
  Planner planner(equation, sizes);
  if (searches) {
    Search(equation, sizes).Contract(&planner);
  } else {
    GreedyOrder(sizes, &planner);
  }
  return std::move(planner).Take();
}

}  // namespace gk
