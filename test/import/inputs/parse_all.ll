; Each rule of the grammar, in the forms of LLVM 18 to 20.
source_filename = "all\22 forms.cu"
target datalayout = "e-p:32:32-p3:16:16-p5:64:64-i64:64-A5"
target triple = "nvptx-nvidia-cuda"

%struct.S = type { i32, %"class.with blank", [2 x float] }
%"class.with blank" = type <{ i8, double }>
%0 = type opaque
$inline = comdat any
$"also this" = comdat largest

@a = dso_local addrspace(1) externally_initialized global [4 x i32] [i32 1, i32 -2, i32 u0x1F, i32 undef], align 16
@s = internal unnamed_addr addrspace(3) global [64 x float] poison, align 4, !dbg !2
@text = private unnamed_addr constant [6 x i8] c"a\5Cb\\\0A\00", section "x", comdat($inline), align 1
@0 = private constant %struct.S { i32 7, %"class.with blank" <{ i8 -1, double 1.5 }>, [2 x float] zeroinitializer }
@e = external addrspace(4) constant <2 x half>, align 4
@h = constant <2 x half> <half 0xH3C00, half 1.0>
@b = constant bfloat 0xR3F80
@f = constant [5 x float] [float 0x3FB99999A0000000, float 1.000000e+00, float 0x7FF8000000000000, float 0x36A0000000000000, float -0.0]
@big = constant i128 -18446744073709551617
@v = constant <4 x i32> splat (i32 9)
@p = constant ptr getelementptr inbounds nuw (i8, ptr addrspacecast (ptr addrspace(3) @s to ptr), i32 4)
@q = constant ptr getelementptr inbounds inrange(-4, 8) ({ [2 x ptr] }, ptr @p, i32 0, inrange i32 0, i32 1)
@d = constant i32 sub (i32 ptrtoint (ptr @p to i32), i32 xor (i32 ptrtoint (ptr @q to i32), i32 5))
@n = global { ptr, i1, token } { ptr null, i1 icmp ult (ptr @p, ptr @q), token none }
@al = weak_odr alias i8, ptr @text
@"quoted name" = global i8 0
@llvm.used = appending global [1 x ptr] [ptr @k], section "llvm.metadata"

; Function Attrs: convergent
define dso_local spir_kernel void @k(ptr addrspace(1) noundef align 4 %out, i32 %0, ptr byval(%struct.S) align 8 %st) local_unnamed_addr #0 comdat($inline) align 8 !dbg !4 !kernel_arg_type !{!"int*"} {
  %2 = alloca %struct.S, i32 2, align 8, addrspace(5), !dbg !8
    #dbg_declare(ptr addrspace(5) %2, !6, !DIExpression(DW_OP_plus_uconst, 4), !8)
  %t = call token @llvm.experimental.convergence.entry() #1
  br label %loop, !llvm.loop !9
loop:                                             ; preds = %loop, %1
  %i = phi i32 [ %0, %1 ], [ %next, %loop ], !dbg !8
  %x = phi fast float [ 0.0, %1 ], [ %y, %loop ]
    #dbg_value(!DIArgList(i32 %i, i32 %0), !6, !DIExpression(DW_OP_LLVM_arg, 0), !8)
  %next = add nuw nsw i32 %i, 1
  %y = fmul reassoc nnan contract float %x, 0x3FF8000000000000
  %lt = icmp samesign ult i32 %next, 10
  %ge = fcmp ninf oge float %y, 1.0
  %both = and i1 %lt, %ge
  %loopt = call token @llvm.experimental.convergence.loop() [ "convergencectrl"(token %t) ]
  %m = call range(i32 0, 5) i32 @ballot(i1 noundef zeroext %both) #1 [ "convergencectrl"(token %loopt), "other"() ]
  br i1 %both, label %loop, label %10, !prof !{!"branch_weights", i32 1, i32 2}

10:                                               ; numbers may be left out
  %11 = getelementptr inbounds nuw { i32, [4 x i32] }, ptr addrspace(1) %out, i32 1, i32 1, i32 %m
  %12 = load i32, ptr addrspace(1) %11, align 4, !dbg !8, !tbaa !5
  store volatile i32 %12, ptr addrspace(1) %out, align 4
  %13 = load atomic volatile i32, ptr addrspace(1) %out syncscope("agent") acquire, align 4
  store atomic i32 0, ptr addrspace(1) %out release, align 4
  %14 = atomicrmw volatile fadd ptr addrspace(1) %out, float 1.0 syncscope("wave") monotonic, align 4
  %15 = cmpxchg weak ptr addrspace(1) %out, i32 1, i32 2 acq_rel monotonic, align 4
  %16 = extractvalue { i32, i1 } %15, 0
  %17 = insertvalue { i32, i1 } poison, i1 true, 1
  fence syncscope("workgroup") seq_cst
  %18 = shufflevector <2 x i32> <i32 1, i32 2>, <2 x i32> poison, <3 x i32> <i32 0, i32 1, i32 poison>
  %19 = insertelement <3 x i32> %18, i32 %16, i64 0
  %20 = extractelement <3 x i32> %19, i32 %m
  %21 = select i1 %both, <3 x i32> %18, <3 x i32> %19
  %22 = freeze i32 %20
  %23 = trunc nuw i32 %22 to i8
  %24 = zext nneg i8 %23 to i64
  %25 = bitcast <2 x i32> zeroinitializer to double
  %26 = fneg nsz double %25
  %27 = tail call fastcc noundef i32 @late(i32 noundef %m, metadata i32 %i), !range !{i32 0, i32 8}
  %28 = call i32 (ptr, ...) @printf(ptr nonnull @text, i32 %27) nounwind "a" "b"="c"
  call void asm sideeffect alignstack "bar.sync $0;", "r,~{memory}"(i32 0) #1, !srcloc !10
  call void @llvm.dbg.value(metadata i32 %i, metadata !6, metadata !DIExpression()), !dbg !8
  switch i32 %28, label %end [
    i32 1, label %29
    i32 -2, label %30
  ]

29:
  musttail call void %fp()
  ret void

30:
  %fp = inttoptr i32 %m to ptr
  br label %29
"end":
  unreachable
}

define internal fastcc i32 @late(i32 %0, metadata %1) #0 personality ptr @printf prefix i32 3 {
  %3 = xor i32 %0, -1
  ret i32 %3
  uselistorder i32 %3, { 1, 0 }
}

declare !dbg !4 i32 @printf(ptr nocapture captures(none) readonly, ...) local_unnamed_addr memory(none)
declare i32 @ballot(i1 zeroext) convergent nounwind
declare token @llvm.experimental.convergence.entry()
declare token @llvm.experimental.convergence.loop() addrspace(0) noinline
declare void @llvm.dbg.value(metadata, metadata, metadata)

attributes #0 = { convergent alwaysinline memory(argmem: read) "kernel"="1" "flag" }
attributes #1 = { noconvergent nounwind allocsize(0) align=4 }
uselistorder ptr @p, { 1, 0 }

!llvm.module.flags = !{!0, !1}
!llvm.dbg.cu = !{!3}
!0 = !{i32 7, !"Dwarf Version", i32 5}
!1 = !{i32 1, !"quote\22", null, !{}, ptr @k}
!2 = !DIGlobalVariableExpression(var: !7, expr: !DIExpression())
!3 = distinct !DICompileUnit(language: DW_LANG_C_plus_plus_14, file: !5, isOptimized: false, emissionKind: FullDebug, splitDebugInlining: false)
!4 = distinct !DISubprogram(name: "k", scope: !5, line: 4, flags: DIFlagPublic | DIFlagPrototyped, spFlags: DISPFlagDefinition, unit: !3)
!5 = !DIFile(filename: "all.cu", directory: "/", checksumkind: CSK_MD5, checksum: "00")
!6 = !DILocalVariable(name: "i", arg: 1, scope: !4, type: null)
!7 = distinct !DIGlobalVariable(name: "s", scope: !3, size: 18446744073709551615, value: i32 -4)
!8 = !DILocation(line: 5, column: 9, scope: !4)
!9 = distinct !{!9, !11}
!10 = !{i64 4294967299}
!11 = !{!"llvm.loop.mustprogress"}

^0 = module: (path: "all.o", hash: (0, 0, 0, 0, 0))
