; A loop that only waits for a thread's turn, with and without tokens: llvm/llvm-project#180621, the program of
; llvm_180621.kern.
;
; The operation stands behind one of the loop's exits. Without tokens nothing says that it belongs to a turn, and
;     opt-19 -S -passes='default<O1>' llvm_180621.ll
; leaves no loop in @plain: all threads whose key is below 8 come to the operation together. The loop in @tokens stays.
define void @tokens(ptr %out, i32 %key) convergent {
entry:
  %all = call token @llvm.experimental.convergence.entry()
  br label %loop

loop:
  %i = phi i32 [ 0, %entry ], [ %i.next, %go.on ]
  %turn = call token @llvm.experimental.convergence.loop() [ "convergencectrl"(token %all) ]
  %more = icmp ult i32 %i, 8
  br i1 %more, label %look, label %end

look:
  %mine = icmp eq i32 %i, %key
  br i1 %mine, label %vote, label %go.on

vote:
  %there = call i32 @_Z20sub_group_reduce_addi(i32 1) [ "convergencectrl"(token %turn) ]
  store i32 %there, ptr %out
  br label %end

go.on:
  %i.next = add i32 %i, 1
  br label %loop

end:
  ret void
}

define void @plain(ptr %out, i32 %key) convergent {
entry:
  br label %loop

loop:
  %i = phi i32 [ 0, %entry ], [ %i.next, %go.on ]
  %more = icmp ult i32 %i, 8
  br i1 %more, label %look, label %end

look:
  %mine = icmp eq i32 %i, %key
  br i1 %mine, label %vote, label %go.on

vote:
  %there = call i32 @_Z20sub_group_reduce_addi(i32 1)
  store i32 %there, ptr %out
  br label %end

go.on:
  %i.next = add i32 %i, 1
  br label %loop

end:
  ret void
}

declare token @llvm.experimental.convergence.entry()
declare token @llvm.experimental.convergence.loop()
declare i32 @_Z20sub_group_reduce_addi(i32) convergent nounwind
