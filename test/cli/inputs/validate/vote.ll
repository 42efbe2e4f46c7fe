source_filename = "vote.kern"
target datalayout = "e-p:32:32-p1:32:32-p3:32:32-p4:32:32-p5:32:32-A5-i64:64-v16:16-v32:32-n16:32:64"
target triple = "nvptx-nvidia-cuda"


define ptx_kernel void @k(ptr addrspace(1) %sets) nounwind convergent !dbg !4 {
entry:
  %.0 = call token @llvm.experimental.convergence.entry(), !dbg !5
  %.1 = call i32 @kern.special.tid.x(), !dbg !6
  %.2 = call i32 @kern.urem.i32(i32 %.1, i32 2), !dbg !7
  %.3 = icmp ne i32 %.2, 0, !dbg !6
  br i1 %.3, label %if.then, label %if.else, !dbg !6
if.then:
  %.4 = call i64 @kern.ballot(i1 true) [ "convergencectrl"(token %.0) ], !dbg !8
  %.5 = mul i32 %.1, 8, !dbg !9
  %.6 = getelementptr i8, ptr addrspace(1) %sets, i32 %.5, !dbg !9
  store i64 %.4, ptr addrspace(1) %.6, align 8, !dbg !10
  br label %return, !dbg !10
if.else:
  %.7 = call i64 @kern.ballot(i1 true) [ "convergencectrl"(token %.0) ], !dbg !11
  %.8 = mul i32 %.1, 8, !dbg !12
  %.9 = getelementptr i8, ptr addrspace(1) %sets, i32 %.8, !dbg !12
  store i64 %.7, ptr addrspace(1) %.9, align 8, !dbg !13
  br label %return, !dbg !13
return:
  ret void, !dbg !14
}

declare token @llvm.experimental.convergence.entry()
declare i32 @kern.special.tid.x() #0
declare i32 @kern.urem.i32(i32, i32) #0
declare i64 @kern.ballot(i1) #2
attributes #0 = { nounwind speculatable willreturn memory(none) }
attributes #1 = { nounwind }
attributes #2 = { convergent nounwind willreturn memory(none) }
attributes #3 = { convergent nounwind }
attributes #4 = { noreturn nounwind }
!0 = !DIFile(filename: "vote.kern", directory: "")
!1 = distinct !DICompileUnit(language: DW_LANG_C99, file: !0, producer: "kernc", isOptimized: false, runtimeVersion: 0, emissionKind: FullDebug)
!2 = !{i32 2, !"Debug Info Version", i32 3}
!llvm.dbg.cu = !{!1}
!llvm.module.flags = !{!2}
!3 = !DISubroutineType(types: !{null})
!4 = distinct !DISubprogram(name: "k", scope: !0, file: !0, line: 1, type: !3, scopeLine: 1, spFlags: DISPFlagDefinition, unit: !1)
!5 = !DILocation(line: 1, column: 29, scope: !4)
!6 = !DILocation(line: 3, column: 9, scope: !4)
!7 = !DILocation(line: 3, column: 21, scope: !4)
!8 = !DILocation(line: 4, column: 29, scope: !4)
!9 = !DILocation(line: 4, column: 9, scope: !4)
!10 = !DILocation(line: 4, column: 27, scope: !4)
!11 = !DILocation(line: 6, column: 29, scope: !4)
!12 = !DILocation(line: 6, column: 9, scope: !4)
!13 = !DILocation(line: 6, column: 27, scope: !4)
!14 = !DILocation(line: 7, column: 1, scope: !4)
!15 = !{!"kernel @k(sets: ptr.global \22global ulong *\22 of ulong 8)"}
!kern.kernels = !{!15}
!16 = !{!"launch @k(sets = zeros(8)) block(8, 1, 1) show(sets) !9"}
!kern.launches = !{!16}
