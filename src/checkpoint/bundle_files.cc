#include "checkpoint/bundle_files.h"

#include "checkpoint/bundle_names.h"
#include "checkpoint/slice_files.h"
#include "io/files.h"
#include "io/path.h"

namespace gk {

bool BundleExists(const std::string& prefix) {
  const StatusOr<bool> there = io::Exists(BundleIndexName(prefix));
  return there.ok() && *there;
}

bool CheckpointExists(const std::string& prefix) {
  if (BundleExists(prefix)) return true;
  const auto files = SliceFiles::Find(prefix);
  return files.ok() && !files->empty();
}

StatusOr<std::vector<std::string>> DataFilesOf(const std::string& prefix) {
  const std::string folder(io::FolderOf(prefix));
  const std::string data = std::string(io::NameOf(prefix)) + ".data-";
  GK_ASSIGN_OR_RETURN(const std::vector<std::string> names,
                      io::List(folder.empty() ? "." : folder));
  std::vector<std::string> files;
  // "00000-of-00001": whatever else begins so is somebody's own file.
  for (const std::string& name : names) {
    if (name.starts_with(data) &&
        name.find_first_not_of("0123456789-of", data.size()) == name.npos &&
        name.find("-of-", data.size()) != name.npos) {
      files.push_back(folder.empty() ? name : io::ChildPath(folder, name));
    }
  }
  return files;
}

Status DeleteBundle(const std::string& prefix) {
  const auto missing = [](const Status& s) {
    return s.code() == Code::kNotFound;
  };
  if (Status s = io::DeleteFile(BundleIndexName(prefix)); !s.ok()) {
    if (!missing(s)) return s;
  }
  const auto files = DataFilesOf(prefix);
  if (!files.ok()) return missing(files.status()) ? OkStatus() : files.status();
  for (const std::string& file : *files) {
    if (Status s = io::DeleteFile(file); !s.ok() && !missing(s)) return s;
  }
  return OkStatus();
}

}  // namespace gk
