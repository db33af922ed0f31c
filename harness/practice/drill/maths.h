#pragma once
// "Maths": generated questions whose answer is a number. The truth comes from the code that kata
// uses elsewhere, or is counted in the emulator.

#include "practice/drill/item.h"

namespace kata::drill {

/// Of every family; for an operator those that are about it.
std::vector<Offer> maths_offers(const std::string& operator_name);

/// "sectors of a load" for "stride".
std::string words_of_family(const std::string& name);

Result<std::unique_ptr<Item>> make_maths(const Offer& offer);

/// What a question asks for; an answer in another unit is no answer.
enum class Unit { plain, percent, us, gb_per_s };

/// "1536", "2^24", "37.5 %", "1.2e9", "64k", "3 MB" (as 3e6), "2 KiB", "1.75 ms" (as 1750). Nothing
/// if it is no number, or in a unit that was not asked for.
std::optional<double> number_from(const std::string& text, Unit unit = Unit::plain);

}  // namespace kata::drill
