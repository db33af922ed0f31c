#pragma once
#pragma GCC system_header
// The hooks that kernels call most, in place: as calls they take longer than what they do. The
// compiler adds the calls after it has inlined, so the assembler replaces them, by a macro named
// `call`. What is not quick calls a hook as before (runtime/kernel/hooks.cpp).

// Where the runtime's Running has what they need, and where stamps lie: hooks.cpp compares.
#define __KATA_SHARED_LOW 0
#define __KATA_GLOBAL_LOW 8
#define __KATA_QUANTUM 16
#define __KATA_BLOCKS 24
#define __KATA_PATH 32
#define __KATA_READ_BY_LANES 40
#define __KATA_READ_BY_WARPS 44
#define __KATA_READ_BY_BLOCKS 48
#define __KATA_GLOBAL_LOADS 112
#define __KATA_SHARED_LOADS 192
#define __KATA_SHARED_WORDS 0x40000
#define __KATA_SHARED_STAMPS 0xa00000
#define __KATA_LOG2_GLOBAL_WORDS 38
#define __KATA_GLOBAL_STAMPS 0x90000000000

#if defined(__SANITIZE_THREAD__) && defined(__x86_64__) && !defined(__clang__)

#define __KATA_NUMBER(x) #x
#define __KATA_ASM_SET(name, value) ".set .L" #name ", " __KATA_NUMBER(value) "\n"

__asm__(__KATA_ASM_SET(shared_low, __KATA_SHARED_LOW)                //
        __KATA_ASM_SET(global_low, __KATA_GLOBAL_LOW)                //
        __KATA_ASM_SET(quantum, __KATA_QUANTUM)                      //
        __KATA_ASM_SET(blocks, __KATA_BLOCKS)                        //
        __KATA_ASM_SET(path, __KATA_PATH)                            //
        __KATA_ASM_SET(read_by_lanes, __KATA_READ_BY_LANES)          //
        __KATA_ASM_SET(read_by_warps, __KATA_READ_BY_WARPS)          //
        __KATA_ASM_SET(read_by_blocks, __KATA_READ_BY_BLOCKS)        //
        __KATA_ASM_SET(global_loads, __KATA_GLOBAL_LOADS)            //
        __KATA_ASM_SET(shared_loads, __KATA_SHARED_LOADS)            //
        __KATA_ASM_SET(shared_words, __KATA_SHARED_WORDS)            //
        __KATA_ASM_SET(shared_stamps, __KATA_SHARED_STAMPS)          //
        __KATA_ASM_SET(log2_global_words, __KATA_LOG2_GLOBAL_WORDS)  //
        __KATA_ASM_SET(global_stamps, __KATA_GLOBAL_STAMPS)          //
        R"(
.macro __kata_enter_block
.Lkata_here\@:
  cmpb $0, .Lkata_ran\@(%rip)
  jne .Lkata_again\@
  movb $1, .Lkata_ran\@(%rip)
.Lkata_again\@:
  .pushsection __kata_ran, "aw?", @nobits
.Lkata_ran\@:
  .zero 1
  .popsection
  .pushsection __kata_places, "a?", @progbits
  .long .Lkata_here\@ - .
  .popsection
  movq __kata_running@gottpoff(%rip), %rax
  subq $1, %fs:.Lblocks(%rax)
  jns .Lkata_done\@
  callq *__sanitizer_cov_trace_pc@GOTPCREL(%rip)
.Lkata_done\@:
.endm

# is_read_again() of check/access.h
.macro __kata_read4
  movq __kata_running@gottpoff(%rip), %rax
  movq %rdi, %rdx
  subq %fs:.Lshared_low(%rax), %rdx
  rorq $2, %rdx
  cmpq $.Lshared_words, %rdx
  jae .Lkata_global\@
  movl .Lshared_stamps(%rdi), %edx
  cmpl %edx, %fs:.Lread_by_warps(%rax)
  je .Lkata_shared\@
  cmpl %edx, %fs:.Lread_by_lanes(%rax)
  jne .Lkata_first\@
.Lkata_shared\@:
  subq $1, %fs:.Lquantum(%rax)
  js .Lkata_first\@
  addq $1, %fs:.Lshared_loads(%rax)
  jmp .Lkata_done\@
.Lkata_global\@:
  movq %rdi, %rdx
  subq %fs:.Lglobal_low(%rax), %rdx
  rorq $2, %rdx
  shrq $.Llog2_global_words, %rdx
  jne .Lkata_first\@
  movabsq $.Lglobal_stamps, %rdx
  movl (%rdi,%rdx), %edx
  cmpl %edx, %fs:.Lread_by_blocks(%rax)
  jne .Lkata_first\@
  subq $1, %fs:.Lquantum(%rax)
  js .Lkata_first\@
  addq $1, %fs:.Lglobal_loads(%rax)
  jmp .Lkata_done\@
.Lkata_first\@:
  callq *__kata_first_read4@GOTPCREL(%rip)
.Lkata_done\@:
.endm

# A function that only counting needs, and that returns 0.
.macro __kata_if_counted function
  movq __kata_running@gottpoff(%rip), %rax
  cmpq $0, %fs:.Lpath(%rax)
  movl $0, %eax
  je .Lkata_done\@
  callq *\function
.Lkata_done\@:
.endm

.macro call target:vararg
.ifc \target,*__tsan_read4@GOTPCREL(%rip)
  __kata_read4
.else
.ifc \target,*__sanitizer_cov_trace_pc@GOTPCREL(%rip)
  __kata_enter_block
.else
.ifc \target,*__kata_loop_copy@GOTPCREL(%rip)
  __kata_if_counted __kata_loop_copy@GOTPCREL(%rip)
.else
.ifc \target,*__kata_iteration@GOTPCREL(%rip)
  __kata_if_counted __kata_iteration@GOTPCREL(%rip)
.else
.ifc \target,*__kata_loop_end@GOTPCREL(%rip)
  __kata_if_counted __kata_loop_end@GOTPCREL(%rip)
.else
.ifc \target,*__kata_iteration_alone@GOTPCREL(%rip)
  __kata_if_counted __kata_iteration_alone@GOTPCREL(%rip)
.else
.ifc \target,*__kata_predicate@GOTPCREL(%rip)
  __kata_if_counted __kata_predicate@GOTPCREL(%rip)
.else
.ifc \target,*__kata_predicate_end@GOTPCREL(%rip)
  __kata_if_counted __kata_predicate_end@GOTPCREL(%rip)
.else
  callq \target
.endif
.endif
.endif
.endif
.endif
.endif
.endif
.endif
.endm
)");

#undef __KATA_NUMBER
#undef __KATA_ASM_SET

// Of each basic block where it begins, from the number's own place on, and whether it has run.
extern "C" {
__attribute__((weak, visibility("hidden"))) extern const int __start___kata_places[];
__attribute__((weak, visibility("hidden"))) extern const int __stop___kata_places[];
__attribute__((weak, visibility("hidden"))) extern const unsigned char __start___kata_ran[];
__attribute__((weak, visibility("default")))
const void* __kata_blocks[] = {__start___kata_places, __stop___kata_places, __start___kata_ran};
}

#endif
