; An operation that is not marked as convergent, and one that is: NVlabs/cuda-oxide#229, numba/numba#9503.
;
;     opt-19 -S -passes=sink cuda_oxide_229.ll
; moves the unmarked operation into the block of its only use, where other threads are missing, and leaves the marked
; one where it is. (llvm/llvm-project#96521 is the same in a back end.)
define void @unmarked(ptr %out, i1 %some) convergent {
entry:
  %there = call i32 @reduce(i32 1)
  br i1 %some, label %use, label %end

use:
  store i32 %there, ptr %out
  br label %end

end:
  ret void
}

define void @marked(ptr %out, i1 %some) convergent {
entry:
  %there = call i32 @reduce(i32 1) #0
  br i1 %some, label %use, label %end

use:
  store i32 %there, ptr %out
  br label %end

end:
  ret void
}

declare i32 @reduce(i32) nounwind willreturn memory(none)
attributes #0 = { convergent }
