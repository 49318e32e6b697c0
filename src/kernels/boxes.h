// Boxes in pictures: how far they overlap, and which are kept of many.
//
// Raw memory; a box is y1, x1, y2, x2, its corners in any order.
#ifndef GK_KERNELS_BOXES_H_
#define GK_KERNELS_BOXES_H_

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <functional>
#include <limits>
#include <queue>
#include <vector>

#include "base/interrupt.h"

namespace gk {

struct BoxSides {
  float top, left, bottom, right, area;
  BoxSides() = default;
  explicit BoxSides(const float* box)
      : top(std::min(box[0], box[2])),
        left(std::min(box[1], box[3])),
        bottom(std::max(box[0], box[2])),
        right(std::max(box[1], box[3])),
        area((bottom - top) * (right - left)) {}
};

// n boxes, so many numbers apart.
inline std::vector<BoxSides> SidesOf(const float* boxes, int64_t n,
                                     int64_t step) {
  std::vector<BoxSides> sides(n);
  for (int64_t i = 0; i < n; ++i) sides[i] = BoxSides(boxes + i * step);
  return sides;
}

// The area of the intersection over that of the union; 0 for empty boxes.
inline float Overlap(const BoxSides& p, const BoxSides& q) {
  if (p.area <= 0 || q.area <= 0) return 0;
  const float height =
      std::max(std::min(p.bottom, q.bottom) - std::max(p.top, q.top), 0.0f);
  const float width =
      std::max(std::min(p.right, q.right) - std::max(p.left, q.left), 0.0f);
  const float common = height * width;
  return common / (p.area + q.area - common);
}

struct Suppression {
  int64_t most = 0;        // how many are kept
  float overlap = 0;       // more is too much
  float score = 0;         // at most so much is too little
  float sigma = 0;         // of soft suppression; 0: none
  bool drops_nan = false;  // whose overlap is no number
};

struct Kept {
  std::vector<int32_t> boxes;
  std::vector<float> scores;
};

// A score that some more than are kept of many are above, as a few of them
// tell; that of the rule where they are not so many.
inline float HighScore(const float* scores, int64_t n,
                       const Suppression& rule) {
  constexpr int64_t kLooked = 64;
  const int64_t wanted = 3 * rule.most;
  if (n < 4 * kLooked || wanted >= n / 2) return rule.score;
  std::vector<float> looked;
  for (int64_t i = 0; i < kLooked; ++i) {
    const float score = scores[i * (n / kLooked)];
    if (score > rule.score) looked.push_back(score);
  }
  const size_t at = kLooked * wanted / n;
  if (at >= looked.size()) return rule.score;
  std::nth_element(looked.begin(), looked.begin() + at, looked.end(),
                   std::greater<>());
  return looked[at];
}

// Boxes by falling scores, without those that overlap one before too much; of
// equal scores the first comes first. Soft suppression lowers scores instead.
template <class OverlapFn>
Kept KeepBoxes(const float* scores, int64_t n, const Suppression& rule,
               OverlapFn overlap) {
  struct Candidate {
    int32_t box;
    float score;
    size_t compared;  // with so many of those that are kept
  };
  const auto later = [](const Candidate& a, const Candidate& b) {
    return a.score == b.score ? a.box > b.box : a.score < b.score;
  };
  const bool soft = rule.sigma > 0;
  // Those of low scores are put in order only when the others are used up;
  // soft suppression compares them all.
  float high = soft ? rule.score : HighScore(scores, n, rule);
  const auto those = [&](float above, float most) {
    std::vector<Candidate> some;
    for (int64_t i = 0; i < n; ++i) {
      if (scores[i] > above && scores[i] <= most) {
        some.push_back({static_cast<int32_t>(i), scores[i], 0});
      }
    }
    return some;
  };
  std::priority_queue queue(
      later, those(high, std::numeric_limits<float>::infinity()));
  const float scale = soft ? -0.5f / rule.sigma : 0.0f;
  Kept kept;
  TurnPoll poll;
  while (static_cast<int64_t>(kept.boxes.size()) < rule.most) {
    if (queue.empty()) {
      if (!(high > rule.score)) break;
      queue = decltype(queue)(later, those(rule.score, high));
      high = rule.score;
      continue;
    }
    Candidate next = queue.top();
    queue.pop();
    const float before = next.score;
    bool drop = false;
    for (size_t j = kept.boxes.size(); j > next.compared; --j) {
      poll();
      const float common = overlap(next.box, kept.boxes[j - 1]);
      if (!soft && (common > rule.overlap ||
                    (rule.drops_nan && !(common <= rule.overlap)))) {
        drop = true;
        break;
      }
      if (soft) next.score *= std::exp(scale * common * common);
      if (next.score <= rule.score) break;
    }
    next.compared = kept.boxes.size();
    if (drop) continue;
    if (next.score == before) {
      kept.boxes.push_back(next.box);
      kept.scores.push_back(next.score);
    } else if (next.score > rule.score) {
      queue.push(next);
    }
  }
  return kept;
}

}  // namespace gk

#endif  // GK_KERNELS_BOXES_H_
