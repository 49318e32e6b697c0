// Where keys stand: an open hash table from 64 bits of a key to its place in a
// column. Not thread-safe.
#ifndef GK_OPS_LOOKUP_KEY_PLACES_H_
#define GK_OPS_LOOKUP_KEY_PLACES_H_

#include <cstdint>
#include <utility>
#include <vector>

namespace gk {

class KeyPlaces {
 public:
  // Makes the cache fetch where the bits would be.
  void Prefetch(uint64_t bits) const {
    if (slots_.empty()) return;
    const Slot* const home = slots_.data() + SlotOf(bits);
    __builtin_prefetch(home);
    __builtin_prefetch(home + 1);
  }

  // The first place with these bits, whosever they are, or -1: where the cache
  // may fetch the key from.
  int64_t Guess(uint64_t bits) const {
    if (slots_.empty()) return -1;
    // Whether a key is there, and at once, is hard to foresee: a look at two
    // slots without a jump, by numbers that are -1 or 0, seldom leaves it open.
    const size_t at = SlotOf(bits);
    const Slot &home = slots_[at], &next = slots_[Next(at)];
    const int64_t home_free = home.place >> 63, next_free = next.place >> 63;
    const int64_t is_home = -int64_t{home.bits == bits} & ~home_free;
    const int64_t is_next = -int64_t{next.bits == bits} & ~next_free;
    const int64_t ends = is_home | home_free;
    if ((ends | is_next | next_free) != 0) [[likely]] {
      return ((home.place | ~is_home) & ends) |
             ((next.place | ~is_next) & ~ends);
    }
    return Find(bits, [](int64_t) { return true; });
  }

  // The place with these bits that is_it(place) agrees to, or -1.
  template <class Test>
  int64_t Find(uint64_t bits, Test&& is_it) const {
    const int64_t at = FindSlot(bits, is_it);
    return at < 0 ? -1 : slots_[at].place;
  }

  // Of a key that is not there.
  void Add(uint64_t bits, int64_t place) {
    if (4 * (size_ + 1) > 3 * slots_.size()) Grow();
    ++size_;
    Put({bits, place});
  }

  // The key there has moved.
  template <class Test>
  void Move(uint64_t bits, Test&& is_it, int64_t place) {
    const int64_t at = FindSlot(bits, is_it);
    if (at >= 0) slots_[at].place = place;
  }

  template <class Test>
  void Remove(uint64_t bits, Test&& is_it) {
    int64_t hole = FindSlot(bits, is_it);
    if (hole < 0) return;
    --size_;
    // Those behind it that could stand nearer to where they belong do.
    for (size_t at = Next(hole); slots_[at].place >= 0; at = Next(at)) {
      const size_t home = SlotOf(slots_[at].bits);
      if (((at - home) & mask()) < ((at - hole) & mask())) continue;
      slots_[hole] = slots_[at];
      hole = static_cast<int64_t>(at);
    }
    slots_[hole].place = -1;
  }

 private:
  struct Slot {
    uint64_t bits = 0;
    int64_t place = -1;  // -1: free
  };

  size_t mask() const { return slots_.size() - 1; }
  size_t Next(size_t at) const { return (at + 1) & mask(); }
  size_t SlotOf(uint64_t bits) const {
    return (bits * 0x9e3779b97f4a7c15u) >> shift_;
  }

  template <class Test>
  int64_t FindSlot(uint64_t bits, Test&& is_it) const {
    if (slots_.empty()) return -1;
    for (size_t at = SlotOf(bits); slots_[at].place >= 0; at = Next(at)) {
      if (slots_[at].bits == bits && is_it(slots_[at].place)) {
        return static_cast<int64_t>(at);
      }
    }
    return -1;
  }

  void Put(const Slot& slot) {
    size_t at = SlotOf(slot.bits);
    while (slots_[at].place >= 0) at = Next(at);
    slots_[at] = slot;
  }

  void Grow() {
    const std::vector<Slot> old = std::exchange(
        slots_, std::vector<Slot>(slots_.empty() ? 8 : 2 * slots_.size()));
    shift_ = 64;
    for (size_t size = slots_.size(); size > 1; size /= 2) --shift_;
    for (const Slot& slot : old) {
      if (slot.place >= 0) Put(slot);
    }
  }

  std::vector<Slot> slots_;
  size_t size_ = 0;
  int shift_ = 64;
};

}  // namespace gk

#endif  // GK_OPS_LOOKUP_KEY_PLACES_H_
