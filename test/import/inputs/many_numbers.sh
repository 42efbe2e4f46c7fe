# A function with $1 parameters, called by a kernel with $2 and a pointer, whose last one it stores.
list() { seq -s, "$1" | sed "s/[0-9][0-9]*/i32 $2&/g"; }
echo "define void @f($(list "$1" %a)) { ret void }"
echo "define ptx_kernel void @k(ptr addrspace(1) %o, $(list "$2" %b)) {"
echo "  store i32 %b$2, ptr addrspace(1) %o"
echo "  call void @f($(list "$1" ''))"
echo "  ret void"
echo "}"
