; An operation in the block before a loop: llvm/llvm-project#188323, the program of llvm_188323.kern.
;
; All rules on tokens hold. But LLVM 19 merges `joined` into the head of the loop when it unrolls it, and does not take
; the operation along or leave the block alone. Then an operation stands before the heart in one block:
;     opt-19 -passes='default<O3>' -disable-output llvm_188323.ll
; ends with "Loop intrinsic cannot be preceded by a convergent operation in the same basic block".
define void @k(ptr %out, i32 %t) convergent {
entry:
  %all = call token @llvm.experimental.convergence.entry()
  %low = icmp ult i32 %t, 4
  br i1 %low, label %then, label %joined

then:
  %arm = call i32 @_Z20sub_group_reduce_addi(i32 1) [ "convergencectrl"(token %all) ]
  store i32 %arm, ptr %out
  br label %joined

joined:
  %behind = call i32 @_Z20sub_group_reduce_addi(i32 1) [ "convergencectrl"(token %all) ]
  br label %loop

loop:
  %i = phi i32 [ 0, %joined ], [ %next, %loop ]
  %turn = call token @llvm.experimental.convergence.loop() [ "convergencectrl"(token %all) ]
  %there = call i32 @_Z20sub_group_reduce_addi(i32 %behind) [ "convergencectrl"(token %turn) ]
  %next = add i32 %i, 1
  %again = icmp ult i32 %next, 2
  br i1 %again, label %loop, label %end

end:
  store i32 %there, ptr %out
  ret void
}

declare token @llvm.experimental.convergence.entry()
declare token @llvm.experimental.convergence.loop()
declare i32 @_Z20sub_group_reduce_addi(i32) convergent nounwind
