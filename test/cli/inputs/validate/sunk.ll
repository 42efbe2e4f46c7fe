source_filename = "vote.kern"
target datalayout = "e-p:32:32-p1:32:32-p3:32:32-p4:32:32-p5:32:32-A5-i64:64-v16:16-v32:32-n16:32:64"
target triple = "nvptx-nvidia-cuda"

; Function Attrs: convergent nounwind
define ptx_kernel void @k(ptr addrspace(1) %sets) #0 !dbg !5 {
entry:
  %.0 = call token @llvm.experimental.convergence.entry(), !dbg !8
  %.1 = call i32 @kern.special.tid.x(), !dbg !9
  %.2 = call i32 @kern.urem.i32(i32 %.1, i32 2), !dbg !10
  %.3 = icmp ne i32 %.2, 0, !dbg !9
  br i1 %.3, label %if.then, label %if.else, !dbg !9

if.then:                                          ; preds = %entry
  br label %return, !dbg !11

if.else:                                          ; preds = %entry
  br label %return, !dbg !12

return:                                           ; preds = %if.else, %if.then
  %.7 = call i64 @kern.ballot(i1 true) [ "convergencectrl"(token %.0) ], !dbg !13
  %.8 = mul i32 %.1, 8, !dbg !13
  %.9 = getelementptr i8, ptr addrspace(1) %sets, i32 %.8, !dbg !13
  store i64 %.7, ptr addrspace(1) %.9, align 8, !dbg !13
  ret void, !dbg !14
}

; Function Attrs: convergent nocallback nofree nosync nounwind willreturn memory(none)
declare token @llvm.experimental.convergence.entry() #1

; Function Attrs: nounwind speculatable willreturn memory(none)
declare i32 @kern.special.tid.x() #2

; Function Attrs: nounwind speculatable willreturn memory(none)
declare i32 @kern.urem.i32(i32, i32) #2

; Function Attrs: convergent nounwind willreturn memory(none)
declare i64 @kern.ballot(i1) #3

attributes #0 = { convergent nounwind }
attributes #1 = { convergent nocallback nofree nosync nounwind willreturn memory(none) }
attributes #2 = { nounwind speculatable willreturn memory(none) }
attributes #3 = { convergent nounwind willreturn memory(none) }

!llvm.dbg.cu = !{!0}
!llvm.module.flags = !{!2}
!kern.kernels = !{!3}
!kern.launches = !{!4}

!0 = distinct !DICompileUnit(language: DW_LANG_C99, file: !1, producer: "kernc", isOptimized: false, runtimeVersion: 0, emissionKind: FullDebug)
!1 = !DIFile(filename: "vote.kern", directory: "")
!2 = !{i32 2, !"Debug Info Version", i32 3}
!3 = !{!"kernel @k(sets: ptr.global \22global ulong *\22 of ulong 8)"}
!4 = !{!"launch @k(sets = zeros(8)) block(8, 1, 1) show(sets) !9"}
!5 = distinct !DISubprogram(name: "k", scope: !1, file: !1, line: 1, type: !6, scopeLine: 1, spFlags: DISPFlagDefinition, unit: !0)
!6 = !DISubroutineType(types: !7)
!7 = !{null}
!8 = !DILocation(line: 1, column: 29, scope: !5)
!9 = !DILocation(line: 3, column: 9, scope: !5)
!10 = !DILocation(line: 3, column: 21, scope: !5)
!11 = !DILocation(line: 4, column: 27, scope: !5)
!12 = !DILocation(line: 6, column: 27, scope: !5)
!13 = !DILocation(line: 0, scope: !5)
!14 = !DILocation(line: 7, column: 1, scope: !5)
