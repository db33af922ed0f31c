#pragma once

#include <doctest/doctest.h>

#include "timing/chip.h"

inline kata::Chip h200() {
  const kata::Result<kata::Chip> chip = kata::find_chip("h200");
  REQUIRE(chip);
  return *chip;
}
