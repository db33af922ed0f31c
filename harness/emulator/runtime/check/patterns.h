#pragma once
// The addresses of one request in words: what a person would see who drew them.

#include <cstdint>
#include <string>

#include "emulator/runtime/count/wavefronts.h"

namespace kata::emulator {

/// "lanes 0-31", "lane 5", "16 lanes".
std::string lanes_in_words(unsigned lanes);

/// "side by side", "with a stride of 512 bytes", "in rows of 8 lanes side by side, the rows 1024
/// bytes apart". `width` is what each lane asks for, in bytes.
std::string addresses_in_words(const Request& request, unsigned width);

/// Bytes from each lane to the next; 0 where that is not the same everywhere.
std::int64_t stride_of(const Request& request);

/// "lanes 0, 8, 16 and 24 want different words of bank 0"; empty where no bank is wanted twice.
std::string banks_in_words(const Request& request, unsigned width);

}  // namespace kata::emulator
