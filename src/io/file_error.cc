#include "io/file_error.h"

#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <climits>
#include <string>
#include <system_error>

namespace gk::io {
namespace {

struct Group {
  Code code;
  std::initializer_list<int> errors;
};

const Group kGroups[] = {
    {Code::kNotFound, {ENOENT, ENODEV, ENXIO, ESRCH}},
    {Code::kAlreadyExists, {EEXIST, EALREADY}},
    {Code::kPermissionDenied, {EACCES, EPERM, EROFS}},
    {Code::kInvalidArgument,
     {EINVAL, ENAMETOOLONG, EFAULT, EILSEQ, ENOTTY, ESPIPE}},
    {Code::kFailedPrecondition,
     {ENOTEMPTY, EISDIR, ENOTDIR, EBADF, EBUSY, EPIPE, ETXTBSY}},
    {Code::kResourceExhausted,
     {ENOSPC, EDQUOT, EMFILE, ENFILE, EMLINK, ENOBUFS, ENOMEM}},
    {Code::kOutOfRange, {EFBIG, EOVERFLOW, ERANGE}},
    {Code::kUnimplemented, {ENOSYS, ENOTSUP, EXDEV}},
    {Code::kUnavailable, {EAGAIN, EINTR}},
    {Code::kDeadlineExceeded, {ETIMEDOUT}},
    {Code::kAborted, {EDEADLK, ESTALE}},
    {Code::kCancelled, {ECANCELED}},
};

std::string Cure(int error, std::string_view path) {
  switch (error) {
    case ENOENT: {
      if (path.empty()) return "; the path is empty";
      if (path.front() == '/' || path.find("://") != path.npos) {
        return "; check each folder of the path";
      }
      char folder[PATH_MAX];
      if (getcwd(folder, sizeof folder) == nullptr) return "";
      return Format("; the path starts at {}", folder);
    }
    case EACCES:
    case EPERM:
      return Format("; user {} may not: change the file's or folder's mode",
                    geteuid());
    case EROFS:
      return "; the disk is mounted for reading only";
    case ENOTDIR:
      return "; a part of the path is a file";
    case EISDIR:
      return "; name a file in it";
    case ENOTEMPTY:
      return "; delete what is in it first, or the whole tree (rmtree)";
    case ELOOP:
      return "; a symbolic link leads back to itself: remove it";
    case ENAMETOOLONG:
      return "; use a shorter name";
    case ENOSPC:
    case EDQUOT:
      return "; make room and write again";
    case EMFILE:
    case ENFILE:
      return "; close files, or raise the limit (ulimit -n)";
    case ESPIPE:
      return "; it is a pipe or terminal, which has no positions";
    case EXDEV:
      return "; copy it and delete the old one";
    default:
      return "";
  }
}

}  // namespace

Code CodeOfErrno(int error) {
  for (const Group& group : kGroups) {
    if (std::find(group.errors.begin(), group.errors.end(), error) !=
        group.errors.end()) {
      return group.code;
    }
  }
  return Code::kUnknown;
}

Status FileError(int error, std::string_view path, std::string_view asked) {
  return Status(
      CodeOfErrno(error),
      Format("{}; {} ({}{})", path, std::generic_category().message(error),
             asked, Cure(error, path)));
}

Status CheckPath(std::string_view path) {
  const size_t nul = path.find('\0');
  if (nul == path.npos) return OkStatus();
  return InvalidArgument(
      "{}; a path is expected, but there is a NUL after these {} bytes of {}: "
      "take it out",
      path.substr(0, nul), nul, path.size());
}

}  // namespace gk::io
