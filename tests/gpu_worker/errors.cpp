// A CUDA error becomes a finding that says what to do.

#include <doctest/doctest.h>

#include "gpu_worker/fake_cuda.h"
#include "worker/gpu/cuda_error.h"
#include "worker/gpu/gpu_device.h"

using namespace kata;

TEST_CASE("each kind of CUDA error gets its finding") {
  const cudaDeviceProp device = *open_gpu();
  CHECK(explain(cudaErrorIllegalAddress, device).kind == FindingKind::out_of_bounds);
  CHECK(explain(cudaErrorMisalignedAddress, device).kind == FindingKind::misaligned);
  CHECK(explain(cudaErrorInvalidConfiguration, device).kind == FindingKind::invalid_launch);
  CHECK(explain(cudaErrorLaunchOutOfResources, device).kind == FindingKind::invalid_launch);
  CHECK(explain(cudaErrorLaunchFailure, device).kind == FindingKind::cuda_error);
  CHECK(explain(cudaErrorStreamCaptureInvalidated, device).kind == FindingKind::cuda_error);
}

TEST_CASE("a wrong launch configuration is explained with this GPU's limits") {
  const std::string message = explain(cudaErrorInvalidConfiguration, *open_gpu()).message;
  CHECK(message.find("1 to 1024 threads") != std::string::npos);
}

TEST_CASE("a refused launch is reported once and leaves the device usable") {
  GpuDevice device(*open_gpu());
  CHECK_FALSE(device.synchronize());
  fake_cuda::refuse_launch(cudaErrorInvalidConfiguration);
  const std::optional<Finding> finding = device.synchronize();
  REQUIRE(finding);
  CHECK(finding->kind == FindingKind::invalid_launch);
  CHECK(device.usable());
  CHECK_FALSE(device.synchronize());
}

TEST_CASE("an illegal address leaves the device unusable") {
  GpuDevice device(*open_gpu());
  fake_cuda::kill_device(cudaErrorIllegalAddress);
  const std::optional<Finding> finding = device.synchronize();
  fake_cuda::revive();
  REQUIRE(finding);
  CHECK(finding->kind == FindingKind::out_of_bounds);
  CHECK(finding->message.starts_with("cudaErrorIllegalAddress (700)"));
  CHECK_FALSE(device.usable());
}

TEST_CASE("without a GPU the one line says what to do instead") {
  fake_cuda::kill_device(cudaErrorNoDevice);
  const Result<cudaDeviceProp> gpu = open_gpu();
  fake_cuda::revive();
  REQUIRE_FALSE(gpu);
  CHECK(gpu.error().message.find("--backend emulator") != std::string::npos);
}
