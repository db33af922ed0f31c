// `kata run` as it is typed: any program with its own main.
#include <doctest/doctest.h>
#include <fcntl.h>
#include <signal.h>
#include <sys/stat.h>
#include <unistd.h>

#include <nlohmann/json.hpp>

#include "programs/program_desk.h"

namespace fs = std::filesystem;
using kata::Finished;
using kata::test::check_one_line;
using kata::test::contains;
using kata::test::content_of;
using kata::test::count_lines;
using kata::test::Desk;
using kata::test::Scratch;
using Json = nlohmann::json;

namespace {

const char* const doubles = R"(
#include <cstdio>
__global__ void twice(int* x, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) x[i] *= 2;
}
int main() {
  int host[100], *device;
  for (int i = 0; i < 100; ++i) host[i] = i;
  cudaMalloc(&device, sizeof host);
  cudaMemcpy(device, host, sizeof host, cudaMemcpyHostToDevice);
  for (int i = 0; i < LAUNCHES; ++i) twice<<<4, 32>>>(device, 100);
  cudaMemcpy(host, device, sizeof host, cudaMemcpyDeviceToHost);
  cudaFree(device);
  printf("%d\n", host[99]);
}
)";

/// Reads x[n], one past the end, before it goes on to `rest`.
std::string over_reader(const std::string& rest) {
  return R"(
#include <cstdio>
#include <cstdlib>
__global__ void shift(float* y, const float* x, int n) {
  int i = threadIdx.x;
  if (i < n) y[i] = x[i + 1];
}
int main() {
  float *x, *y;
  cudaMalloc(&x, 40);
  cudaMalloc(&y, 40);
  cudaMemset(x, 0, 40);
  shift<<<1, 32>>>(y, x, 10);
  cudaFree(x);
  cudaFree(y);
  )" + rest +
         "\n}\n";
}

}  // namespace

TEST_CASE("memory and textures that are left when the program ends are reported in their lines") {
  const Desk desk;
  desk.folder.write("left.cu", R"(
int main() {
  cudaResourceDesc resource = {};
  cudaTextureDesc how = {};
  cudaTextureObject_t texture;
  resource.resType = cudaResourceTypeLinear;
  cudaMalloc(&resource.res.linear.devPtr, 40);
  resource.res.linear.desc = cudaCreateChannelDesc<float>();
  resource.res.linear.sizeInBytes = 40;
  cudaCreateTextureObject(&texture, &resource, &how, nullptr);
}
)");
  const Finished finished = desk.run("left.cu");
  INFO(finished.errors);
  CHECK(finished.exit_status == 0);
  CHECK(contains(finished.errors, "left.cu:7"));
  CHECK(contains(finished.errors, "40 bytes allocated here are never freed"));
  CHECK(contains(finished.errors, "left.cu:10"));
  CHECK(contains(finished.errors, "the texture created here is never destroyed"));
}

TEST_CASE("--fast runs a program to the same results and says that its memory was not checked") {
  const Desk desk;
  desk.folder.write("doubles.cu", doubles);
  desk.folder.write("over.cu", over_reader("return 0;"));
  const Finished same = desk.run("--fast -D LAUNCHES=5 doubles.cu");
  INFO(same.errors);
  CHECK(same.exit_status == 0);
  CHECK(same.output == "3168\n");
  CHECK(contains(same.errors, "--fast: their memory accesses were not checked"));
  CHECK(contains(same.errors, "twice"));
  CHECK(!contains(same.errors, "sectors"));
  CHECK(desk.run("over.cu").exit_status == 1);
  CHECK(desk.run("--fast over.cu").exit_status == 0);
  check_one_line(desk.run("--fast --lines over.cu"), "--lines shows what --fast leaves out");
}

TEST_CASE("--fast still lets threads wait for each other, of their own block and of others") {
  const Desk desk;
  desk.folder.write("flags.cu", R"(
#include <cstdio>
__device__ volatile int ready[3];
__global__ void chain(int* sum) {  // each block waits for the one before, each lane for the last
  if (blockIdx.x > 0) while (ready[blockIdx.x - 1] == 0) {}
  __shared__ volatile int go;
  if (threadIdx.x == 0) go = 0;
  __syncthreads();
  if (threadIdx.x == 31) go = 1; else while (go == 0) {}
  atomicAdd(sum, 1);
  __syncthreads();
  if (threadIdx.x == 0 && blockIdx.x < 3) ready[blockIdx.x] = 1;
}
__global__ void long_one(int* sum) {  // outlasts the patience with threads that spin
  unsigned x = threadIdx.x;
  for (int i = 0; i < 2000000; ++i) x = x * 1664525u + 1013904223u;
  if (x != 7) atomicAdd(sum, 1);
}
int main() {
  int* sum;
  int host = 0;
  cudaMalloc(&sum, sizeof *sum);
  cudaMemset(sum, 0, sizeof *sum);
  chain<<<4, 32>>>(sum);
  long_one<<<300, 1>>>(sum);
  cudaMemcpy(&host, sum, sizeof host, cudaMemcpyDeviceToHost);
  cudaFree(sum);
  printf("%d\n", host);
}
)");
  const Finished finished = desk.run("--fast flags.cu");
  INFO(finished.errors);
  CHECK(finished.exit_status == 0);
  CHECK(finished.output == "428\n");
}

TEST_CASE("a program has its arguments, its standard input and its folder to itself") {
  const Desk desk;
  desk.folder.write("add.cu", R"(
#include <fstream>
#include <iostream>
#include <memory>
#include <string>
#include <thread>
__global__ void add(int* sum, int value) { *sum += value; }
int main(int argc, char** argv) {
  std::string word;
  std::cin >> word;
  std::ifstream file("numbers.txt");
  auto keeps_the_library_whole = std::make_shared<int>(argc);
  int in_file = 0, *sum;
  file >> in_file;
  cudaMallocManaged(&sum, sizeof(int));
  *sum = 0;
  for (int i = 1; i < argc; ++i) add<<<1, 1>>>(sum, std::stoi(argv[i]));
  std::thread other([&] { add<<<1, 1>>>(sum, in_file); });
  other.join();
  cudaDeviceSynchronize();
  std::cout << argv[0] << ' ' << word << ' ' << *sum << std::endl;
  cudaFree(sum);
}
)");
  desk.folder.write("numbers.txt", "400\n");
  const Finished finished = desk.shell("echo hello | \"$KATA\" run add.cu -- 1 -20 --json");
  CHECK(finished.exit_status == 134);  // std::stoi("--json") throws
  const Finished right = desk.shell("echo hello | \"$KATA\" run add.cu -- 1 -20 3");
  INFO(right.errors);
  CHECK(right.exit_status == 0);
  CHECK(right.output == "add hello 384\n");
  CHECK(contains(right.errors, "add.cu: exit status 0; nothing found"));
  CHECK(contains(right.errors, "Next: see the memory traffic of each line\n"));
  CHECK(right.errors.ends_with("kata run --lines add.cu -- 1 -20 3\n"));
}

TEST_CASE("a program that is wrong ends with the line to fix and the command that repeats it") {
  const Desk desk;
  desk.folder.write("a program.cu", over_reader("return 0;"));
  const Finished finished = desk.shell("\"$KATA\" run -DX=1 'a program.cu' -- 7");
  INFO(finished.errors);
  CHECK(contains(finished.errors, "Next: fix a program.cu:6, then\n"));
  CHECK(finished.errors.ends_with("kata run -DX=1 'a program.cu' -- 7\n"));
}

TEST_CASE("a kernel that is launched a thousand times is one row") {
  const Desk desk;
  desk.folder.write("twice.cu", doubles);
  const Finished finished = desk.run("-DLAUNCHES=1000 twice.cu");
  INFO(finished.errors);
  CHECK(finished.exit_status == 0);
  CHECK(contains(finished.errors, "first 3 launches"));
  const std::size_t row = finished.errors.find("twice  ");
  REQUIRE(row != std::string::npos);
  // 3 launches of 4 warps, each with a load and a store; 13 sectors hold 100 ints.
  const std::string line = finished.errors.substr(row, finished.errors.find('\n', row) - row);
  for (const char* number : {"1000", " 4 ", " 32 ", " 24 ", " 78 "}) {
    CAPTURE(number);
    CHECK(contains(line, number));
  }
  CHECK(finished.errors.find("twice  ", row + 1) == std::string::npos);
}

TEST_CASE(
    "large arrays that kernels only read need no shadow, and copies from pinned memory need none") {
  const Desk desk;
  desk.folder.write("large.cu", R"(
#include <cstdio>
#include <sys/resource.h>
constexpr int n = 64 << 20;
__global__ void sum(const int* x, int* total) {
  int mine = 0;
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n / 16; i += gridDim.x * blockDim.x)
    mine += x[16 * i];
  atomicAdd(total, mine);
}
__global__ void shift(int* x) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  x[i] = x[i + 1];
}
int main() {
  int *x, *total, result = 0, *host;
  cudaMallocHost(&host, n * sizeof(int));
  for (int i = 0; i < n; i += 16) host[i] = i % 32;
  cudaMalloc(&x, n * sizeof(int));
  cudaMalloc(&total, sizeof(int));
  cudaMemcpy(x, host, n * sizeof(int), cudaMemcpyHostToDevice);
  cudaMemcpy(total, &result, sizeof(int), cudaMemcpyHostToDevice);
  sum<<<64, 256>>>(x, total);
  cudaMemcpy(&result, total, sizeof(int), cudaMemcpyDeviceToHost);
  rusage used;
  getrusage(RUSAGE_SELF, &used);
  printf("%d %s\n", result, used.ru_maxrss < 1 << 20 ? "below 1 GiB" : "too much memory");
  shift<<<64, 256>>>(x);
  cudaFree(x);
  cudaFree(total);
  cudaFreeHost(host);
}
)");
  const Finished finished = desk.run("large.cu");
  INFO(finished.errors);
  CHECK(finished.output == "33554432 below 1 GiB\n");
  CHECK(contains(finished.errors, "large.cu:13"));
  CHECK(contains(finished.errors, "race"));
  CHECK(!contains(finished.errors, "input"));
}

TEST_CASE("--json is alone on standard output, with the sums of what was counted") {
  const Desk desk;
  desk.folder.write("twice.cu", doubles);
  const Finished finished = desk.run("twice.cu -D LAUNCHES=5 --json");
  CHECK(finished.exit_status == 0);
  CHECK(finished.errors == "3168\n");
  const Json json = Json::parse(finished.output, nullptr, false);
  REQUIRE(json.is_object());
  CHECK(json["verdict"] == "pass");
  CHECK(json["exit_status"] == 0);
  CHECK(json["findings"].empty());
  REQUIRE(json["kernels"].size() == 1);
  CHECK(json["kernels"][0]["launches"] == 5);
  CHECK(json["kernels"][0]["counted_launches"] == 3);
  CHECK(json["kernels"][0]["global_load"]["accesses"] == 300);
  const Json wrong = Json::parse(desk.run("nowhere.cu --json").output, nullptr, false);
  REQUIRE(wrong.is_object());
  CHECK(wrong["verdict"] == "error");
}

TEST_CASE("a fill past the end of a __device__ variable fails, as on a device") {
  const Desk desk;
  desk.folder.write("main.cu", R"(__device__ int total[4];
int main() {
  void* address;
  cudaGetSymbolAddress(&address, total);
  return cudaMemset(address, 0, sizeof total + 4) == cudaErrorInvalidValue ? 7 : 0;
}
)");
  const Finished finished = desk.run("main.cu");
  CHECK(finished.exit_status == 7);
  CHECK(contains(finished.errors, "has 16 bytes"));
}

TEST_CASE("an over-read is reported with its line, and the program's 0 becomes 1") {
  const Desk desk;
  desk.folder.write("shift.cu", over_reader("printf(\"done\\n\");"));
  const Finished finished = desk.run("shift.cu");
  INFO(finished.errors);
  CHECK(finished.exit_status == 1);
  CHECK(finished.output == "done\n");
  CHECK(contains(finished.errors, "shift.cu: exit status 0; 1 error"));
  CHECK(contains(finished.errors, "shift.cu:6:3: error: out_of_bounds: "));
  CHECK(contains(finished.errors, "if (i < n) y[i] = x[i + 1];"));
}

TEST_CASE("the program's own exit status is kata's, however it exits") {
  const Desk desk;
  desk.folder.write("returns.cu", "int main() { return 7; }\n");
  desk.folder.write("exits.cu",
                    "#include <cstdlib>\n"
                    "struct Late { ~Late() { cudaFree(kept); } int* kept; } late;\n"
                    "int main() { cudaMalloc(&late.kept, 4); std::exit(3); }\n");
  const Finished returned = desk.run("returns.cu");
  CHECK(returned.exit_status == 7);
  CHECK(contains(returned.errors, "returns.cu: exit status 7; nothing found"));
  const Finished exited = desk.run("exits.cu");
  INFO(exited.errors);
  CHECK(exited.exit_status == 3);
  CHECK(contains(exited.errors, "nothing found"));  // freed by a destructor, after main
}

TEST_CASE("findings stay when the program leaves by _exit() or crashes") {
  const Desk desk;
  desk.folder.write("leaves.cu", "#include <unistd.h>\n" + over_reader("_exit(4);"));
  const Finished left = desk.run("leaves.cu");
  CHECK(left.exit_status == 4);
  CHECK(contains(left.errors, "error: out_of_bounds: "));

  desk.folder.write("crashes.cu", over_reader("volatile int* nowhere = nullptr; *nowhere = 1;"));
  const Finished crashed = desk.run("crashes.cu");
  INFO(crashed.errors);
  CHECK(crashed.exit_status == 128 + SIGSEGV);
  CHECK(contains(crashed.errors, "Segmentation fault"));
  CHECK(contains(crashed.errors, "crashes.cu:16:"));
  CHECK(contains(crashed.errors, "error: out_of_bounds: "));
}

namespace {

/// By a signal, when the program has printed its first line.
Finished interrupted(const Desk& desk, const std::string& file, int signal_number) {
  return desk.shell("rm -f pipe; mkfifo pipe; \"$KATA\" run " + file +
                    " > pipe & kata=$!; read line < pipe; kill -" + std::to_string(signal_number) +
                    " $kata; wait $kata");
}

}  // namespace

TEST_CASE("Ctrl-C and timeout end an endless kernel, say where it was, and keep the findings") {
  const Desk desk;
  // The first thing that it prints says that the kernel runs.
  desk.folder.write("endless.cu",
                    "__global__ void forever(volatile int* go) {\n"
                    "  printf(\"begins\\n\"); while (*go) {}\n"
                    "}\n" +
                        over_reader("int* go;\n"
                                    "setvbuf(stdout, nullptr, _IONBF, 0);\n"
                                    "cudaMalloc(&go, 4);\n"
                                    "cudaMemset(go, 1, 4);\n"
                                    "forever<<<1, 1>>>(go);\n"
                                    "cudaDeviceSynchronize();"));
  for (const int signal_number : {SIGINT, SIGTERM}) {
    const Finished finished = interrupted(desk, "endless.cu", signal_number);
    INFO(finished.errors);
    CHECK(finished.exit_status == 128 + signal_number);
    CHECK(contains(finished.errors, "endless.cu: interrupted at endless.cu:2; 1 error so far"));
    CHECK(contains(finished.errors, "error: out_of_bounds: "));
    CHECK_FALSE(contains(finished.errors, "crash"));
  }
}

TEST_CASE("Ctrl-C keeps what the kernel that is running has done wrong") {
  const Desk desk;
  desk.folder.write("spins.cu", R"(
#include <cstdio>
__global__ void forever(volatile int* go) {
  go[1] = go[2];
  printf("begins\n");
  while (*go) {}
}
int main() {
  setvbuf(stdout, nullptr, _IONBF, 0);
  int* go;
  cudaMalloc(&go, 8);
  cudaMemset(go, 1, 8);
  forever<<<1, 1>>>(go);
  cudaDeviceSynchronize();
}
)");
  const Finished finished = interrupted(desk, "spins.cu", SIGINT);
  INFO(finished.errors);
  CHECK(finished.exit_status == 128 + SIGINT);
  CHECK(contains(finished.errors, "spins.cu: interrupted at spins.cu:6; 1 error so far"));
  CHECK(contains(finished.errors, "spins.cu:4:"));
  CHECK(contains(finished.errors, "error: out_of_bounds: "));
}

namespace {

/// Its kernel makes 500 million accesses, and the first block's first one is to x[FIRST].
const char* const slow = R"(
#include <cstdio>
__global__ void sums(float* x) {
  float sum = x[blockIdx.x == 0 ? threadIdx.x + FIRST : threadIdx.x];
  for (int i = 0; i < 2000; ++i) sum = sum / 2 + x[(threadIdx.x + i) % 256];
  x[256 * (blockIdx.x + 1) + threadIdx.x] = sum;
}
int main() {
  char name[8] = "nobody";
  scanf("%7s", name);
  float *x, sum;
  cudaMalloc(&x, 4 * 256 * 1001);
  cudaMemset(x, 0, 4 * 256 * 1001);
  sums<<<1000, 256>>>(x);
  cudaMemcpy(&sum, x + 300, 4, cudaMemcpyDeviceToHost);
  cudaFree(x);
  printf("%s %g\n", name, sum);
}
)";

}  // namespace

TEST_CASE("a program that takes long is checked for a while, then it runs to its results") {
  const Desk desk;
  desk.folder.write("slow.cu", slow);
  desk.folder.write("name.txt", "Ada");
  const Finished finished = desk.run("-D FIRST=0 --within 1 slow.cu < name.txt");
  INFO(finished.errors);
  CHECK(finished.exit_status == 0);
  CHECK(finished.output == "Ada 0\n");
  CHECK(contains(finished.errors, "no error in 1 s of processor time"));
  CHECK(contains(finished.errors, "nothing found in the first 1 s; the rest was not checked"));
  CHECK(contains(finished.errors, " run --within 0 -D FIRST=0 slow.cu\n"));
  // What came through a pipe is gone.
  const Finished piped = desk.shell("echo Bob | \"$KATA\" run -D FIRST=0 --within 1 slow.cu");
  CHECK(piped.output == "Bob 0\n");
  CHECK(contains(piped.errors, "exit status 0; nothing found\n"));
}

TEST_CASE("what a long kernel has done wrong ends the program when its time for checks is over") {
  const Desk desk;
  desk.folder.write("slow.cu", slow);
  const Finished finished = desk.run("-D FIRST=256*1001 --within 1 slow.cu < /dev/null");
  INFO(finished.errors);
  CHECK(finished.exit_status == 1);
  CHECK(finished.output == "");
  CHECK(contains(finished.errors, "slow.cu: ended after 1 s of processor time"));
  CHECK(contains(finished.errors, "slow.cu:4:"));
  CHECK(contains(finished.errors, "error: out_of_bounds: "));
}

TEST_CASE("Ctrl-C comes through to a program that does nothing but allocate") {
  const Desk desk;
  desk.folder.write("allocates.cu",
                    "#include <cstdio>\n#include <string>\n#include <vector>\n"
                    "int main() {\n"
                    "  puts(\"begins\"), fflush(stdout);\n"
                    "  for (std::size_t n = 0;; ++n)\n"
                    "    std::vector<std::string>(n % 9 + 1, std::string(n % 5000 + 20, 'x'));\n"
                    "}\n");
  for (int i = 0; i < 8; ++i) {
    const Finished finished = interrupted(desk, "allocates.cu", SIGINT);
    INFO(finished.errors);
    CHECK(finished.exit_status == 128 + SIGINT);
    CHECK(contains(finished.errors, "allocates.cu: interrupted at allocates.cu:"));
  }
}

TEST_CASE("what cannot be run is one line that says what to do") {
  const Desk desk;
  desk.folder.write("kernel_only.cu", "__global__ void k() {}\n");
  desk.folder.write("one.cu", "int main() {}\n");
  desk.folder.write("two.cu", "int main() { return 2; }\n");
  check_one_line(desk.run(""), "kata run FILE.cu");
  check_one_line(desk.run("nowhere.cu"), "there is no file nowhere.cu");
  check_one_line(desk.run("."), "is a folder");
  check_one_line(desk.run("kernel_only.cu"),
                 "kernel_only.cu defines no main; to judge an operator");
  check_one_line(desk.run("one.cu 42"), "follow --");
  const Finished twice = desk.run("one.cu two.cu");
  CHECK(twice.exit_status == 2);
  CHECK(contains(twice.errors, "more than one of the files defines main"));
}

TEST_CASE("check of a program with a main says which command runs it") {
  const Desk desk;
  desk.folder.write("one.cu", "int main() {}\n");
  const Finished finished = desk.shell("\"$KATA\" check one.cu --backend emulator");
  CHECK(finished.exit_status == 2);
  CHECK(contains(finished.output, "defines main"));
  CHECK(contains(finished.output, "run"));
}

TEST_CASE("a program that two compilers share runs as before") {
  const std::string program = R"(
#include <cstdio>
extern "C" const char padding[200000] = {1};  // it seems to take long
template <int N> __device__ int scaled(int x) { return N * x; }
template <int N, bool B> __global__ void add(int* x, int more = 1) {
  __shared__ int sum;
  if (threadIdx.x == 0) sum = 0;
  __syncthreads();
  atomicAdd(&sum, scaled<N>(threadIdx.x));
  __syncthreads();
  if (threadIdx.x == 0) *x += B ? sum : more;
}
template <int N> void launch(int* x) {
  static int launches;
  add<N, true><<<1, 32>>>(x);
  add<N, false><<<1, 32>>>(x, ++launches);
  add<N, false><<<1, 32>>>(x);
  if constexpr (N > 1) launch<N - 1>(x);
}
template <int N> __global__ void beyond(int* x) { x[N] = 1; }
int main(int argc, char**) {
  int host = 0, *device;
  cudaMalloc(&device, sizeof host);
  cudaMemset(device, 0, sizeof host);
  launch<8>(device);
  launch<8>(device);
  if (argc > 1) beyond<3><<<1, 1>>>(device);
  cudaMemcpy(&host, device, sizeof host, cudaMemcpyDeviceToHost);
  printf("%d\n", host);
  cudaFree(device);
}
)";
  const Desk desk;
  for (const std::string saved : {"", "// saved\n"}) {
    desk.folder.write("p.cu", program + saved);
    const Finished right = desk.run("p.cu");
    CHECK(right.exit_status == 0);
    CHECK(right.output == "35752\n");
    const Finished wrong = desk.run("p.cu -- x");
    CHECK(wrong.exit_status == 1);
    CHECK(contains(wrong.errors, "p.cu:20"));
  }
}
