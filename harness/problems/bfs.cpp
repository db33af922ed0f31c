// bfs: distance[v] = the least number of edges between source and v in an undirected graph, or -1
// if no path joins them. The graph is in CSR form: row_start has vertices + 1 elements, and col has
// one entry for each direction of an edge.
#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <limits>
#include <utility>

#include "problems/spec/problem.h"

namespace kata::problem::bfs {

Dims row_starts(const Shape& shape) {
  return {std::int64_t{shape[0]} + 1};
}

/// vertices, edges, source
Shape nearest(Shape shape) {
  shape[0] = std::max(shape[0], 1);
  shape[1] = std::max(shape[1], 0);
  shape[2] = std::clamp(shape[2], 0, shape[0] - 1);
  return shape;
}

/// Edges of one form between ranks, which Labels turns into vertices.
struct Graph {
  std::uint64_t vertices;
  std::uint64_t pairs;  ///< edges; each is an entry in two rows

  std::uint64_t drawn(std::uint64_t first, std::uint64_t count, std::uint64_t i,
                      const Random& random) const {
    return first + random.below(i, std::max<std::uint64_t>(count, 1));
  }
};

using Edge = std::pair<std::uint64_t, std::uint64_t>;

/// Ranks follow a power law: rank r has a share of the ends in proportion to r^(-2/3). A quarter of
/// the vertices has no edge.
Edge power_law(const Graph& graph, std::uint64_t i, const Random& random) {
  const double ranks = 0.75 * static_cast<double>(graph.vertices);
  const auto end = [&](std::uint64_t k) {
    const double u = random.uniform(k);
    return static_cast<std::uint64_t>(ranks * u * u * u);
  };
  return {end(2 * i), end(2 * i + 1)};
}

Edge uniform(const Graph& graph, std::uint64_t i, const Random& random) {
  return {graph.drawn(0, graph.vertices, 2 * i, random),
          graph.drawn(0, graph.vertices, 2 * i + 1, random)};
}

/// Twelve layers, each joined to the next one: many vertices find the same one at the same time.
Edge layers(const Graph& graph, std::uint64_t i, const Random& random) {
  constexpr std::uint64_t count = 12;
  const std::uint64_t layer = random.below(3 * i, count - 1);
  const auto begin = [&](std::uint64_t k) { return k * graph.vertices / count; };
  const auto in_layer = [&](std::uint64_t k, std::uint64_t at) {
    return graph.drawn(begin(k), begin(k + 1) - begin(k), at, random);
  };
  return {in_layer(layer, 3 * i + 1), in_layer(layer + 1, 3 * i + 2)};
}

/// All edges meet in rank 0.
Edge star(const Graph& graph, std::uint64_t i, const Random&) {
  return {0, (i + 1) % graph.vertices};
}

Edge binary_tree(const Graph& graph, std::uint64_t i, const Random&) {
  const std::uint64_t child = (i + 1) % graph.vertices;
  return {child, child == 0 ? 0 : (child - 1) / 2};
}

/// No edge joins the first third of the ranks with the others.
Edge two_parts(const Graph& graph, std::uint64_t i, const Random& random) {
  const std::uint64_t third = graph.vertices / 3;
  const bool is_first = i % 4 == 0 && third > 0;
  const std::uint64_t first = is_first ? 0 : third;
  const std::uint64_t count = is_first ? third : graph.vertices - third;
  return {graph.drawn(first, count, 2 * i, random), graph.drawn(first, count, 2 * i + 1, random)};
}

/// A path of up to 40 ranks that hangs on a random graph: small levels after large ones.
Edge tail(const Graph& graph, std::uint64_t i, const Random& random) {
  const std::uint64_t length = std::min<std::uint64_t>({40, graph.vertices / 2, graph.pairs / 2});
  if (i < length) return {graph.vertices - 1 - i, graph.vertices - 2 - i};
  const std::uint64_t others = graph.vertices - length;
  return {graph.drawn(0, others, 2 * i, random), graph.drawn(0, others, 2 * i + 1, random)};
}

/// No edge reaches the last rank.
Edge all_but_one(const Graph& graph, std::uint64_t i, const Random& random) {
  const std::uint64_t others = graph.vertices - 1;
  return {graph.drawn(0, others, 2 * i, random), graph.drawn(0, others, 2 * i + 1, random)};
}

Edge path(const Graph&, std::uint64_t i, const Random&) {
  return {i, i + 1};
}

std::uint64_t side_of(std::uint64_t vertices) {
  return static_cast<std::uint64_t>(std::lround(std::sqrt(static_cast<double>(vertices))));
}

/// A square grid: first the edges within rows, then those within columns.
Edge grid(const Graph& graph, std::uint64_t i, const Random&) {
  const std::uint64_t side = side_of(graph.vertices), in_rows = side * (side - 1);
  if (i >= in_rows) return {i - in_rows, i - in_rows + side};
  const std::uint64_t vertex = i / (side - 1) * side + i % (side - 1);
  return {vertex, vertex + 1};
}

/// A form, and whether ranks are vertices.
struct Form {
  Edge (*edge)(const Graph&, std::uint64_t i, const Random&);
  bool keeps_order = false;
};

/// The number of entries chooses the form, so that `--size` can ask for each: a path of an even
/// number of vertices and a square grid have their own, and for any other number the remainder of
/// edges / 8 decides. Only paths and grids have many levels.
Form form_of(const Shape& shape) {
  constexpr std::array forms{power_law,   uniform,   layers, star,
                             binary_tree, two_parts, tail,   all_but_one};
  const std::int64_t vertices = shape[0], edges = shape[1];
  if (vertices % 2 == 0 && edges == 2 * (vertices - 1)) return {path, true};
  const auto side = static_cast<std::int64_t>(side_of(static_cast<std::uint64_t>(vertices)));
  if (side > 1 && side * side == vertices && edges == 4 * side * (side - 1)) return {grid, true};
  return {forms[static_cast<std::size_t>(edges) % forms.size()]};
}

/// Which vertex has which rank: a random order in which `source` has the rank `first`.
class Labels {
 public:
  Labels(std::uint64_t vertices, std::uint64_t source, std::uint64_t first, bool keeps_order)
      : vertices_(vertices), source_(source), first_(first), keeps_order_(keeps_order) {
    for (const std::uint64_t prime : {2654435761u, 1000000007u})
      if (vertices % prime != 0) factor_ = prime % vertices;
  }
  std::uint64_t operator()(std::uint64_t rank) const {
    if (keeps_order_) return rank;
    return ((rank + vertices_ - first_) % vertices_ * factor_ + source_) % vertices_;
  }

 private:
  std::uint64_t vertices_, source_, first_, factor_ = 1;
  bool keeps_order_;
};

/// The rank of the source: the last one where it has no edge, else one with edges if there are any.
std::uint64_t rank_of_source(const Graph& graph, const Form& form, const Random& random) {
  if (form.edge == all_but_one) return graph.vertices - 1;
  if (graph.pairs == 0) return 0;
  const Edge edge = form.edge(graph, random.below(0, graph.pairs), random);
  return random.below(1, 2) == 0 ? edge.first : edge.second;
}

/// Puts each edge into the rows of both of its ends.
template <class Visit>
void for_each_entry(const Shape& shape, const Random& random, Visit visit) {
  const Graph graph{static_cast<std::uint64_t>(shape[0]), static_cast<std::uint64_t>(shape[1]) / 2};
  if (graph.vertices == 1) {
    for (int i = 0; i < shape[1]; ++i) visit(0, 0);
    return;
  }
  const Form form = form_of(shape);
  const std::uint64_t first = rank_of_source(graph, form, random);
  const Labels labels(graph.vertices, static_cast<std::uint64_t>(shape[2]), first,
                      form.keeps_order);
  for (std::uint64_t i = 0; i < graph.pairs; ++i) {
    const Edge edge = form.edge(graph, i, random);
    const auto a = static_cast<int>(labels(edge.first)), b = static_cast<int>(labels(edge.second));
    visit(a, b);
    visit(b, a);
  }
  const int loop = shape[2];
  if (shape[1] % 2 == 1) visit(loop, loop);
}

/// Row starts from the number of entries in each row, which row_start[row + 1] holds.
void add_up(std::span<int> row_start) {
  for (std::size_t i = 1; i < row_start.size(); ++i) row_start[i] += row_start[i - 1];
}

// The rows are filled in any order. Going through them in order, and putting each row into those of
// its entries, sorts them: a symmetric matrix is its own transpose.
void arrange(Inputs& inputs, const Case& one_case, const Random& random) {
  const std::span<int> row_start = inputs[0].as<int>();
  const std::span<int> col = inputs[1].as<int>();
  std::ranges::fill(row_start, 0);
  for_each_entry(one_case.shape, random, [&](int row, int) { ++row_start[row + 1]; });
  add_up(row_start);
  std::vector<int> next(row_start.begin(), row_start.end() - 1);
  std::vector<int> unsorted(col.size());
  for_each_entry(one_case.shape, random,
                 [&](int row, int column) { unsorted[next[row]++] = column; });
  next.assign(row_start.begin(), row_start.end() - 1);
  for (std::size_t row = 0; row + 1 < row_start.size(); ++row) {
    for (int i = row_start[row]; i < row_start[row + 1]; ++i) {
      col[next[unsorted[i]]++] = static_cast<int>(row);
    }
  }
}

/// What varies between the operator and what is taken for it.
struct Rule {
  int source = -1;        ///< where the search begins; -1: at `source`
  int at_source = 0;      ///< the distance there
  int unreached = -1;     ///< the distance of what no path reaches
  bool is_short = false;  ///< the last level is not stored
};

Outputs search(const Inputs& inputs, const Case& one_case, const Rule& rule) {
  const std::span<const int> row_start = inputs[0].as<int>();
  const std::span<const int> col = inputs[1].as<int>();
  const int source = rule.source < 0 ? one_case.shape[2] : rule.source;
  std::vector<int> level(row_start.size() - 1, -1);
  std::vector<int> queue{source};
  level[source] = 0;
  for (std::size_t head = 0; head < queue.size(); ++head) {
    const int vertex = queue[head];
    for (int i = row_start[vertex]; i < row_start[vertex + 1]; ++i) {
      if (level[col[i]] >= 0) continue;
      level[col[i]] = level[vertex] + 1;
      queue.push_back(col[i]);
    }
  }
  const int last = level[queue.back()] + (rule.is_short ? 0 : 1);
  Expected distance;
  for (const int found : level)
    distance.value.push_back(found < 0 || found >= last ? rule.unreached : found + rule.at_source);
  return {distance};
}

Outputs reference(const Inputs& inputs, const Case& one_case) {
  return search(inputs, one_case, {});
}

Mistake mistake(std::string what, const Rule& rule) {
  return {std::move(what), [rule](const Inputs& inputs, const Case& one_case) {
            return search(inputs, one_case, rule);
          }};
}

const std::vector<Mistake> mistakes{
    mistake("if the distance of the source were 1", {.at_source = 1}),
    mistake("with INT_MAX where no path leads", {.unreached = std::numeric_limits<int>::max()}),
    mistake("with 0 where no path leads", {.unreached = 0}),
    mistake("from vertex 0, not from source", {.source = 0}),
    mistake("if the search ended one level early", {.is_short = true}),
};

// The whole graph is read once. A search that looks for parents stops at the first one that it
// finds in a row, and may read less.
Cost cost(const Shape& shape) {
  const double vertices = shape[0], edges = shape[1];
  return {
      .bytes_read = 4 * (edges + vertices + 1), .bytes_written = 4 * vertices, .operations = edges};
}

// Sizes: one vertex without and with loops; no edges at all; a path from one end, and one from the
// middle; a grid; each of the eight forms; one less and one more than a multiple of 32 vertices.
REGISTER_PROBLEM({
    .name = "bfs",
    .summary = "breadth-first search: distances from one vertex of a graph",
    .frequency = "medium",
    .difficulty = "hard",
    .selects = true,
    .signature = signature(input<int>("row_start", row_starts), input<int>("col", dims<1>),
                           output<int>("distance", dims<0>), integer("vertices", 1, 1 << 24),
                           integer("edges", 0, 1 << 28), integer("source", 0, (1 << 24) - 1)),
    .limits = {"0 <= source < vertices", nearest},
    .cases = {{{1, 0, 0}},
              {{1, 3, 0}},
              {{33, 0, 17}},
              {{32, 64, 31}},
              {{300, 598, 0}},
              {{90, 178, 45}},
              {{289, 1088, 144}},
              {{1025, 6000, 700}},
              {{511, 9001, 0}},
              {{600, 14002, 599}},
              {{700, 1403, 5}},
              {{257, 516, 100}},
              {{321, 2005, 320}},
              {{993, 5998, 64}},
              {{63, 4095, 62}}},
    .large_cases = {{{40000, 1200000, 77}},
                    {{66000, 264002, 65999}},
                    {{1 << 17, (1 << 19) + 6, 3}},
                    {{300001, 600003, 11}},
                    {{1 << 18, (1 << 21) + 4, 1}}},
    .bench_shapes = {{1 << 20, 1 << 25, 1},
                     {1 << 20, (1 << 24) + 1, 1},
                     {1 << 20, 4 * 1024 * 1023, 0},
                     {1 << 16, 2 * ((1 << 16) - 1), 0}},
    .drawn_values = {Values::normal, Values::normal, Values::normal},
    .arrange = arrange,
    .reference = reference,
    .cost = cost,
    .mistakes = mistakes,
});

}  // namespace kata::problem::bfs
