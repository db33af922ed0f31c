#pragma once
// One matrix product of cuBLASLt: D = epilogue(alpha op(A) op(B) + beta C), for each of a batch.

#include "emulator/include/cublasLt_types.h"
#include "emulator/runtime/cublas/elements.h"

namespace kata::emulator {

class Matmul {
 public:
  using Layout = cublasLtMatrixLayoutOpaque_t;
  Matmul(const cublasLtMatmulDescOpaque_t& desc, const Layout& a, const Layout& b, const Layout& c,
         const Layout& d)
      : desc_(desc), a_(a), b_(b), c_(c), d_(d) {}

  /// Refuses in `call` what does not run.
  void check(CublasCall& call) const;

  struct Data {
    const void *a, *b, *c;
    void* d;
  };
  void run(CublasCall& call, const void* alpha, const void* beta, const Data& data) const;

 private:
  void check_layout(CublasCall& call, const char* name, const Layout& layout) const;
  void check_shapes(CublasCall& call) const;
  void check_epilogue(CublasCall& call) const;
  void run_one(CublasCall& call, double alpha, double beta, const Data& data, int index) const;

  bool has(int part) const { return (desc_.epilogue & part) != 0; }
  cudaDataType bias_type() const { return type_or_d(desc_.bias_data_type); }
  cudaDataType aux_type() const { return type_or_d(desc_.aux_data_type); }
  cudaDataType type_or_d(int type) const {
    return type < 0 ? d_.type : static_cast<cudaDataType>(type);
  }

  const cublasLtMatmulDescOpaque_t& desc_;
  const Layout &a_, &b_, &c_, &d_;
};

}  // namespace kata::emulator
