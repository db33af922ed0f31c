#include "emulator/rewriter/unset_locals.h"

#include <doctest/doctest.h>

using namespace kata::emulator;

namespace {

/// The names in a device function of that body.
std::string unset_in(const std::string& body) {
  std::string names;
  for (const UnsetLocal& local : unset_locals("__device__ float f(float x, int n) {" + body + "}"))
    names += local.name + " ";
  return names;
}

/// The names in a device function of that body, which may call these functions.
std::string unset_beside(const std::string& functions, const std::string& body) {
  const std::string source = functions + "__device__ float f(float x, int n) {" + body + "}";
  std::string names;
  for (const UnsetLocal& local : unset_locals(source, written_parameters({source})))
    names += local.name + " ";
  return names;
}

}  // namespace

TEST_CASE("a scalar that a call surely writes first is not one without a value") {
  const std::string scan = R"(template <int THREADS, class T>
      __device__ T scan(T value, T& total) { __syncthreads(); total = value; return value; })";
  CHECK(unset_beside(scan, "float y; const float z = x + scan<32>(x, y); return y + z;") == "");
  CHECK(unset_beside(scan, "float y; scan<32>(n < 3 ? x : 0.0f, y); return y;") == "");
  // It does not happen always, or not before the variable is read.
  CHECK(unset_beside(scan, "float y; if (n) scan<32>(x, y); return y;") == "y ");
  CHECK(unset_beside(scan, "float y; for (int i = 0; i < n; ++i) scan<32>(x, y); return y;") ==
        "y ");
  CHECK(unset_beside(scan, "float y; x = n ? scan<32>(x, y) : 0; return y;") == "y ");
  CHECK(unset_beside(scan, "float y; bool b = n && scan<32>(x, y); return y;") == "y ");
  CHECK(unset_beside(scan, "float y; scan<32>(y, y); return y;") == "y ");
  CHECK(unset_beside(scan, "float y; scan<32>(y, x); return y;") == "y ");
  CHECK(unset_beside(scan, "float y; other(x, y); return y;") == "y ");
}

TEST_CASE("a scalar that a member function surely writes first is not one without a value") {
  const std::string tile = R"(struct Tile { float key;
      __device__ void rank(int shift, float& count, float& place) {
        count = shift < 3 ? key : 0; place = f(count); } };)";
  CHECK(unset_beside(tile, "Tile t; float a, b; t.rank(n, a, b); return a + b;") == "");
}

TEST_CASE("a scalar that the function called may leave unwritten has no value") {
  const std::string call = "float y; g(x, y); return y;";
  CHECK(unset_beside("__device__ void g(float x, float& y) { y = x; }", call) == "");
  CHECK(unset_beside("__device__ void g(float x, float& y) { y += x; }", call) == "y ");
  CHECK(unset_beside("__device__ void g(float x, float& y) { if (x) y = x; }", call) == "y ");
  CHECK(unset_beside("__device__ void g(float x, float& y) { if (x) return; y = x; }", call) ==
        "y ");
  CHECK(unset_beside("__device__ void g(float x, float y) { y = x; }", call) == "y ");
  CHECK(unset_beside("__device__ void g(float x, float& y) { y = x; }"
                     "__device__ void g(int x, float& y) {}",
                     call) == "y ");
}

TEST_CASE("scalars that are declared without a value are found") {
  CHECK(unset_in("float y; if (n) y = x; return y;") == "y ");
  CHECK(unset_in("int a = 1, b; unsigned c; g(a, b, c);") == "b c ");
  CHECK(unset_in("for (;;) { float y; g(y); }") == "y ");
}

TEST_CASE("a scalar that an asm statement writes first is not one without a value") {
  CHECK(unset_in(R"(float y; asm("ex2.f32 %0, %1;" : "=f"(y) : "f"(x)); return y;)") == "");
  CHECK(unset_in(R"(int a, b;
                    asm volatile("mov.u32 %0, 1;" : "=r"(a));
                    if (n) x = 1;
                    asm("mov.u32 %0, %1;" : "=r"(b) : "r"(a));
                    return a + b;)") == "");
}

TEST_CASE("a scalar that is assigned or copied to first is not one without a value") {
  CHECK(unset_in("float y; y = x; return y;") == "");
  CHECK(unset_in("int a, b; if (n) { x = 1; } a = n + 1; b = a; return a + b;") == "");
  CHECK(unset_in("uint4 bits; memcpy(&bits, &x, sizeof(bits)); return bits.x;") == "");
}

TEST_CASE("a vector whose parts are all assigned first is not one without a value") {
  CHECK(unset_in("float2 y; y.x = x; y.y = n; return y.y;") == "");
  CHECK(unset_in("float4 y; if (n) x = 1; y.w = x; y.x = n; y.z = 0; y.y = f(x); return y.z;") ==
        "");
  CHECK(unset_in("float4 y; y.x = x; y.y = n; y.z = 0; return y.z;") == "y ");
  CHECK(unset_in("float2 y; y.x = x; y.x = n; return y.x;") == "y ");
  CHECK(unset_in("float2 y; y.x = x; y.y = y.x; return y.x;") == "y ");
  CHECK(unset_in("float2 y; y.x = x; if (n) y.y = x; return y.y;") == "y ");
  CHECK(unset_in("float2 y; if (n) y.x = x; y.y = x; return y.y;") == "y ");
  CHECK(unset_in("Tile y; y.x = x; return y.y;") == "");  // no scalar and no vector
}

TEST_CASE("a sine and a cosine of one call are not without a value") {
  CHECK(unset_in("float s, c; sincosf(x, &s, &c); return s + c;") == "");
  CHECK(unset_in("float2 w; sincospif(-2.0f / n * x, &w.y, &w.x); return w.x;") == "");
  CHECK(unset_in("float s, c; if (n) sincosf(x, &s, &c); return s + c;") == "s c ");
  CHECK(unset_in("float s, c; sincosf(s, &s, &c); return s + c;") == "s ");
  CHECK(unset_in("float4 w; sincosf(x, &w.x, &w.y); return w.z;") == "w ");
  CHECK(unset_in("float2 w; float c; sincosf(x, &w.x, &c); return w.y;") == "w ");
  CHECK(unset_in("float s, c; sinf(x, &s, &c); return s + c;") == "s c ");
}

TEST_CASE("a scalar that is assigned or copied to only sometimes, or in part, has no value") {
  CHECK(unset_in("float y; if (n) y = x; return y;") == "y ");
  CHECK(unset_in("float y; if (n) { y = x; } return y;") == "y ");
  CHECK(unset_in("float y; if (n) ; else y = x; return y;") == "y ");
  CHECK(unset_in("float y; for (int i = 0; i < n; ++i) y = x; return y;") == "y ");
  CHECK(unset_in("float y; y = y + x; return y;") == "y ");
  CHECK(unset_in("float y; y += x; return y;") == "y ");
  CHECK(unset_in("float2 y; y.x = x; return y.y;") == "y ");
  CHECK(unset_in("float y; g(y); y = x; return y;") == "y ");
  CHECK(unset_in("switch (n) { case 0: g(); float y; y = x; break; case 1: return y; }") == "y ");
  CHECK(unset_in("uint4 y; memcpy(&y, &x, sizeof(x)); return y.w;") == "y ");
  CHECK(unset_in("uint4 y; if (n) memcpy(&y, &x, sizeof(y)); return y.w;") == "y ");
  CHECK(unset_in("uint4 y; memcpy(&x, &y, sizeof(y)); return y.w;") == "y ");
}

TEST_CASE("a scalar that an asm statement may leave unwritten has no value") {
  const std::string written = R"(asm("mov.b32 %0, %1;" : "=f"(y) : "f"(x));)";
  CHECK(unset_in("float y; if (n) " + written + " return y;") == "y ");
  CHECK(unset_in("float y; if (n) { " + written + " } return y;") == "y ");
  CHECK(unset_in("float y; if (n) ; else " + written + " return y;") == "y ");
  CHECK(unset_in("float y; while (n) { g(); if (x) break; " + written + " } return y;") == "y ");
  CHECK(unset_in("float y; g(y); " + written) == "y ");
  CHECK(unset_in(R"(float y; asm("add.f32 %0, %0, %1;" : "+f"(y) : "f"(x)); return y;)") == "y ");
  CHECK(unset_in(R"(int y; asm("add.s32 %0, %1, 1;" : "=r"(y) : "r"(y)); return y;)") == "y ");
  CHECK(unset_in(R"(int y; asm("{.reg .pred p; setp.ne.s32 p, %1, 0; @p mov.s32 %0, 1;}"
                               : "=r"(y) : "r"(n)); return y;)") == "y ");
}
