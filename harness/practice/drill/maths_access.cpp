// Questions about what a warp asks of memory. A program with that one access runs in the emulator,
// and its counters are the truth.
#include <fmt/format.h>

#include <cmath>

#include "grading/program.h"
#include "practice/drill/maths_families.h"
#include "support/files.h"
#include "support/paths.h"
#include "timing/chip.h"

namespace kata::drill {
namespace {

struct Counted {
  KernelRecord kernel;
  std::string file;
};

/// Runs `body` as a kernel of one warp on `x`, which has room for it. The block is 32 x 1, or as
/// `block` says.
Result<Counted> counted(const std::string& body, const std::string& block = "32") {
  const std::string program =
      "#include <cuda_runtime.h>\n\n"
      "__global__ void kernel(float* x, float* y) {\n" +
      body +
      "}\n\n"
      "int main() {\n"
      "  float *x, *y;\n"
      "  cudaMalloc(&x, 1 << 20);\n"
      "  cudaMalloc(&y, 1 << 20);\n"
      "  cudaMemset(x, 0, 1 << 20);\n"
      "  kernel<<<1, dim3(" +
      block +
      ")>>>(x, y);\n"
      "  cudaDeviceSynchronize();\n"
      "  cudaFree(x);\n"
      "  cudaFree(y);\n"
      "}\n";
  const auto file = practice_folder() / "drills" / "maths.cu";
  const std::string reason = write_file(file, program);
  if (!reason.empty()) return Error{fmt::format("cannot write {}: {}", shown(file), reason)};
  const Report report = run_program({.sources = {file}});
  if (report.verdict != Verdict::pass || report.kernels.size() != 1)
    return Error{"the emulator cannot count this access: " + report.error};
  return Counted{report.kernels.front(), shown(file)};
}

/// How the lanes of a warp lie in their block.
std::string warp_text(bool is_flat) {
  return is_flat ? "A warp runs this with threadIdx.x = 0 to 31"
                 : "A warp runs this as a block of 8 x 4 threads (x first)";
}

std::string column(unsigned step) {
  return step == 1 ? "threadIdx.x" : fmt::format("{} * threadIdx.x", step);
}

Result<Exercise> stride(Draw& draw, int level, const Problem*) {
  const std::string type = level == 1 ? "float" : draw.of({"float", "double", "float4", "short"});
  const unsigned step = draw.of({1u, 2u, 3u, 4u, 5u, 8u, 9u, 16u, 33u});
  const unsigned offset = level == 1 ? 0 : draw.below(8);
  const bool flat = level < 3;
  const std::string index =
      flat ? column(step) + (offset ? fmt::format(" + {}", offset) : "")
           : fmt::format("{} * threadIdx.y + {} + {}", draw.of({8, 20, 32, 40, 100}),
                         column(draw.of({1u, 1u, 2u, 4u})), offset);
  const std::string line =
      fmt::format("  {0} value = reinterpret_cast<{0}*>(x)[{1}];\n", type, index);
  const std::string store =
      fmt::format("  reinterpret_cast<{}*>(y)[threadIdx.x + 8 * threadIdx.y] = value;\n", type);
  const Result<Counted> run = counted(line + store, flat ? "32" : "8, 4");
  if (!run) return run.error();
  const auto sectors = static_cast<double>(run->kernel.global_load.sectors);
  const auto wanted = static_cast<double>(run->kernel.global_load.bytes);
  const double percent = 100 * wanted / (32 * sectors);
  return Exercise{
      fmt::format("{}; x begins at a multiple of 256 bytes:\n\n{}", warp_text(flat), line),
      {{"How many sectors of 32 bytes does this load fetch?", sectors, 0,
        fmt::format("The emulator counts {} sectors for the {} bytes that the lanes ask for.",
                    sectors, wanted)},
       {"What percentage of the fetched bytes do the lanes ask for?", percent, 0.02,
        fmt::format("{} / (32 x {}) = {:.1f} %.", wanted, sectors, percent), Unit::percent}},
      run->file};
}

Result<Exercise> conflicts(Draw& draw, int level, const Problem*) {
  const unsigned width = level == 1 ? draw.of({32u, 33u, 34u, 36u, 40u})
                                    : draw.of({16u, 17u, 20u, 24u, 32u, 33u, 36u, 48u});
  const bool flat = level != 2, vector = level == 3;
  const unsigned row = vector ? (width + 3) / 4 * 4 : width;  // of floats: float4 needs 16 bytes
  const std::string load =
      vector
          ? fmt::format("  float4 value = reinterpret_cast<float4*>(&tile[threadIdx.x][{}])[0];\n",
                        4 * draw.below(2))
      : flat ? fmt::format("  float value = tile[threadIdx.x][{}];\n", draw.below(4))
             : std::string("  float value = tile[threadIdx.x][threadIdx.y];\n");
  const std::string tile = fmt::format("  __shared__ __align__(128) float tile[32][{}];\n", row);
  const std::string fill = fmt::format(
      "  for (int i = threadIdx.x + blockDim.x * threadIdx.y; i < 32 * {}; i += 32)\n"
      "    (&tile[0][0])[i] = x[i];\n"
      "  __syncthreads();\n",
      row);
  const std::string store = vector ? "  y[threadIdx.x] = value.x + value.y + value.z + value.w;\n"
                                   : "  y[threadIdx.x + 8 * threadIdx.y] = value;\n";
  const Result<Counted> run = counted(tile + fill + load + store, flat ? "32" : "8, 4");
  if (!run) return run.error();
  const auto turns = static_cast<double>(run->kernel.shared_load.wavefronts);
  const auto extra = static_cast<double>(run->kernel.shared_load.conflicts);
  return Exercise{
      fmt::format("{}. Shared memory has 32 banks of 4 bytes:\n\n{}{}", warp_text(flat), tile,
                  load),
      {{"How many wavefronts does this load take?", turns, 0,
        fmt::format("The emulator counts {}: the largest number of different words that any one "
                    "bank must supply{}.",
                    turns,
                    vector ? ", in each of the four quarters of the warp, which take turns" : "")},
       {"How many of them are bank conflicts, as ncu counts them?", extra, 0,
        fmt::format("The same bytes, well laid out, need {}; {} - {} = {}.", turns - extra, turns,
                    turns - extra, extra)}},
      run->file};
}

Result<Exercise> atomics(Draw& draw, int level, const Problem*) {
  const unsigned bins = draw.of({1u, 2u, 3u, 5u, 7u, 8u, 10u, 16u, 20u});
  const std::string index =
      level == 1 ? fmt::format("threadIdx.x % {}", bins)
      : level == 2
          ? fmt::format("threadIdx.x * threadIdx.x % {}", bins + 2)
          : fmt::format("(threadIdx.x * threadIdx.x + threadIdx.x / {}) % {}", bins + 1, bins + 6);
  const std::string line = fmt::format("  atomicAdd(&x[{}], 1.0f);\n", index);
  const Result<Counted> run = counted(line);
  if (!run) return run.error();
  const auto turns = static_cast<double>(run->kernel.atomic.turns);
  const Result<Chip> chip = find_chip("h200");
  if (!chip) return chip.error();
  const double each = 1e9 * chip->fitted.float_atomic_s;
  const double count = draw.of({1e6, 4e6, 16e6}), us = count * each / 1e3;
  return Exercise{
      warp_text(true) + ":\n\n" + line,
      {{"How many turns does the warp's atomic take, if lanes that share an address go one "
        "after another?",
        turns, 0,
        fmt::format("The emulator counts {}: that many lanes share the busiest address.", turns)},
       {fmt::format(
            "On an H200, float atomics on one address take {:g} ns each, one after another. "
            "How many microseconds do {} of them take?",
            each, grouped(count)),
        us, 0.03, fmt::format("{} x {:g} ns = {:g} us.", grouped(count), each, us), Unit::us},
       {"How many microseconds do they take if each warp first adds up its 32 values with "
        "shuffles?",
        us / 32, 0.03, fmt::format("One atomic for each warp: {:g} / 32 = {:.4g} us.", us, us / 32),
        Unit::us}},
      run->file};
}

/// Both loops are counted as the questions print them.
Result<Exercise> reduction(Draw& draw, int level, const Problem*) {
  const int threads = draw.of({64, 128, 256, 512, 1024}), stop = level == 1 ? 0 : 32;
  int barriers = 1, last = 0, shuffles = 0;
  for (int half = threads / 2; half > stop; half /= 2, ++barriers) last = half;
  for (int half = 16; half > 0; half /= 2) ++shuffles;
  for (int half = threads / 32 / 2; half > 0; half /= 2) ++shuffles;
  Exercise exercise{
      fmt::format("A block of {} threads adds up one value of each thread in shared memory:\n\n"
                  "  shared[tid] = value;\n"
                  "  __syncthreads();\n"
                  "  for (int half = {} / 2; half > {}; half /= 2) {{\n"
                  "    if (tid < half) shared[tid] += shared[tid + half];\n"
                  "    __syncthreads();\n"
                  "  }}\n{}",
                  threads, threads, stop,
                  stop == 0 ? "" : "  // one warp adds the last 64 values with shuffles\n"),
      {{"How many barriers does each thread pass?", double(barriers), 0,
        last == 0 ? "Only the one after the stores: the loop ends at once."
                  : fmt::format("One after the stores, then one for each halving from {} down to "
                                "{}: {}.",
                                threads / 2, last, barriers)},
       {"Instead, each warp adds up its 32 values with shuffles, and the first warp adds up the "
        "sums of all warps with as few shuffles as they need. How many shuffles are in the longest "
        "chain?",
        double(shuffles), 0,
        fmt::format("Five in each warp (16, 8, 4, 2, 1), then {} for the {} sums: {}.",
                    shuffles - 5, threads / 32, shuffles)}}};
  if (level == 1) return exercise;
  const unsigned n = 1000000 + draw.below(300000000), each = draw.of({1u, 4u, 8u});
  double passes = 0;
  std::string sizes = grouped(n);
  for (double left = n; left > 1; ++passes) {
    left = std::ceil(left / (threads * each));
    sizes += " -> " + grouped(left);
  }
  exercise.numbers.push_back(
      {fmt::format("Each thread loads {} element{}, and every block writes one sum. How many "
                   "launches reduce {} elements to one?",
                   each, each == 1 ? "" : "s", grouped(n)),
       passes, 0,
       fmt::format("A block reduces {} values to one: {}, {} launches.", threads * each, sizes,
                   passes)});
  return exercise;
}

constexpr Family of_access[] = {{"stride", "sectors of a load", stride},
                                {"conflicts", "bank conflicts", conflicts},
                                {"atomics", "turns of an atomic", atomics},
                                {"reduction", "steps of a reduction", reduction}};

}  // namespace

std::span<const Family> access_families() {
  return of_access;
}

}  // namespace kata::drill
