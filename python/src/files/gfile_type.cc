// tf.io.gfile.GFile: io/gfile.h with Python's text.
#include "python/src/files/gfile_type.h"

#include <string>
#include <utility>

#include "io/gfile.h"
#include "python/src/binding/bound_values.h"
#include "python/src/binding/class_members.h"
#include "python/src/binding/text_caster.h"
#include "python/src/files/file_calls.h"
#include "python/src/files/path_argument.h"

namespace gk::py {
namespace {

namespace nb = nanobind;

using File = std::shared_ptr<io::GFile>;

constexpr char kFile[] = "_file", kName[] = "_name";

File FileOf(nb::handle self) { return SharedFile<io::GFile>(self, kFile); }

// As str, or bytes if the file is open for these.
nb::object Content(const io::GFile& file, const std::string& bytes) {
  const auto size = static_cast<Py_ssize_t>(bytes.size());
  return Owned(file.is_binary()
                   ? PyBytes_FromStringAndSize(bytes.data(), size)
                   : PyUnicode_DecodeUTF8(bytes.data(), size, nullptr));
}

nb::object InitGFile(nb::handle self, nb::handle name, nb::handle mode) {
  File file = OrThrow(io::GFile::Make(PathOf(name), TextOf(mode)));
  nb::object kept = KeptFile(std::move(file));
  SetParts(self, {{kFile, std::move(kept)}, {kName, nb::borrow(name)}});
  return nb::none();
}

nb::object ReadGFile(nb::handle self, int64_t n) {
  const File file = FileOf(self);
  return Content(*file, OrThrow(WithoutGil([&] { return file->Read(n); })));
}
nb::object ReadLineOf(nb::handle self) {
  const File file = FileOf(self);
  return Content(*file, OrThrow(WithoutGil([&] { return file->ReadLine(); })));
}
nb::object ReadLinesOf(nb::handle self) {
  nb::list lines;
  for (;;) {
    nb::object line = ReadLineOf(self);
    if (nb::len(line) == 0) return lines;
    lines.append(std::move(line));
  }
}
nb::object NextLine(nb::handle self) {
  nb::object line = ReadLineOf(self);
  if (nb::len(line) == 0) {
    PyErr_SetNone(PyExc_StopIteration);
    throw nb::python_error();
  }
  return line;
}
nb::object IsItself(nb::handle self) { return nb::borrow(self); }

nb::object SeekGFile(nb::handle self, nb::handle offset, int64_t whence,
                     nb::handle position) {
  const nb::handle to = offset.is_none() ? position : offset;
  if (to.is_none()) Throw(TypeError("seek(): offset argument required"));
  const auto by = ArgumentOf<int64_t>::Get(to);
  const int from = whence < 0 || whence > 2 ? -1 : static_cast<int>(whence);
  const File file = FileOf(self);
  if (from < 0) {
    Throw(InvalidArgument(
        "Invalid whence argument: {}. Valid values are 0, 1, or 2.", whence));
  }
  return NoneOrThrow(WithoutGil([&] { return file->Seek(by, from); }));
}
nb::object TellGFile(nb::handle self) {
  const File file = FileOf(self);
  return nb::int_(OrThrow(WithoutGil([&] { return file->Tell(); })));
}
nb::object SizeOfGFile(nb::handle self) {
  const File file = FileOf(self);
  return nb::int_(OrThrow(WithoutGil([&] { return file->Size(); })));
}
nb::object IsSeekable(nb::handle) { return nb::bool_(true); }

nb::object WriteGFile(nb::handle self, nb::handle content) {
  const File file = FileOf(self);
  if (!WriteHeld(content, [&](auto bytes) { return file->Write(bytes); })) {
    Throw(TypeError("Expected binary or unicode string, got {}",
                    ReprOf(content)));
  }
  return nb::none();
}
nb::object FlushGFile(nb::handle self) {
  const File file = FileOf(self);
  return NoneOrThrow(WithoutGil([&] { return file->Flush(); }));
}
nb::object CloseGFile(nb::handle self) {
  const File file = FileOf(self);
  return NoneOrThrow(WithoutGil([&] { return file->Close(); }));
}
nb::object LeaveGFile(nb::handle self, nb::handle, nb::handle, nb::handle) {
  return CloseGFile(self);
}
nb::object ModeOfGFile(nb::handle self) {
  return nb::cast(FileOf(self)->mode());
}

PyMethodDef gfile_methods[] = {
    GK_METHOD("__init__", "name, mode='r'", InitGFile, ""),
    GK_METHOD("read", "n=-1", ReadGFile,
              "The next `n` bytes, fewer at the end; -1: all that are left. "
              "As text unless the mode has a \"b\".\n\n"
              "Raises InvalidArgumentError for other negative numbers, "
              "PermissionDeniedError\nunless the mode reads, and what opening "
              "the file does."),
    GK_METHOD("readline", "", ReadLineOf,
              "The next line with its \"\\n\", without carriage returns; "
              "empty at the end."),
    GK_METHOD("readlines", "", ReadLinesOf, "The lines that are left."),
    GK_METHOD("next", "", NextLine, "The next line, as iterating gives it."),
    GK_METHOD("__next__", "", NextLine, ""),
    GK_METHOD("__iter__", "", IsItself, ""),
    GK_METHOD("seek", "offset=None, whence=0, position=None", SeekGFile,
              "Goes to `offset` bytes from the beginning (0), from here (1) or "
              "from the end\n(2). `position` is the old name of `offset`.\n\n"
              "Raises OutOfRangeError behind the end, where it is then."),
    GK_METHOD("tell", "", TellGFile,
              "Where the next byte is read, or written if it only writes."),
    GK_METHOD("size", "", SizeOfGFile, "The file's length in bytes."),
    GK_METHOD("seekable", "", IsSeekable, "True."),
    GK_METHOD("write", "file_content", WriteGFile,
              "Writes text, as UTF-8, or bytes.\n\n"
              "Raises PermissionDeniedError unless the mode writes, "
              "NotFoundError if the\nfolder is missing, "
              "ResourceExhaustedError if the disk is full."),
    GK_METHOD("flush", "", FlushGFile, "Lets readers see what was written."),
    GK_METHOD("close", "", CloseGFile,
              "Closes the file, which opens again when it is next used."),
    GK_METHOD("__enter__", "", IsItself, ""),
    GK_METHOD("__exit__", "unused_type, unused_value, unused_traceback",
              LeaveGFile, ""),
    {}};
PyGetSetDef gfile_parts[] = {
    GK_PROPERTY("name", Part<kName>, "The path that it was made with."),
    GK_PROPERTY("mode", ModeOfGFile, "The mode that it was made with."),
    {}};

}  // namespace

void AddGFile(nb::module_& m) {
  AddClass(
      m, "GFile", {}, std::nullopt,
      "GFile(name, mode='r')\n--\n\n"
      "A file, here or wherever its path leads, \"memory://a/b\".\n\n"
      "`mode` is \"r\", \"w\", \"a\", \"r+\", \"w+\" or \"a+\", with a "
      "\"b\" for bytes; \"w\", \"w+\" and\n\"r+\" empty the file when they "
      "first write. It is opened by the first call that\nreads or writes, "
      "which raises what is wrong with it; a wrong mode raises\n"
      "InvalidArgumentError at once. Threads may share it.\n\n"
      ">>> import os, tempfile\n"
      ">>> path = os.path.join(tempfile.mkdtemp(), 'a.txt')\n"
      ">>> with tf.io.gfile.GFile(path, 'w') as file:\n"
      "...   file.write('one\\ntwo\\n')\n"
      ">>> [line for line in tf.io.gfile.GFile(path)]\n"
      "['one\\n', 'two\\n']",
      gfile_methods, gfile_parts);
}

}  // namespace gk::py
