// Parts of local files as memory of tensors, without a copy at first.
//
// At first it is the system's own copy of the file, so nobody may change the
// file: a read lease (fcntl(2), F_SETLEASE) makes whoever opens it for writing,
// or cuts it, wait. Once nothing more is mapped, or somebody waits, a thread
// puts copies in place of the file's pages and gives the lease back. Until then
// buffers are not exclusive: nobody writes to them. fork() waits for the
// copies: a child has no lease.
//
// Linux, where a file's owner may ask (docs/decisions/mapped_weights.md).
// Thread-safe.
#ifndef GK_IO_LEASED_PAGES_H_
#define GK_IO_LEASED_PAGES_H_

#include <cstddef>
#include <cstdint>

#include "framework/allocator.h"
#include "io/descriptor.h"

namespace gk::io {

// `size` bytes at `offset`. Null where they cannot be had so, and are to be
// read: short ones; no multiple of kAlignment; another user's file, or one that
// is open for writing; more than is copied before the system takes a lease
// away; a system or file system without leases; no memory for the copies.
Ref<Buffer> MapLeased(const Descriptor& file, uint64_t offset, size_t size);

// Has the system find the pages that these bytes lie in, so that looking at
// them is no system call each. False if one cannot be read.
bool FindPages(const void* bytes, size_t size);

// Makes all copies now.
void CopyLeasedPages();
// How many bytes have none yet.
int64_t LeasedBytes();

}  // namespace gk::io

#endif  // GK_IO_LEASED_PAGES_H_
