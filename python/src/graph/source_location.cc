#include "python/src/graph/source_location.h"

#include <algorithm>
#include <optional>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "base/per_thread.h"
#include "framework/arguments_text.h"
#include "function/func_graph.h"
#include "graph/out_of_scope.h"
#include "python/src/binding/gil.h"
#include "python/src/binding/guarded.h"
#include "python/src/host/python_language.h"
#include "runtime/error_origin.h"

namespace gk::py {
namespace {

// Frames of a deep recursion are shown from the inside up to here.
constexpr int kMaxFrames = 64;

struct Entry {
  SourceId outer;
  PyCodeObject* code;
  int instruction;
  bool operator==(const Entry& o) const {
    return outer == o.outer && code == o.code && instruction == o.instruction;
  }
};
struct EntryHash {
  size_t operator()(const Entry& e) const {
    size_t h = reinterpret_cast<size_t>(e.code) >> 4;
    h = (h ^ e.outer) * 0x9e3779b97f4a7c15u;
    return (h ^ static_cast<size_t>(e.instruction)) * 0x9e3779b97f4a7c15u;
  }
};

// Code objects are kept for good: a graph may outlive its function, and an
// address must not come to mean another one. They hold no user data.
struct Table {
  std::vector<Entry> entries;  // entry of id i at i - 1
  std::unordered_map<Entry, SourceId, EntryHash> ids;
  std::unordered_map<PyCodeObject*, bool> is_own;
  std::string package;  // directory of this package, with its separator
};
Table& Sources() {
  static auto* table = new Table();
  return *table;
}

// Where traces that this thread is in the middle of began: the frame below
// which all is known.
struct TraceSite {
  PyFrameObject* frame;  // of the Python function that traces; it is running
  SourceId id;
};
std::vector<TraceSite>& Sites() {
  return PerThread<std::vector<TraceSite>, TraceSite>::Get();
}

bool IsOwn(PyCodeObject* code) {
  Table& table = Sources();
  auto it = table.is_own.find(code);
  if (it != table.is_own.end()) return it->second;
  const std::string_view file = StringView(code->co_filename);
  const bool own = !table.package.empty() && file.starts_with(table.package);
  Py_INCREF(code);
  table.is_own.emplace(code, own);
  return own;
}

SourceId Intern(const Entry& entry) {
  Table& table = Sources();
  auto [it, fresh] = table.ids.try_emplace(entry, 0);
  if (fresh) {
    table.entries.push_back(entry);
    it->second = static_cast<SourceId>(table.entries.size());
  }
  return it->second;
}

// The position of the Python code that runs now; 0 outside of Python.
SourceId SourceHere() {
  if (!HasGil()) return 0;
  const TraceSite site =
      Sites().empty() ? TraceSite{nullptr, 0} : Sites().back();
  Entry frames[kMaxFrames];
  int n = 0;
  SourceId id = 0;
  PyFrameObject* frame = PyThreadState_GetFrame(PyThreadState_Get());
  while (frame != nullptr && n < kMaxFrames) {
    if (frame == site.frame) {
      id = site.id;
      break;
    }
    PyCodeObject* code = PyFrame_GetCode(frame);
    if (!IsOwn(code)) frames[n++] = {0, code, PyFrame_GetLasti(frame)};
    Py_DECREF(code);  // the table keeps it
    PyFrameObject* back = PyFrame_GetBack(frame);
    Py_DECREF(frame);
    frame = back;
  }
  Py_XDECREF(frame);
  while (n > 0) {
    frames[--n].outer = id;
    id = Intern(frames[n]);
  }
  return id;
}

struct Line {
  std::string file;
  int line;
  std::string function;
};
// Generated functions are called as the user's, with a prefix; the bodies of
// their branches and loops have names inside of the factory that made them.
constexpr std::string_view kGeneratedPrefix = "tf__";
constexpr std::string_view kGeneratedPart = "outer_factory.<locals>.";

std::vector<Line> LinesOf(SourceId id) {
  const Table& table = Sources();
  std::vector<Line> lines;
  // A part's place stands for that of the function around it, which follows.
  bool inside_part = false;
  while (id != 0 && id <= table.entries.size()) {
    const Entry& e = table.entries[id - 1];
    id = e.outer;
    const bool part =
        StringView(e.code->co_qualname).starts_with(kGeneratedPart);
    std::string_view name = StringView(e.code->co_name);
    if (name.starts_with(kGeneratedPrefix)) {
      name.remove_prefix(kGeneratedPrefix.size());
    }
    if (!inside_part || lines.back().function != name) {
      lines.push_back({std::string(StringView(e.code->co_filename)),
                       PyCode_Addr2Line(e.code, e.instruction),
                       std::string(name)});
    }
    inside_part = part;
  }
  std::reverse(lines.begin(), lines.end());
  return lines;
}

std::string TextOf(SourceId id, std::string_view separator) {
  std::string text;
  for (const Line& l : LinesOf(id)) {
    if (!text.empty()) text += separator;
    text += Format("  File \"{}\", line {}, in {}", l.file, l.line, l.function);
  }
  return text;
}

PyObject* LineTuples(SourceId id) {
  PyRef list = PyRef::Steal(PyList_New(0));
  for (const Line& l : LinesOf(id)) {
    PyRef item = PyRef::Steal(
        Py_BuildValue("(sis)", l.file.c_str(), l.line, l.function.c_str()));
    if (!list || !item || PyList_Append(list.get(), item.get()) < 0) {
      return nullptr;
    }
  }
  return list.Release();
}

PyObject* SetPackageDirectory(PyObject*, PyObject* path) {
  if (!PyUnicode_Check(path)) return Raise(TypeError("a path is a string"));
  Sources().package = StringView(path);
  Py_RETURN_NONE;
}

PyMethodDef functions[] = {
    {"set_package_directory", Guarded<SetPackageDirectory>, METH_O, nullptr},
    {nullptr, nullptr, 0, nullptr}};

}  // namespace

const std::string& PackageDirectory() { return Sources().package; }
bool IsOwnCode(PyCodeObject* code) { return IsOwn(code); }

PyObject* SourceLinesOf(SourceId id) { return LineTuples(id); }

// The caller's frame stays while it traces, so its address is its name.
TracedHere::TracedHere() {
  const SourceId id = SourceHere();
  PyFrameObject* frame = PyThreadState_GetFrame(PyThreadState_Get());
  Py_XDECREF(frame);
  Sites().push_back({frame, id});
}
TracedHere::~TracedHere() { Sites().pop_back(); }

namespace {

// What failed and where it was made, if a node did: the origin noted on this
// thread, which forgets it.
std::optional<Status> WithOrigin(const Status& status) {
  const ErrorOrigin origin = LastErrorOrigin();
  ClearErrorOrigin();
  if (status.code() == Code::kPythonException || origin.node.empty()) {
    return std::nullopt;
  }
  std::string where = TextOf(origin.source, "\n\n");
  if (where.empty()) where = "<stack traces unavailable>";
  return Status(status.code(),
                Format("Graph execution error:\n\nDetected at node {} defined "
                       "at (most recent call last):\n{}\n\n{}",
                       origin.node, where, status.message()));
}

}  // namespace

PyObject* RaiseRunError(const Status& status, const std::string& function) {
  const std::optional<Status> found = WithOrigin(status);
  if (!found) return Raise(status);
  return Raise(AppendBeforeArguments(*found, Format(" [Op:{}]", function)));
}

PyObject* RaiseOpError(const Status& status) {
  const std::string& node = LastErrorOrigin().node;
  // An origin that the message does not name is that of an earlier error.
  if (node.empty() ||
      status.message().find("{{node " + node + "}}") == std::string::npos) {
    return Raise(status);
  }
  const std::optional<Status> found = WithOrigin(status);
  return Raise(found ? *found : status);
}

CallSite CallSiteNow() {
  PyFrameObject* frame = PyThreadState_GetFrame(PyThreadState_Get());
  while (frame != nullptr) {
    PyRef code =
        PyRef::Steal(reinterpret_cast<PyObject*>(PyFrame_GetCode(frame)));
    auto* c = reinterpret_cast<PyCodeObject*>(code.get());
    if (!IsOwn(c)) {
      const int line = PyFrame_GetLineNumber(frame);
      Py_DECREF(frame);
      CallSite site{std::string(StringView(c->co_filename)),
                    std::string(StringView(c->co_name)), line};
      PyErr_Clear();  // names that are no UTF-8 are shown as nothing
      return site;
    }
    PyFrameObject* back = PyFrame_GetBack(frame);
    Py_DECREF(frame);
    frame = back;
  }
  return {};
}

uint32_t PythonLanguage::CurrentSource() { return SourceHere(); }

// Asked for by any thread that reports an error.
std::string PythonLanguage::SourceText(SourceId source) {
  const ScopedGil gil;
  return TextOf(source, "\n");
}

bool AddSourceLocations(PyObject* module) {
  return PyModule_AddFunctions(module, functions) == 0;
}

}  // namespace gk::py
