; Values of LLVM IR that kernc's IR has not: other widths, vectors, structures, half floats.

; ==== narrow_integers
; Upper bits of an i8 do not matter until they are compared, divided, shifted right or extended.
; RUN: %kernc run %s --arg 'o=zeros(8)' --block 1 --show 'o[0..8]'
; OUT-IS: o[0..8]: 44 44 -56 1 254 -1 15 1
target triple = "nvptx-nvidia-cuda"
target datalayout = "e-p:32:32-i64:64-v16:16-v32:32-n16:32:64"
define ptx_kernel void @k(ptr addrspace(1) %o) {
  %w = load i32, ptr addrspace(1) %o
  %x = trunc i32 %w to i8
  %y = add i8 %x, 200
  %s = add i8 %y, 100
  %n0 = zext i8 %s to i32
  store i32 %n0, ptr addrspace(1) %o
  %n1 = sext i8 %s to i32
  %p1 = getelementptr i32, ptr addrspace(1) %o, i32 1
  store i32 %n1, ptr addrspace(1) %p1
  %n2 = sext i8 %y to i32
  %p2 = getelementptr i32, ptr addrspace(1) %o, i32 2
  store i32 %n2, ptr addrspace(1) %p2
  %c = icmp ugt i8 %y, %s
  %n3 = zext i1 %c to i32
  %p3 = getelementptr i32, ptr addrspace(1) %o, i32 3
  store i32 %n3, ptr addrspace(1) %p3
  %m = sub i8 %x, 2
  %n4 = zext i8 %m to i32
  %p4 = getelementptr i32, ptr addrspace(1) %o, i32 4
  store i32 %n4, ptr addrspace(1) %p4
  %n5 = sext i1 %c to i32
  %p5 = getelementptr i32, ptr addrspace(1) %o, i32 5
  store i32 %n5, ptr addrspace(1) %p5
  %q = lshr i8 %m, 4
  %n6 = zext i8 %q to i32
  %p6 = getelementptr i32, ptr addrspace(1) %o, i32 6
  store i32 %n6, ptr addrspace(1) %p6
  %t = trunc i8 %m to i1
  %u = xor i1 %t, true
  %n7 = zext i1 %u to i32
  %p7 = getelementptr i32, ptr addrspace(1) %o, i32 7
  store i32 %n7, ptr addrspace(1) %p7
  ret void
}

; ==== odd_widths
; RUN: %kernc run %s --arg 'o=zeros(3)' --block 1 --show 'o[0..3]'
; OUT-IS: o[0..3]: -3 268435453 -1
target triple = "nvptx-nvidia-cuda"
define ptx_kernel void @k(ptr addrspace(1) %o) {
  %x = load i32, ptr addrspace(1) %o
  %t = trunc i32 %x to i28
  %m = sub i28 %t, 3
  %s = sext i28 %m to i32
  store i32 %s, ptr addrspace(1) %o
  %z = zext i28 %m to i64
  %zt = trunc i64 %z to i32
  %p1 = getelementptr i32, ptr addrspace(1) %o, i32 1
  store i32 %zt, ptr addrspace(1) %p1
  %d = sdiv i28 %m, 2
  %e = sext i28 %d to i32
  %p2 = getelementptr i32, ptr addrspace(1) %o, i32 2
  store i32 %e, ptr addrspace(1) %p2
  ret void
}

; ==== vectors_and_structures
; RUN: %kernc run %s --arg 'o=zeros(4)' --block 1 --show 'o[0..4]'
; OUT-IS: o[0..4]: 11 22 33 66
target triple = "nvptx-nvidia-cuda"
define { <3 x i32>, i32 } @pair(<3 x i32> %v, i32 %n) {
  %w = mul <3 x i32> %v, <i32 11, i32 11, i32 11>
  %a = extractelement <3 x i32> %w, i32 0
  %b = extractelement <3 x i32> %w, i32 %n
  %r = insertvalue { <3 x i32>, i32 } poison, <3 x i32> %w, 0
  %c = add i32 %a, %b
  %c2 = add i32 %c, 22
  %s = insertvalue { <3 x i32>, i32 } %r, i32 %c2, 1
  ret { <3 x i32>, i32 } %s
}
define ptx_kernel void @k(ptr addrspace(1) %o) {
  %v = insertelement <3 x i32> <i32 1, i32 poison, i32 3>, i32 2, i32 1
  %r = call { <3 x i32>, i32 } @pair(<3 x i32> %v, i32 2)
  %w = extractvalue { <3 x i32>, i32 } %r, 0
  %n = extractvalue { <3 x i32>, i32 } %r, 1
  store <3 x i32> %w, ptr addrspace(1) %o, align 16
  %p = getelementptr i32, ptr addrspace(1) %o, i32 3
  store i32 %n, ptr addrspace(1) %p
  ret void
}

; ==== half_floats
; Each operation rounds to nearest even: 2048 + 1 is 2048, 65504 + 16 is infinite; 2^-24 is the least.
; RUN: %kernc run %s --arg 'o=zeros(6)' --block 1 --show 'o[0..6]'
; OUT-IS: o[0..6]: 2048 2050 inf 0.33325195 5.9604645e-08 0
target triple = "nvptx-nvidia-cuda"
define ptx_kernel void @k(ptr addrspace(1) %o) {
  %z = load float, ptr addrspace(1) %o
  %h = fptrunc float %z to half
  %a = fadd half %h, 0xH6800
  %a1 = fadd half %a, 0xH3C00
  %f0 = fpext half %a1 to float
  store float %f0, ptr addrspace(1) %o
  %a2 = fadd half %a, 0xH4200
  %f1 = fpext half %a2 to float
  %p1 = getelementptr float, ptr addrspace(1) %o, i32 1
  %f1b = fsub float %f1, 2.0
  store float %f1b, ptr addrspace(1) %p1
  %m = fadd half %h, 0xH7BFF
  %i = fadd half %m, 0xH4C00
  %f2 = fpext half %i to float
  %p2 = getelementptr float, ptr addrspace(1) %o, i32 2
  store float %f2, ptr addrspace(1) %p2
  %third = fdiv half 0xH3C00, 0xH4200
  %f3 = fpext half %third to float
  %p3 = getelementptr float, ptr addrspace(1) %o, i32 3
  store float %f3, ptr addrspace(1) %p3
  %small = fptrunc float 0x3E70000000000000 to half
  %p4 = getelementptr half, ptr addrspace(1) %o, i32 8
  store half %small, ptr addrspace(1) %p4
  %back = load half, ptr addrspace(1) %p4
  %f4 = fpext half %back to float
  store float %f4, ptr addrspace(1) %p4
  %none = fmul half %back, 0xH3800
  %f5 = fpext half %none to float
  %p5 = getelementptr float, ptr addrspace(1) %o, i32 5
  store float %f5, ptr addrspace(1) %p5
  ret void
}

; ==== switches_and_phis
; RUN: %kernc run %s --arg 'o=iota(6)' --block 6 --show 'o[0..6]'
; OUT-IS: o[0..6]: 100 201 202 100 304 304
target triple = "nvptx-nvidia-cuda"
declare i32 @llvm.nvvm.read.ptx.sreg.tid.x()
define ptx_kernel void @k(ptr addrspace(1) %o) {
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %p = getelementptr i32, ptr addrspace(1) %o, i32 %t
  %v = load i32, ptr addrspace(1) %p
  switch i32 %v, label %other [
    i32 0, label %first
    i32 3, label %first
    i32 1, label %second
    i32 2, label %second
  ]
first:
  br label %end
second:
  %s = add i32 %v, 200
  br label %end
other:
  br label %end
end:
  %r = phi i32 [ 100, %first ], [ %s, %second ], [ 304, %other ]
  store i32 %r, ptr addrspace(1) %p
  ret void
}

; ==== accesses_of_any_width_and_alignment
; What no access of kernc does is made of smaller ones: i24, i56, i12, and numbers at odd places.
; RUN: %kernc run %s --arg 'o=zeros(4)' --block 1 --show 'o[0..4]'
; OUT-IS: o[0..4]: 1.5 -5 2.5 7.262385979038285e+16
target triple = "nvptx64-nvidia-cuda"
define ptx_kernel void @k(ptr addrspace(1) %o) {
  %m = alloca [32 x i8], align 8
  %p1 = getelementptr i8, ptr %m, i32 1
  %p10 = getelementptr i8, ptr %m, i32 10
  %p23 = getelementptr i8, ptr %m, i32 23
  store double 1.5, ptr %p1, align 1
  store i24 -5, ptr %p10, align 1
  store float 2.5, ptr %p23, align 1
  %d = load double, ptr %p1, align 1
  %i = load i24, ptr %p10, align 2
  %id = sitofp i24 %i to double
  %f = load float, ptr %p23, align 1
  %fd = fpext float %f to double
  store double %d, ptr addrspace(1) %o
  %o1 = getelementptr double, ptr addrspace(1) %o, i32 1
  store double %id, ptr addrspace(1) %o1
  %o2 = getelementptr double, ptr addrspace(1) %o, i32 2
  store double %fd, ptr addrspace(1) %o2
  store i56 72623859790382856, ptr %p1, align 1
  %p8 = getelementptr i8, ptr %m, i32 8
  store i12 -255, ptr %p8, align 1
  %w = load i64, ptr %p1, align 1
  %l = load i56, ptr %p1, align 1
  %lw = zext i56 %l to i64
  %h = and i64 %w, -72057594037927936
  %both = or i64 %lw, %h
  %r = sitofp i64 %both to double
  %o3 = getelementptr double, ptr addrspace(1) %o, i32 3
  store double %r, ptr addrspace(1) %o3
  ret void
}

; ==== overflow
; RUN: %kernc run %s --arg 'o=zeros(6)' --block 1 --show 'o[0..6]'
; OUT-IS: o[0..6]: -56 1 1 0 1 0
target triple = "nvptx-nvidia-cuda"
declare { i8, i1 } @llvm.sadd.with.overflow.i8(i8, i8)
declare { i32, i1 } @llvm.umul.with.overflow.i32(i32, i32)
declare { i64, i1 } @llvm.smul.with.overflow.i64(i64, i64)
declare { i32, i1 } @llvm.usub.with.overflow.i32(i32, i32)
declare { i64, i1 } @llvm.ssub.with.overflow.i64(i64, i64)
define ptx_kernel void @k(ptr addrspace(1) %o) {
  %z = load i32, ptr addrspace(1) %o
  %n = trunc i32 %z to i8
  %a = add i8 %n, 100
  %z8 = sext i32 %z to i64
  %s = call { i8, i1 } @llvm.sadd.with.overflow.i8(i8 %a, i8 %a)
  %sv = extractvalue { i8, i1 } %s, 0
  %s0 = sext i8 %sv to i32
  %sf = extractvalue { i8, i1 } %s, 1
  %s1 = zext i1 %sf to i32
  store i32 %s0, ptr addrspace(1) %o
  %p1 = getelementptr i32, ptr addrspace(1) %o, i32 1
  store i32 %s1, ptr addrspace(1) %p1
  %x = add i32 %z, 65536
  %u = call { i32, i1 } @llvm.umul.with.overflow.i32(i32 %x, i32 %x)
  %uf = extractvalue { i32, i1 } %u, 1
  %u1 = zext i1 %uf to i32
  %p2 = getelementptr i32, ptr addrspace(1) %o, i32 2
  store i32 %u1, ptr addrspace(1) %p2
  %y = add i64 %z8, -2147483648
  %m = call { i64, i1 } @llvm.smul.with.overflow.i64(i64 %y, i64 2147483648)
  %mf = extractvalue { i64, i1 } %m, 1
  %m1 = zext i1 %mf to i32
  %p3 = getelementptr i32, ptr addrspace(1) %o, i32 3
  store i32 %m1, ptr addrspace(1) %p3
  %v = call { i32, i1 } @llvm.usub.with.overflow.i32(i32 %z, i32 1)
  %vf = extractvalue { i32, i1 } %v, 1
  %v1 = zext i1 %vf to i32
  %p4 = getelementptr i32, ptr addrspace(1) %o, i32 4
  store i32 %v1, ptr addrspace(1) %p4
  %w = call { i64, i1 } @llvm.ssub.with.overflow.i64(i64 %z8, i64 9223372036854775807)
  %wf = extractvalue { i64, i1 } %w, 1
  %w1 = zext i1 %wf to i32
  %p5 = getelementptr i32, ptr addrspace(1) %o, i32 5
  store i32 %w1, ptr addrspace(1) %p5
  ret void
}

; ==== reductions_of_vectors
; RUN: %kernc run %s --arg 'o=zeros(4)' --block 1 --show 'o[0..4]'
; OUT-IS: o[0..4]: 10 -1 200 1
target triple = "nvptx-nvidia-cuda"
declare i32 @llvm.vector.reduce.add.v4i32(<4 x i32>)
declare i8 @llvm.vector.reduce.smax.v2i8(<2 x i8>)
declare i8 @llvm.vector.reduce.umax.v2i8(<2 x i8>)
declare i1 @llvm.vector.reduce.or.v2i1(<2 x i1>)
define ptx_kernel void @k(ptr addrspace(1) %o) {
  %z = load i32, ptr addrspace(1) %o
  %n = trunc i32 %z to i8
  %v = insertelement <4 x i32> <i32 1, i32 2, i32 3, i32 0>, i32 4, i32 3
  %a = call i32 @llvm.vector.reduce.add.v4i32(<4 x i32> %v)
  %w = add i8 %n, 200
  %b0 = insertelement <2 x i8> <i8 -1, i8 5>, i8 %w, i32 1
  %b = call i8 @llvm.vector.reduce.smax.v2i8(<2 x i8> %b0)
  %b1 = sext i8 %b to i32
  %c0 = insertelement <2 x i8> <i8 7, i8 5>, i8 %w, i32 1
  %c = call i8 @llvm.vector.reduce.umax.v2i8(<2 x i8> %c0)
  %c1 = zext i8 %c to i32
  %d0 = icmp ugt <2 x i8> %c0, <i8 100, i8 100>
  %d = call i1 @llvm.vector.reduce.or.v2i1(<2 x i1> %d0)
  %d1 = zext i1 %d to i32
  store i32 %a, ptr addrspace(1) %o
  %p1 = getelementptr i32, ptr addrspace(1) %o, i32 1
  store i32 %b1, ptr addrspace(1) %p1
  %p2 = getelementptr i32, ptr addrspace(1) %o, i32 2
  store i32 %c1, ptr addrspace(1) %p2
  %p3 = getelementptr i32, ptr addrspace(1) %o, i32 3
  store i32 %d1, ptr addrspace(1) %p3
  ret void
}

; ==== doubles_round_once
; 2049 + 2^-40 is above the middle of two halves, but is 2049, the middle, as a float; the same of bfloat.
; RUN: %kernc run %s --arg 'o=zeros(4)' --block 1 --show 'o[0..4]'
; OUT-IS: o[0..4]: 2050 2048 258 inf
target triple = "nvptx-nvidia-cuda"
define ptx_kernel void @k(ptr addrspace(1) %o) {
  %z = load double, ptr addrspace(1) %o
  %a = fadd double %z, 0x40A0020000000800
  %h = fptrunc double %a to half
  %hd = fpext half %h to double
  store double %hd, ptr addrspace(1) %o
  %b = fadd double %z, 0x40A001FFFFFFF800
  %g = fptrunc double %b to half
  %gd = fpext half %g to double
  %p1 = getelementptr double, ptr addrspace(1) %o, i32 1
  store double %gd, ptr addrspace(1) %p1
  %c = fadd double %z, 0x4070100000000800
  %e = fptrunc double %c to bfloat
  %ed = fpext bfloat %e to double
  %p2 = getelementptr double, ptr addrspace(1) %o, i32 2
  store double %ed, ptr addrspace(1) %p2
  %i = fadd double %z, 1.0e300
  %j = fptrunc double %i to half
  %jd = fpext half %j to double
  %p3 = getelementptr double, ptr addrspace(1) %o, i32 3
  store double %jd, ptr addrspace(1) %p3
  ret void
}

; ==== too_few_arguments
; RUN: %kernc dump %s
; EXIT: 1
; ERR: 'llvm.fshl.i32' takes 3 arguments, and has 1
; ERR: '_Z12get_local_idj' takes 1 arguments, and has 0
declare i32 @llvm.fshl.i32(i32)
declare i32 @_Z12get_local_idj()
define ptx_kernel void @k(ptr addrspace(1) %o) {
  %a = call i32 @llvm.fshl.i32(i32 1)
  %b = call i32 @_Z12get_local_idj()
  ret void
}

; ==== an_alias_of_itself
; RUN: %kernc dump %s
; EXIT: 1
; ERR: 'a' is an alias of itself
@a = alias i32, ptr @b
@b = alias i32, ptr @a
define ptx_kernel void @k(ptr addrspace(1) %o) {
  %v = load i32, ptr @a
  ret void
}

; ==== many_empty_parts
; RUN: %kernc dump %s
define ptx_kernel void @k(ptr addrspace(1) %o) {
  %v = load [1000000000 x [1000000000 x {}]], ptr addrspace(1) %o
  ret void
}

; ==== a_switch_on_a_wide_constant
; RUN: %kernc dump %s
; EXIT: 1
; ERR: a constant has 128 bits
define ptx_kernel void @k(i32 %x) {
  switch i128 5, label %a [ i128 1, label %a ]
a:
  ret void
}
