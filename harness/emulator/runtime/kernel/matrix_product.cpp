// The product of nvcuda::wmma's fragments.

#include <atomic>
#include <cstring>
#include <optional>

#include "emulator/runtime/check/access.h"
#include "emulator/runtime/kernel/narrow_floats.h"
#include "emulator/runtime/run/scheduler.h"

namespace kata::emulator {
namespace {

constexpr int most_elements = 512;  ///< of a matrix

struct Part : Collective {
  const MatrixProduct* product;
  bool layout_assumed = false;
};

template <class T>
T element_at(const void* elements, int i) {
  T value;
  std::memcpy(&value, static_cast<const T*>(elements) + i, sizeof value);
  return value;
}

double read(const void* elements, int i, MatrixElement type) {
  switch (type) {
    case MatrixElement::f16:
      return float_from_half(element_at<std::uint16_t>(elements, i));
    case MatrixElement::bf16:
      return float_from_bf16(element_at<std::uint16_t>(elements, i));
    case MatrixElement::tf32:
      return truncated_to_tf32(element_at<float>(elements, i));
    case MatrixElement::f32:
      return element_at<float>(elements, i);
    case MatrixElement::s8:
      return element_at<std::int8_t>(elements, i);
    case MatrixElement::u8:
      return element_at<std::uint8_t>(elements, i);
    default:
      return element_at<std::int32_t>(elements, i);
  }
}

void write(void* elements, int i, MatrixElement type, double value) {
  if (type == MatrixElement::f32) {
    static_cast<float*>(elements)[i] = static_cast<float>(value);
  } else if (type == MatrixElement::f16) {
    static_cast<std::uint16_t*>(elements)[i] = half_from_float(static_cast<float>(value));
  } else {
    static_cast<std::int32_t*>(elements)[i] = static_cast<std::int32_t>(value);
  }
}

/// Element i of a lane, as the headers place it.
int number_of(unsigned lane, int each, int i, int total) {
  return (static_cast<int>(lane ^ __kata_matrix_layout()) * each + i) % total;
}

/// An operand whose elements were set one by one is right on every device if all are equal.
bool assumes_layout(Collective* const lanes[32], int operand, int MatrixProduct::*each,
                    const void* MatrixProduct::*elements, MatrixElement MatrixProduct::*type) {
  std::optional<double> first;
  bool by_hand = false, differ = false;
  for (unsigned lane = 0; lane < 32; ++lane) {
    if (!lanes[lane]) continue;
    const MatrixProduct& mine = *static_cast<const Part*>(lanes[lane])->product;
    by_hand |= (mine.by_hand & operand) != 0;
    const int count = each ? mine.*each : mine.m * mine.n / 32;
    for (int i = 0; by_hand && i < count; ++i) {
      const double value = read(mine.*elements, i, mine.*type);
      differ |= value != first.value_or(value);
      first = value;
    }
  }
  return by_hand && differ;
}

void multiply(Collective* const lanes[32]) {
  static thread_local double a[most_elements], b[most_elements], sum[most_elements];
  using P = MatrixProduct;
  const bool assumed = assumes_layout(lanes, 1, &P::each_a, &P::a, &P::type_ab) ||
                       assumes_layout(lanes, 2, &P::each_b, &P::b, &P::type_ab) ||
                       assumes_layout(lanes, 4, nullptr, &P::c, &P::type_c);
  for (unsigned lane = 0; assumed && lane < 32; ++lane) {
    if (lanes[lane]) static_cast<Part*>(lanes[lane])->layout_assumed = true;
  }
  const MatrixProduct* any = nullptr;
  for (unsigned lane = 0; lane < 32; ++lane) {
    if (!lanes[lane]) continue;
    const MatrixProduct& mine = *static_cast<const Part*>(lanes[lane])->product;
    any = &mine;
    for (int i = 0; i < mine.each_a; ++i)
      a[number_of(lane, mine.each_a, i, mine.m * mine.k)] = read(mine.a, i, mine.type_ab);
    for (int i = 0; i < mine.each_b; ++i)
      b[number_of(lane, mine.each_b, i, mine.k * mine.n)] = read(mine.b, i, mine.type_ab);
  }
  for (int row = 0; row < any->m; ++row) {
    for (int column = 0; column < any->n; ++column) {
      double& element = sum[row * any->n + column] = 0;
      for (int i = 0; i < any->k; ++i) element += a[row * any->k + i] * b[i * any->n + column];
    }
  }
  for (unsigned lane = 0; lane < 32; ++lane) {
    if (!lanes[lane]) continue;
    const MatrixProduct& mine = *static_cast<const Part*>(lanes[lane])->product;
    const int total = mine.m * mine.n, each = total / 32;
    for (int i = 0; i < each; ++i) {
      const double c = read(mine.c, i, mine.type_c);
      write(mine.d, i, mine.type_d, c + sum[number_of(lane, each, i, total)]);
    }
  }
}

}  // namespace
}  // namespace kata::emulator

using namespace kata::emulator;

/// Before a fragment is loaded or stored: all lanes meet here, which does not order their accesses.
void __kata_check_matrix(const void* matrix, unsigned long long bytes_apart, int element_bytes) {
  const auto address = reinterpret_cast<std::uintptr_t>(matrix);
  if (!running.thread) return;
  const void* const code = __builtin_return_address(0);
  Collective arrival{[](Collective* const*) {}};
  Scheduler::meet_warp(WarpOp::collective, ~0u, reinterpret_cast<std::uintptr_t>(&arrival), 0, 32,
                       code);
  if (address % 32 == 0 && bytes_apart % 16 == 0) return;
  Scheduler& scheduler = *running.scheduler;
  const Place place = before(code);
  scheduler.incidents().add(
      scheduler.incident(place, MatrixMisaligned{address, bytes_apart, element_bytes}));
}

/// The kernel relies on the lanes' elements.
static void assumes_layout(const void* return_address) {
  Scheduler& scheduler = *running.scheduler;
  scheduler.incidents().add(
      scheduler.incident(before(return_address), LayoutAssumed{LayoutAssumed::filled}));
}

void __kata_multiply_matrices(const MatrixProduct* product) {
  if (!running.thread) return;
  Part part{{&multiply}, product};
  const void* const code = __builtin_return_address(0);
  Scheduler::meet_warp(WarpOp::collective, ~0u, reinterpret_cast<std::uintptr_t>(&part), 0, 32,
                       code);
  profile_product(product->type_ab,
                  static_cast<std::uint64_t>(product->m) * product->n * product->k);
  std::atomic<const void*>& first = running.scheduler->launch().product;
  for (const void* seen = first; !seen || code < seen;)
    if (first.compare_exchange_weak(seen, code)) break;
  if (part.layout_assumed) assumes_layout(code);
}

unsigned __kata_matrix_layout() {
  constexpr unsigned another = 5;
  if (!running.thread) return 0;
  return running.scheduler->launch().options.schedule == Schedule::forward ? 0 : another;
}

void __kata_store_matrix(const void* elements, int count, int element_bytes, int by_hand) {
  if (!running.thread) return;
  running.scheduler->launch().stores_products = true;
  if (!by_hand) return;
  const auto* bytes = static_cast<const char*>(elements);
  const auto size = static_cast<std::size_t>(element_bytes);
  for (int i = 1; i < count; ++i) {
    if (std::memcmp(bytes, bytes + size * static_cast<std::size_t>(i), size) != 0)
      return assumes_layout(__builtin_return_address(0));
  }
}
