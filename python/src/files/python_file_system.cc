#include "python/src/files/python_file_system.h"

#include <atomic>
#include <memory>
#include <utility>
#include <vector>

#include "io/file_error.h"
#include "io/file_systems.h"
#include "python/src/binding/bound_values.h"
#include "python/src/binding/gil.h"
#include "python/src/binding/package_parts.h"
#include "python/src/binding/text_caster.h"
#include "python/src/files/path_argument.h"

namespace gk::py {
namespace {

namespace nb = nanobind;

// The exception in flight: by its class, or by its errno.
Status StatusOfPython(nb::python_error& e, const std::string& path) {
  struct Known {
    PyObject* type;
    Code code;
  };
  const Known kKnown[] = {
      {PyExc_FileNotFoundError, Code::kNotFound},
      {PyExc_PermissionError, Code::kPermissionDenied},
      {PyExc_FileExistsError, Code::kAlreadyExists},
      {PyExc_IsADirectoryError, Code::kFailedPrecondition},
      {PyExc_NotADirectoryError, Code::kFailedPrecondition},
      {PyExc_TimeoutError, Code::kDeadlineExceeded},
      {PyExc_NotImplementedError, Code::kUnimplemented},
      {PyExc_ImportError, Code::kFailedPrecondition},
      {PyExc_KeyboardInterrupt, Code::kCancelled},
  };
  const std::string text =
      Format("{}; {} ({})", path, TextOf(e.value()),
             nb::cast<std::string>(nb::object(e.type().attr("__name__"))));
  for (const Known& known : kKnown) {
    if (e.matches(known.type)) return Status(known.code, text);
  }
  Code code = Code::kUnknown;
  if (e.matches(PyExc_OSError)) {
    const nb::object number = nb::getattr(e.value(), "errno", nb::none());
    if (nb::isinstance<nb::int_>(number)) {
      code = io::CodeOfErrno(nb::cast<int>(number));
    }
  }
  return Status(code, text);
}

// What `body`, which runs with the GIL, does with a file.
template <class Body>
auto WithPython(const std::string& path, Body body) -> decltype(body()) {
  if (Py_IsInitialized() == 0) {
    return FailedPrecondition("{}; Python has ended", path);
  }
  const ScopedGil gil;
  try {
    return body();
  } catch (nb::python_error& e) {
    return StatusOfPython(e, path);
  } catch (const nb::cast_error&) {
    return Internal("{}; its file system gave a value of a wrong type", path);
  }
}

// An object of Python's that any thread may let go of.
class HeldObject {
 public:
  explicit HeldObject(nb::object object) : object_(object.release().ptr()) {}
  HeldObject(const HeldObject&) = delete;
  HeldObject& operator=(const HeldObject&) = delete;
  ~HeldObject() {
    if (Py_IsInitialized() == 0) return;
    const ScopedGil gil;
    Py_DECREF(object_);
  }
  nb::handle get() const { return object_; }

 private:
  PyObject* const object_;
};
using Held = std::shared_ptr<const HeldObject>;

StatusOr<io::FileStatistics> StatOf(const HeldObject& files,
                                    const std::string& path) {
  return WithPython(path, [&]() -> StatusOr<io::FileStatistics> {
    const nb::object facts = files.get().attr("stat")(PathText(path));
    return io::FileStatistics{nb::cast<int64_t>(facts[0]),
                              nb::cast<int64_t>(facts[1]),
                              nb::cast<bool>(facts[2])};
  });
}

class PythonRandomAccess final : public io::RandomAccessFile {
 public:
  PythonRandomAccess(Held files, std::string path, int64_t length)
      : files_(std::move(files)), path_(std::move(path)), length_(length) {}

  StatusOr<size_t> Read(uint64_t offset, std::span<char> to) const override {
    // Others may have made it longer. Their systems need not take a place
    // behind the end.
    if (offset >= static_cast<uint64_t>(length_.load())) {
      GK_ASSIGN_OR_RETURN(const io::FileStatistics now, StatOf(*files_, path_));
      length_ = now.length;
      if (offset >= static_cast<uint64_t>(now.length)) return 0;
    }
    return WithPython(path_, [&]() -> StatusOr<size_t> {
      const nb::object bytes = files_->get().attr("read")(
          PathText(path_), nb::int_(offset), nb::int_(to.size()));
      char* from;
      Py_ssize_t size;
      if (PyBytes_AsStringAndSize(bytes.ptr(), &from, &size) < 0) {
        throw nb::python_error();
      }
      if (static_cast<size_t>(size) > to.size()) {
        return Internal("{}; {} bytes were read where {} were asked for", path_,
                        size, to.size());
      }
      std::copy_n(from, size, to.data());
      return static_cast<size_t>(size);
    });
  }

 private:
  const Held files_;
  const std::string path_;
  mutable std::atomic<int64_t> length_;  // as last seen
};

class PythonWritable final : public io::WritableFile {
 public:
  PythonWritable(nb::object file, std::string path, int64_t position)
      : file_(std::make_unique<HeldObject>(std::move(file))),
        path_(std::move(path)),
        position_(position) {}
  ~PythonWritable() override {
    if (file_) Close().ok();
  }

  Status Append(std::string_view bytes) override {
    return Call([&](nb::handle file) {
      file.attr("write")(nb::bytes(bytes.data(), bytes.size()));
      position_ += static_cast<int64_t>(bytes.size());
    });
  }
  Status Flush() override {
    return Call([](nb::handle file) { file.attr("flush")(); });
  }
  Status Sync() override { return Flush(); }
  Status Close() override {
    const Status closed = Call([](nb::handle file) { file.attr("close")(); });
    file_.reset();
    return closed;
  }
  StatusOr<int64_t> Tell() override { return position_; }

 private:
  template <class Body>
  Status Call(Body body) {
    if (!file_) return FailedPrecondition("{} is closed", path_);
    return WithPython(path_, [&]() -> Status {
      body(file_->get());
      return OkStatus();
    });
  }

  std::unique_ptr<HeldObject> file_;  // null once closed
  const std::string path_;
  int64_t position_;
};

class PythonFileSystem final : public io::FileSystem {
 public:
  explicit PythonFileSystem(nb::object files)
      : files_(std::make_shared<const HeldObject>(std::move(files))) {}

  StatusOr<std::unique_ptr<io::RandomAccessFile>> OpenToRead(
      const std::string& path) override {
    GK_ASSIGN_OR_RETURN(const io::FileStatistics facts, Stat(path));
    if (facts.is_directory) {
      return FailedPrecondition("{}; Is a directory (to open it for reading)",
                                path);
    }
    return std::unique_ptr<io::RandomAccessFile>(
        new PythonRandomAccess(files_, path, facts.length));
  }
  StatusOr<std::unique_ptr<io::WritableFile>> OpenToWrite(
      const std::string& path, io::WriteMode mode) override {
    const StatusOr<io::FileStatistics> facts = Stat(path);
    if (facts.ok() && facts->is_directory) {
      return FailedPrecondition("{}; Is a directory (to open it for writing)",
                                path);
    }
    if (facts.ok() && mode == io::WriteMode::kCreate) {
      return AlreadyExists("{}; File exists (to make it)", path);
    }
    const bool appends = facts.ok() && mode == io::WriteMode::kAppend;
    return WithPython(
        path, [&]() -> StatusOr<std::unique_ptr<io::WritableFile>> {
          return std::unique_ptr<io::WritableFile>(
              new PythonWritable(files_->get().attr("open_to_write")(
                                     PathText(path), nb::bool_(appends)),
                                 path, appends ? facts->length : 0));
        });
  }
  StatusOr<io::FileStatistics> Stat(const std::string& path) override {
    return StatOf(*files_, path);
  }
  StatusOr<std::vector<std::string>> List(const std::string& path) override {
    return WithPython(path, [&]() -> StatusOr<std::vector<std::string>> {
      std::vector<std::string> names;
      for (nb::handle name : files_->get().attr("list")(PathText(path))) {
        names.push_back(PathOf(name));
      }
      return names;
    });
  }
  Status MakeDirectory(const std::string& path) override {
    return Tell("make_directory", path);
  }
  Status DeleteFile(const std::string& path) override {
    return Tell("delete_file", path);
  }
  Status DeleteDirectory(const std::string& path) override {
    return Tell("delete_directory", path);
  }
  Status DeleteRecursively(const std::string& path) override {
    GK_RETURN_IF_ERROR(Stat(path).status());
    return Tell("delete_recursively", path);
  }
  Status Rename(const std::string& from, const std::string& to) override {
    GK_RETURN_IF_ERROR(Stat(from).status());
    return WithPython(from, [&]() -> Status {
      files_->get().attr("rename")(PathText(from), PathText(to));
      return OkStatus();
    });
  }

 private:
  Status Tell(const char* what, const std::string& path) {
    return WithPython(path, [&]() -> Status {
      files_->get().attr(what)(PathText(path));
      return OkStatus();
    });
  }

  const Held files_;
};

class FsspecFinder final : public io::FileSystemFinder {
 public:
  StatusOr<std::shared_ptr<io::FileSystem>> Find(
      const std::string& scheme) override {
    return WithPython(
        scheme, [&]() -> StatusOr<std::shared_ptr<io::FileSystem>> {
          nb::object files =
              package::find_file_system(nb::object(nb::cast(scheme)));
          if (files.is_none()) return std::shared_ptr<io::FileSystem>();
          return std::shared_ptr<io::FileSystem>(
              std::make_shared<PythonFileSystem>(std::move(files)));
        });
  }
};

}  // namespace

Status RegisterPythonFileSystem(const std::string& scheme,
                                nb::handle file_system) {
  return io::RegisterFileSystem(
      scheme, std::make_shared<PythonFileSystem>(
                  package::files_of(nb::borrow(file_system))));
}

void AddFsspecFinder() {
  io::AddFileSystemFinder(std::make_unique<FsspecFinder>());
}

}  // namespace gk::py
