// The experiment (docs/experiment.md) as the views use it: checked, steps decoded, what follows from them derived.
'use strict';
const ENDED = 255, ACTIVE = 0;

class Damaged extends Error {}

function need(condition, message) {
    if (!condition)
        throw new Damaged(message);
}

const list = value => Array.isArray(value) ? value : [];
const isIndex = (value, length) => Number.isInteger(value) && value >= 0 && value < length;

// What a warp did, step by step; steps count from 0 here and from 1 on the page.
class Steps {
    constructor(raw, palette) {
        const run = list(raw.run);
        need(isIndex(raw.lanes, 65) && raw.lanes > 0, 'The steps have no number of lanes from 1 to 64.');
        need(run.length % 2 === 0, 'The steps are cut off.');
        Object.assign(this, {warp: raw.warp || 0, lanes: raw.lanes, count: run.length / 2, traces: [],
            total: Math.max(raw.total || 0, run.length / 2)});
        this.places = list(raw.places).map(place => palette.place(place));
        this.states = list(raw.states).map(state => {
            need(Array.isArray(state) && typeof state[0] === 'string' && typeof state[1] === 'string',
                'A state of the steps is no list of masks.');
            return {active: parseMask(state[0]), live: parseMask(state[1]), groups: list(state[2]).map(group => ({
                lanes: parseMask(String(group[0])), wait: group[1], code: group[2], line: group[3] || 0,
                barrier: group[4], joined: group[5] === undefined ? NO_LANES : parseMask(String(group[5]))}))};
        });
        this.place = new Int32Array(this.count);
        this.state = new Int32Array(this.count);
        for (let i = 0; i < this.count; i++) {
            need(isIndex(run[2 * i], this.places.length) && isIndex(run[2 * i + 1], this.states.length),
                `Step ${i + 1} names a place or state that is not there.`);
            this.place[i] = run[2 * i];
            this.state[i] = run[2 * i + 1];
            // A place of no line goes by the lines that its first lane ran before.
            for (let j = i - 1, place = this.placeAt(i); !place.row; j--)
                if (j < 0 || hasLane(this.active(j), lanesOf(this.active(i))[0]) && this.placeAt(j).lines.length)
                    place.text += ` ${place.row = j < 0 ? 'of no line' : 'after ' + linesText(this.placeAt(j).lines)}`;
        }
    }

    at(step) { return this.states[this.state[step]]; }
    active(step) { return this.at(step).active; }
    placeAt(step) { return this.places[this.place[step]]; }

    // For each lane: ACTIVE, ENDED, or 1 + the index of the group that it waits in. The last group that has it counts:
    // a stack's entries below hold all lanes that will meet there.
    lanesAt(step) {
        const state = this.at(step), group = lane => state.groups.findLastIndex(one => hasLane(one.lanes, lane)) + 1;
        return state.where = state.where || Uint8Array.from({length: this.lanes}, (_, lane) => hasLane(state.active,
            lane) ? ACTIVE : hasLane(state.live, lane) ? group(lane) || ENDED - 1 : ENDED);
    }

    groupOf(step, lane) { return this.at(step).groups[this.lanesAt(step)[lane] - 1]; }

    // Disjoint sets of lanes that are together in a state.
    setsAt(step) {
        const state = this.at(step);
        let left = without(state.live, state.active);
        const take = ({lanes}) => {
            const set = both(lanes, left);
            left = without(left, lanes);
            return set;
        };
        return state.sets = state.sets || [state.active, ...[...state.groups].reverse().map(take)];
    }

    // By step: DIVERGES if lanes that run there are not together in the step after, JOINS if lanes that run there were
    // not together in the step before.
    get marks() {
        if (!this.marked) {
            const touch = (step, mask) => this.setsAt(step).filter(set => !isEmpty(both(set, mask))).length > 1;
            this.marked = new Uint8Array(this.count);
            for (let i = 0; i + 1 < this.count; i++) {
                if (this.state[i] === this.state[i + 1])
                    continue;
                if (touch(i + 1, this.active(i)))
                    this.marked[i] |= Steps.DIVERGES;
                if (touch(i, this.active(i + 1)))
                    this.marked[i + 1] |= Steps.JOINS;
            }
        }
        return this.marked;
    }

    // The steps in which a lane runs: its own progress.
    trace(lane) {
        if (!this.traces.length) {
            this.traces = Array.from({length: 64}, () => []);
            this.state.forEach((_, step) => lanesOf(this.active(step)).forEach(one => this.traces[one].push(step)));
        }
        return this.traces[lane];
    }

    // How many blocks a lane has run before this step.
    progress(lane, step) {
        const trace = this.trace(lane);
        let low = 0, high = trace.length;
        while (low < high) {
            const middle = low + high >> 1;
            if (trace[middle] < step)
                low = middle + 1;
            else
                high = middle;
        }
        return low;
    }

    // Lane slots without work: of the steps that are kept.
    get slots() {
        const used = this.state.reduce((sum, state) => sum + countLanes(this.states[state].active), 0);
        return {used, all: this.count * this.lanes, lost: this.count * this.lanes - used};
    }
}
Object.assign(Steps, {DIVERGES: 1, JOINS: 2});

// Places of all schemes, by source lines: one colour for one place, whatever the scheme.
class Palette {
    constructor(runs) {
        Object.assign(this, {groups: new Map(), colours: new Map(), byLine: new Map()});
        this.collect(runs);
    }

    place(raw) {
        need(Array.isArray(raw), 'A place of the steps is no list.');
        const lines = list(raw[1]).filter(Number.isInteger), code = raw[0];
        const key = lines.length ? lines.join() : this.codes ? '#' + code : '';
        const label = lines.length ? ranges(lines).replace(/, /g, ',') : this.codes ? '#' + code : '–';
        const group = this.groups.get(key) ?? '';
        return {code, lines, key, group, label, row: group, operations: Array.isArray(raw[2]) ? raw[2] : null,
            colour: this.colours.get(group) ?? -1,
            text: linesText(lines) || `code ${code}`};
    }

    // The colours of the places that a line is in.
    coloursOf(line) {
        return [...this.byLine.get(line) ?? []].map(group => this.colours.get(group)).sort((a, b) => a - b);
    }

    // By run, its places. Where a run cuts the code in other pieces than those before it, a piece is of the group of
    // that which has the most of its lines. Colours of groups go round by first line, so that neighbours differ.
    collect(runs) {
        this.codes = runs.flat().every(([, lines]) => !list(lines).length);
        const own = new Map(), shared = (a, b) => a.filter(line => b.includes(line)).length;
        for (const places of runs) {
            const before = [...own];
            for (const [code, raw] of places) {
                const lines = this.codes ? [code] : list(raw), key = this.codes ? '#' + code : lines.join();
                if (!key || this.groups.has(key))
                    continue;
                const [group] = before.reduce((best, one) => shared(one[1], lines) > shared(best[1], lines) ? one
                    : best, [key, []]);
                this.groups.set(key, group);
                if (group === key)
                    own.set(key, lines);
                for (const line of this.codes ? [] : lines)
                    entryOf(this.byLine, line, () => new Set()).add(group);
            }
        }
        [...own].sort(([, a], [, b]) => a[0] - b[0] || a.length - b.length || a[a.length - 1] - b[b.length - 1])
            .forEach(([key], index) => this.colours.set(key, index));
    }
}

class Model {
    constructor(text) {
        try {
            this.raw = JSON.parse(text);
        } catch (error) {
            throw new Damaged(`The file is not JSON: ${error.message}`);
        }
        const raw = this.raw;
        need(raw && raw.format === 'kernc experiment', 'The file is no experiment of kernc.');
        need(raw.version === 2, `The experiment has version ${raw.version}; this page reads version 2.`);
        need(Array.isArray(raw.runs), 'The experiment has no runs.');
        this.source = typeof raw.source === 'string' ? raw.source.split('\n') : null;
        if (this.source && this.source[this.source.length - 1] === '')
            this.source.pop();
        this.operations = list(raw.operations);
        this.texts = list(raw.texts);
        this.runs = raw.runs.map(run => {
            need(run && typeof run.scheme === 'string', 'A run has no scheme.');
            return {...run, passes: list(run.passes), remarks: list(run.remarks), divergence: list(run.divergence),
                graphs: list(run.graphs), launches: list(run.launches).map(launch =>
                    ({...launch, warps: list(launch.warps), decoded: []}))};
        });
        const last = run => run.scheme === 'oracle'; // which cuts at each operation
        this.palette = new Palette([...this.runs].sort((a, b) => last(a) - last(b)).map(run => run.launches.flatMap(
            launch => launch.warps.flatMap(one => list(one.places).filter(Array.isArray)))));
        this.warp = 0; // whose steps are looked at, by its number in the block; a launch without it shows its first
    }

    run(scheme) { return this.runs[scheme]; }
    launch(scheme, launch) { return this.runs[scheme] && this.runs[scheme].launches[launch]; }

    // The steps of the warp in a launch under a scheme; null: there are none.
    steps(scheme, launch) {
        const one = this.launch(scheme, launch);
        if (!one || !one.warps.length)
            return null;
        const at = Math.max(0, one.warps.findIndex(({warp}) => warp === this.warp));
        one.decoded[at] = one.decoded[at] || new Steps(one.warps[at], this.palette);
        return one.decoded[at].count ? one.decoded[at] : null;
    }

    // By line of a launch: metrics, lane slots and those lost, lanes that were active in the steps of one warp.
    lines(scheme, launch) {
        const one = this.launch(scheme, launch), steps = one && this.steps(scheme, launch);
        if (!one)
            return {rows: new Map(), lost: 0};
        if (!one.byLine || one.byLine.steps !== steps) {
            const rows = new Map(), row = line => entryOf(rows, line, () => ({line, lost: 0, histogram: null}));
            for (const {line, warp_instructions: executed, thread_instructions: threads, divergences: diverged,
                simt_efficiency: efficiency} of list(one.lines)) {
                const slots = efficiency > 0 ? threads / efficiency : executed * (this.runs[scheme].warp || 0);
                Object.assign(row(line), {executed, threads, diverged, efficiency, lost: Math.max(0,
                    Math.round(slots - threads))});
            }
            for (let i = 0; steps && i < steps.count; i++)
                for (const line of steps.placeAt(i).lines) {
                    const entry = row(line), active = countLanes(steps.active(i));
                    entry.histogram = entry.histogram || new Int32Array(8);
                    if (active)
                        entry.histogram[Math.ceil(8 * active / steps.lanes) - 1]++;
                }
            const lost = [...rows.values()].reduce((sum, entry) => sum + entry.lost, 0);
            one.byLine = {rows, steps, lost, counted: list(one.lines).length > 0};
        }
        return one.byLine;
    }
}

// What a lane does in a step, as words.
function doing(steps, step, lane) {
    const where = steps.lanesAt(step)[lane], group = steps.groupOf(step, lane);
    return where === ACTIVE ? `runs ${steps.placeAt(step).text}` : where === ENDED ? 'has ended'
        : group ? `waits ${waitText(group)}` : 'waits';
}

function waitText({wait, barrier, line}) {
    return (wait === 'barrier' ? `in barrier B${barrier}` : wait === 'others' ? 'for others to come' : 'for its turn')
        + (line ? `, to go on in line ${line}` : '');
}
