// nms: which boxes greedy non-maximum suppression keeps; boxes [n, 4] come by descending score
#include <algorithm>
#include <cmath>

#include "problems/spec/problem.h"

namespace kata::problem::nms {

// Coordinates are whole multiples of a unit (1, or 1/8 in some cases), sides at most 511
// units, thresholds multiples of 1/16. So areas, unions and threshold * union are exact in float,
// and every right formula decides alike: inter / union is exact at a tie, and elsewhere at least
// 2^-23 from the threshold, which is more than the rounding of a quotient.

struct Box {
  int x, y, width, height;
};

/// Cells in a square around the origin, or in the corner of the lowest coordinates.
struct Lattice {
  int across, pitch, corner;

  Lattice(int cells, int most_pitch, bool all_negative = false) {
    across = static_cast<int>(std::ceil(std::sqrt(cells)));
    pitch = std::min(most_pitch, (all_negative ? 3800 : 7800) / across);
    corner = all_negative ? -4096 : -across * pitch / 2;
  }
  Box in_cell(int cell, int width, int height) const {
    return {corner + cell % across * pitch, corner + cell / across * pitch, width, height};
  }
};

/// What a case's boxes follow from.
struct Drawn {
  int n;
  Values values;
  double threshold;
  Random random;

  int below(int i, int n_th, int most) const {
    return static_cast<int>(
        random.stream(static_cast<std::uint64_t>(i))
            .below(static_cast<std::uint64_t>(n_th), static_cast<std::uint64_t>(most)));
  }
};

// Eight boxes for each object, each edge moved by up to a quarter of the side: about a third stays.
Box around_objects(int i, const Drawn& drawn) {
  const int objects = (drawn.n + 7) / 8;
  const Lattice lattice(objects, 300, drawn.values == Values::all_negative);
  const int object = i == 0 ? 0 : drawn.below(i, 0, objects);
  const int side = lattice.pitch * (50 + drawn.below(~object, 0, 30)) / 100;
  const auto moved = [&](int k) { return drawn.below(i, k, side / 2 + 1) - side / 4; };
  Box box = lattice.in_cell(object, side + moved(1), side + moved(2));
  box.x += moved(3) + side / 4;
  box.y += moved(4) + side / 4;
  return box;
}

// Each box overlaps the one before and the one after by more than half, and no other.
Box chain(int i) {
  constexpr int a_row = 4000;
  return {-4096 + i % a_row, -4096 + i / a_row * 8, 4, 6};
}

// Each box lies within the one before.
Box nested(int i, const Drawn& drawn) {
  constexpr int depth = 170;
  const Lattice lattice((drawn.n + depth - 1) / depth, 500);
  const int inward = i % depth, side = 510 - 2 * inward;
  Box box = lattice.in_cell(i / depth, side, side);
  box.x += inward;
  box.y += inward;
  return box;
}

// Four boxes in a cell, of which two have exactly the threshold's overlap with the first, and one
// more. Boxes of a cell are far from each other in the order.
Box ties(int i, const Drawn& drawn) {
  const int cells = (drawn.n + 3) / 4, cell = i % cells;
  const int sixteenths = static_cast<int>(std::lround(16 * drawn.threshold));
  const Lattice lattice(cells, 260);
  const int a = 1 + drawn.below(cell, 0, lattice.pitch / 17);
  const int b = 1 + drawn.below(cell, 1, lattice.pitch / 17);
  Box box = lattice.in_cell(cell, 16 * a, 16 * b);
  switch (i / cells) {
    case 1:
      box.width = std::max(sixteenths, 1) * a;
      if (sixteenths == 0) box.x += 16 * a;  // touches
      break;
    case 2:
      box.width = std::min(sixteenths + 1, 16) * a;
      break;
    case 3:
      box.height = sixteenths * b;
      break;
  }
  return box;
}

// Four coordinates make all: boxes that touch, contain or equal each other, and areas of 0.
Box degenerate(int i, const Drawn& drawn) {
  constexpr int places[] = {-5, 0, 2, 9};
  int edges[4];
  for (int k = 0; k < 4; ++k) edges[k] = places[drawn.below(i, k, 4)];
  return {std::min(edges[0], edges[1]), std::min(edges[2], edges[3]), std::abs(edges[0] - edges[1]),
          std::abs(edges[2] - edges[3])};
}

// Small boxes that do not meet, with gaps as small as the boxes. `outliers`: large ones among them,
// which overlap many of them a little.
Box apart(int i, const Drawn& drawn) {
  const bool is_large = drawn.values == Values::outliers && i % 64 == 37;
  const int side = is_large ? 10 + drawn.below(i, 0, 90) : 1 + drawn.below(i, 0, 2);
  return Lattice(drawn.n, 4).in_cell(i, side, side);
}

// Objects in the corners of the range, which some boxes touch: coordinates at both of its ends.
Box in_corners(int i, const Drawn& drawn) {
  constexpr int end = 8 * 4096, touching = 8;
  const auto place = [&](int k, int side) {
    const int inward = i < touching ? 0 : drawn.below(i, k, 1500);
    return drawn.below(i, k + 1, 2) == 0 ? -end + inward : end - side - inward;
  };
  const int width = 300 + drawn.below(i, 0, 200), height = 300 + drawn.below(i, 1, 200);
  return {place(2, width), place(4, height), width, height};
}

Box box_of(int i, const Drawn& drawn) {
  switch (drawn.values) {
    case Values::large_magnitude:
      return in_corners(i, drawn);
    case Values::constant:
      return around_objects(0, drawn);
    case Values::skewed:
      return around_objects(drawn.below(i, 9, 8) == 0 ? i : 0, drawn);
    case Values::sorted:
      return chain(i);
    case Values::descending:
      return nested(i, drawn);
    case Values::whole_numbers:
      return ties(i, drawn);
    case Values::few_distinct:
      return degenerate(i, drawn);
    case Values::outliers:
      return apart(i, drawn);
    case Values::largest_last:  // the last box is the first one again
      return apart(i == drawn.n - 1 ? 0 : i, drawn);
    default:
      return around_objects(i, drawn);
  }
}

void draw_boxes(Array& boxes, const Case& one_case, const Random& random) {
  const Drawn drawn{static_cast<int>(boxes.size() / 4), one_case.values, one_case.reals[0], random};
  const bool has_fractions =
      one_case.values == Values::positive || one_case.values == Values::large_magnitude;
  const float unit = has_fractions ? 0.125f : 1.0f;
  const std::span<float> edges = boxes.as<float>();
  for (int i = 0; i < drawn.n; ++i) {
    const Box box = box_of(i, drawn);
    const int corners[] = {box.x, box.y, box.x + box.width, box.y + box.height};
    for (int k = 0; k < 4; ++k) edges[4 * i + k] = unit * static_cast<float>(corners[k]);
  }
}

Dims corners(const Shape& shape) {
  return {shape[0], 4};
}

struct Corners {
  double x1, y1, x2, y2;

  double area() const { return (x2 - x1) * (y2 - y1); }
};

/// Of two boxes; negative where they are apart.
struct Extent {
  Extent(const Corners& a, const Corners& b)
      : width(std::min(a.x2, b.x2) - std::max(a.x1, b.x1)),
        height(std::min(a.y2, b.y2) - std::max(a.y1, b.y1)) {}

  double width, height;
};

/// suppresses(a, b): whether box a, if it is kept, removes the later box b.
template <class Suppresses>
Outputs greedy(const Inputs& inputs, const Suppresses& suppresses, bool removed_ones_suppress) {
  const std::span<const float> edges = inputs[0].as<float>();
  Expected keep;
  std::vector<Corners> suppressors;
  for (std::size_t i = 0; i < edges.size(); i += 4) {
    const Corners box{edges[i], edges[i + 1], edges[i + 2], edges[i + 3]};
    const bool is_kept = std::ranges::none_of(
        suppressors, [&](const Corners& before) { return suppresses(before, box); });
    keep.value.push_back(is_kept);
    if (is_kept || removed_ones_suppress) suppressors.push_back(box);
  }
  return {keep};
}

/// a suppresses b where they overlap by more than that share of their union.
auto beyond(double threshold) {
  return [threshold](const Corners& a, const Corners& b) {
    const Extent extent(a, b);
    if (extent.width <= 0 || extent.height <= 0) return false;
    const double inter = extent.width * extent.height;
    return inter > threshold * (a.area() + b.area() - inter);
  };
}

Outputs reference(const Inputs& inputs, const Case& one_case) {
  return greedy(inputs, beyond(one_case.reals[0]), false);
}

/// Another test of two boxes: overlap(a, b, threshold).
auto instead(bool (*overlap)(const Corners& a, const Corners& b, double threshold)) {
  return [overlap](const Inputs& inputs, const Case& one_case) {
    const double threshold = one_case.reals[0];
    return greedy(
        inputs, [=](const Corners& a, const Corners& b) { return overlap(a, b, threshold); },
        false);
  };
}

double inter_of(const Corners& a, const Corners& b) {
  const Extent extent(a, b);
  return std::max(extent.width, 0.0) * std::max(extent.height, 0.0);
}

bool at_least(const Corners& a, const Corners& b, double threshold) {
  const double inter = inter_of(a, b);
  const double all = a.area() + b.area() - inter;
  return all > 0 && inter >= threshold * all;
}

bool of_pixels(const Corners& a, const Corners& b, double threshold) {
  const auto wider = [](const Corners& box) {
    return Corners{box.x1, box.y1, box.x2 + 1, box.y2 + 1};
  };
  return beyond(threshold)(wider(a), wider(b));
}

bool of_both_areas(const Corners& a, const Corners& b, double threshold) {
  return inter_of(a, b) > threshold * (a.area() + b.area());
}

bool of_the_smaller(const Corners& a, const Corners& b, double threshold) {
  return inter_of(a, b) > threshold * std::min(a.area(), b.area());
}

bool not_clamped(const Corners& a, const Corners& b, double threshold) {
  const Extent extent(a, b);
  const double inter = extent.width * extent.height;
  return inter > threshold * (a.area() + b.area() - inter);
}

bool of_sizes(const Corners& a, const Corners& b, double threshold) {
  const auto moved = [](const Corners& box) {
    return Corners{box.x1, box.y1, box.x1 + box.x2, box.y1 + box.y2};
  };
  const double inter = inter_of(moved(a), moved(b));
  return inter / (moved(a).area() + moved(b).area() - inter) > threshold;
}

const std::vector<Mistake> mistakes{
    {"if removed boxes removed others, too",
     [](const Inputs& inputs, const Case& one_case) {
       return greedy(inputs, beyond(one_case.reals[0]), true);
     }},
    {"if an overlap of exactly the threshold removed a box (>= instead of >)", instead(at_least)},
    {"if negative widths and heights of an overlap were not replaced by 0", instead(not_clamped)},
    {"if widths and heights were x2 - x1 + 1 and y2 - y1 + 1", instead(of_pixels)},
    {"if the overlap were not subtracted from the sum of both areas", instead(of_both_areas)},
    {"if the overlap were compared with the smaller area, not with the union",
     instead(of_the_smaller)},
    {"if boxes were x, y, width, height", instead(of_sizes)},
};

// Each pair of boxes once: the extents of the overlap (six), its area and the union (four). A
// kernel needs only the pairs with a kept box, and the chain of decisions takes longer than all of
// them.
Cost cost(const Shape& shape) {
  const double n = shape[0];
  return {.bytes_read = 16 * n, .bytes_written = 4 * n, .operations = 5 * n * n};
}

// Sizes: next to warps of 32, to words of 64 bits and to tiles of 128 and 1024. The values choose
// the boxes' layout (box_of); `uniform`, which is timed, is that of `normal`.
REGISTER_PROBLEM({
    .name = "nms",
    .summary = "non-maximum suppression of boxes",
    .frequency = "medium",
    .difficulty = "hard",
    .selects = true,
    .signature = signature(input<float>("boxes", corners, draw_boxes), output<int>("keep", dims<0>),
                           integer("n", 1, 1 << 16), real("threshold", 0.5f)),
    .cases = {{{1}},
              {{2}, Values::constant},
              {{31}, Values::few_distinct, {0.0f}},
              {{33}, Values::sorted},
              {{63}, Values::whole_numbers, {0.25f}},
              {{65}, Values::largest_last},
              {{127}, Values::skewed, {0.3125f}},
              {{129}, Values::positive},
              {{130}, Values::whole_numbers, {1.0f}},
              {{191}, Values::whole_numbers, {0.0f}},
              {{192}, Values::descending, {0.625f}},
              // No power of 2: inter * (1 / union) may round a tie up.
              {{255}, Values::whole_numbers, {0.6875f}},
              {{256}, Values::large_magnitude},
              {{257}, Values::few_distinct},
              {{320}, Values::outliers},
              {{513}, Values::sorted, {0.4375f}},
              {{520}, Values::whole_numbers},
              {{600}, Values::all_negative},
              {{1025}, Values::normal, {0.375f}}},
    .large_cases = {{{4097}, Values::sorted},
                    {{20001}, Values::outliers},
                    {{40003}, Values::positive},
                    {{65536}}},
    .bench_shapes = {{16384}, {4096}, {65536}},
    .drawn_values = {Values::normal, Values::sorted, Values::outliers},
    .reference = reference,
    .cost = cost,
    .mistakes = mistakes,
});

}  // namespace kata::problem::nms
