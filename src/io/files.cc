#include "io/files.h"

#include <algorithm>

#include "base/interrupt.h"
#include "io/file_error.h"
#include "io/file_systems.h"
#include "io/path.h"

namespace gk::io {
namespace {

// What the path's file system says.
template <class Ask>
auto Of(const std::string& path, Ask ask)
    -> decltype(ask(std::declval<FileSystem&>())) {
  GK_ASSIGN_OR_RETURN(const std::shared_ptr<FileSystem> system,
                      FileSystemOf(path));
  return ask(*system);
}

// AlreadyExists if there is one, which is to stay.
Status CheckFree(const std::string& path) {
  GK_ASSIGN_OR_RETURN(const bool there, Exists(path));
  if (!there) return OkStatus();
  return AlreadyExists(
      "file already exists: {} is there; pass overwrite=True to replace it",
      path);
}

struct TwoSystems {
  std::shared_ptr<FileSystem> source, target;
};
StatusOr<TwoSystems> SystemsOf(const std::string& from, const std::string& to) {
  TwoSystems both;
  GK_ASSIGN_OR_RETURN(both.source, FileSystemOf(from));
  GK_ASSIGN_OR_RETURN(both.target, FileSystemOf(to));
  return both;
}

Status CopyBetween(const TwoSystems& systems, const std::string& from,
                   const std::string& to) {
  if (systems.source == systems.target) {
    if (from == to) return systems.source->Stat(from).status();
    return systems.source->Copy(from, to);
  }
  GK_ASSIGN_OR_RETURN(const std::unique_ptr<RandomAccessFile> file,
                      systems.source->OpenToRead(from));
  GK_ASSIGN_OR_RETURN(const std::unique_ptr<WritableFile> copy,
                      systems.target->OpenToReplace(to));
  return CopyBytes(*file, copy.get());
}

}  // namespace

StatusOr<std::unique_ptr<RandomAccessFile>> OpenToRead(
    const std::string& path) {
  return Of(path, [&](FileSystem& s) { return s.OpenToRead(path); });
}
StatusOr<std::unique_ptr<WritableFile>> OpenToWrite(const std::string& path,
                                                    WriteMode mode) {
  return Of(path, [&](FileSystem& s) { return s.OpenToWrite(path, mode); });
}
StatusOr<std::unique_ptr<WritableFile>> OpenToReplace(const std::string& path) {
  return Of(path, [&](FileSystem& s) { return s.OpenToReplace(path); });
}
StatusOr<std::unique_ptr<MappedFile>> MapFile(const std::string& path) {
  return Of(path, [&](FileSystem& s) { return s.Map(path); });
}

StatusOr<std::string> ReadFile(const std::string& path) {
  return Of(path, [&](FileSystem& s) -> StatusOr<std::string> {
    GK_ASSIGN_OR_RETURN(const std::unique_ptr<RandomAccessFile> file,
                        s.OpenToRead(path));
    const StatusOr<FileStatistics> facts = s.Stat(path);
    return ReadToEnd(*file, facts.ok() && facts->length > 0
                                ? static_cast<uint64_t>(facts->length)
                                : 0);
  });
}

Status WriteFile(const std::string& path, std::string_view bytes) {
  GK_ASSIGN_OR_RETURN(const std::unique_ptr<WritableFile> file,
                      OpenToReplace(path));
  GK_RETURN_IF_ERROR(file->Append(bytes));
  return file->Close();
}

StatusOr<FileStatistics> Stat(const std::string& path) {
  return Of(path, [&](FileSystem& s) { return s.Stat(path); });
}

StatusOr<bool> Exists(const std::string& path) {
  const Status status = Stat(path).status();
  if (status.code() == Code::kUnimplemented ||
      status.code() == Code::kPythonException) {
    return status;
  }
  return status.ok();
}

bool IsDirectory(const std::string& path) {
  const StatusOr<FileStatistics> facts = Stat(path);
  return facts.ok() && facts->is_directory;
}

StatusOr<std::vector<std::string>> List(const std::string& path) {
  return Of(path, [&](FileSystem& s) -> StatusOr<std::vector<std::string>> {
    const StatusOr<FileStatistics> facts = s.Stat(path);
    if (!facts.ok() || !facts->is_directory) {
      return NotFound(
          "Could not find directory {}{}", path,
          facts.ok() ? ": it is a file; name the folder around it" : "");
    }
    GK_ASSIGN_OR_RETURN(std::vector<std::string> names, s.List(path));
    std::sort(names.begin(), names.end());
    return names;
  });
}

Status MakeDirectory(const std::string& path) {
  if (path.empty()) return OkStatus();
  const Status made =
      Of(path, [&](FileSystem& s) { return s.MakeDirectory(path); });
  return made.code() == Code::kAlreadyExists ? OkStatus() : made;
}

Status MakeDirectories(const std::string& path) {
  return Of(path, [&](FileSystem& s) -> Status {
    std::string folder = path;  // "a/" is "a"
    while (ParsePath(folder).path.size() > 1 && folder.ends_with('/')) {
      folder.pop_back();
    }
    std::vector<std::string> missing;  // the innermost first
    while (!ParsePath(folder).path.empty()) {
      const StatusOr<FileStatistics> facts = s.Stat(folder);
      if (facts.ok() && facts->is_directory) break;
      if (facts.ok()) {
        return FailedPrecondition(
            "{} is not a directory: a file is in the way of the folder {}",
            folder, path);
      }
      const Code code = facts.status().code();
      if (code != Code::kNotFound && code != Code::kFailedPrecondition) {
        return facts.status();
      }
      missing.push_back(folder);
      std::string outer(FolderOf(folder));
      if (outer.size() == folder.size()) break;
      folder = std::move(outer);
    }
    for (; !missing.empty(); missing.pop_back()) {
      const Status made = s.MakeDirectory(missing.back());
      // Somebody else may make it at the same time.
      if (!made.ok() && made.code() != Code::kAlreadyExists) return made;
    }
    return OkStatus();
  });
}

Status DeleteFile(const std::string& path) {
  return Of(path, [&](FileSystem& s) { return s.DeleteFile(path); });
}
Status DeleteRecursively(const std::string& path) {
  return Of(path, [&](FileSystem& s) { return s.DeleteRecursively(path); });
}

Status Rename(const std::string& from, const std::string& to, bool overwrite) {
  if (!overwrite) GK_RETURN_IF_ERROR(CheckFree(to));
  GK_ASSIGN_OR_RETURN(const TwoSystems systems, SystemsOf(from, to));
  if (systems.source == systems.target) {
    const Status renamed = systems.source->Rename(from, to);
    if (renamed.code() != Code::kUnimplemented) return renamed;
    if (IsDirectory(from)) return renamed;
  }
  GK_RETURN_IF_ERROR(CopyBetween(systems, from, to));
  return systems.source->DeleteFile(from);
}

Status Copy(const std::string& from, const std::string& to, bool overwrite) {
  if (!overwrite) GK_RETURN_IF_ERROR(CheckFree(to));
  GK_ASSIGN_OR_RETURN(const TwoSystems systems, SystemsOf(from, to));
  return CopyBetween(systems, from, to);
}

// ---- FolderWalk ----

struct FolderWalk::Open {
  VisitedFolder folder;
  std::string identity;
  size_t next = 0;  // of folder.folders
};

FolderWalk::FolderWalk(std::string top, bool top_down)
    : top_(std::move(top)), top_down_(top_down) {}
FolderWalk::~FolderWalk() = default;

// False for a folder that is one of those around it.
StatusOr<bool> FolderWalk::Enter(std::string path) {
  GK_RETURN_IF_ERROR(CheckInterrupt());
  GK_ASSIGN_OR_RETURN(const std::shared_ptr<FileSystem> system,
                      FileSystemOf(path));
  auto entered = std::make_unique<Open>();
  entered->identity = system->Identity(path);
  for (const auto& outer : open_) {
    if (outer->identity == entered->identity) return false;
  }
  GK_ASSIGN_OR_RETURN(std::vector<std::string> names, List(path));
  for (std::string& name : names) {
    const StatusOr<FileStatistics> facts = system->Stat(ChildPath(path, name));
    auto& kind = facts.ok() && facts->is_directory ? entered->folder.folders
                                                   : entered->folder.files;
    kind.push_back(std::move(name));
  }
  entered->folder.path = std::move(path);
  open_.push_back(std::move(entered));
  return true;
}

StatusOr<VisitedFolder*> FolderWalk::Next() {
  if (!begun_) {
    begun_ = true;
    GK_RETURN_IF_ERROR(Enter(top_).status());
    if (top_down_) return &open_.back()->folder;
  }
  while (!open_.empty()) {
    Open& here = *open_.back();
    if (here.next < here.folder.folders.size()) {
      GK_ASSIGN_OR_RETURN(
          const bool entered,
          Enter(ChildPath(here.folder.path, here.folder.folders[here.next++])));
      if (entered && top_down_) return &open_.back()->folder;
      continue;
    }
    last_ = std::make_unique<VisitedFolder>(std::move(here.folder));
    open_.pop_back();
    if (!top_down_) return last_.get();
  }
  return nullptr;
}

}  // namespace gk::io
