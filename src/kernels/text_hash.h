// Hashes of texts, equal to those of TensorFlow.
#ifndef GK_KERNELS_TEXT_HASH_H_
#define GK_KERNELS_TEXT_HASH_H_

#include <cstdint>
#include <string_view>

namespace gk {

// The same on every machine and for ever (FarmHash).
uint64_t TextFingerprint(std::string_view text);

// Of one fingerprint followed by another.
uint64_t JoinFingerprints(uint64_t first, uint64_t second);

// What tf.strings.to_hash_bucket spreads texts by.
uint64_t TextHash(std::string_view text);

// Whose collisions nobody finds who does not know the key (SipHash-2-4).
uint64_t KeyedTextHash(std::string_view text, uint64_t key0, uint64_t key1);

}  // namespace gk

#endif  // GK_KERNELS_TEXT_HASH_H_
