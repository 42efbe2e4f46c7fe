// The one focus: a view, a scheme, a launch, a warp, a step, a lane, a line. It is kept in the address.
'use strict';
// Views by number: id, title, make(panel, app), which fills the panel and returns what draws it at the focus.
const views = [];

class Focus {
    constructor(model) {
        Object.assign(this, {model, listeners: []});
        const total = launch => launch.warps.length && launch.warps[0].total || 0, most = run => Math.max(0,
            ...run.launches.map(total));
        const scheme = model.runs.findIndex(run => run.scheme !== 'oracle' && most(run)), first = Math.max(0, scheme);
        const launch = model.runs.length ? model.runs[first].launches.findIndex(one =>
            total(one) === most(model.runs[first])) : 0;
        this.value = {view: 0, scheme: first, launch: Math.max(0, launch), warp: 0, step: 0, lane: 0, line: 0};
        this.fromFragment(location.hash.slice(1));
    }

    get run() { return this.model.run(this.value.scheme); }
    get launch() { return this.model.launch(this.value.scheme, this.value.launch); }
    get steps() { return this.model.steps(this.value.scheme, this.value.launch); }

    // Changes with the steps that are shown.
    get stepsKey() { return `${this.value.scheme} ${this.value.launch} ${this.value.warp}`; }

    fromFragment(text) {
        const wanted = new Map(text.split('&').map(part => part.split('=').map(word => {
            try { return decodeURIComponent(word); } catch { return ''; }
        })));
        const from = (low, n) => Number.isInteger(n) && n >= low ? n - low : undefined;
        const count = (key, low) => wanted.has(key) ? from(low, Number(wanted.get(key))) : undefined;
        this.set({view: from(0, views.findIndex(one => wanted.has(one.id))), step: count('step', 1),
            lane: count('lane', 0),
            scheme: from(0, this.model.runs.findIndex(run => run.scheme === wanted.get('scheme'))),
            launch: count('launch', 1), warp: count('in', 0), line: count('line', 0)}, true);
    }

    toFragment() {
        const {view, scheme, launch, warp, step, lane, line} = this.value, run = this.model.run(scheme);
        return `#${views[view].id}` + (run ? `&scheme=${encodeURIComponent(run.scheme)}` : '')
            + `&launch=${launch + 1}${warp ? `&in=${warp}` : ''}&step=${step + 1}&lane=${lane}`
            + (line ? `&line=${line}` : '');
    }

    // Moves the focus, and what must follow: another scheme keeps the lane's own progress, another step takes the line
    // along, a line looks for the next step that runs it.
    set(patch, exact) {
        const old = this.value, now = {...old};
        for (const [key, value] of Object.entries(patch))
            if (value !== undefined)
                now[key] = value;
        now.scheme = Math.min(now.scheme, Math.max(0, this.model.runs.length - 1));
        const run = this.model.run(now.scheme);
        now.launch = run && run.launches.length ? Math.min(now.launch, run.launches.length - 1) : 0;
        const before = this.model.steps(old.scheme, old.launch);
        this.model.warp = now.warp;
        const steps = this.model.steps(now.scheme, now.launch);
        now.warp = steps ? steps.warp : now.warp;
        if (steps) {
            if ((now.launch !== old.launch || now.warp !== old.warp) && patch.step === undefined)
                now.step = 0;
            else if (now.scheme !== old.scheme && patch.step === undefined && before)
                now.step = old.lane < steps.lanes ? sameStep(before, old.step, steps, old.lane) : 0;
            now.lane = Math.min(Math.max(0, now.lane), steps.lanes - 1);
            now.step = Math.min(Math.max(0, now.step), steps.count - 1);
            if (patch.line !== undefined && patch.step === undefined && !exact)
                now.step = this.nextWith(steps, now.line, now.step);
            const lines = steps.placeAt(now.step).lines;
            if (patch.line === undefined && lines.length && !lines.includes(now.line))
                now.line = lines[0];
        } else {
            now.step = now.lane = 0;
        }
        this.value = now;
        const fragment = this.toFragment();
        if (fragment !== location.hash) {
            try {
                history.replaceState(null, '', fragment);
            } catch { /* a page in a sandbox has no history: the focus works without an address */ }
        }
        if (!this.waiting && this.listeners.length) {
            this.waiting = true;
            requestAnimationFrame(() => {
                this.waiting = false;
                this.listeners.forEach(listener => listener(this.value));
            });
        }
    }

    // The next step from here on, and round, that runs a line.
    nextWith(steps, line, from) {
        for (let k = 0; k < steps.count; k++)
            if (steps.placeAt((from + k) % steps.count).lines.includes(line))
                return (from + k) % steps.count;
        return from;
    }

    move(by) { this.set({step: this.value.step + by}); }

    // To the last or next step at which lanes meet.
    toJoin(by) {
        const steps = this.steps;
        for (let step = this.value.step + by; steps && step >= 0 && step < steps.count; step += by)
            if (steps.marks[step] & Steps.JOINS) {
                this.set({step});
                return;
            }
    }

    key(event) {
        if (event.ctrlKey || event.metaKey || event.altKey
            || event.target.matches('select, [type=number], [type=file]'))
            return;
        const round = (key, by, n) => n && this.set({[key]: (this.value[key] + by + n) % n});
        const lane = by => round('lane', by, this.steps && this.steps.lanes);
        const scheme = by => round('scheme', by, this.model.runs.length);
        const actions = {h: () => this.toJoin(-1), l: () => this.toJoin(1), '[': () => scheme(-1), ']': () =>
            scheme(1)};
        if (!event.target.matches('[role=tab], [type=range]'))
            Object.assign(actions, {ArrowLeft: () => this.move(event.shiftKey ? -10 : -1),
                ArrowRight: () => this.move(event.shiftKey ? 10 : 1), ArrowUp: () => lane(-1), ArrowDown: () => lane(1),
                Home: () => this.set({step: 0}), End: () => this.set({step: Infinity})});
        if (event.key >= '1' && event.key <= String(views.length))
            this.set({view: event.key - 1});
        else if (Object.hasOwn(actions, event.key))
            actions[event.key]();
        else
            return;
        event.preventDefault();
    }
}
