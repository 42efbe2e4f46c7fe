" Vim syntax file
" Language:  Kern, a C-like language for SIMT kernels
" Filenames: *.kern
" test/frontend checks that every word of the language is here.

if exists("b:current_syntax")
  finish
endif

syn case match

" statements
syn keyword kernConditional if else switch
syn keyword kernRepeat      while do for
syn keyword kernLabel       case default
syn keyword kernStatement   break continue return goto
syn keyword kernException   try catch throw
syn keyword kernConverge    Predict
syn keyword kernLaunch      include
syn keyword kernOperator    sizeof static_assert _Static_assert

" types and declarations
syn keyword kernType        void bool char uchar short ushort int uint long ulong float double token
syn match   kernType        "\<u\=\(char\|short\|int\|long\)[234]\>\|\<\(float\|double\)[234]\>"
syn keyword kernStructure   struct union enum typedef
syn keyword kernSpace       global shared constant private
syn keyword kernStorage     const kernel extern convergent
syn keyword kernBoolean     true false

" builtins
syn keyword kernPlace       threadIdx blockIdx blockDim gridDim laneId warpId warpSize
syn keyword kernConverge    entry anchor loop
syn keyword kernFunction    barrier syncwarp ballot any all shuffle shuffle_xor shuffle_up shuffle_down
syn keyword kernFunction    broadcast broadcast_first reduce_add reduce_min reduce_max reduce_and reduce_or
syn keyword kernFunction    reduce_xor scan_add active_mask elect atomic_add atomic_sub atomic_min atomic_max
syn keyword kernFunction    atomic_and atomic_or atomic_xor atomic_xchg atomic_cas fence clock printf assert trap
syn keyword kernFunction    min max abs clamp popcount clz ctz brev rotl rotr mulhi as_int as_uint as_float
syn keyword kernFunction    as_long as_ulong as_double sqrt sqrtf floor floorf ceil ceilf trunc truncf round
syn keyword kernFunction    roundf rint rintf fabs fabsf sin sinf cos cosf tan tanf asin asinf acos acosf atan
syn keyword kernFunction    atanf atan2 atan2f sinh sinhf cosh coshf tanh tanhf exp expf exp2 exp2f expm1
syn keyword kernFunction    expm1f log logf log2 log2f log10 log10f log1p log1pf pow powf cbrt cbrtf hypot
syn keyword kernFunction    hypotf fmod fmodf fmin fminf fmax fmaxf copysign copysignf fma fmaf rsqrt rsqrtf
syn keyword kernFunction    isnan isinf isfinite exp10 exp10f ldexp ldexpf frexp frexpf modf modff sincos sincosf
syn keyword kernFunction    memcpy memset match_any scan_exclusive_add atomic_inc atomic_dec
syn keyword kernFunction    dot cross length distance normalize select
syn match   kernFunction    "\<\(make\|convert\)_\(u\=\(char\|short\|int\|long\)\|float\|double\)[234]\>"

" literals
syn match   kernNumber      "\<\d[0-9']*[uUlL]*\>"
syn match   kernNumber      "\<0[xX][0-9a-fA-F']\+[uUlL]*\>"
syn match   kernNumber      "\<0[bB][01']\+[uUlL]*\>"
syn match   kernFloat       "\<\d\+\.\.\@!\d*\([eE][-+]\=\d\+\)\=[fF]\="
syn match   kernFloat       "\.\d\+\([eE][-+]\=\d\+\)\=[fF]\=\>"
syn match   kernFloat       "\<\d\+[eE][-+]\=\d\+[fF]\=\>"
syn match   kernFloat       "\<0[xX][0-9a-fA-F.]\+[pP][-+]\=\d\+[fF]\=\>"
syn match   kernEscape      contained "\\\(x\x\+\|\o\{1,3}\|.\)"
syn match   kernFormat      contained "%[-+ #0]*\d*\(\.\d\+\)\=\(hh\|h\|ll\|l\)\=[diuoxXcfFeEgGaAp%]"
syn region  kernString      start=+"+ skip=+\\\\\|\\"+ end=+"+ oneline contains=kernEscape,kernFormat
syn match   kernCharacter   "'\(\\\(x\x\+\|\o\{1,3}\|.\)\|[^\\']\)'" contains=kernEscape

" what runs a file: launches, named buffers, repeats, outputs; their words are names elsewhere
syn cluster kernParts       contains=kernClause,kernMade,kernRound,kernHex,kernFile,kernRange,kernOperator,kernType,kernBoolean,kernNumber,kernFloat,kernString,kernCharacter,kernComment
syn region  kernDirective   matchgroup=kernLaunch start="\<launch\>\ze\_s\+\h" end=";" contains=@kernParts
syn region  kernDirective   matchgroup=kernLaunch start="^\s*\zs\<buffer\>\ze\s\+\h.*=" end=";" contains=@kernParts,kernStructure
syn region  kernDirective   matchgroup=kernLaunch start="^\s*\zs\<repeat\>\ze\_s*\((\|while\>\)" end="{"me=s-1 contains=@kernParts,kernRepeat
syn region  kernDirective   matchgroup=kernLaunch start="^\s*\zs\%(show\|save\)\>\ze\s*(" end=";" contains=@kernParts
syn match   kernClause      contained "\<\%(grid\|block\|shared\|show\|save\)\>\ze\_s*("
syn match   kernMade        contained "\<\%(zeros\|iota\|ramp\|random\|normal\|file\)\>\ze\_s*("
syn match   kernRound       contained "\<round\>\|\<null\>"
syn match   kernHex         contained "\<as\s\+hex\>"
syn match   kernRange       contained "\.\."
syn match   kernFile        contained "@\ze\s*\""

" labels and tokens
syn match   kernUserLabel   "^\s*\zs\h\w*\ze\s*:[^:]" contains=kernLabel
syn match   kernToken       "@\s*\h\w*"

" what a preprocessor reads (-cpp), or has written
syn match   kernPreProc     "^\s*#.*$" contains=kernString,kernComment

" comments
syn keyword kernTodo        contained TODO FIXME XXX NOTE
syn match   kernIgnore      contained "kern:ignore([a-z, -]*)"
syn region  kernComment     start="//" end="$" contains=kernTodo,kernIgnore,@Spell
syn region  kernComment     start="/\*" end="\*/" contains=kernTodo,kernIgnore,@Spell

syn sync ccomment kernComment

hi def link kernConditional Conditional
hi def link kernRepeat      Repeat
hi def link kernLabel       Label
hi def link kernUserLabel   Label
hi def link kernStatement   Statement
hi def link kernException   Exception
hi def link kernConverge    PreProc
hi def link kernPreProc     PreProc
hi def link kernToken       PreProc
hi def link kernLaunch      PreProc
hi def link kernClause      PreProc
hi def link kernHex         PreProc
hi def link kernFile        PreProc
hi def link kernRange       Operator
hi def link kernMade        Function
hi def link kernRound       Constant
hi def link kernOperator    Operator
hi def link kernType        Type
hi def link kernStructure   Structure
hi def link kernSpace       StorageClass
hi def link kernStorage     StorageClass
hi def link kernBoolean     Boolean
hi def link kernPlace       Constant
hi def link kernFunction    Function
hi def link kernNumber      Number
hi def link kernFloat       Float
hi def link kernEscape      SpecialChar
hi def link kernFormat      SpecialChar
hi def link kernString      String
hi def link kernCharacter   Character
hi def link kernTodo        Todo
hi def link kernIgnore      SpecialComment
hi def link kernComment     Comment

let b:current_syntax = "kern"
