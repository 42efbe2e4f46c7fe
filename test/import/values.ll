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
