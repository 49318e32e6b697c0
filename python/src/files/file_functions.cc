// The functions of tf.io.gfile.
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "io/file_systems.h"
#include "io/files.h"
#include "python/src/binding/bound_values.h"
#include "python/src/binding/class_members.h"
#include "python/src/binding/text_caster.h"
#include "python/src/files/file_calls.h"
#include "python/src/files/gfile_type.h"
#include "python/src/files/path_argument.h"
#include "python/src/files/python_file_system.h"

namespace gk::py {
namespace {

namespace nb = nanobind;

nb::handle statistics_type, walk_type;  // for ever

nb::object CopyFile(nb::handle, nb::handle src, nb::handle dst,
                    bool overwrite) {
  const std::string from = PathOf(src), to = PathOf(dst);
  return NoneOrThrow(WithoutGil([&] { return io::Copy(from, to, overwrite); }));
}
nb::object RenameFile(nb::handle, nb::handle src, nb::handle dst,
                      bool overwrite) {
  const std::string from = PathOf(src), to = PathOf(dst);
  return NoneOrThrow(
      WithoutGil([&] { return io::Rename(from, to, overwrite); }));
}
template <Status (*kDo)(const std::string&)>
nb::object Do(nb::handle, nb::handle path) {
  const std::string name = PathOf(path);
  return NoneOrThrow(WithoutGil([&] { return kDo(name); }));
}
nb::object FileExists(nb::handle, nb::handle path) {
  const std::string name = PathOf(path);
  return nb::bool_(OrThrow(WithoutGil([&] { return io::Exists(name); })));
}
nb::object IsFolder(nb::handle, nb::handle path) {
  const std::string name = PathOf(path);
  return nb::bool_(WithoutGil([&] { return io::IsDirectory(name); }));
}
nb::object ListFolder(nb::handle, nb::handle path) {
  const std::string name = PathOf(path);
  return PathTexts(OrThrow(WithoutGil([&] { return io::List(name); })));
}
nb::object StatFile(nb::handle, nb::handle path) {
  const std::string name = PathOf(path);
  const io::FileStatistics s =
      OrThrow(WithoutGil([&] { return io::Stat(name); }));
  return NewValue(statistics_type,
                  {{"_length", nb::int_(s.length)},
                   {"_mtime_nsec", nb::int_(s.mtime_nsec)},
                   {"_is_directory", nb::bool_(s.is_directory)}});
}

nb::object GlobFiles(nb::handle, nb::handle pattern) {
  std::vector<std::string> patterns;
  if (nb::isinstance<nb::str>(pattern) || nb::isinstance<nb::bytes>(pattern) ||
      nb::hasattr(pattern, "__fspath__")) {
    patterns.push_back(PathOf(pattern));
  } else {
    for (nb::handle one : nb::borrow(pattern)) patterns.push_back(PathOf(one));
  }
  nb::list all;
  for (const std::string& one : patterns) {
    all.extend(PathTexts(OrThrow(WithoutGil([&] { return io::Glob(one); }))));
  }
  return all;
}

nb::object JoinFiles(nb::handle, nb::handle path, nb::tuple paths) {
  const nb::object join = nb::module_::import_("posixpath").attr("join");
  return join(nb::borrow(path), *paths);
}

nb::object Schemes(nb::handle) {
  nb::list schemes;
  for (const std::string& s : io::RegisteredSchemes()) schemes.append(s);
  return schemes;
}

// ---- tf.io.gfile.walk ----

constexpr char kWalk[] = "_walk", kOnError[] = "_onerror", kLast[] = "_last";

using Walk = std::pair<io::FolderWalk, io::VisitedFolder*>;

nb::object MakeWalk(nb::handle, nb::handle top, bool topdown,
                    nb::handle onerror) {
  nb::capsule walk(new Walk(std::piecewise_construct,
                            std::forward_as_tuple(PathOf(top), topdown),
                            std::forward_as_tuple(nullptr)),
                   [](void* p) noexcept { delete static_cast<Walk*>(p); });
  return NewValue(walk_type, {{kWalk, std::move(walk)},
                              {kOnError, nb::borrow(onerror)},
                              {kLast, nb::none()}});
}

nb::object NextFolder(nb::handle self) {
  const nb::object kept = self.attr(kWalk);
  Walk& walk = *static_cast<Walk*>(nb::cast<nb::capsule>(kept).data());
  // What the program has left of the folders is where the walk goes on.
  const nb::object last = self.attr(kLast);
  if (walk.second != nullptr && !last.is_none()) {
    std::vector<std::string> left;
    for (nb::handle name : last) left.push_back(PathOf(name));
    walk.second->folders = std::move(left);
  }
  for (;;) {
    StatusOr<io::VisitedFolder*> next =
        WithoutGil([&] { return walk.first.Next(); });
    walk.second = nullptr;
    if (!next.ok()) {
      if (next.status().code() == Code::kPythonException) Throw(next.status());
      const nb::object onerror = self.attr(kOnError);
      if (onerror.is_none()) continue;
      Raise(next.status());
      const nb::python_error raised;
      onerror(raised.value());
      continue;
    }
    if (*next == nullptr) {
      PyErr_SetNone(PyExc_StopIteration);
      throw nb::python_error();
    }
    walk.second = *next;
    nb::list folders = PathTexts((*next)->folders);
    SetParts(self, {{kLast, folders}});
    return nb::make_tuple(PathText((*next)->path), folders,
                          PathTexts((*next)->files));
  }
}
nb::object WalkItself(nb::handle self) { return nb::borrow(self); }

nb::object Register(nb::handle, nb::handle scheme, nb::handle file_system) {
  return NoneOrThrow(RegisterPythonFileSystem(TextOf(scheme), file_system));
}

PyMethodDef walk_methods[] = {GK_METHOD("__iter__", "", WalkItself, ""),
                              GK_METHOD("__next__", "", NextFolder, ""),
                              {}};

PyGetSetDef statistics_parts[] = {
    GK_PROPERTY("length", Part<"_length">, "In bytes."),
    GK_PROPERTY("mtime_nsec", Part<"_mtime_nsec">,
                "When it was last changed, in nanoseconds since 1970."),
    GK_PROPERTY("is_directory", Part<"_is_directory">, "Is it a folder?"),
    {}};
PyMethodDef statistics_methods[] = {{}};

#define EXAMPLE(code)                        \
  "\n\n>>> import os, tempfile\n"            \
  ">>> folder = tempfile.mkdtemp()\n"        \
  ">>> path = os.path.join(folder, 'a.t')\n" \
  ">>> tf.io.write_file(path, 'abc')\n" code

PyMethodDef file_functions[] = {
    GK_MODULE_FUNCTION(
        "gfile_copy", "src, dst, overwrite=False", CopyFile,
        "Copies a file.\n\n"
        "Raises AlreadyExistsError if `dst` is there and not to be "
        "overwritten,\nNotFoundError if `src` is not; a copy that fails leaves "
        "`dst` as it was." EXAMPLE(">>> tf.io.gfile.copy(path, path + '2')\n"
                                   ">>> tf.io.gfile.exists(path + '2')\n"
                                   "True")),
    GK_MODULE_FUNCTION(
        "gfile_exists", "path", FileExists,
        "Is there a file or folder?\n\n"
        "Raises UnimplementedError for a scheme that nobody knows." EXAMPLE(
            ">>> tf.io.gfile.exists(path)\n"
            "True")),
    GK_MODULE_FUNCTION("gfile_get_registered_schemes", "", Schemes,
                       "The schemes that paths may have now; \"\" are those "
                       "without.\n\n"
                       ">>> tf.io.gfile.get_registered_schemes()[:2]\n"
                       "['', 'file']"),
    GK_MODULE_FUNCTION(
        "gfile_glob", "pattern", GlobFiles,
        "The paths that a pattern, or any of several, describes, sorted.\n\n"
        "In each part of a path \"*\" is any number of characters, \"?\" one, "
        "\"[a-z]\" one of\na set, \"[!a-z]\" one of the others; \"\\\\\" takes "
        "the next character as it is." EXAMPLE(
            ">>> tf.io.gfile.glob(folder + '/*.t') == [path]\n"
            "True")),
    GK_MODULE_FUNCTION(
        "gfile_isdir", "path", IsFolder,
        "Is it a folder? False if it is not there." EXAMPLE(
            ">>> tf.io.gfile.isdir(folder), tf.io.gfile.isdir(path)\n"
            "(True, False)")),
    GK_MODULE_FUNCTION("gfile_join", "path, *paths", JoinFiles,
                       "The parts with one \"/\" between them; one that begins "
                       "with \"/\" replaces\nthose before it.\n\n"
                       ">>> tf.io.gfile.join('memory://a', 'b', 'c')\n"
                       "'memory://a/b/c'"),
    GK_MODULE_FUNCTION("gfile_listdir", "path", ListFolder,
                       "The names in a folder, sorted.\n\n"
                       "Raises NotFoundError unless it is a folder." EXAMPLE(
                           ">>> tf.io.gfile.listdir(folder)\n"
                           "['a.t']")),
    GK_MODULE_FUNCTION(
        "gfile_makedirs", "path", Do<io::MakeDirectories>,
        "Makes a folder and those around it; nothing if it is there.\n\n"
        "Raises FailedPreconditionError if a file is in its way." EXAMPLE(
            ">>> tf.io.gfile.makedirs(os.path.join(folder, 'b', 'c'))\n"
            ">>> tf.io.gfile.listdir(folder)\n"
            "['a.t', 'b']")),
    GK_MODULE_FUNCTION(
        "gfile_mkdir", "path", Do<io::MakeDirectory>,
        "Makes a folder; nothing if there is something of that name.\n\n"
        "Raises NotFoundError if the folder around it is missing." EXAMPLE(
            ">>> tf.io.gfile.mkdir(os.path.join(folder, 'b'))\n"
            ">>> tf.io.gfile.listdir(folder)\n"
            "['a.t', 'b']")),
    GK_MODULE_FUNCTION(
        "gfile_remove", "path", Do<io::DeleteFile>,
        "Deletes a file.\n\n"
        "Raises NotFoundError if it is not there, FailedPreconditionError for "
        "a folder." EXAMPLE(">>> tf.io.gfile.remove(path)\n"
                            ">>> tf.io.gfile.exists(path)\n"
                            "False")),
    GK_MODULE_FUNCTION(
        "gfile_rename", "src, dst, overwrite=False", RenameFile,
        "Gives a file or folder another name.\n\n"
        "Raises AlreadyExistsError if `dst` is there and not to be "
        "overwritten.\nA file goes to another disk or file system as a "
        "copy." EXAMPLE(">>> tf.io.gfile.rename(path, path + '2')\n"
                        ">>> tf.io.gfile.listdir(folder)\n"
                        "['a.t2']")),
    GK_MODULE_FUNCTION(
        "gfile_rmtree", "path", Do<io::DeleteRecursively>,
        "Deletes a folder and all that is in it; links are deleted, not "
        "followed.\n\nRaises NotFoundError if it is not there." EXAMPLE(
            ">>> tf.io.gfile.rmtree(folder)\n"
            ">>> tf.io.gfile.exists(folder)\n"
            "False")),
    GK_MODULE_FUNCTION(
        "gfile_stat", "path", StatFile,
        "What is known of a file: `length`, `mtime_nsec`, `is_directory`.\n\n"
        "Raises NotFoundError if it is not there." EXAMPLE(
            ">>> tf.io.gfile.stat(path).length\n"
            "3")),
    GK_MODULE_FUNCTION(
        "gfile_walk", "top, topdown=True, onerror=None", MakeWalk,
        "A folder and all folders in it: (path, names of folders, names of "
        "files).\n\n"
        "`topdown`: each before those in it, which are those that are left in "
        "the list of\nnames. Links to folders are followed, but not in "
        "circles. Folders that cannot be\nread are left out; `onerror` gets "
        "their errors." EXAMPLE(
            ">>> [files for _, _, files in tf.io.gfile.walk(folder)]\n"
            "[['a.t']]")),
    GK_MODULE_FUNCTION(
        "gfile_register_file_system", "scheme, file_system", Register,
        "Lets paths \"scheme://...\" lead to a file system of the program's.\n"
        "\n`file_system` has the methods of fsspec's AbstractFileSystem. "
        "Everything that\nopens files by their path finds it, ops and C++ "
        "included. The schemes of fsspec\nitself are known where it is "
        "installed.\n\n"
        "Raises AlreadyExistsError if the scheme has one, InvalidArgumentError "
        "for what is\nno scheme.\n\n"
        ">>> tf.io.gfile.register_file_system('mine', object())\n"
        "Traceback (most recent call last):\n"
        "TypeError: A file system has the methods of "
        "fsspec.AbstractFileSystem, "
        "but object has no cat_file, info, ls, open, rm, mkdir"),
    {}};
#undef EXAMPLE

}  // namespace

void AddFileFunctions(nb::module_& m) {
  statistics_type = AddClass(m, "FileStatistics", {},
                             Slots{"_length", "_mtime_nsec", "_is_directory"},
                             "What tf.io.gfile.stat tells of a file.",
                             statistics_methods, statistics_parts);
  walk_type =
      AddClass(m, "_FolderWalk", {}, Slots{kWalk, kOnError, kLast},
               "An iterator of tf.io.gfile.walk.", walk_methods, nullptr);
  AddFunctions(m, file_functions);
  AddFsspecFinder();
}

}  // namespace gk::py
