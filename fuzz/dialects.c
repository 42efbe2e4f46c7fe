/* dialects.c: the languages that a test is written in (emit.h), and how each spells it.
 *
 * Programs are written in one C: `uint` and `ulong`, `laneId`, `threadIdx.x`, calls of `ballot(x)` and its
 * kind. What a file begins with gives these words their meaning. `log`, `noise` and `wrong` are the kernel's
 * buffers; `first`, `expected` and `input` are tables.
 */
#include "fuzz/emit.h"

/* ---- OpenCL C ---------------------------------------------------------------------------------------- */

static const char cl_head[] = "#define laneId ((uint)get_local_id(0))\n"
                              "#define threadIdx ((uint3)(laneId, 0, 0))\n"
                              "#define blockIdx ((uint3)((uint)get_group_id(0), 0, 0))\n"
                              "#define blockDim ((uint3)((uint)get_local_size(0), 1, 1))\n"
                              "#define barrier() barrier(CLK_LOCAL_MEM_FENCE)\n"
                              "#undef any\n"
                              "#undef all\n";

static const char cl_operations[] =
    "#ifdef SUB_GROUPS\n"
    "ulong bits_of(uint4 set) { return (ulong)set.y << 32 | set.x; }\n"
    "uint shuffled(uint x, uint from) { return sub_group_shuffle(x, from < THREADS ? from : laneId); }\n"
    "#define ballot(x) bits_of(sub_group_ballot(x))\n"
    "#define any(x) (sub_group_any(x) != 0)\n"
    "#define all(x) (sub_group_all(x) != 0)\n"
    "#define reduce_add(x) sub_group_reduce_add(x)\n"
    "#define reduce_xor(x) sub_group_non_uniform_reduce_xor(x)\n"
    "#define reduce_max(x) sub_group_reduce_max(x)\n"
    "#define scan_add(x) sub_group_scan_inclusive_add(x)\n"
    "#define broadcast_first(x) sub_group_broadcast(x, 0)\n"
    "#define shuffle_xor(x, d) shuffled(x, laneId ^ (d))\n"
    "#define shuffle_up(x, d) shuffled(x, laneId - (d))\n"
    "#else\n"
    "ulong ballot_of(local uint *tile, bool x)\n"
    "{\n"
    "    ulong set = 0;\n"
    "    tile[laneId] = x;\n"
    "    barrier();\n"
    "    for (uint i = 0; i < THREADS; i++)\n"
    "        set |= (ulong)tile[i] << i;\n"
    "    barrier();\n"
    "    return set;\n"
    "}\n"
    "/* Of the work-items below `end`: the sum, exclusive or, maximum. */\n"
    "uint fold(local uint *tile, uint x, uint end, char op)\n"
    "{\n"
    "    uint y = 0;\n"
    "    tile[laneId] = x;\n"
    "    barrier();\n"
    "    for (uint i = 0; i < end; i++)\n"
    "        y = op == '+' ? y + tile[i] : op == '^' ? y ^ tile[i] : max(y, tile[i]);\n"
    "    barrier();\n"
    "    return y;\n"
    "}\n"
    "uint shuffled(local uint *tile, uint x, uint from)\n"
    "{\n"
    "    tile[laneId] = x;\n"
    "    barrier();\n"
    "    uint y = tile[from < THREADS ? from : laneId];\n"
    "    barrier();\n"
    "    return y;\n"
    "}\n"
    "#define ballot(x) ballot_of(tile, x)\n"
    "#define any(x) (ballot(x) != 0)\n"
    "#define all(x) (ballot(!(x)) == 0)\n"
    "#define reduce_add(x) fold(tile, x, THREADS, '+')\n"
    "#define reduce_xor(x) fold(tile, x, THREADS, '^')\n"
    "#define reduce_max(x) fold(tile, x, THREADS, 'm')\n"
    "#define scan_add(x) fold(tile, x, laneId + 1, '+')\n"
    "#define broadcast_first(x) shuffled(tile, x, 0)\n"
    "#define shuffle_xor(x, d) shuffled(tile, x, laneId ^ (d))\n"
    "#define shuffle_up(x, d) shuffled(tile, x, laneId - (d))\n"
    "#endif\n"
    "#define active_mask() ballot(true)\n";

/* ---- CUDA -------------------------------------------------------------------------------------------- */

static const char cu_head[] = "#include <assert.h>\n"
                              "#include <stdio.h>\n"
                              "#define uint unsigned\n"
                              "#define ulong unsigned long long\n"
                              "#define laneId (threadIdx.x % 32)\n"
                              "#define barrier() __syncthreads()\n"
                              "#define trap() __trap()\n"
                              "#define atomic_add(p, x) atomicAdd(p, x)\n";

static const char cu_operations[] =
    "/* The threads that execute the operation whose result is row n. */\n"
    "__device__ uint set_of(uint gid, uint n)\n"
    "{\n"
    "    return first[gid] + n < first[gid + 1] ? (uint)sets[first[gid] + n] : 1u << laneId;\n"
    "}\n"
    "#define SET set_of(gid, n)\n"
    "/* Of the set's threads in these lanes: the sum, exclusive or, maximum. */\n"
    "__device__ uint fold(uint set, uint x, uint lanes, char op)\n"
    "{\n"
    "    uint all = 0;\n"
    "    for (uint rest = set; rest != 0; rest &= rest - 1) {\n"
    "        uint lane = __ffs(rest) - 1, y = __shfl_sync(set, x, lane);\n"
    "        if (lanes >> lane & 1)\n"
    "            all = op == '+' ? all + y : op == '^' ? all ^ y : max(all, y);\n"
    "    }\n"
    "    return all;\n"
    "}\n"
    "__device__ uint shuffled(uint set, uint x, uint from)\n"
    "{\n"
    "    return __shfl_sync(set, x, from < 32 && (set >> from & 1) != 0 ? from : laneId);\n"
    "}\n"
    "#define ballot(x) ((ulong)__ballot_sync(SET, x))\n"
    "#define active_mask() ballot(true)\n"
    "#define any(x) (__any_sync(SET, x) != 0)\n"
    "#define all(x) (__all_sync(SET, x) != 0)\n"
    "#define reduce_add(x) fold(SET, x, ~0u, '+')\n"
    "#define reduce_xor(x) fold(SET, x, ~0u, '^')\n"
    "#define reduce_max(x) fold(SET, x, ~0u, 'm')\n"
    "#define scan_add(x) fold(SET, x, (2u << laneId) - 1u, '+')\n"
    "#define broadcast_first(x) shuffled(SET, x, __ffs(SET) - 1)\n"
    "#define shuffle_xor(x, d) shuffled(SET, x, laneId ^ (d))\n"
    "#define shuffle_up(x, d) shuffled(SET, x, laneId - (d))\n";

static const char cu_end[] =
    "\n"
    "int main()\n"
    "{\n"
    "    ulong *log;\n"
    "    uint *noise, *wrong, rows = ~0u;\n"
    "    cudaMalloc(&log, ROWS * BLOCKS * THREADS * sizeof *log);\n"
    "    cudaMalloc(&noise, BLOCKS * THREADS * sizeof *noise);\n"
    "    cudaMalloc(&wrong, sizeof *wrong);\n"
    "    cudaMemset(log, 0, ROWS * BLOCKS * THREADS * sizeof *log);\n"
    "    cudaMemset(noise, 0, BLOCKS * THREADS * sizeof *noise);\n"
    "    cudaMemset(wrong, 0, sizeof *wrong);\n"
    "    k<<<BLOCKS, THREADS>>>(log, noise, wrong);\n"
    "    cudaError_t e = cudaMemcpy(&rows, wrong, sizeof rows, cudaMemcpyDeviceToHost);\n"
    "    if (e != cudaSuccess)\n"
    "        printf(\"%s\\n\", cudaGetErrorString(e));\n"
    "    else\n"
    "        printf(\"wrong: %u\\n\", rows);\n"
    "    return rows != 0;\n"
    "}\n";

/* ---- GLSL -------------------------------------------------------------------------------------------- */

/* input is a word of GLSL, log a function. */
static const char glsl_head[] = "#extension GL_EXT_shader_explicit_arithmetic_types_int64 : require\n"
                                "#extension GL_KHR_shader_subgroup_arithmetic : require\n"
                                "#extension GL_KHR_shader_subgroup_ballot : require\n"
                                "#extension GL_KHR_shader_subgroup_shuffle : require\n"
                                "#extension GL_KHR_shader_subgroup_vote : require\n"
                                "#ifdef GL_EXT_maximal_reconvergence\n"
                                "#extension GL_EXT_maximal_reconvergence : require\n"
                                "#define MAXIMAL [[maximally_reconverges]]\n"
                                "#else\n"
                                "#define MAXIMAL\n"
                                "#endif\n"
                                "#define ulong uint64_t\n"
                                "#define log log_rows\n"
                                "#define input input_words\n"
                                "layout(local_size_x = THREADS) in;\n"
                                "layout(std430, binding = 0) buffer Log { ulong log[]; };\n"
                                "layout(std430, binding = 1) buffer Noise { uint noise[]; };\n"
                                "layout(std430, binding = 2) buffer Wrong { uint wrong[]; };\n"
                                "#define laneId gl_SubgroupInvocationID\n"
                                "#define threadIdx uvec3(gl_SubgroupID * WARP + laneId, 0, 0)\n"
                                "#define blockIdx gl_WorkGroupID\n"
                                "#define blockDim gl_WorkGroupSize\n"
                                "#define atomic_add(p, x) atomicAdd(wrong[0], x)\n";

static const char glsl_operations[] =
    "ulong bits_of(uvec4 set) { return ulong(set.y) << 32 | ulong(set.x); }\n"
    "uint shuffled(uint x, uint from)\n"
    "{\n"
    "    uvec4 set = subgroupBallot(true);\n"
    "    bool there = from < WARP && subgroupBallotBitExtract(set, min(from, WARP - 1u));\n"
    "    return subgroupShuffle(x, there ? from : laneId);\n"
    "}\n"
    "#define ballot(x) bits_of(subgroupBallot(x))\n"
    "#define active_mask() ballot(true)\n"
    "#define any(x) subgroupAny(x)\n"
    "#define all(x) subgroupAll(x)\n"
    "#define elect() subgroupElect()\n"
    "#define reduce_add(x) subgroupAdd(x)\n"
    "#define reduce_xor(x) subgroupXor(x)\n"
    "#define reduce_max(x) subgroupMax(x)\n"
    "#define scan_add(x) subgroupInclusiveAdd(x)\n"
    "#define broadcast_first(x) subgroupBroadcastFirst(x)\n"
    "#define shuffle_xor(x, d) shuffled(x, laneId ^ (d))\n"
    "#define shuffle_up(x, d) shuffled(x, laneId - (d))\n";

/* ---- the table --------------------------------------------------------------------------------------- */

static const struct fz_dialect dialects[] = {
    {
        .name = "cl",
        .extension = "cl",
        .language = "OpenCL C",
        .about =
            "OpenCL promises nothing about who is together where control flow is not uniform. So operations "
            "are\n"
            "only where all work-items of the work-group come to them together; elsewhere a row has what "
            "the\n"
            "work-item alone knows. The work-group stands for a sub-group: its work-items hand each other\n"
            "values in local memory, between two barriers. With -DSUB_GROUPS it has to be one, whose\n"
            "functions are called: -cl-std=CL3.0, cl_khr_subgroup_ballot, _shuffle, "
            "_non_uniform_arithmetic.\n"
            "To run it: three zeroed buffers as below; global size BLOCKS * THREADS, local size THREADS.",
        .first = "",
        .head = cl_head,
        .operations = cl_operations,
        .table = "constant ",
        .function = "",
        .parameters = ", global ulong *log, global uint *noise, local uint *tile",
        .arguments = ", log, noise, tile",
        .kernel = "kernel void k(global ulong *log, global uint *noise, global uint *wrong)\n{\n"
                  "    local uint tile[THREADS];\n"
                  "#ifdef SUB_GROUPS\n"
                  "    if (get_sub_group_size() != THREADS) { wrong[0] = ~0u; return; }\n"
                  "#endif\n",
        .checked = ", global ulong *log, global uint *wrong",
        .buffers = ", log, wrong",
        .end = "",
        .has_macros = true,
        .lacks = FZ_LACKS_TRY | FZ_LACKS_POINTERS | FZ_LACKS_GATES | FZ_LACKS_TRAP | FZ_LACKS_VOTES |
                 FZ_LACKS_IRREDUCIBLE | FZ_LACKS_ARITHMETIC,
        .promise = FZ_PROMISES_WHOLE,
        .width = 64,
    },
    {
        .name = "cu",
        .extension = "cu",
        .language = "CUDA C++",
        .about =
            "CUDA promises that the threads which a mask names meet (since sm_70), and nothing else about "
            "who is\n"
            "together. So each operation names its threads: row r of thread t was given by the threads of\n"
            "sets[first[t] + r].\n"
            "To run it: nvcc -arch=sm_70; the program prints the number of wrong rows.",
        .first = "",
        .head = cu_head,
        .operations = cu_operations,
        .table = "__device__ const ",
        .function = "__device__ ",
        .parameters = ", ulong *log, uint *noise",
        .arguments = ", log, noise",
        .kernel = "__global__ void k(ulong *log, uint *noise, uint *wrong)\n{\n",
        .checked = ", ulong *log, uint *wrong",
        .buffers = ", log, wrong",
        .end = cu_end,
        .has_macros = true,
        .lacks = FZ_LACKS_TRY | FZ_LACKS_GATES | FZ_LACKS_VOTES | FZ_LACKS_ARITHMETIC,
        .promise = FZ_PROMISES_NAMED,
        .width = 32,
        .only_width = true,
    },
    {
        .name = "glsl",
        .extension = "comp",
        .language = "GLSL for Vulkan",
        .about =
            "GL_EXT_maximal_reconvergence promises each set of threads, and is asked for if the compiler has "
            "it.\n"
            "Without it Vulkan promises them only where control flow is uniform: there another value is no\n"
            "mistake, as long as it is that of a set of invocations in the same call and iteration.\n"
            "To run it: glslangValidator -V --target-env vulkan1.1; storage buffers 0 to 2 of set 0, "
            "zeroed;\n"
            "BLOCKS workgroups; subgroups of WARP invocations, full ones first.",
        .first = "#version 450\n",
        .head = glsl_head,
        .operations = glsl_operations,
        .table = "const ",
        .function = "",
        .parameters = "",
        .arguments = "",
        .kernel = "void main() MAXIMAL\n{\n"
                  "    if (gl_SubgroupSize != WARP) { wrong[0] = ~0u; return; }\n",
        .checked = "",
        .buffers = "",
        .end = "",
        .casts_by_call = true,
        .has_macros = true,
        .lacks = FZ_LACKS_TRY | FZ_LACKS_POINTERS | FZ_LACKS_GATES | FZ_LACKS_GOTO | FZ_LACKS_TRAP |
                 FZ_LACKS_FALL | FZ_LACKS_ARITHMETIC,
        .promise = FZ_PROMISES_ALL,
        .width = 8,
        .is_hashed = true,
    },
    /* Written in Kern, and then as LLVM IR. */
    {
        .name = "ll",
        .extension = "ll",
        .language = "LLVM IR",
        .about =
            "Convergence is controlled by tokens, which define each set of threads. Functions `kern.` are\n"
            "operations of kernc's IR (docs/import.md); what a pass makes of the file must keep wrong[0] at "
            "0.\n"
            "To run it: kernc run --warp=WARP.",
        .first = "",
        .head = "",
        .operations = "",
        .table = "constant ",
        .function = "",
        .parameters = ", global ulong *log, global uint *noise",
        .arguments = ", log, noise",
        .kernel = "kernel void k(global ulong *log, global uint *noise, global uint *wrong)\n{\n",
        .checked = ", global ulong *log, global uint *wrong",
        .buffers = ", log, wrong",
        .end = "",
        /* Who returns early waits for the others of the kernel's function, where they compare. */
        .lacks = FZ_LACKS_GATES,
        .promise = FZ_PROMISES_ALL,
        .width = 32,
    },
};

const struct fz_dialect *fz_dialect_find(const char *name)
{
    for (size_t i = 0; i < COUNT(dialects); i++)
        if (strcmp(dialects[i].name, name) == 0)
            return &dialects[i];
    return NULL;
}
