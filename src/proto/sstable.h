// Immutable sorted string tables: the index of checkpoints.
//
// A table is a file of blocks with sorted, prefix-compressed keys, an index
// block and a footer; each block carries a masked CRC-32C. A Table reads bytes
// that the caller keeps alive and decodes one block at a time, so memory stays
// within the size of the largest block and key whatever the file claims. Safe
// to read from many threads; a TableWriter is not thread-safe.
#ifndef GK_PROTO_SSTABLE_H_
#define GK_PROTO_SSTABLE_H_

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "base/status.h"

namespace gk::proto {

// Does a file end as a table does?
bool LooksLikeTable(std::string_view file);

class Table {
 public:
  // Checks the footer. Damage found here or later is DATA_LOSS.
  static StatusOr<Table> Open(std::string_view file);

  // In key order; the views live until `visit` returns. Stops at an error.
  using Visit =
      std::function<Status(std::string_view key, std::string_view value)>;
  Status ForEach(const Visit& visit) const;
  // NOT_FOUND when absent. Reads the index and one block.
  StatusOr<std::string> Find(std::string_view key) const;

 private:
  struct Handle {
    uint64_t offset = 0;
    uint64_t size = 0;
  };
  static bool ReadHandle(std::string_view* bytes, Handle* handle);
  // `storage` holds the contents if they had to be decompressed.
  StatusOr<std::string_view> ReadBlock(Handle handle,
                                       std::string* storage) const;

  std::string_view file_;
  Handle index_;
};

class TableWriter {
 public:
  // Keys must come strictly ascending, bytewise.
  Status Add(std::string_view key, std::string_view value);
  // The whole file. The writer is then as new.
  std::string Finish();

 private:
  class Block {
   public:
    explicit Block(int restart_interval) : interval_(restart_interval) {}
    void Add(std::string_view key, std::string_view value);
    std::string Finish();
    bool empty() const { return bytes_.empty(); }
    size_t size() const { return bytes_.size() + 4 * restarts_.size() + 4; }

   private:
    int interval_;
    int since_restart_ = 0;
    std::string bytes_;
    std::string last_key_;
    std::vector<uint32_t> restarts_ = {0};
  };
  void FlushBlock(const std::string* next_key);
  // Appends block and trailer; returns the encoded handle.
  std::string WriteBlock(const std::string& contents);

  std::string file_;
  Block data_{16};
  Block index_{1};
  std::string last_key_;
  bool any_ = false;
};

}  // namespace gk::proto

#endif  // GK_PROTO_SSTABLE_H_
