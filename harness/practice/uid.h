#pragma once
// What names a row of the history, and a text in it.

#include <string>

namespace kata {

/// 32 random hexadecimal digits: the same row has the same name on every machine.
std::string new_uid();

/// Of a candidate's text, as `attempts.text_hash` holds it.
std::string hash_of(const std::string& text);

}  // namespace kata
