// Two schemes side by side: which steps do the same for the same lanes, and why they differ.
//
// A lane's own sequence of places is the same under all schemes; only when it runs them, and with whom, is the
// scheme's. So the progress of lanes is the common clock.
'use strict';
// For each place of a lane's trace under scheme a, the index in its trace under b, or -1. Blocks may be cut differently
// and schemes add blocks of their own: what has equal lines, or else shares a line, is the same.
function matchTraces(a, b, lane) {
    const LOOK = 40, left = a.trace(lane), right = b.trace(lane), match = new Int32Array(left.length).fill(-1);
    const lines = (steps, step) => steps.placeAt(step).lines;
    const equal = (i, j) => a.placeAt(left[i]).key !== '' && a.placeAt(left[i]).key === b.placeAt(right[j]).key;
    const shares = (i, j) => lines(a, left[i]).some(line => lines(b, right[j]).includes(line));
    let i = 0, j = 0;
    while (i < left.length && j < right.length) {
        if (equal(i, j)) {
            match[i++] = j++;
            continue;
        }
        let skip = null;
        for (let far = 1; far <= LOOK && !skip; far++)
            for (let di = 0; di <= far && !skip; di++)
                if (i + di < left.length && j + far - di < right.length && equal(i + di, j + far - di))
                    skip = [di, far - di];
        if ((!skip || skip[0] + skip[1] > 3) && shares(i, j))
            match[i++] = j++;
        else if (skip) {
            i += skip[0];
            j += skip[1];
        } else {
            i++;
            j++;
        }
    }
    return match;
}

const matchCache = new WeakMap();

function matched(a, b, lane) {
    const byLane = entryOf(entryOf(matchCache, a, () => new Map()), b, () => []);
    return byLane[lane] ??= matchTraces(a, b, lane);
}

// The step under b in which a lane does what it does, or did last, in a step under a.
function sameStep(a, step, b, lane) {
    const trace = b.trace(lane), index = a.progress(lane, step + 1) - 1, match = matched(a, b, lane);
    for (let i = Math.min(index, match.length - 1); i >= 0; i--)
        if (match[i] >= 0)
            return trace[match[i]];
    return 0;
}

// Pairs of steps (of a, of b), ascending in both, that together have the most lanes doing the same: the heaviest
// increasing subsequence over all pairs that share a lane's progress. Only the given lanes count.
function alignSteps(a, b, lanes) {
    const pairs = [], weights = [], seen = new Int32Array(a.lanes);
    const best = new Float64Array(b.count + 1), from = new Int32Array(b.count + 1).fill(-1);
    const maps = lanes.map(lane => [lane, a.trace(lane), b.trace(lane), matched(a, b, lane)]);
    let top = -1;
    const upTo = j => {
        let found = -1, weight = 0;
        for (; j > 0; j -= j & -j)
            if (best[j] > weight) {
                weight = best[j];
                found = from[j];
            }
        return [found, weight];
    };
    for (let i = 0; i < a.count; i++) {
        const candidates = new Map(), active = a.active(i);
        for (const [lane, , trace, match] of maps) {
            if (!hasLane(active, lane))
                continue;
            const other = match[seen[lane]++];
            if (other >= 0)
                candidates.set(trace[other], (candidates.get(trace[other]) || 0) + 1);
        }
        for (const [j, weight] of [...candidates].sort((p, q) => q[0] - p[0])) {
            const [before, sum] = upTo(j), total = sum + weight, index = pairs.push([i, j, before]) - 1;
            weights.push(total);
            if (top < 0 || total > weights[top])
                top = index;
            for (let k = j + 1; k <= b.count; k += k & -k)
                if (best[k] < total) {
                    best[k] = total;
                    from[k] = index;
                }
        }
    }
    const result = [];
    for (let index = top; index >= 0; index = pairs[index][2])
        result.push(pairs[index]);
    return result.reverse();
}

// Columns for several schemes' steps: those aligned with a step of the reference stand in its column; others follow the
// one before them. Without lanes: each step stands in the column of its own number.
function alignAll(reference, others, lanes) {
    const pairs = others.map(other => lanes ? alignSteps(reference, other, lanes) : []);
    const column = new Int32Array(reference.count), next = pairs.map(() => 0);
    for (let i = 0; i < reference.count; i++) {
        column[i] = i ? column[i - 1] + 1 : 0;
        pairs.forEach((list, s) => {
            if (next[s] < list.length && list[next[s]][0] === i) {
                const [, j] = list[next[s]], last = next[s] ? list[next[s] - 1] : null;
                column[i] = Math.max(column[i], last ? column[last[0]] + j - last[1] : j);
                next[s]++;
            }
        });
    }
    const strips = [{steps: reference, column}];
    others.forEach((steps, s) => {
        const own = new Int32Array(steps.count), partner = new Int32Array(steps.count).fill(-1);
        for (const [i, j] of pairs[s])
            partner[j] = i;
        for (let j = 0; j < steps.count; j++)
            own[j] = partner[j] >= 0 ? column[partner[j]] : j ? own[j - 1] + 1 : 0;
        strips.push({steps, column: own});
    });
    const columns = Math.max(...strips.map(strip => strip.column[strip.column.length - 1])) + 1;
    for (const strip of strips) {
        strip.at = new Int32Array(columns).fill(-1);
        strip.column.forEach((c, step) => { strip.at[c] = step; });
    }
    return {strips, columns};
}

// Where two schemes differ, by place in the source: steps and lost lane slots under each, the worst first.
function differences(a, b) {
    const rows = new Map(), add = (steps, side) => {
        for (let i = 0; i < steps.count; i++) {
            const place = steps.placeAt(i);
            const row = entryOf(rows, place.row, () => ({place, steps: [0, 0], active: [0, 0], lost: [0, 0]}));
            const active = countLanes(steps.active(i));
            row.steps[side]++;
            row.active[side] += active;
            row.lost[side] += steps.lanes - active;
        }
    };
    [a, b].forEach(add);
    return [...rows.values()].filter(row => row.lost[0] !== row.lost[1])
        .sort((p, q) => Math.abs(q.lost[0] - q.lost[1]) - Math.abs(p.lost[0] - p.lost[1]));
}

// The first steps in which a lane does the same under both at this place, but not in the same company: those with the
// greatest difference among the first steps at the place.
function firstDifference(a, b, row) {
    const TRIES = 200;
    let best = null, tries = 0;
    for (let i = 0; i < a.count && tries < TRIES; i++) {
        if (a.placeAt(i).row !== row)
            continue;
        tries++;
        for (const lane of lanesOf(a.active(i))) {
            const index = a.progress(lane, i), other = matched(a, b, lane)[index];
            if (other === undefined || other < 0)
                continue;
            const j = b.trace(lane)[other], left = a.active(i), right = b.active(j);
            const size = countLanes(without(left, right)) + countLanes(without(right, left));
            if (size && (!best || size > best.size))
                best = {i, j, lane, size};
        }
    }
    return best;
}

// Why a lane has other company in a step under a than in the step under b in which it does the same: lanes that miss it
// under one of them, where they parted from it, where they wait, where they meet again.
function cause(a, i, b, j, lane) {
    let worse = {steps: a, step: i, side: 0}, better = {steps: b, step: j, side: 1};
    let missing = without(b.active(j), a.active(i));
    if (isEmpty(missing)) {
        [worse, better] = [better, worse];
        missing = without(a.active(i), b.active(j));
    }
    if (isEmpty(missing))
        return null;
    const other = lanesOf(missing)[0];
    const together = (steps, step) => hasLane(steps.active(step), lane) && hasLane(steps.active(step), other);
    const seek = (steps, step, by) => {
        for (step += by; step >= 0 && step < steps.count; step += by)
            if (together(steps, step))
                return step;
        return -1;
    };
    const parted = seek(worse.steps, worse.step, -1), meet = seek(worse.steps, worse.step, 1);
    let join = better.step;
    while (join > 0 && together(better.steps, join - 1))
        join--;
    const betterParted = seek(better.steps, join, -1);
    return {worse, better, missing, other, parted, meet, join, betterParted,
        waits: doing(worse.steps, worse.step, other), group: worse.steps.groupOf(worse.step, other),
        meetProgress: meet < 0 ? -1 : worse.steps.progress(lane, meet) - worse.steps.progress(lane, parted),
        joinProgress: better.steps.progress(lane, join) - better.steps.progress(lane, betterParted)};
}
