// rgb_to_gray: gray[i] = (77 r + 150 g + 29 b + 128) >> 8 for each pixel
#include "problems/spec/problem.h"

namespace kata::problem::rgb_to_gray {

Dims three_per_pixel(const Shape& shape) {
  return {shape[1], shape[0], 3};
}

// Where the image has room for each of the 2^24 colours, each occurs: a complete test.
void every_colour(Inputs& inputs, const Case&, const Random&) {
  const std::span<unsigned char> rgb = inputs[0].as<unsigned char>();
  constexpr std::size_t colours = 1 << 24;
  if (rgb.size() < 3 * colours) return;
  for (std::size_t colour = 0; colour < colours; ++colour) {
    rgb[3 * colour] = static_cast<unsigned char>(colour >> 16);
    rgb[3 * colour + 1] = static_cast<unsigned char>(colour >> 8);
    rgb[3 * colour + 2] = static_cast<unsigned char>(colour);
  }
}

// Integer arithmetic: exact.
Outputs reference(const Inputs& inputs, const Case&) {
  const std::span<const unsigned char> rgb = inputs[0].as<unsigned char>();
  Expected gray{.value = std::vector<double>(rgb.size() / 3)};
  for (std::size_t i = 0; i < gray.value.size(); ++i) {
    gray.value[i] = (77 * rgb[3 * i] + 150 * rgb[3 * i + 1] + 29 * rgb[3 * i + 2] + 128) >> 8;
  }
  return {gray};
}

Cost cost(const Shape& shape) {
  const double pixels = 1.0 * shape[0] * shape[1];
  return {.bytes_read = 3 * pixels, .bytes_written = pixels, .operations = 6 * pixels};
}

REGISTER_PROBLEM({
    .name = "rgb_to_gray",
    .summary = "an RGB image to gray",
    .frequency = "medium",
    .difficulty = "easy",
    .signature = signature(input<unsigned char>("rgb", three_per_pixel),
                           output<unsigned char>("gray", dims<1, 0>), integer("width", 1, 30000),
                           integer("height", 1, 2200000)),
    .most_elements = std::int64_t{1} << 32,
    .cases = {{{1, 1}},
              {{101, 37}},
              {{3, 1}},
              {{13, 5}},
              {{1, 7}},
              {{128, 64}},    // no rest after whole blocks
              {{1, 70001}}},  // more rows than gridDim.y may have
    // Every colour; 3 * i exceeds an int; more rows than 65535 blocks of 32.
    .large_cases = {{{4096, 4096}}, {{30000, 24000}}, {{1, 2200000}}},
    .bench_shapes = {{4096, 4096}, {8192, 8192}, {1024, 1024}, {8191, 8193}},
    .drawn_values = {Values::uniform, Values::skewed, Values::few_distinct},
    .arrange = every_colour,
    .reference = reference,
    .cost = cost,
});

}  // namespace kata::problem::rgb_to_gray
