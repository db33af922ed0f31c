// Where the CUDA Toolkit is: what a program can ask of a device has the toolkit's names, types and
// values in the emulator's headers, too.
#include <doctest/doctest.h>

#include <filesystem>
#include <fstream>
#include <map>
#include <regex>
#include <string>

#include "compile/toolchain.h"
#include "scratch.h"
#include "skip.h"
#include "support/files.h"

namespace fs = std::filesystem;

namespace {

/// What stands between the braces behind `head`; empty where that is not.
std::string body_of(const std::string& header, const std::string& head) {
  const std::size_t at = header.find(head);
  const std::size_t open = header.find('{', at), close = header.find("\n}", at);
  return at == std::string::npos ? "" : header.substr(open, close - open);
}

/// "maxTexture2D" -> "int[2]"
std::map<std::string, std::string> fields(const std::string& body) {
  std::map<std::string, std::string> result;
  const std::regex field(R"(\n\s*([a-zA-Z_]\w*(?: int)?)\s+(\w+)(\[\d+\])?;)");
  for (std::sregex_iterator one(body.begin(), body.end(), field), end; one != end; ++one)
    result[(*one)[2]] = (*one)[1].str() + (*one)[3].str();
  return result;
}

/// "cudaDevAttrWarpSize" -> "10"
std::map<std::string, std::string> attributes(const std::string& body) {
  std::map<std::string, std::string> result;
  const std::regex attribute(R"((cudaDevAttr\w+)\s*=\s*(\d+))");
  for (std::sregex_iterator one(body.begin(), body.end(), attribute), end; one != end; ++one)
    result[(*one)[1]] = (*one)[2];
  return result;
}

std::string toolkit_header(const fs::path& nvcc) {
  for (const fs::path& folder : kata::header_folders(nvcc)) {
    if (const auto text = kata::read_file(folder / "driver_types.h")) return *text;
  }
  return "";
}

struct Headers {
  std::string emulator, toolkit;
};

Headers device_headers(const fs::path& nvcc) {
  const fs::path ours = fs::path(KATA_SOURCE_DIR) / "harness" / "emulator" / "include";
  return {kata::read_file(ours / "kata_emulator" / "device_properties.h").value_or("") +
              kata::read_file(ours / "driver_types.h").value_or(""),
          toolkit_header(nvcc)};
}

}  // namespace

TEST_CASE("properties of a device and of a function have the toolkit's names and types") {
  const fs::path nvcc = kata::find_cuda_tool("nvcc");
  if (nvcc.empty()) return kata::test::skip("nvcc is not installed");
  const Headers headers = device_headers(nvcc);
  for (const std::string of : {"cudaDeviceProp", "cudaFuncAttributes"}) {
    CAPTURE(of);
    auto ours = fields(body_of(headers.emulator, "struct " + of + " "));
    const auto theirs = fields(body_of(headers.toolkit, "struct __device_builtin__ " + of + "\n"));
    CHECK(theirs.size() > 15);
    for (const auto& field : theirs) {
      const std::string& name = field.first;
      if (name.starts_with("reserved") && name != "reservedSharedMemPerBlock") continue;
      CAPTURE(name);
      CHECK(ours[name] == field.second);
    }
  }
}

TEST_CASE("a device's attributes have the toolkit's names and values") {
  const fs::path nvcc = kata::find_cuda_tool("nvcc");
  if (nvcc.empty()) return kata::test::skip("nvcc is not installed");
  const Headers headers = device_headers(nvcc);
  const auto ours = attributes(body_of(headers.emulator, "enum cudaDeviceAttr"));
  auto theirs = attributes(body_of(headers.toolkit, "enum __device_builtin__ cudaDeviceAttr"));
  CHECK(ours.size() > 110);
  for (const auto& attribute : ours) {
    const std::string& name = attribute.first;
    if (name == "cudaDevAttrCooperativeMultiDeviceLaunch") continue;  // gone from CUDA 13
    CAPTURE(name);
    CHECK(theirs[name] == attribute.second);
  }
}

TEST_CASE("the headers of an nvcc that is a script are those of the nvcc that it starts") {
  const fs::path nvcc = kata::find_cuda_tool("nvcc");
  if (nvcc.empty()) return kata::test::skip("nvcc is not installed");
  const kata::test::Scratch folder;
  const fs::path script = folder.path() / "nvcc";
  std::ofstream(script) << "#!/bin/sh\nexec '" << nvcc.string() << "' \"$@\"\n";
  fs::permissions(script, fs::perms::owner_all);
  CHECK(!toolkit_header(nvcc).empty());
  CHECK(toolkit_header(script) == toolkit_header(nvcc));
  CHECK(kata::header_folders(folder.path() / "none").empty());
}
