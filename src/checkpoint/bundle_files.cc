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

Status DeleteBundle(const std::string& prefix) {
  const auto missing = [](const Status& s) {
    return s.code() == Code::kNotFound;
  };
  if (Status s = io::DeleteFile(BundleIndexName(prefix)); !s.ok()) {
    if (!missing(s)) return s;
  }
  const std::string folder(io::FolderOf(prefix));
  const std::string data = std::string(io::NameOf(prefix)) + ".data-";
  const auto names = io::List(folder.empty() ? "." : folder);
  if (!names.ok()) return missing(names.status()) ? OkStatus() : names.status();
  // "00000-of-00001": whatever else begins so is somebody's own file.
  for (const std::string& name : *names) {
    if (!name.starts_with(data) ||
        name.find_first_not_of("0123456789-of", data.size()) != name.npos ||
        name.find("-of-", data.size()) == name.npos) {
      continue;
    }
    Status s =
        io::DeleteFile(folder.empty() ? name : io::ChildPath(folder, name));
    if (!s.ok() && !missing(s)) return s;
  }
  return OkStatus();
}

}  // namespace gk
