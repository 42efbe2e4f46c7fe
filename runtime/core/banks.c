/* banks.c: conflicts of the banks of shared memory, for launches that count them.
 *
 * Consecutive words of 4 bytes lie in consecutive banks, and a bank serves one word in each pass: to all the
 * lanes that want bytes of it.
 */
#include "runtime/launch/grid.h"

#define WORD_BYTES 4u
#define MOST_WORDS (RT_MAX_LANES * BC_MAX_WIDE / WORD_BYTES) /* of an access */

/* Whether the words of accesses from `low` to `high` lie so close together that no two are of one bank: by
 * far the most. */
static bool lie_close(uint32_t low, uint32_t high, uint32_t bytes, uint32_t banks)
{
    return (high + bytes - 1) / WORD_BYTES - low / WORD_BYTES < banks;
}

static bool all_lie_close(const uint32_t *address, uint32_t count, uint32_t bytes, uint32_t banks)
{
    uint32_t low = address[0], high = address[0];
    for (uint32_t i = 1; i < count; i++) {
        low = address[i] < low ? address[i] : low;
        high = address[i] > high ? address[i] : high;
    }
    return lie_close(low, high, bytes, banks);
}

/* Words of one bank are listed, so that only they are compared: places in `words` from 1 on, 0 ends. */
static struct rt_bank_count count_by_bank(const uint32_t *address, uint32_t count, uint32_t bytes,
                                          bool atomic, uint32_t banks)
{
    uint32_t words[MOST_WORDS + 1], distinct = 0, most = 0;
    uint16_t next[MOST_WORDS + 1], first[KERNC_MAX_BANKS] = {0}, served[KERNC_MAX_BANKS] = {0};
    uint32_t each = bytes > WORD_BYTES ? bytes / WORD_BYTES : 1;
    for (uint32_t i = 0; i < count * each; i++) {
        uint32_t word = address[i / each] / WORD_BYTES + i % each, bank = word & (banks - 1),
                 same = first[bank];
        while (same && words[same] != word)
            same = next[same];
        if (same && !atomic)
            continue;
        words[++distinct] = word;
        next[distinct] = first[bank];
        first[bank] = (uint16_t)distinct;
        most = ++served[bank] > most ? served[bank] : most;
    }
    return (struct rt_bank_count){most, most - (distinct + banks - 1) / banks};
}

struct rt_bank_count rt_bank_passes(const uint32_t *address, uint32_t count, uint32_t bytes, bool atomic,
                                    uint32_t banks)
{
    bool close = !atomic && all_lie_close(address, count, bytes, banks);
    return close ? (struct rt_bank_count){1, 0} : count_by_bank(address, count, bytes, atomic, banks);
}

static void add(const struct rt_warp *w, const struct bc_ins *ins, struct rt_bank_count n)
{
    w->worker->banks[ins->e].passes += n.passes;
    w->worker->banks[ins->e].conflicts += n.conflicts;
}

/* Bytes that each lane accesses, or a uniform load; 0: a part that is counted with its wide access. */
static uint32_t bytes_of(const struct rt_warp *w, const struct bc_ins *ins)
{
    if (ins->op >= BC_wide_g && ins->op <= BC_widex_p)
        return ins->d & 0xff;
    if (rt_access[ins->op].mode != RT_MODE_U || !ins->b)
        return 1u << rt_access[ins->op].log2_bytes;
    bool unaligned = ((uint32_t)w->S[ins->a] + ins->imm - ins->c) & (ins->b - 1u);
    return unaligned ? 1u << rt_access[ins->op].log2_bytes : ins->c ? 0 : ins->b;
}

void rt_count_banks(struct rt_warp *w, const struct bc_ins *ins, uint32_t low, uint32_t high)
{
    struct rt_access access = rt_access[ins->op];
    uint32_t bytes = bytes_of(w, ins), banks = w->worker->launch->given.banks;
    bool atomic = ins->op >= BC_at_hadd_I && ins->op <= BC_at_hcas_F;
    if (!atomic && access.mode != RT_MODE_U && lie_close(low, high, bytes, banks)) {
        add(w, ins, (struct rt_bank_count){1, 0});
        return;
    }
    uint32_t address[RT_MAX_LANES], n = 0, offset = ins->imm, shift = 0;
    if (access.mode == RT_MODE_X) {
        offset += (uint32_t)w->S[ins->b];
        shift = ins->c;
    }
    if (access.mode == RT_MODE_U)
        address[n++] = (uint32_t)w->S[ins->a] + offset;
    else
        rt_each_lane(i, w->active)
            address[n++] = (rt_v(w, ins->a)[i] << shift) + offset;
    if (bytes)
        add(w, ins, rt_bank_passes(address, n, bytes, atomic, banks));
}

void rt_count_object(struct rt_warp *w, const struct bc_ins *ins, uint32_t address, uint32_t bytes)
{
    uint32_t banks = w->worker->launch->given.banks;
    uint32_t words = (address + bytes - 1) / WORD_BYTES - address / WORD_BYTES + 1;
    add(w, ins, (struct rt_bank_count){(words + banks - 1) / banks, 0});
}
