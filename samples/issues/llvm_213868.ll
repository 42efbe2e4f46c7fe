; A test that some threads know already, before an operation: llvm/llvm-project#213868, the program of llvm_213868.kern.
;
;     opt-19 -S -passes=jump-threading llvm_213868.ll
; leads the way from `entry` straight to `vote` in both functions, as it copies no operation. With the token that is
; right: the operation still has all threads that come to it. Without it, who waits where is left to the back end.
define void @tokens(ptr %out, i32 %t, i1 %odd, i1 %has.work) convergent {
entry:
  %all = call token @llvm.experimental.convergence.entry()
  br i1 %odd, label %look, label %test

look:
  store i32 %t, ptr %out
  br label %test

test:
  %work = phi i1 [ true, %entry ], [ %has.work, %look ]
  br i1 %work, label %vote, label %end

vote:
  %there = call i32 @_Z20sub_group_reduce_addi(i32 1) [ "convergencectrl"(token %all) ]
  store i32 %there, ptr %out
  br label %end

end:
  ret void
}

define void @plain(ptr %out, i32 %t, i1 %odd, i1 %has.work) convergent {
entry:
  br i1 %odd, label %look, label %test

look:
  store i32 %t, ptr %out
  br label %test

test:
  %work = phi i1 [ true, %entry ], [ %has.work, %look ]
  br i1 %work, label %vote, label %end

vote:
  %there = call i32 @_Z20sub_group_reduce_addi(i32 1)
  store i32 %there, ptr %out
  br label %end

end:
  ret void
}

declare token @llvm.experimental.convergence.entry()
declare i32 @_Z20sub_group_reduce_addi(i32) convergent nounwind
