; Address spaces of generic pointers.

; ==== one_function_for_two_spaces
; add_one is called with a pointer to shared and with one to global memory: each call has its own.
; RUN: %kernc run %s --arg 'o=iota(4)' --block 4 --show 'o[0..4]'
; OUT-IS: o[0..4]: 2 4 6 8
target triple = "nvptx64-nvidia-cuda"
@s = internal addrspace(3) global [4 x i32] undef, align 4
declare i32 @llvm.nvvm.read.ptx.sreg.tid.x()
define void @add_one(ptr %p) {
  %a = alloca ptr, align 8
  store ptr %p, ptr %a, align 8
  %q = load ptr, ptr %a, align 8
  %v = load i32, ptr %q
  %w = add i32 %v, 1
  store i32 %w, ptr %q
  ret void
}
define ptx_kernel void @k(ptr %o) {
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %i = zext i32 %t to i64
  %g = getelementptr i32, ptr %o, i64 %i
  %sg = getelementptr [4 x i32], ptr addrspacecast (ptr addrspace(3) @s to ptr), i64 0, i64 %i
  %v = load i32, ptr %g
  store i32 %v, ptr %sg
  call void @add_one(ptr %g)
  call void @add_one(ptr %sg)
  %a = load i32, ptr %g
  %b = load i32, ptr %sg
  %c = add i32 %a, %b
  store i32 %c, ptr %g
  ret void
}

; ==== pointers_in_a_structure
; A structure holds a pointer to global and one to shared memory, as a lambda's captures do.
; RUN: %kernc run %s --arg 'o=iota(4)' --block 4 --show 'o[0..4]'
; OUT-IS: o[0..4]: 0 2 4 6
target triple = "nvptx64-nvidia-cuda"
%both = type { ptr, i32, ptr }
@s = internal addrspace(3) global [4 x i32] undef, align 4
declare i32 @llvm.nvvm.read.ptx.sreg.tid.x()
define i32 @sum(ptr %b) {
  %pg = getelementptr %both, ptr %b, i32 0, i32 0
  %g = load ptr, ptr %pg
  %pi = getelementptr %both, ptr %b, i32 0, i32 1
  %i = load i32, ptr %pi
  %ps = getelementptr %both, ptr %b, i32 0, i32 2
  %s = load ptr, ptr %ps
  %gi = getelementptr i32, ptr %g, i32 %i
  %si = getelementptr i32, ptr %s, i32 %i
  %x = load i32, ptr %gi
  %y = load i32, ptr %si
  %r = add i32 %x, %y
  ret i32 %r
}
define ptx_kernel void @k(ptr %o) {
  %b = alloca %both, align 8
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %g = getelementptr i32, ptr %o, i32 %t
  %sg = getelementptr i32, ptr addrspacecast (ptr addrspace(3) @s to ptr), i32 %t
  %v = load i32, ptr %g
  store i32 %v, ptr %sg
  store ptr %o, ptr %b
  %pi = getelementptr %both, ptr %b, i32 0, i32 1
  store i32 %t, ptr %pi
  %ps = getelementptr %both, ptr %b, i32 0, i32 2
  store ptr addrspacecast (ptr addrspace(3) @s to ptr), ptr %ps
  %c = alloca %both, align 8
  call void @llvm.memcpy.p0.p0.i64(ptr %c, ptr %b, i64 24, i1 false)
  %r = call i32 @sum(ptr %c)
  store i32 %r, ptr %g
  ret void
}
declare void @llvm.memcpy.p0.p0.i64(ptr, ptr, i64, i1)

; ==== one_pointer_to_several_spaces
; A number of which the upper bits say which memory. It is stored, compared, and null; calls give it on.
; RUN: for o in 0 2; do %kernc run %s -O$o --arg 'o=iota(4)' --block 4 --show o; done | sort -u
; OUT-IS: o[0..4]: 10 12 14 10
; RUN: %kernc run %s --target=warp-core --arg 'o=iota(4)' --block 4 --show o
; OUT-IS: o[0..4]: 10 12 14 10
; RUN: %kernc build %s --emit=ll -o %t.ll && %kernc run %t.ll --arg 'o=iota(4)' --block 4 --show o
; OUT-IS: o[0..4]: 10 12 14 10
target triple = "nvptx64-nvidia-cuda"
@s = internal addrspace(3) global [4 x i32] undef, align 4
define i32 @add(ptr %p, i32 %n) {
  %old = atomicrmw add ptr %p, i32 %n monotonic
  %is = icmp eq ptr %p, null
  %r = select i1 %is, i32 99, i32 %old
  ret i32 %r
}
define ptx_kernel void @k(ptr %o) {
  %own = alloca i32
  %kept = alloca ptr
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  store i32 %t, ptr %own
  %g = getelementptr i32, ptr %o, i32 %t
  %sg = getelementptr i32, ptr addrspacecast (ptr addrspace(3) @s to ptr), i32 %t
  store i32 %t, ptr %sg
  switch i32 %t, label %none [
    i32 0, label %global
    i32 1, label %shared
    i32 2, label %private
  ]
global:
  br label %all
shared:
  br label %all
private:
  br label %all
none:
  br label %all
all:
  %p = phi ptr [ %g, %global ], [ %sg, %shared ], [ %own, %private ], [ null, %none ]
  store ptr %p, ptr %kept
  %q = load ptr, ptr %kept
  %is = icmp eq ptr %q, null
  br i1 %is, label %end, label %use
use:
  %old = call i32 @add(ptr %q, i32 10)
  %v = load i32, ptr %q
  %sum = add i32 %v, %old
  br label %end
end:
  %r = phi i32 [ 10, %all ], [ %sum, %use ]
  store i32 %r, ptr %g
  ret void
}
declare i32 @llvm.nvvm.read.ptx.sreg.tid.x()

; ==== a_number_as_pointer
; RUN: %kernc run %s --arg 'o=iota(4)' --block 1
; EXIT: 1
; ERR: a number becomes a pointer
target triple = "nvptx64-nvidia-cuda"
define ptx_kernel void @k(ptr %o) {
  %v = load i64, ptr %o
  %p = inttoptr i64 %v to ptr
  store i32 1, ptr %p
  ret void
}

; ==== recursion
; RUN: %kernc run %s --arg 'o=iota(4)' --block 1
; EXIT: 1
; ERR: 'f' calls itself, directly or through others
target triple = "nvptx64-nvidia-cuda"
define void @f(ptr %o) {
  call void @f(ptr %o)
  ret void
}
define ptx_kernel void @k(ptr %o) {
  call void @f(ptr %o)
  ret void
}

; ==== dynamic_shared_memory
; RUN: %kernc run %s --arg 'o=iota(4)' --block 4 --shared 4 --show 'o[0..4]'
; OUT-IS: o[0..4]: 3 2 1 0
target triple = "nvptx64-nvidia-cuda"
@d = external addrspace(3) global [0 x i32], align 4
declare i32 @llvm.nvvm.read.ptx.sreg.tid.x()
declare void @llvm.nvvm.barrier0()
define void @put(i32 %t, i32 %v) {
  %p = getelementptr i32, ptr addrspacecast (ptr addrspace(3) @d to ptr), i32 %t
  store i32 %v, ptr %p
  ret void
}
define ptx_kernel void @k(ptr %o) convergent {
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %g = getelementptr i32, ptr %o, i32 %t
  %v = load i32, ptr %g
  call void @put(i32 %t, i32 %v)
  call void @llvm.nvvm.barrier0()
  %r = sub i32 3, %t
  %p = getelementptr [0 x i32], ptr addrspacecast (ptr addrspace(3) @d to ptr), i32 0, i32 %r
  %w = load i32, ptr %p
  store i32 %w, ptr %g
  ret void
}

; ==== a_global_variable
; A launch gives it, under its name.
; RUN: %kernc run %s --arg 'o=iota(4)' --arg 'count={5}' --block 4 --show 'count[0..1]' --show 'o[0..1]'
; OUT: count[0..1]: 9
; OUT: o[0..1]: 9
target triple = "nvptx64-nvidia-cuda"
@count = addrspace(1) externally_initialized global i32 0, align 4
declare void @llvm.nvvm.barrier0()
define i32 @next() {
  %r = atomicrmw add ptr addrspacecast (ptr addrspace(1) @count to ptr), i32 1 monotonic
  ret i32 %r
}
define ptx_kernel void @k(ptr %o) convergent {
  %r = call i32 @next()
  call void @llvm.nvvm.barrier0()
  %v = load i32, ptr addrspace(1) @count
  store i32 %v, ptr %o
  ret void
}
