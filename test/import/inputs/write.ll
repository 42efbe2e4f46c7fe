source_filename = "forms"
target datalayout = "e-p:32:32-p1:32:32-p3:32:32-p4:32:32-p5:32:32-A5-i64:64-v16:16-v32:32-n16:32:64"
target triple = "nvptx-nvidia-cuda"

@.text.0 = private addrspace(4) constant [13 x i8] c"%d \22quoted\22\0A\00"
@.text.1 = private addrspace(4) constant [5 x i8] c"stop\00"
@data = internal addrspace(4) constant [4 x i8] c"\00\FF\22\5C", align 4
@f.1 = internal addrspace(3) global [8 x i8] zeroinitializer, align 8
@tail = external addrspace(3) global [0 x [4 x i8]], align 4

define internal i32 @f(i32 %x) nounwind convergent noinline {
entry:
  %t = call token @llvm.experimental.convergence.entry()
  %m = call i64 @kern.ballot(i1 true) [ "convergencectrl"(token %t) ]
  %n = trunc i64 %m to i32
  br label %return
return:
  %.0 = phi i32 [ %n, %entry ]
  ret i32 %.0
}

define ptx_kernel void @k(ptr addrspace(1) %out, i32 %n) nounwind convergent !dbg !4 {
entry:
  %t = call token @llvm.experimental.convergence.entry()
  %p = alloca [8 x i8], align 8, addrspace(5)
  %lane = call i32 @kern.special.lane(), !dbg !5
  switch i32 %n, label %entry$0 [
    i32 1, label %entry$1
    i32 -7, label %exit
  ]
entry$0:
  br label %loop$
entry$1:
  br label %loop$
loop$:
  %i = phi i32 [ 0, %entry$0 ], [ 1, %entry$1 ], [ %i.1, %loop$ ]
  %loop = phi i32 [ %lane, %entry$0 ], [ %n, %entry$1 ], [ %z, %loop$ ]
  %h = call token @llvm.experimental.convergence.loop() [ "convergencectrl"(token %t) ]
  %s = call i32 @kern.shuffle.xor.i32(i32 %i, i32 1) [ "convergencectrl"(token %h) ]
  %a = call i32 @kern.sdiv.i32(i32 %s, i32 %n), !dbg !6
  %$0 = and i32 %n, 31
  %b = shl i32 %a, %$0
  %c = shl i32 %b, 3
  %d = call i32 @llvm.fptosi.sat.i32.f32(float 0x3FF8000000000000)
  %$1 = trunc i32 %d to i8
  %e = sext i8 %$1 to i32
  %q = getelementptr i8, ptr addrspace(1) %out, i32 %c
  %$2 = getelementptr i8, ptr addrspace(1) %q, i32 12
  %$3 = load i8, ptr addrspace(1) %$2, align 1
  %v = sext i8 %$3 to i32
  %$4 = getelementptr i8, ptr addrspace(1) %q, i32 -1
  %$5 = zext i1 true to i8
  store i8 %$5, ptr addrspace(1) %$4, align 1
  store i32 %v, ptr addrspace(1) %q, align 4
  %w = load i64, ptr addrspace(3) @f.1, align 8
  %r = call float @kern.atomic.umin.f32.global(ptr addrspace(1) %q, float 0x7FF8000000000000)
  %$6 = cmpxchg ptr addrspace(1) %q, i32 %v, i32 %n monotonic monotonic
  %u = extractvalue { i32, i1 } %$6, 0
  %y = call i32 @kern.bits.i32(float %r)
  %z = call i32 @f(i32 %y) convergent [ "convergencectrl"(token %h) ], !dbg !7
  %ic = call i32 @f(i32 %z) convergent [ "convergencectrl"(token %h) ]
  %hc = call float @"from outside"(float 0x3FE0000000000000)
  call void (ptr addrspace(4), ...) @kern.printf(ptr addrspace(4) @.text.0, i32 %ic)
  call void @kern.assert(i1 true, ptr addrspace(4) @.text.1)
  %k0 = call float @kern.fmin.f32(float %hc, float 0x8000000000000000)
  %lt = fcmp olt float %k0, 0x3FF0000000000000
  call void @llvm.memset.p5.i32(ptr addrspace(5) %p, i8 0, i32 8, i1 false)
  call void @llvm.memcpy.p1.p5.i32(ptr addrspace(1) %q, ptr addrspace(5) %p, i32 8, i1 false)
  %i.1 = ptrtoint ptr addrspace(1) %q to i32
  %$7 = ptrtoint ptr addrspace(1) %q to i32
  %sh = inttoptr i32 %$7 to ptr addrspace(3)
  fence seq_cst
  call void @kern.barrier() [ "convergencectrl"(token %h) ]
  br i1 %lt, label %loop$, label %exit
exit:
  br i1 true, label %dead, label %done
dead:
  call void @kern.trap(ptr addrspace(4) @.text.1)
  unreachable
done:
  ret void
}

declare token @llvm.experimental.convergence.entry()
declare i64 @kern.ballot(i1) #2
declare i32 @kern.special.lane() #0
declare token @llvm.experimental.convergence.loop()
declare i32 @kern.shuffle.xor.i32(i32, i32) #2
declare i32 @kern.sdiv.i32(i32, i32) #0
declare i32 @llvm.fptosi.sat.i32.f32(float)
declare float @kern.atomic.umin.f32.global(ptr addrspace(1), float) #1
declare i32 @kern.bits.i32(float) #0
declare float @"from outside"(float) #1
declare void @kern.printf(ptr addrspace(4), ...) #1
declare void @kern.assert(i1, ptr addrspace(4)) #1
declare float @kern.fmin.f32(float, float) #0
declare void @llvm.memset.p5.i32(ptr addrspace(5), i8, i32, i1 immarg)
declare void @llvm.memcpy.p1.p5.i32(ptr addrspace(1), ptr addrspace(5), i32, i1 immarg)
declare void @kern.barrier() #3
declare void @kern.trap(ptr addrspace(4)) #4
attributes #0 = { nounwind speculatable willreturn memory(none) }
attributes #1 = { nounwind }
attributes #2 = { convergent nounwind willreturn memory(none) }
attributes #3 = { convergent nounwind }
attributes #4 = { noreturn nounwind }
!0 = !DIFile(filename: "forms", directory: "")
!1 = distinct !DICompileUnit(language: DW_LANG_C99, file: !0, producer: "kernc", isOptimized: false, runtimeVersion: 0, emissionKind: FullDebug)
!2 = !{i32 2, !"Debug Info Version", i32 3}
!llvm.dbg.cu = !{!1}
!llvm.module.flags = !{!2}
!3 = !DISubroutineType(types: !{null})
!4 = distinct !DISubprogram(name: "k", scope: !0, file: !0, line: 3, type: !3, scopeLine: 3, spFlags: DISPFlagDefinition, unit: !1)
!5 = !DILocation(line: 4, column: 5, scope: !4)
!6 = !DILocation(line: 5, column: 1, scope: !4)
!7 = !DILocation(line: 0, column: 0, scope: !4)
!8 = !{!"kernel @k(out: ptr.global \22global int *\22 of int 4, n: i32 \22int\22 of int 4) shared @tail"}
!kern.kernels = !{!8}
!9 = !{!"launch @k(out = zeros(4), n = 3) grid(1, 1, 1) block(32, 1, 1) shared(4)"}
!kern.launches = !{!9}
