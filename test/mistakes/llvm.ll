; What kernc's IR has nothing for: the place of the instruction, and what to write.

; ==== packed_vector
target triple = "nvptx"
define ptx_kernel void @k(ptr addrspace(1) %a) {
  %v = load <8 x i1>, ptr addrspace(1) %a
  ret void
}
; RUN: %kernc build -w %s -o /dev/null
; EXIT: 1
; ERR: %s:3:8: error: a vector of i1 in memory: extend its elements to bytes first

; ==== wide_integer
target triple = "nvptx"
define ptx_kernel void @k(ptr addrspace(1) %a) {
  %v = load i128, ptr addrspace(1) %a
  %w = add i128 %v, 1
  store i128 %w, ptr addrspace(1) %a
  ret void
}
; RUN: %kernc build -w %s -o /dev/null
; EXIT: 1
; ERR: %s:3:8: error: a value has 128 bits: kernc's integers have at most 64

; ==== wide_constant
target triple = "nvptx"
define ptx_kernel void @k(ptr addrspace(1) %a) {
  store i128 1180591620717411303424, ptr addrspace(1) %a
  ret void
}
; RUN: %kernc build -w %s -o /dev/null
; EXIT: 1
; ERR: %s:3:3: error: a constant has 128 bits: kernc's integers have at most 64

; ==== length_of_array
target triple = "nvptx"
define ptx_kernel void @k(ptr addrspace(1) %a) {
  %n = load i32, ptr addrspace(1) %a
  %v = alloca i32, i32 %n
  store i32 1, ptr %v
  ret void
}
; RUN: %kernc build -w %s -o /dev/null
; EXIT: 1
; ERR: %s:4:8: error: an array's length is only known as the kernel runs: give it a constant one

; ==== number_as_pointer
target triple = "nvptx"
define ptx_kernel void @k(ptr addrspace(1) %a) {
  %n = load i32, ptr addrspace(1) %a
  %p = inttoptr i32 %n to ptr
  store i32 1, ptr %p
  ret void
}
; RUN: %kernc build -w %s -o /dev/null
; EXIT: 1
; ERR: %s:4:8: error: a number becomes a pointer: nothing says whether to global, shared or private memory

; ==== unknown_intrinsic
target triple = "nvptx"
define ptx_kernel void @k(ptr addrspace(1) %a) {
  %v = call i32 @llvm.nosuch.i32(i32 1)
  store i32 %v, ptr addrspace(1) %a
  ret void
}
declare i32 @llvm.nosuch.i32(i32)
; RUN: %kernc build -w %s -o /dev/null
; EXIT: 1
; ERR: %s:3:8: error: kernc does not know the intrinsic 'llvm.nosuch.i32'

; ==== without_body
target triple = "nvptx"
define ptx_kernel void @k(ptr addrspace(1) %a) {
  call void @helper(i32 1)
  ret void
}
declare void @helper(i32)
; RUN: %kernc build -w %s -o /dev/null
; EXIT: 1
; ERR: %s:3:3: error: 'helper' is called, which has no body here: define it in this file, or include the file that does

; ==== few_arguments
target triple = "nvptx"
define ptx_kernel void @k(ptr addrspace(1) %a) {
  %v = call float @llvm.fma.f32(float 1.0)
  store float %v, ptr addrspace(1) %a
  ret void
}
declare float @llvm.fma.f32(float)
; RUN: %kernc build -w %s -o /dev/null
; EXIT: 1
; ERR: %s:3:8: error: 'llvm.fma.f32' takes 3 arguments, and has 1

; ==== assembly
target triple = "nvptx"
define ptx_kernel void @k(ptr addrspace(1) %a) {
  call void asm sideeffect "membar.gl;", ""()
  ret void
}
; RUN: %kernc build -w %s -o /dev/null
; EXIT: 1
; ERR: %s:3:3: error: inline assembly: kernc has no instructions of other machines

; ==== narrow_atomic
target triple = "nvptx"
define ptx_kernel void @k(ptr addrspace(1) %a) {
  %v = atomicrmw add ptr addrspace(1) %a, i8 1 monotonic
  ret void
}
; RUN: %kernc build -w %s -o /dev/null
; EXIT: 1
; ERR: %s:3:8: error: an atomic operation on i8: kernc has those of 32 and 64 bits

; ==== narrow_exchange
target triple = "nvptx"
define ptx_kernel void @k(ptr addrspace(1) %a) {
  %v = cmpxchg ptr addrspace(1) %a, i8 1, i8 2 monotonic monotonic
  ret void
}
; RUN: %kernc build -w %s -o /dev/null
; EXIT: 1
; ERR: %s:3:8: error: an atomic operation on i8: kernc has those of 32 and 64 bits

; ==== truth_to_number
target triple = "nvptx"
define ptx_kernel void @k(ptr addrspace(1) %a) {
  %n = load i32, ptr addrspace(1) %a
  %s = insertelement <8 x i32> poison, i32 %n, i32 0
  %c = icmp eq <8 x i32> %s, zeroinitializer
  %b = bitcast <8 x i1> %c to i8
  store i8 %b, ptr addrspace(1) %a
  ret void
}
; RUN: %kernc build -w %s -o /dev/null
; EXIT: 1
; ERR: %s:6:8: error: a vector of truth values becomes a number

; ==== addresses_at_once
target triple = "nvptx"
define ptx_kernel void @k(ptr addrspace(1) %a) {
  %s = getelementptr i32, ptr addrspace(1) %a, <4 x i32> <i32 0, i32 1, i32 2, i32 3>
  %p = extractelement <4 x ptr addrspace(1)> %s, i32 1
  store i32 1, ptr addrspace(1) %p
  ret void
}
; RUN: %kernc build -w %s -o /dev/null
; EXIT: 1
; ERR: %s:3:8: error: a vector of addresses is made at once: kernc's lanes are threads

; ==== memory_or_function
target triple = "nvptx"
define ptx_kernel void @k(ptr addrspace(1) %a) {
  %n = load i32, ptr addrspace(1) %a
  %c = icmp eq i32 %n, 0
  %v = alloca i32
  %p = select i1 %c, ptr %v, ptr @f
  store i32 1, ptr %p
  ret void
}
define void @f() {
  ret void
}
; RUN: %kernc build -w %s -o /dev/null
; EXIT: 1
; ERR: %s:6:8: error: a pointer here may lead to private memory and to functions, which kernc keeps apart

; ==== recursion
target triple = "nvptx"
define ptx_kernel void @k(ptr addrspace(1) %a) {
  call void @down(i32 3)
  ret void
}
define void @down(i32 %n) {
  call void @down(i32 %n)
  ret void
}
; RUN: %kernc build -w %s -o /dev/null
; EXIT: 1
; ERR: %s:7:3: error: 'down' calls itself, directly or through others: kernels have no stack for that; write a loop with a stack of its own

; ==== kernel_called
target triple = "nvptx"
define ptx_kernel void @k(ptr addrspace(1) %a) {
  call void @other(ptr addrspace(1) %a)
  ret void
}
define ptx_kernel void @other(ptr addrspace(1) %a) {
  ret void
}
; RUN: %kernc build -w %s -o /dev/null
; EXIT: 1
; ERR: %s:3:3: error: a kernel is called: kernels are launched

; ==== printed_format
target triple = "nvptx"
define ptx_kernel void @k(ptr addrspace(1) %a) {
  %f = load ptr addrspace(1), ptr addrspace(1) %a
  %v = call i32 (ptr addrspace(1), ...) @printf(ptr addrspace(1) %f)
  ret void
}
declare i32 @printf(ptr addrspace(1), ...)
; RUN: %kernc build -w %s -o /dev/null
; EXIT: 1
; ERR: %s:4:8: error: printf's format is not a constant text

; ==== address_of_nothing
target triple = "nvptx"
define ptx_kernel void @k(ptr addrspace(1) %a) {
  store ptr @helper, ptr addrspace(1) %a
  ret void
}
declare void @helper(i32)
; RUN: %kernc build -w %s -o /dev/null
; EXIT: 1
; ERR: %s:3:3: error: the address of 'helper' is taken, which has no body

; ==== classes
target triple = "nvptx"
define ptx_kernel void @k(ptr addrspace(1) %a) {
  %x = load float, ptr addrspace(1) %a
  %c = call i1 @llvm.is.fpclass.f32(float %x, i32 1)
  %v = zext i1 %c to i32
  store i32 %v, ptr addrspace(1) %a
  ret void
}
declare i1 @llvm.is.fpclass.f32(float, i32 immarg)
; RUN: %kernc build -w %s -o /dev/null
; EXIT: 1
; ERR: %s:4:8: error: llvm.is.fpclass asks for the classes 0x1: of NaN, infinite and finite numbers kernc tells which

; ==== part_of_shuffle
target triple = "nvptx"
define ptx_kernel void @k(ptr addrspace(1) %a) {
  %n = load i32, ptr addrspace(1) %a
  %v = call i32 @llvm.nvvm.shfl.sync.idx.i32(i32 -1, i32 %n, i32 0, i32 6175)
  store i32 %v, ptr addrspace(1) %a
  ret void
}
declare i32 @llvm.nvvm.shfl.sync.idx.i32(i32, i32, i32, i32)
; RUN: %kernc build -w %s -o /dev/null
; EXIT: 1
; ERR: %s:4:8: error: a shuffle within parts of a warp: write it with kernc's own header (cuda_runtime.h), which computes the lane

; ==== no_kernel
target triple = "nvptx"
define void @f() {
  ret void
}
; RUN: %kernc build -w %s -o /dev/null
; EXIT: 1
; ERR: %s: error: there is no kernel: a function marked __global__ (CUDA, HIP) or __kernel (OpenCL), or in LLVM IR one with the calling convention ptx_kernel, spir_kernel or amdgpu_kernel

; ==== alias_of_itself
target triple = "nvptx"
@x = alias i32, ptr addrspace(1) @x
define ptx_kernel void @k(ptr addrspace(1) %a) {
  store i32 1, ptr addrspace(1) @x
  ret void
}
; RUN: %kernc build -w %s -o /dev/null
; EXIT: 1
; ERR: %s:2:1: error: 'x' is an alias of itself

; ==== variable_arguments
target triple = "nvptx"
define ptx_kernel void @k(ptr addrspace(1) %a) {
  call void (i32, ...) @many(i32 1, i32 2)
  ret void
}
define void @many(i32 %n, ...) {
  ret void
}
; RUN: %kernc build -w %s -o /dev/null
; EXIT: 1
; ERR: %s:3:3: error: 'many' is called with other types than it has
