#pragma once
// A wgmma of any shape as a macro: WGMMA_REGISTERS(count, type, d, a, b, adds, tail) has its matrix
// A in shared memory, WGMMA_REGISTERS_A in four registers. `count` is the number of registers of D,
// `d` an array of so many unsigned, `type` the instruction's end, such as "m64n8k16.f32.f16.f16",
// `tail` its immediate operands, such as ", 1, 1, 0, 0". D comes last, so that the other operands
// have the same numbers in all shapes: %0 and %1 are A, %2 is B's descriptor, %3 is scale-d.

#define WGMMA_REGISTERS(count, type, d, a, b, adds, tail)                                         \
  asm volatile("{.reg .pred p; setp.ne.b32 p, %3, 0;"                                             \
               "wgmma.mma_async.sync.aligned." type " {" WGMMA_D_##count "}, %0, %2, p" tail ";}" \
               : "+l"((a)[0]), "+l"((a)[1]), "+l"(b), "+r"(adds), WGMMA_OPERANDS_##count(d))

#define WGMMA_REGISTERS_A(count, type, d, a, b, adds, tail)                                       \
  asm volatile("{.reg .pred p; .reg .b32 a<4>; setp.ne.b32 p, %3, 0;"                             \
               "mov.b64 {a0, a1}, %0; mov.b64 {a2, a3}, %1; wgmma.fence.sync.aligned;"            \
               "wgmma.mma_async.sync.aligned." type " {" WGMMA_D_##count "}, {a0, a1, a2, a3}, "  \
               "%2, p" tail ";}"                                                                  \
               : "+l"((a)[0]), "+l"((a)[1]), "+l"(b), "+r"(adds), WGMMA_OPERANDS_##count(d))

#define WGMMA_2(d, i) "+r"((d)[i]), "+r"((d)[i + 1])
#define WGMMA_4(d, i) WGMMA_2(d, i), WGMMA_2(d, i + 2)

#define WGMMA_D_2 "%4, %5"
#define WGMMA_D_4 WGMMA_D_2 ", %6, %7"
#define WGMMA_D_6 WGMMA_D_4 ", %8, %9"
#define WGMMA_D_8 WGMMA_D_6 ", %10, %11"
#define WGMMA_D_10 WGMMA_D_8 ", %12, %13"
#define WGMMA_D_12 WGMMA_D_10 ", %14, %15"
#define WGMMA_D_14 WGMMA_D_12 ", %16, %17"
#define WGMMA_D_16 WGMMA_D_14 ", %18, %19"
#define WGMMA_D_18 WGMMA_D_16 ", %20, %21"
#define WGMMA_D_20 WGMMA_D_18 ", %22, %23"
#define WGMMA_D_22 WGMMA_D_20 ", %24, %25"
#define WGMMA_D_24 WGMMA_D_22 ", %26, %27"
#define WGMMA_D_26 WGMMA_D_24 ", %28, %29"
#define WGMMA_D_28 WGMMA_D_26 ", %30, %31"
#define WGMMA_D_30 WGMMA_D_28 ", %32, %33"
#define WGMMA_D_32 WGMMA_D_30 ", %34, %35"
#define WGMMA_D_34 WGMMA_D_32 ", %36, %37"
#define WGMMA_D_36 WGMMA_D_34 ", %38, %39"
#define WGMMA_D_38 WGMMA_D_36 ", %40, %41"
#define WGMMA_D_40 WGMMA_D_38 ", %42, %43"
#define WGMMA_D_42 WGMMA_D_40 ", %44, %45"
#define WGMMA_D_44 WGMMA_D_42 ", %46, %47"
#define WGMMA_D_46 WGMMA_D_44 ", %48, %49"
#define WGMMA_D_48 WGMMA_D_46 ", %50, %51"
#define WGMMA_D_50 WGMMA_D_48 ", %52, %53"
#define WGMMA_D_52 WGMMA_D_50 ", %54, %55"
#define WGMMA_D_54 WGMMA_D_52 ", %56, %57"
#define WGMMA_D_56 WGMMA_D_54 ", %58, %59"
#define WGMMA_D_58 WGMMA_D_56 ", %60, %61"
#define WGMMA_D_60 WGMMA_D_58 ", %62, %63"
#define WGMMA_D_62 WGMMA_D_60 ", %64, %65"
#define WGMMA_D_64 WGMMA_D_62 ", %66, %67"
#define WGMMA_D_68 WGMMA_D_64 ", %68, %69, %70, %71"
#define WGMMA_D_72 WGMMA_D_68 ", %72, %73, %74, %75"
#define WGMMA_D_76 WGMMA_D_72 ", %76, %77, %78, %79"
#define WGMMA_D_80 WGMMA_D_76 ", %80, %81, %82, %83"
#define WGMMA_D_84 WGMMA_D_80 ", %84, %85, %86, %87"
#define WGMMA_D_88 WGMMA_D_84 ", %88, %89, %90, %91"
#define WGMMA_D_92 WGMMA_D_88 ", %92, %93, %94, %95"
#define WGMMA_D_96 WGMMA_D_92 ", %96, %97, %98, %99"
#define WGMMA_D_100 WGMMA_D_96 ", %100, %101, %102, %103"
#define WGMMA_D_104 WGMMA_D_100 ", %104, %105, %106, %107"
#define WGMMA_D_108 WGMMA_D_104 ", %108, %109, %110, %111"
#define WGMMA_D_112 WGMMA_D_108 ", %112, %113, %114, %115"
#define WGMMA_D_116 WGMMA_D_112 ", %116, %117, %118, %119"
#define WGMMA_D_120 WGMMA_D_116 ", %120, %121, %122, %123"
#define WGMMA_D_124 WGMMA_D_120 ", %124, %125, %126, %127"
#define WGMMA_D_128 WGMMA_D_124 ", %128, %129, %130, %131"

#define WGMMA_OPERANDS_2(d) WGMMA_2(d, 0)
#define WGMMA_OPERANDS_4(d) WGMMA_OPERANDS_2(d), WGMMA_2(d, 2)
#define WGMMA_OPERANDS_6(d) WGMMA_OPERANDS_4(d), WGMMA_2(d, 4)
#define WGMMA_OPERANDS_8(d) WGMMA_OPERANDS_6(d), WGMMA_2(d, 6)
#define WGMMA_OPERANDS_10(d) WGMMA_OPERANDS_8(d), WGMMA_2(d, 8)
#define WGMMA_OPERANDS_12(d) WGMMA_OPERANDS_10(d), WGMMA_2(d, 10)
#define WGMMA_OPERANDS_14(d) WGMMA_OPERANDS_12(d), WGMMA_2(d, 12)
#define WGMMA_OPERANDS_16(d) WGMMA_OPERANDS_14(d), WGMMA_2(d, 14)
#define WGMMA_OPERANDS_18(d) WGMMA_OPERANDS_16(d), WGMMA_2(d, 16)
#define WGMMA_OPERANDS_20(d) WGMMA_OPERANDS_18(d), WGMMA_2(d, 18)
#define WGMMA_OPERANDS_22(d) WGMMA_OPERANDS_20(d), WGMMA_2(d, 20)
#define WGMMA_OPERANDS_24(d) WGMMA_OPERANDS_22(d), WGMMA_2(d, 22)
#define WGMMA_OPERANDS_26(d) WGMMA_OPERANDS_24(d), WGMMA_2(d, 24)
#define WGMMA_OPERANDS_28(d) WGMMA_OPERANDS_26(d), WGMMA_2(d, 26)
#define WGMMA_OPERANDS_30(d) WGMMA_OPERANDS_28(d), WGMMA_2(d, 28)
#define WGMMA_OPERANDS_32(d) WGMMA_OPERANDS_30(d), WGMMA_2(d, 30)
#define WGMMA_OPERANDS_34(d) WGMMA_OPERANDS_32(d), WGMMA_2(d, 32)
#define WGMMA_OPERANDS_36(d) WGMMA_OPERANDS_34(d), WGMMA_2(d, 34)
#define WGMMA_OPERANDS_38(d) WGMMA_OPERANDS_36(d), WGMMA_2(d, 36)
#define WGMMA_OPERANDS_40(d) WGMMA_OPERANDS_38(d), WGMMA_2(d, 38)
#define WGMMA_OPERANDS_42(d) WGMMA_OPERANDS_40(d), WGMMA_2(d, 40)
#define WGMMA_OPERANDS_44(d) WGMMA_OPERANDS_42(d), WGMMA_2(d, 42)
#define WGMMA_OPERANDS_46(d) WGMMA_OPERANDS_44(d), WGMMA_2(d, 44)
#define WGMMA_OPERANDS_48(d) WGMMA_OPERANDS_46(d), WGMMA_2(d, 46)
#define WGMMA_OPERANDS_50(d) WGMMA_OPERANDS_48(d), WGMMA_2(d, 48)
#define WGMMA_OPERANDS_52(d) WGMMA_OPERANDS_50(d), WGMMA_2(d, 50)
#define WGMMA_OPERANDS_54(d) WGMMA_OPERANDS_52(d), WGMMA_2(d, 52)
#define WGMMA_OPERANDS_56(d) WGMMA_OPERANDS_54(d), WGMMA_2(d, 54)
#define WGMMA_OPERANDS_58(d) WGMMA_OPERANDS_56(d), WGMMA_2(d, 56)
#define WGMMA_OPERANDS_60(d) WGMMA_OPERANDS_58(d), WGMMA_2(d, 58)
#define WGMMA_OPERANDS_62(d) WGMMA_OPERANDS_60(d), WGMMA_2(d, 60)
#define WGMMA_OPERANDS_64(d) WGMMA_OPERANDS_62(d), WGMMA_2(d, 62)
#define WGMMA_OPERANDS_68(d) WGMMA_OPERANDS_64(d), WGMMA_4(d, 64)
#define WGMMA_OPERANDS_72(d) WGMMA_OPERANDS_68(d), WGMMA_4(d, 68)
#define WGMMA_OPERANDS_76(d) WGMMA_OPERANDS_72(d), WGMMA_4(d, 72)
#define WGMMA_OPERANDS_80(d) WGMMA_OPERANDS_76(d), WGMMA_4(d, 76)
#define WGMMA_OPERANDS_84(d) WGMMA_OPERANDS_80(d), WGMMA_4(d, 80)
#define WGMMA_OPERANDS_88(d) WGMMA_OPERANDS_84(d), WGMMA_4(d, 84)
#define WGMMA_OPERANDS_92(d) WGMMA_OPERANDS_88(d), WGMMA_4(d, 88)
#define WGMMA_OPERANDS_96(d) WGMMA_OPERANDS_92(d), WGMMA_4(d, 92)
#define WGMMA_OPERANDS_100(d) WGMMA_OPERANDS_96(d), WGMMA_4(d, 96)
#define WGMMA_OPERANDS_104(d) WGMMA_OPERANDS_100(d), WGMMA_4(d, 100)
#define WGMMA_OPERANDS_108(d) WGMMA_OPERANDS_104(d), WGMMA_4(d, 104)
#define WGMMA_OPERANDS_112(d) WGMMA_OPERANDS_108(d), WGMMA_4(d, 108)
#define WGMMA_OPERANDS_116(d) WGMMA_OPERANDS_112(d), WGMMA_4(d, 112)
#define WGMMA_OPERANDS_120(d) WGMMA_OPERANDS_116(d), WGMMA_4(d, 116)
#define WGMMA_OPERANDS_124(d) WGMMA_OPERANDS_120(d), WGMMA_4(d, 120)
#define WGMMA_OPERANDS_128(d) WGMMA_OPERANDS_124(d), WGMMA_4(d, 124)
