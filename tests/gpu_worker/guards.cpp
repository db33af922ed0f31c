// What the guard zones round every buffer on the GPU catch.

#include <doctest/doctest.h>

#include <bit>

#include "gpu_worker/fake_cuda.h"
#include "judge/poison.h"
#include "scratch.h"
#include "worker/gpu/gpu_device.h"

using namespace kata;
using kata::test::contains;

namespace {

GpuDevice open_device() {
  return GpuDevice(*open_gpu());
}

float* floats(GpuDevice& device, std::size_t count, const char* name) {
  return static_cast<float*>(device.allocate(Type::f32, count, name));
}

}  // namespace

TEST_CASE("a store past the end of a buffer names the buffer, the place and the amount") {
  GpuDevice device = open_device();
  float* x = floats(device, 1023, "x");
  float* y = floats(device, 1023, "y");
  CHECK(device.check_guards().empty());
  x[1022] = y[0] = y[1022] = 1;
  CHECK(device.check_guards().empty());
  y[1023] = 1;
  y[1030] = 1;
  const std::vector<Finding> findings = device.check_guards();
  REQUIRE(findings.size() == 1);
  CHECK(findings[0].kind == FindingKind::out_of_bounds);
  CHECK(findings[0].severity == Severity::error);
  CAPTURE(findings[0].message);
  CHECK(contains(findings[0].message, "8 bytes past the end of y"));
  CHECK(contains(findings[0].message, "from y[1023] to y[1030]"));
  CHECK(contains(findings[0].message, "1023 elements"));
}

TEST_CASE("a store before the beginning of a buffer is found, at its negative index") {
  GpuDevice device = open_device();
  float* y = floats(device, 5, "y");
  y[-1] = 0;
  const std::vector<Finding> findings = device.check_guards();
  REQUIRE(findings.size() == 1);
  CHECK(contains(findings[0].message, "4 bytes before the beginning of y"));
  CHECK(contains(findings[0].message, "y[-1]"));
}

TEST_CASE("a damaged guard zone is reported once and then restored") {
  GpuDevice device = open_device();
  float* y = floats(device, 5, "y");
  y[5] = 0;
  CHECK(device.check_guards().size() == 1);
  CHECK(device.check_guards().empty());
}

TEST_CASE("a whole row too many still hits the guard zone") {
  GpuDevice device = open_device();
  const std::size_t cols = 100'000;
  float* y = floats(device, 2 * cols, "y");
  for (std::size_t col = 0; col < cols; ++col) y[2 * cols + col] = 1;
  const std::vector<Finding> findings = device.check_guards();
  REQUIRE(findings.size() == 1);
  CHECK(contains(findings[0].message, "400000 bytes past the end of y"));
}

TEST_CASE("one element too many is found also where it is copied from past the end of an input") {
  GpuDevice device = open_device();
  float* x = floats(device, 255, "x");
  float* y = floats(device, 255, "y");
  for (int i = 255; i < 257; ++i) y[i] = x[i] > 0 ? x[i] : 0;
  const std::vector<Finding> findings = device.check_guards();
  REQUIRE(findings.size() == 1);
  CHECK(contains(findings[0].message, "8 bytes past the end of y"));
}

TEST_CASE("a read past the end gives numbers that no right result hides") {
  GpuDevice device = open_device();
  float* x = floats(device, 5, "x");
  CHECK(std::abs(x[5]) > 1e38f);
  CHECK(std::max(x[5], x[6]) > 1e38f);
  CHECK(std::min(x[5], x[6]) < -1e38f);
}

TEST_CASE("without guard zones a buffer is an allocation of its own, of its own size") {
  GpuDevice device(*open_gpu(), false);
  const std::size_t before = fake_cuda::allocated();
  floats(device, 7, "x");
  CHECK(fake_cuda::allocated() - before == 7 * sizeof(float));
  CHECK(device.check_guards().empty());
}

TEST_CASE("buffers are aligned as cudaMalloc's are, for textures too, and given back") {
  const std::size_t before = fake_cuda::allocated();
  {
    GpuDevice device = open_device();
    for (std::size_t count : {1, 3, 1000, 1027, 300'001}) {
      void* buffer = device.allocate(Type::f32, count, "x");
      CHECK(reinterpret_cast<std::uintptr_t>(buffer) % 512 == 0);
      if (count == 3) device.release(buffer);
    }
  }
  CHECK(fake_cuda::allocated() == before);
}

TEST_CASE("poison reaches every element of a small and of a large output, and no guard zone") {
  GpuDevice device = open_device();
  for (std::size_t count : {1, 1000, 1'000'003}) {
    float* y = floats(device, count, "y");
    device.poison(y, count * sizeof(float), poison_bits);
    std::vector<float> got(count);
    device.download(got.data(), y, count * sizeof(float));
    std::size_t poisoned = 0;
    for (float value : got) poisoned += std::bit_cast<std::uint32_t>(value) == poison_bits;
    CHECK(poisoned == count);
  }
  CHECK(device.check_guards().empty());
}

TEST_CASE("what a buffer holds has arrived before a candidate's own stream can touch it") {
  GpuDevice device = open_device();
  std::vector<float> zeros(1'000'003);
  float* x = floats(device, zeros.size(), "x");
  device.upload(x, zeros.data(), zeros.size() * sizeof(float));
  CHECK(fake_cuda::under_way() == 0);
  device.poison(x, zeros.size() * sizeof(float), poison_bits);
  CHECK(fake_cuda::under_way() == 0);
}

TEST_CASE("too little memory is no error of the candidate's") {
  GpuDevice device = open_device();
  CHECK(floats(device, std::size_t{1} << 40, "x") == nullptr);
  CHECK_FALSE(device.synchronize());
}
