// paged_attention: decode_attention through a page table. q and out are [batch, heads, dim], the
// caches [pages, page_size, kv_heads, dim], page_table [batch, max_pages]. Key j of sequence s is
// in slot j % page_size of page page_table[s][j / page_size]; the sequence has lengths[s] keys.
// Head h uses kv head h / (heads / kv_heads).
#include <algorithm>
#include <cstdint>
#include <limits>
#include <numeric>

#include "problems/spec/attention_scores.h"
#include "problems/spec/problem.h"
#include "problems/tolerance/attention_row.h"

namespace kata::problem::paged_attention {

struct Sizes {
  explicit Sizes(const Shape& s)
      : batch(s[0]),
        heads(s[1]),
        kv_heads(s[2]),
        dim(s[3]),
        page_size(s[4]),
        max_pages(s[5]),
        pages(s[6]) {}

  std::size_t group() const { return heads / kv_heads; }
  std::size_t slot_elements() const { return kv_heads * dim; }
  std::size_t pages_of(std::size_t length) const { return (length + page_size - 1) / page_size; }

  std::size_t batch, heads, kv_heads, dim, page_size, max_pages, pages;
};

enum : std::size_t { q_input, k_input, v_input, table_input, lengths_input };

Dims cache(const Shape& shape) {
  return {shape[6], shape[4], shape[2], shape[3]};
}

// One key, all that fit, whole pages, one key less, one more, and any number, in random order; of
// two sequences one has all keys and the other only one. `uniform`, which is timed, has sequences
// of full length.
void draw_lengths(Array& array, const Case& one_case, const Random& random) {
  const int page = one_case.shape[4], most = page * one_case.shape[5];
  const std::span<int> lengths = array.as<int>();
  for (std::size_t s = 0; s < lengths.size(); ++s) {
    const Random own = random.stream(s);
    const int whole = page * static_cast<int>(1 + own.below(0, most / page));
    const int any = static_cast<int>(1 + own.below(1, most));
    const int kinds[] = {1, most, whole, whole - 1, whole + 1, any};
    const int length = one_case.values == Values::uniform ? most : kinds[own.below(2, 6)];
    lengths[s] = std::clamp(length, 1, most);
  }
  if (one_case.values == Values::uniform) return;
  lengths[random.below(0, lengths.size())] = most;
  if (lengths.size() > 1 && lengths[0] == most) lengths.back() = 1;
}

// Which page is where: in order, reversed, or shuffled. Where there are fewer pages than the
// sequences need, they are shared from the first one on. Every third sequence begins with the pages
// of the one before it, and with all of them if it is shorter: what its last page holds past its
// end are keys of the other.
void choose_pages(Inputs& inputs, const Sizes& s, Values values, const Random& random) {
  const std::span<int> table = inputs[table_input].as<int>();
  const std::span<const int> lengths = inputs[lengths_input].as<int>();
  std::vector<int> order(s.pages);
  std::iota(order.begin(), order.end(), 0);
  if (values == Values::descending) std::ranges::reverse(order);
  if (values != Values::descending && values != Values::sorted) {
    for (std::size_t i = order.size(); i > 1; --i)
      std::swap(order[i - 1], order[random.below(i, i)]);
  }
  std::size_t next = 0;
  for (std::size_t b = 0; b < s.batch; ++b) {
    const std::size_t used = s.pages_of(static_cast<std::size_t>(lengths[b]));
    const bool has_prefix = b % 3 == 2 && values != Values::uniform;
    const std::size_t before =
        has_prefix ? s.pages_of(static_cast<std::size_t>(lengths[b - 1])) : 0;
    const std::size_t shared = used < before ? used : before / 2;
    for (std::size_t p = 0; p < used; ++p) {
      table[b * s.max_pages + p] =
          p < shared ? table[(b - 1) * s.max_pages + p] : order[next++ % s.pages];
    }
  }
}

// The slots that are some sequence's keys.
std::vector<bool> slots_in_use(const Inputs& inputs, const Sizes& s) {
  std::vector<bool> in_use(s.pages * s.page_size);
  for (std::size_t b = 0; b < s.batch; ++b) {
    const auto length = static_cast<std::size_t>(inputs[lengths_input].as<int>()[b]);
    for (std::size_t j = 0; j < length; ++j) {
      const int page = inputs[table_input].as<int>()[b * s.max_pages + j / s.page_size];
      in_use[static_cast<std::size_t>(page) * s.page_size + j % s.page_size] = true;
    }
  }
  return in_use;
}

// All other slots hold NaN: in one page in both caches, in the next in the values alone, in the
// next in the keys alone, whose NaN a maximum drops. A table entry past the last page of a sequence
// is -1, a number far from any page, or the number of a page that nobody uses, if there is one.
void poison(Inputs& inputs, const Sizes& s) {
  const std::vector<bool> in_use = slots_in_use(inputs, s);
  const Half nan(std::numeric_limits<double>::quiet_NaN());
  int unused = 2147480000;
  for (std::size_t slot = 0; slot < in_use.size(); ++slot) {
    if (in_use[slot]) continue;
    const std::size_t page = slot / s.page_size, from = slot * s.slot_elements();
    if (slot % s.page_size == 0) unused = static_cast<int>(page);
    if (page % 3 != 1) std::fill_n(&inputs[k_input].as<Half>()[from], s.slot_elements(), nan);
    if (page % 3 != 2) std::fill_n(&inputs[v_input].as<Half>()[from], s.slot_elements(), nan);
  }
  const int stale[] = {-1, 2147480000, unused};
  for (std::size_t b = 0; b < s.batch; ++b) {
    const auto length = static_cast<std::size_t>(inputs[lengths_input].as<int>()[b]);
    for (std::size_t p = s.pages_of(length); p < s.max_pages; ++p) {
      inputs[table_input].as<int>()[b * s.max_pages + p] = stale[(b + p) % 3];
    }
  }
}

// The only key of a sequence of one is opposite to the query of the first head that uses it: the
// score is below any constant that stands for -infinity.
void oppose(Inputs& inputs, const Sizes& s) {
  const std::span<Half> q = inputs[q_input].as<Half>(), k = inputs[k_input].as<Half>();
  for (std::size_t b = 0; b < s.batch; ++b) {
    if (inputs[lengths_input].as<int>()[b] != 1) continue;
    const int page = inputs[table_input].as<int>()[b * s.max_pages];
    for (std::size_t g = 0; g < s.kv_heads; ++g) {
      const std::size_t key =
          (static_cast<std::size_t>(page) * s.page_size * s.kv_heads + g) * s.dim;
      const std::size_t query = (b * s.heads + g * s.group()) * s.dim;
      kata::oppose(q.subspan(query, s.dim), k.subspan(key, s.dim),
                   1 / std::sqrt(static_cast<double>(s.dim)), (b + g) % 2 == 0);
    }
  }
}

void set_levels(Inputs& inputs, const Sizes& s) {
  const std::span<Half> q = inputs[q_input].as<Half>(), k = inputs[k_input].as<Half>();
  const ScoresOnTwoLevels<Half> levels(s.dim, 1 / std::sqrt(static_cast<double>(s.dim)));
  levels.set_queries(q);
  levels.set_values(inputs[v_input].as<Half>());
  for (std::size_t b = 0; b < s.batch; ++b) {
    const auto length = static_cast<std::size_t>(inputs[lengths_input].as<int>()[b]);
    for (std::size_t j = 0; j < length; ++j) {
      const int page = inputs[table_input].as<int>()[b * s.max_pages + j / s.page_size];
      const std::size_t slot = static_cast<std::size_t>(page) * s.page_size + j % s.page_size;
      for (std::size_t g = 0; g < s.kv_heads; ++g)
        levels.set_key(k.subspan((slot * s.kv_heads + g) * s.dim, s.dim), j, length);
    }
  }
}

// `all_negative` is a matter of the scores: negative queries and positive keys. The queries are
// eight times as large then, so that exp of the scores without a maximum is 0.
void arrange(Inputs& inputs, const Case& one_case, const Random& random) {
  const Sizes s(one_case.shape);
  choose_pages(inputs, s, one_case.values, random);
  if (one_case.values == Values::large_magnitude) oppose(inputs, s);
  if (one_case.values == Values::two_levels) set_levels(inputs, s);
  if (one_case.values == Values::all_negative) {
    for (Half& q : inputs[q_input].as<Half>()) q = Half(8 * q);
    for (Half& k : inputs[k_input].as<Half>()) k = Half(-k);
  }
  poison(inputs, s);
}

/// What varies between the operator and what is taken for it.
struct Formula {
  bool heads_modulo = false;    ///< head h uses kv head h % kv_heads
  bool is_scaled = true;        ///< the scores, by 1 / sqrt(dim)
  bool one_length = false;      ///< all sequences have the length of the first
  bool whole_pages = false;     ///< the keys of a last page that is not full are left out
  bool kv_heads_first = false;  ///< a page is [kv_heads, page_size, dim]
  std::size_t left_out = 0;     ///< keys at the end of each sequence
};

/// The keys and values of a sequence for one kv head, one after the other.
struct Gathered {
  Gathered(const Inputs& inputs, const Sizes& s, const Formula& formula, std::size_t b,
           std::size_t kv_head) {
    count = static_cast<std::size_t>(inputs[lengths_input].as<int>()[formula.one_length ? 0 : b]);
    if (count > formula.left_out) count -= formula.left_out;
    if (formula.whole_pages && count > s.page_size) count -= count % s.page_size;
    for (std::size_t j = 0; j < count; ++j) {
      const int entry = inputs[table_input].as<int>()[b * s.max_pages + j / s.page_size];
      const std::size_t page = static_cast<std::size_t>(entry) % s.pages;  // stale for a mistake
      const std::size_t slot = j % s.page_size;
      const std::size_t row = formula.kv_heads_first
                                  ? (page * s.kv_heads + kv_head) * s.page_size + slot
                                  : (page * s.page_size + slot) * s.kv_heads + kv_head;
      const auto append = [&](std::vector<float>& to, std::size_t input) {
        const std::span<const Half> from = inputs[input].as<Half>().subspan(row * s.dim, s.dim);
        to.insert(to.end(), from.begin(), from.end());
      };
      append(keys, k_input);
      append(values, v_input);
    }
  }

  std::size_t count;
  std::vector<float> keys, values;
};

Outputs attention(const Inputs& inputs, const Case& one_case, const Formula& formula) {
  const Sizes s(one_case.shape);
  const std::vector<float> q = inputs[q_input].floats();
  Expected out{.value = std::vector<double>(q.size()), .tolerance = std::vector<double>(q.size())};
  for (std::size_t b = 0; b < s.batch; ++b) {
    for (std::size_t kv_head = 0; kv_head < s.kv_heads; ++kv_head) {
      const Gathered gathered(inputs, s, formula, b, kv_head);
      const KeysAndValues kv{gathered.keys.data(), gathered.values.data(), gathered.count, s.dim,
                             formula.is_scaled ? 0.0 : 1.0};
      for (std::size_t i = 0; i < s.group(); ++i) {
        const std::size_t head =
            formula.heads_modulo ? kv_head + i * s.kv_heads : kv_head * s.group() + i;
        const std::size_t at = (b * s.heads + head) * s.dim;
        attention_row(&q[at], s.dim, kv, WeightType::f16, &out.value[at], &out.tolerance[at]);
      }
    }
  }
  out.add_rounding(Type::f16);
  return {out};
}

Outputs reference(const Inputs& inputs, const Case& one_case) {
  return attention(inputs, one_case, {});
}

auto instead(const Formula& formula) {
  return [formula](const Inputs& inputs, const Case& one_case) {
    return attention(inputs, one_case, formula);
  };
}

Outputs pages_in_order(const Inputs& inputs, const Case& one_case) {
  Inputs in_order = inputs;
  std::span<int> table = in_order[table_input].as<int>();
  std::iota(table.begin(), table.end(), 0);
  return reference(in_order, one_case);
}

Outputs first_table_row(const Inputs& inputs, const Case& one_case) {
  const Sizes s(one_case.shape);
  Inputs repeated = inputs;
  const std::span<int> table = repeated[table_input].as<int>();
  for (std::size_t i = s.max_pages; i < table.size(); ++i) table[i] = table[i - s.max_pages];
  return reference(repeated, one_case);
}

const std::vector<Mistake> mistakes{
    {"if the scores were not divided by sqrt(dim)", instead({.is_scaled = false})},
    {"if head h used kv head h % kv_heads, not h / (heads / kv_heads)",
     instead({.heads_modulo = true})},
    {"if the keys in a last page that is not full were left out", instead({.whole_pages = true})},
    {"without the last key of each sequence", instead({.left_out = 1})},
    {"if all sequences had the length of the first", instead({.one_length = true})},
    {"if the pages of all sequences followed one another without a table", pages_in_order},
    {"if all sequences used the first row of the page table", first_table_row},
    {"if a page were [kv_heads, page_size, dim], not [page_size, kv_heads, dim]",
     instead({.kv_heads_first = true})},
};

// Sequences of full length. Each page in use is read once, 2 bytes for each key and value; pages
// that sequences share come from cache after that.
Cost cost(const Shape& shape) {
  const double batch = shape[0], heads = shape[1], dim = shape[3], page_size = shape[4];
  const double max_pages = shape[5], pages = std::min<double>(batch * max_pages, shape[6]);
  return {.bytes_read = 4 * pages * page_size * shape[2] * dim + 2 * batch * heads * dim +
                        4 * batch * (max_pages + 1),
          .bytes_written = 2 * batch * heads * dim,
          .operations = 4 * batch * heads * max_pages * page_size * dim,
          .unit = ArithmeticUnit::tensor_f16};
}

// At most 16 heads in a group.
Shape nearest(Shape shape) {
  for (int& size : shape) size = std::max(size, 1);
  const int group = std::min((shape[1] + shape[2] - 1) / shape[2], 16);
  return {shape[0], group * shape[2], shape[2], shape[3] <= 64 ? 64 : 128, shape[4] <= 16 ? 16 : 64,
          shape[5], shape[6]};
}

// Groups of 1 to 16 heads, both sizes of pages, pages in order, reversed and shuffled, and too few
// pages, so that sequences share them.
REGISTER_PROBLEM({
    .name = "paged_attention",
    .summary = "attention of one new token per sequence over a KV cache in pages",
    .frequency = "high",
    .difficulty = "hard",
    .signature = signature(input<Half>("q", dims<0, 1, 3>, draw::mild_outliers()),
                           input<Half>("k_cache", cache, draw::cached_keys()),
                           input<Half>("v_cache", cache, draw::cached_values()),
                           input<int>("page_table", dims<0, 5>, draw::below(6)),
                           input<int>("lengths", dims<0>, draw_lengths),
                           output<Half>("out", dims<0, 1, 3>), integer("batch", 1, 256),
                           integer("heads", 1, 128), integer("kv_heads", 1, 128),
                           integer("dim", 64, 128), integer("page_size", 16, 64),
                           integer("max_pages", 1, 8192), integer("pages", 1, 1 << 20)),
    .limits = {"kv_heads divides heads, at most 16 heads share a kv head, dim is 64 or 128, "
               "page_size is 16 or 64",
               nearest},
    .most_elements = std::int64_t{1} << 32,
    .cases = {{{1, 1, 1, 64, 16, 1, 1}},
              {{3, 4, 2, 128, 16, 5, 20}},
              {{2, 16, 2, 64, 64, 2, 5}},  // groups of 8
              {{5, 6, 2, 128, 16, 5, 24}, Values::large_magnitude},
              {{4, 5, 1, 128, 16, 8, 33}, Values::sorted},
              {{2, 6, 3, 64, 16, 17, 40}, Values::outliers},
              {{3, 16, 1, 64, 64, 2, 7}, Values::all_negative},
              {{2, 4, 1, 128, 16, 6, 12}, Values::two_levels},
              {{6, 3, 3, 64, 16, 6, 40}, Values::descending},
              {{6, 2, 1, 64, 16, 9, 60}, Values::constant},
              {{3, 2, 2, 64, 16, 34, 4}}},  // pages that several places share
    .large_cases = {{{5, 32, 8, 128, 16, 130, 500}},
                    {{2, 24, 8, 128, 16, 512, 1100}, Values::outliers},
                    {{70, 16, 2, 64, 16, 33, 2000}, Values::sorted},
                    {{1, 8, 8, 64, 64, 1100, 1100}}},
    .bench_shapes = {{8, 32, 8, 128, 16, 512, 4096},
                     {64, 32, 8, 128, 16, 512, 32768},
                     {8, 32, 8, 128, 64, 128, 1024},
                     {1, 32, 8, 128, 16, 512, 512}},
    .drawn_values = {Values::normal, Values::outliers, Values::all_negative},
    .fewer_parts = [](Shape shape) -> Shape {
      return {1 + shape[0] % 4, shape[1],          1 + shape[2] % 3, shape[3],
              shape[4],         1 + shape[5] % 12, shape[6]};
    },
    .arrange = arrange,
    .reference = reference,
    .cost = cost,
    .mistakes = mistakes,
});

}  // namespace kata::problem::paged_attention
