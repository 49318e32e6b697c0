// Bytes of data files, whose checksum is made while they pass by.
#ifndef GK_CHECKPOINT_CHECKED_BYTES_H_
#define GK_CHECKPOINT_CHECKED_BYTES_H_

#include <cstdint>
#include <span>
#include <string_view>

#include "base/status.h"
#include "framework/allocator.h"
#include "io/file_system.h"

namespace gk {

// Fills `to` with what is at `offset`, large ones by all threads of the pool.
// `crc`: the checksum of the bytes. OutOfRange if the file ends before.
Status ReadChecked(const io::RandomAccessFile& file, uint64_t offset,
                   std::span<char> to, uint32_t* crc);

// What is there as memory, looked through by all threads for its checksum. Null
// if it has to be read (RandomAccessFile::Map).
Ref<Buffer> MapChecked(const io::RandomAccessFile& file, uint64_t offset,
                       size_t size, uint32_t* crc);

// Appends, and extends the checksum meanwhile.
Status AppendChecked(io::WritableFile* file, std::string_view bytes,
                     uint32_t* crc);

}  // namespace gk

#endif  // GK_CHECKPOINT_CHECKED_BYTES_H_
