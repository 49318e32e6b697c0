// Where class numbers stand among samples: a table without lists, so that
// adding one allocates nothing but now and then a larger table.
#ifndef GK_OPS_RANDOM_CLASS_PLACES_H_
#define GK_OPS_RANDOM_CLASS_PLACES_H_

#include <cstdint>
#include <utility>
#include <vector>

namespace gk {

class ClassPlaces {
 public:
  // The place of `value`, -1 if it has none: kept by reference, to be set.
  int64_t& operator[](int64_t value) {
    if (2 * used_ >= static_cast<int64_t>(entries_.size())) Grow();
    Entry& e = At(value);
    used_ += e.place < 0;
    e.value = value;
    return e.place;
  }
  // False if it is there already.
  bool Add(int64_t value) {
    int64_t& place = (*this)[value];
    if (place >= 0) return false;
    place = 0;
    return true;
  }
  int64_t Find(int64_t value) {
    return entries_.empty() ? -1 : At(value).place;
  }

 private:
  struct Entry {
    int64_t value = 0, place = -1;
  };

  Entry& At(int64_t value) {
    const size_t mask = entries_.size() - 1;
    // The high bits of a product depend on all bits of the number.
    size_t at =
        (static_cast<uint64_t>(value) * 0x9e3779b97f4a7c15u >> 32) & mask;
    while (entries_[at].place >= 0 && entries_[at].value != value) {
      at = (at + 1) & mask;
    }
    return entries_[at];
  }

  void Grow() {
    std::vector<Entry> old(entries_.empty() ? 64 : 4 * entries_.size());
    std::swap(old, entries_);
    for (const Entry& e : old) {
      if (e.place >= 0) At(e.value) = e;
    }
  }

  int64_t used_ = 0;
  std::vector<Entry> entries_;  // as many as a power of two
};

}  // namespace gk

#endif  // GK_OPS_RANDOM_CLASS_PLACES_H_
