// tf.io.TFRecordWriter, its options, and reading records again:
// io/record_file.h with Python's values.
#include <array>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <utility>

#include "io/record_file.h"
#include "python/src/binding/bound_values.h"
#include "python/src/binding/class_members.h"
#include "python/src/binding/text_caster.h"
#include "python/src/files/file_calls.h"
#include "python/src/files/gfile_type.h"
#include "python/src/files/path_argument.h"

namespace gk::py {
namespace {

namespace nb = nanobind;

constexpr std::array kCompressions = {"", "ZLIB", "GZIP"};

// ---- TFRecordOptions ----

bool IsOptions(nb::handle value) {
  return nb::hasattr(value, "compression_strategy");
}
// What compressions are called: by name, or by their number in version one.
std::string CompressionName(nb::handle given) {
  if (given.is_none()) return "";
  if (IsOptions(given)) return CompressionName(given.attr("compression_type"));
  if (PyLong_Check(given.ptr())) {
    const auto number = nb::cast<int64_t>(given);
    if (number >= 0 && number < int64_t{kCompressions.size()}) {
      return kCompressions[static_cast<size_t>(number)];
    }
  } else if (PyUnicode_Check(given.ptr())) {
    std::string name = TextOf(given);
    for (const char* known : kCompressions) {
      if (name == known) return name;
    }
  }
  Throw(ValueError("Not a valid compression_type: \"{}\"", TextOf(given)));
}

nb::object InitOptions(nb::handle self, nb::object compression_type,
                       nb::object flush_mode, nb::object input_buffer_size,
                       nb::object output_buffer_size, nb::object window_bits,
                       nb::object compression_level,
                       nb::object compression_method, nb::object mem_level,
                       nb::object compression_strategy) {
  CompressionName(compression_type);
  SetParts(self, {{"compression_type", std::move(compression_type)},
                  {"flush_mode", std::move(flush_mode)},
                  {"input_buffer_size", std::move(input_buffer_size)},
                  {"output_buffer_size", std::move(output_buffer_size)},
                  {"window_bits", std::move(window_bits)},
                  {"compression_level", std::move(compression_level)},
                  {"compression_method", std::move(compression_method)},
                  {"mem_level", std::move(mem_level)},
                  {"compression_strategy", std::move(compression_strategy)}});
  return nb::none();
}
nb::object CompressionTypeString(nb::handle, nb::handle options) {
  return nb::cast(CompressionName(options));
}

io::RecordFileOptions OptionsOf(nb::handle given) {
  io::RecordFileOptions options;
  options.compression_type = CompressionName(given);
  if (given.is_none() || !IsOptions(given)) return options;
  const auto number = [&](const char* name) -> std::optional<int64_t> {
    const nb::object value = given.attr(name);
    if (value.is_none()) return std::nullopt;
    return ArgumentOf<int64_t>::Get(value);
  };
  options.level = number("compression_level");
  options.mem_level = number("mem_level");
  options.strategy = number("compression_strategy");
  options.window_bits = number("window_bits");
  constexpr int64_t kDeflated = 8;
  if (number("compression_method").value_or(kDeflated) != kDeflated) {
    Throw(InvalidArgument(
        "TFRecordOptions: compression_method must be 8 (Z_DEFLATED)"));
  }
  return options;
}

PyMethodDef options_methods[] = {
    GK_METHOD("__init__",
              "compression_type=None, flush_mode=None, input_buffer_size=None, "
              "output_buffer_size=None, window_bits=None, "
              "compression_level=None, compression_method=None, "
              "mem_level=None, compression_strategy=None",
              InitOptions, ""),
    GK_STATIC_METHOD(
        "get_compression_type_string", "options", CompressionTypeString,
        "\"ZLIB\", \"GZIP\", or \"\" for no compression.\n\n"
        "Args:\n"
        "  options: a TFRecordOptions, one of these names, or None.\n\n"
        "Raises:\n"
        "  ValueError: it is something else."),
    {}};

// ---- TFRecordWriter ----

std::shared_ptr<io::RecordFile> RecordsOf(nb::handle self) {
  return SharedFile<io::RecordFile>(self, "_file");
}

nb::object InitWriter(nb::handle self, nb::handle path, nb::handle options) {
  const std::string name = PathOf(path);
  const io::RecordFileOptions how = OptionsOf(options);
  SetParts(self, {{"_file", KeptFile(OrThrow(WithoutGil([&] {
                     return io::RecordFile::Open(name, how);
                   })))}});
  return nb::none();
}

nb::object WriteRecord(nb::handle self, nb::handle record) {
  const auto file = RecordsOf(self);
  if (!WriteHeld(record, [&](auto bytes) { return file->Write(bytes); })) {
    Throw(TypeError(
        "TFRecordWriter.write(): a record is bytes or str, but got {}; "
        "a message is written as message.SerializeToString()",
        TextOf(record.type())));
  }
  return nb::none();
}
nb::object FlushWriter(nb::handle self) {
  const auto file = RecordsOf(self);
  return NoneOrThrow(WithoutGil([&] { return file->Flush(); }));
}
nb::object CloseWriter(nb::handle self) {
  const auto file = RecordsOf(self);
  return NoneOrThrow(WithoutGil([&] { return file->Close(); }));
}
nb::object EnterWriter(nb::handle self) { return nb::borrow(self); }
nb::object LeaveWriter(nb::handle self, nb::handle, nb::handle, nb::handle) {
  return CloseWriter(self);
}

PyMethodDef writer_methods[] = {
    GK_METHOD("__init__", "path, options=None", InitWriter, ""),
    GK_METHOD("write", "record", WriteRecord,
              "Writes a record, bytes; text as UTF-8.\n\n"
              "Raises:\n"
              "  tf.errors.FailedPreconditionError: the writer is closed.\n"
              "  tf.errors.ResourceExhaustedError: the disk is full."),
    GK_METHOD("flush", "", FlushWriter, "Lets readers see what was written."),
    GK_METHOD("close", "", CloseWriter,
              "Closes the file; once more, nothing is left to do."),
    GK_METHOD("__enter__", "", EnterWriter, ""),
    GK_METHOD("__exit__", "unused_type, unused_value, unused_traceback",
              LeaveWriter, ""),
    {}};

// ---- Reading ----

class RecordIterator {
 public:
  explicit RecordIterator(io::RecordReader reader)
      : reader_(std::move(reader)) {}
  // None at the end.
  nb::object Next() {
    std::string record;
    const Status status = WithoutGil([&] {
      const std::lock_guard lock(mutex_);
      return reader_.Read(&record);
    });
    if (status.code() == Code::kOutOfRange) return nb::none();
    if (!status.ok()) Throw(status);
    return nb::bytes(record.data(), record.size());
  }

 private:
  std::mutex mutex_;
  io::RecordReader reader_;
};

}  // namespace

void AddRecordFiles(nb::module_& m) {
  AddClass(
      m, "TFRecordOptions", {}, std::nullopt,
      "TFRecordOptions(compression_type=None, flush_mode=None, "
      "input_buffer_size=None, output_buffer_size=None, window_bits=None, "
      "compression_level=None, compression_method=None, mem_level=None, "
      "compression_strategy=None)\n--\n\n"
      "How TFRecordWriter compresses records.\n\n"
      "Args:\n"
      "  compression_type: \"ZLIB\", \"GZIP\", or \"\" or None for not at "
      "all.\n"
      "  flush_mode: accepted for compatibility.\n"
      "  input_buffer_size: accepted for compatibility.\n"
      "  output_buffer_size: accepted for compatibility.\n"
      "  window_bits: 9 to 15: how far back what is the same is looked for.\n"
      "  compression_level: 0, not at all, to 9; None: zlib's choice.\n"
      "  compression_method: 8, which zlib has alone.\n"
      "  mem_level: 1 to 9: how much memory is used.\n"
      "  compression_strategy: 0 (Z_DEFAULT_STRATEGY) to 4 (Z_FIXED).\n\n"
      "Raises:\n"
      "  ValueError: there is no such compression.\n\n"
      ">>> tf.io.TFRecordOptions('GZIP', compression_level=9)"
      ".compression_type\n"
      "'GZIP'",
      options_methods, nullptr);
  AddClass(
      m, "TFRecordWriter", {}, std::nullopt,
      "TFRecordWriter(path, options=None)\n--\n\n"
      "Writes records to a file, here or wherever its path leads, in place of "
      "what it held.\n\n"
      "Threads may share it. A writer that nobody closes is closed when it is "
      "gone.\n\n"
      "Args:\n"
      "  path: of the file.\n"
      "  options: a tf.io.TFRecordOptions, or the name of a compression.\n\n"
      "Raises:\n"
      "  ValueError: there is no such compression.\n"
      "  tf.errors.NotFoundError: the folder is missing.\n"
      "  tf.errors.InvalidArgumentError: the options are none of zlib's.\n\n"
      ">>> import os, tempfile\n"
      ">>> path = os.path.join(tempfile.mkdtemp(), 'a.tfrecord')\n"
      ">>> with tf.io.TFRecordWriter(path) as writer:\n"
      "...   writer.write(b'first')\n"
      "...   writer.write(b'second')\n"
      ">>> [x.numpy() for x in tf.data.TFRecordDataset(path)]\n"
      "[b'first', b'second']",
      writer_methods, nullptr);
  nb::class_<RecordIterator>(m, "_RecordIterator")
      .def("next", &RecordIterator::Next);
  m.def(
      "_read_records",
      [](nb::handle path, nb::handle options) {
        const std::string name = PathOf(path), type = CompressionName(options);
        StatusOr<io::RecordReader> reader =
            WithoutGil([&] { return io::OpenRecords(name, type); });
        if (!reader.ok()) Throw(reader.status());
        return new RecordIterator(*std::move(reader));
      },
      nb::arg("path"), nb::arg("options").none());
}

}  // namespace gk::py
