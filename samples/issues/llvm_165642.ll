; Two loops, one in the other, with an operation before the break of the inner one: llvm/llvm-project#165642, the program
; of llvm_165642.kern.
;
; All rules on tokens hold. At this level LLVM 19 merges the block of the operation with the head of the outer loop:
;     opt-19 -passes='default<O3>' -disable-output llvm_165642.ll
; ends with "Loop intrinsic cannot be preceded by a convergent operation in the same basic block".
define void @k(ptr %out, i32 %x, i32 %y) convergent {
entry:
  %all = call token @llvm.experimental.convergence.entry()
  br label %outer

outer:
  %i = phi i32 [ 0, %entry ], [ %i.next, %latch ]
  %turn = call token @llvm.experimental.convergence.loop() [ "convergencectrl"(token %all) ]
  %i.more = icmp ult i32 %i, 8
  br i1 %i.more, label %inner.pre, label %end

inner.pre:
  br label %inner

inner:
  %j = phi i32 [ 0, %inner.pre ], [ %j.next, %go.on ]
  %round = call token @llvm.experimental.convergence.loop() [ "convergencectrl"(token %turn) ]
  %j.more = icmp ult i32 %j, 8
  br i1 %j.more, label %look, label %latch

look:
  %is.x = icmp eq i32 %i, %x
  %is.y = icmp eq i32 %j, %y
  %mine = and i1 %is.x, %is.y
  br i1 %mine, label %vote, label %go.on

vote:
  %there = call i32 @_Z20sub_group_reduce_addi(i32 1) [ "convergencectrl"(token %round) ]
  store i32 %there, ptr %out
  br label %latch

go.on:
  %j.next = add i32 %j, 1
  br label %inner

latch:
  %i.next = add i32 %i, 1
  br label %outer

end:
  ret void
}

declare token @llvm.experimental.convergence.entry()
declare token @llvm.experimental.convergence.loop()
declare i32 @_Z20sub_group_reduce_addi(i32) convergent nounwind
