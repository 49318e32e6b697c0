// ArenaSpace: places in a frame's arena, handed out and taken back while a
// plan is made.
//
// First fit: places that are given back are joined with free neighbours and
// handed out again. Sizes are rounded up to the alignment of tensors. Used by
// one thread.
#ifndef GK_RUNTIME_ARENA_SPACE_H_
#define GK_RUNTIME_ARENA_SPACE_H_

#include <cstdint>
#include <vector>

namespace gk {

class ArenaSpace {
 public:
  // A place for `bytes` > 0; -1 if the arena would be larger than any memory.
  int64_t Take(int64_t bytes);
  // Gives back what Take(bytes) gave.
  void Give(int64_t begin, int64_t bytes);
  // How large the arena has to be.
  int64_t bytes() const { return bytes_; }

 private:
  struct Block {
    int64_t begin, end;
  };
  std::vector<Block> free_;  // by place, never next to each other
  int64_t bytes_ = 0;
};

}  // namespace gk

#endif  // GK_RUNTIME_ARENA_SPACE_H_
