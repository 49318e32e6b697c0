// Zip archives of .npy files.
#include <zlib.h>

#include <cstring>

#include "command_line/npy.h"

namespace gk::command {
namespace {

constexpr uint32_t kLocalMark = 0x04034b50, kCentralMark = 0x02014b50,
                   kEndMark = 0x06054b50, kEnd64Mark = 0x06064b50,
                   kLocator64Mark = 0x07064b50;
constexpr size_t kEndSize = 22, kLocator64Size = 20, kEnd64Size = 56,
                 kCentralSize = 46, kLocalSize = 30;
constexpr uint32_t kIn64 = 0xFFFFFFFF;
constexpr uint16_t kExtra64 = 1;
constexpr int kStored = 0, kDeflated = 8;
// More than this a compressed byte does not become.
constexpr uint64_t kMostPerByte = 1040;
constexpr std::string_view kEnding = ".npy";

template <class T>
T At(std::string_view bytes, size_t offset) {
  T value;
  std::memcpy(&value, bytes.data() + offset, sizeof value);
  return value;
}

struct Entry {
  std::string name;
  int method = 0;
  uint32_t crc = 0;
  uint64_t packed = 0, size = 0, offset = 0;
};

Status Damaged(std::string_view what) {
  return DataLoss("the archive is damaged: {}", what);
}

// Sizes beyond 32 bits stand behind the name, those that are in order.
Status ReadExtra64(std::string_view extra, Entry* entry) {
  while (extra.size() >= 4) {
    const auto id = At<uint16_t>(extra, 0), size = At<uint16_t>(extra, 2);
    if (size > extra.size() - 4) break;
    if (id == kExtra64) {
      std::string_view values = extra.substr(4, size);
      for (uint64_t* field : {&entry->size, &entry->packed, &entry->offset}) {
        if (*field != kIn64) continue;
        if (values.size() < 8) return Damaged("a size is missing");
        *field = At<uint64_t>(values, 0);
        values.remove_prefix(8);
      }
      return OkStatus();
    }
    extra.remove_prefix(4 + size);
  }
  return OkStatus();
}

struct Directory {
  uint64_t count = 0, offset = 0;
};

StatusOr<Directory> FindDirectory(std::string_view file) {
  if (file.size() < kEndSize) return Damaged("it is too short");
  size_t at = file.size() - kEndSize;
  const size_t least = at > 0xFFFF ? at - 0xFFFF : 0;
  while (At<uint32_t>(file, at) != kEndMark) {
    if (at == least) return Damaged("it has no directory");
    --at;
  }
  Directory found{At<uint16_t>(file, at + 10), At<uint32_t>(file, at + 16)};
  if (found.count != 0xFFFF && found.offset != kIn64) return found;
  if (at < kLocator64Size ||
      At<uint32_t>(file, at - kLocator64Size) != kLocator64Mark) {
    return found;
  }
  const auto end = At<uint64_t>(file, at - kLocator64Size + 8);
  if (end > file.size() || file.size() - end < kEnd64Size ||
      At<uint32_t>(file, end) != kEnd64Mark) {
    return Damaged("its directory cannot be found");
  }
  return Directory{At<uint64_t>(file, end + 32), At<uint64_t>(file, end + 48)};
}

StatusOr<std::vector<Entry>> ReadDirectory(std::string_view file) {
  GK_ASSIGN_OR_RETURN(const Directory directory, FindDirectory(file));
  std::vector<Entry> entries;
  if (directory.offset > file.size()) return Damaged("its directory is beyond");
  std::string_view rest = file.substr(directory.offset);
  for (uint64_t i = 0; i < directory.count; ++i) {
    if (rest.size() < kCentralSize || At<uint32_t>(rest, 0) != kCentralMark) {
      return Damaged("its directory ends too soon");
    }
    const size_t name = At<uint16_t>(rest, 28), extra = At<uint16_t>(rest, 30),
                 comment = At<uint16_t>(rest, 32);
    if (rest.size() - kCentralSize < name + extra + comment) {
      return Damaged("its directory ends too soon");
    }
    Entry entry{std::string(rest.substr(kCentralSize, name)),
                At<uint16_t>(rest, 10),
                At<uint32_t>(rest, 16),
                At<uint32_t>(rest, 20),
                At<uint32_t>(rest, 24),
                At<uint32_t>(rest, 42)};
    GK_RETURN_IF_ERROR(
        ReadExtra64(rest.substr(kCentralSize + name, extra), &entry));
    entries.push_back(std::move(entry));
    rest.remove_prefix(kCentralSize + name + extra + comment);
  }
  return entries;
}

StatusOr<std::string> Inflated(std::string_view packed, uint64_t size) {
  if (size / kMostPerByte > packed.size()) return Damaged("a size is absurd");
  std::string made(size, '\0');
  z_stream stream = {};
  if (inflateInit2(&stream, -MAX_WBITS) != Z_OK) {
    return ResourceExhausted("no memory to decompress");
  }
  constexpr uint64_t kPiece = 1u << 30;
  uint64_t in = 0, out = 0;
  int state = Z_OK;
  while (state == Z_OK) {
    const auto more_in = std::min<uint64_t>(kPiece, packed.size() - in);
    const auto more_out = std::min<uint64_t>(kPiece, size - out);
    stream.next_in =
        reinterpret_cast<Bytef*>(const_cast<char*>(packed.data() + in));
    stream.avail_in = static_cast<uInt>(more_in);
    stream.next_out = reinterpret_cast<Bytef*>(made.data() + out);
    stream.avail_out = static_cast<uInt>(more_out);
    state = inflate(&stream, Z_NO_FLUSH);
    in += more_in - stream.avail_in;
    out += more_out - stream.avail_out;
  }
  inflateEnd(&stream);
  if (state != Z_STREAM_END || out != size) {
    return Damaged("it cannot be decompressed");
  }
  return made;
}

uint32_t CrcOf(std::string_view bytes) {
  uLong crc = crc32(0, nullptr, 0);
  while (!bytes.empty()) {
    const size_t n = std::min<size_t>(bytes.size(), 1u << 30);
    crc = crc32(crc, reinterpret_cast<const Bytef*>(bytes.data()),
                static_cast<uInt>(n));
    bytes.remove_prefix(n);
  }
  return static_cast<uint32_t>(crc);
}

StatusOr<Tensor> ReadEntry(std::string_view file, const Entry& entry) {
  if (entry.offset > file.size() || file.size() - entry.offset < kLocalSize ||
      At<uint32_t>(file, entry.offset) != kLocalMark) {
    return Damaged("an entry is not where the directory says");
  }
  const std::string_view local = file.substr(entry.offset);
  if ((At<uint16_t>(local, 6) & 1) != 0) {
    return Unimplemented("it is encrypted");
  }
  const uint64_t start =
      kLocalSize + At<uint16_t>(local, 26) + At<uint16_t>(local, 28);
  if (start > local.size() || entry.packed > local.size() - start) {
    return Damaged("an entry is longer than the file");
  }
  std::string_view bytes = local.substr(start, entry.packed);
  std::string made;
  if (entry.method == kDeflated) {
    GK_ASSIGN_OR_RETURN(made, Inflated(bytes, entry.size));
    bytes = made;
  } else if (entry.method != kStored) {
    return Unimplemented("it is compressed by method {}", entry.method);
  }
  if (CrcOf(bytes) != entry.crc) return Damaged("a checksum does not match");
  return ReadNpy(bytes);
}

template <class T>
void Put(std::string* to, T value) {
  to->append(reinterpret_cast<const char*>(&value), sizeof value);
}

// What local headers and the directory have in common. Sizes stand behind the
// name, as in all that NumPy writes.
void PutFacts(const Entry& entry, uint16_t extra, std::string* to) {
  Put<uint16_t>(to, 45);  // the version that reads such sizes
  Put<uint16_t>(to, 0);
  Put<uint16_t>(to, kStored);
  Put<uint16_t>(to, 0);
  Put<uint16_t>(to, 0x21);  // the first day that there is
  Put<uint32_t>(to, entry.crc);
  Put<uint32_t>(to, kIn64);
  Put<uint32_t>(to, kIn64);
  Put<uint16_t>(to, entry.name.size());
  Put<uint16_t>(to, extra);
}

}  // namespace

StatusOr<NamedTensors> ReadNpz(std::string_view bytes) {
  GK_ASSIGN_OR_RETURN(const std::vector<Entry> entries, ReadDirectory(bytes));
  NamedTensors tensors;
  for (const Entry& entry : entries) {
    StatusOr<Tensor> tensor = ReadEntry(bytes, entry);
    if (!tensor.ok()) {
      return tensor.status().Prepend(Format("{}: ", entry.name));
    }
    std::string name = entry.name;
    if (name.ends_with(kEnding)) name.resize(name.size() - kEnding.size());
    tensors.emplace_back(std::move(name), *std::move(tensor));
  }
  return tensors;
}

StatusOr<std::string> WriteNpz(const NamedTensors& tensors) {
  std::string file, directory;
  for (const auto& [name, tensor] : tensors) {
    StatusOr<std::string> bytes = WriteNpy(tensor);
    if (!bytes.ok()) return bytes.status().Prepend(Format("{}: ", name));
    const Entry entry{name + std::string(kEnding),
                      kStored,
                      CrcOf(*bytes),
                      bytes->size(),
                      bytes->size(),
                      file.size()};
    if (entry.name.size() > 0xFFFF) {
      return InvalidArgument("a name of {} bytes is too long for an archive",
                             name.size());
    }
    Put(&directory, kCentralMark);
    Put<uint16_t>(&directory, 45);
    PutFacts(entry, 28, &directory);
    directory.append(10, '\0');  // comment, disk, attributes
    Put(&directory, kIn64);
    directory += entry.name;
    Put(&directory, kExtra64);
    Put<uint16_t>(&directory, 24);
    for (const uint64_t v : {entry.size, entry.packed, entry.offset}) {
      Put(&directory, v);
    }
    Put(&file, kLocalMark);
    PutFacts(entry, 20, &file);
    file += entry.name;
    Put(&file, kExtra64);
    Put<uint16_t>(&file, 16);
    Put(&file, entry.size);
    Put(&file, entry.packed);
    file += *bytes;
  }
  const uint64_t start = file.size(), end = start + directory.size();
  file += directory;
  Put(&file, kEnd64Mark);
  Put<uint64_t>(&file, kEnd64Size - 12);
  Put<uint16_t>(&file, 45);
  Put<uint16_t>(&file, 45);
  file.append(8, '\0');
  for (const uint64_t v : {uint64_t{tensors.size()}, uint64_t{tensors.size()},
                           uint64_t{directory.size()}, start}) {
    Put(&file, v);
  }
  Put(&file, kLocator64Mark);
  Put<uint32_t>(&file, 0);
  Put(&file, end);
  Put<uint32_t>(&file, 1);
  Put(&file, kEndMark);
  Put<uint32_t>(&file, 0);
  Put<uint16_t>(&file, 0xFFFF);
  Put<uint16_t>(&file, 0xFFFF);
  Put(&file, kIn64);
  Put(&file, kIn64);
  Put<uint16_t>(&file, 0);
  return file;
}

}  // namespace gk::command
