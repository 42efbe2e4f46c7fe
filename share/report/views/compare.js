// View 3: schemes side by side, aligned by the progress of lanes, and why they differ.
'use strict';
views.push({id: 'compare', title: 'Schemes', make(panel, app) {
    const {model, focus} = app, tools = h('div.tools'), box = h('div.figure.compare');
    const table = h('section', {'aria-label': 'Differences'});
    let chosen = null, reference = -1, mode = 'all', launch = -1, warp = -1, lane = -1, view = null, shown = null;
    let compared = '';
    put(panel, tools, box, table);

    const stepsOf = index => model.steps(index, launch);
    const withSteps = () => model.runs.map((_, index) => index).filter(stepsOf);
    const again = () => { build(); update(); };

    // The definition runs each thread alone, so it is chosen only if there is little else; of schemes that take the
    // same steps one is.
    const choose = () => {
        const all = withSteps(), seen = new Set(), some = all.filter(index => model.run(index).scheme !== 'oracle');
        const most = some.filter(index => stepsOf(index).lanes === stepsOf(some[0]).lanes);
        const differ = most.filter(index => {
            const key = `${stepsOf(index).total} ${stepsOf(index).slots.used}`;
            return !seen.has(key) && seen.add(key);
        });
        chosen = new Set((differ.length > 1 ? differ : most.length > 1 ? most : all).slice(0, 4));
        reference = [...chosen][0] ?? -1;
    };

    // What the reference is compared with in words: the focus' scheme, or the one that differs most.
    const other = () => {
        if (focus.value.scheme !== reference && chosen.has(focus.value.scheme))
            return focus.value.scheme;
        const far = index => Math.abs(stepsOf(index).slots.lost - stepsOf(reference).slots.lost);
        return [...chosen].filter(index => index !== reference).sort((a, b) => far(b) - far(a))[0] ?? -1;
    };

    const build = () => {
        ({launch, warp, lane} = focus.value);
        if (!chosen || !chosen.size || ![...chosen].every(stepsOf))
            choose();
        const last = view;
        [tools, box].forEach(clear);
        view = shown = null;
        if (reference < 0)
            return void box.append(noSteps(app));
        const order = [reference, ...[...chosen].filter(index => index !== reference).sort((a, b) => a - b)];
        const steps = order.map(stepsOf), lanes = steps[0].lanes;
        const {strips, columns: count} = alignAll(steps[0], steps.slice(1), mode === 'steps' ? null
            : mode === 'lane' ? [Math.min(lane, lanes - 1)] : Array.from({length: lanes}, (_, index) => index));
        view = new Viewport(count, draw);
        if (last && last.columns === view.columns)
            Object.assign(view, {cell: last.cell, first: last.first});
        const select = h('select', {id: 'reference', onchange: event => {
            reference = Number(event.target.value);
            again();
        }}, [...order].sort((a, b) => a - b).map(index =>
            h('option', {value: index, selected: index === reference}, model.run(index).scheme)));
        const modes = [['all', 'All lanes'], ['lane', `Lane ${lane}`], ['steps', 'Step number']];
        const check = index => h('label', h('input', {type: 'checkbox', checked: chosen.has(index),
            disabled: index === reference, onchange: () => {
                chosen.has(index) ? chosen.delete(index) : chosen.add(index);
                again();
            }}), model.run(index).scheme);
        put(tools, field('Reference', select), h('span.field', h('span', 'Aligned by'),
            segments('Aligned by', modes, mode, value => { mode = value; again(); })), zoomButtons(view),
        h('fieldset.schemes', h('legend.hidden', 'Schemes'), withSteps().map(check)), legend(true));
        const most = Math.max(...steps.map(one => one.total));
        shown = strips.map((one, k) => {
            const index = order[k], run = model.run(index), differs = k ? companyOf(strips[0].steps, one.steps) : null;
            const strip = new Strip(one.steps, {view, at: one.at, laneHeight: lanes > 32 ? 3 : lanes > 16 ? 4 : 8,
                differs: differs && (step => differs[step]), axis: k === order.length - 1,
                label: `Lanes by steps under ${run.scheme}`, hover: (step, at) => app.say(run, one.steps, step, at),
                pick: (step, at) => step >= 0 && focus.set({scheme: index, step, ...at >= 0 ? {lane: at} : {}})});
            const element = h('div.row', totals(index, one.steps, most), strip.canvas);
            box.append(element);
            return {index, strip, element, steps: one.steps, column: one.column};
        });
        shown.overview = minimap(steps[0], view, c => strips[0].at[c], 'How many lanes run under the reference');
        put(box, h('div.row', h('div.totals.soft', 'All of it'), shown.overview.canvas));
    };

    const totals = (index, steps, most) => {
        const run = model.run(index), metrics = model.launch(index, launch).metrics || {}, slots = steps.slots;
        const base = model.launch(reference, launch).metrics, instructions = metrics.warp_instructions;
        const ratio = base && index !== reference ? ` (×${(instructions / base.warp_instructions).toFixed(2)})` : '';
        const facts = [['Steps', number(steps.total)], ['Slots used', percent(slots.used / slots.all)],
            ['Instructions', number(instructions) + ratio], ['Efficiency', percent(metrics.simt_efficiency)]];
        return h('div.totals', h('h2', link(run.scheme, () => focus.set({scheme: index})),
            index === reference && h('span.soft', ' reference')), bar(steps.total / most, plural(steps.total, 'step')),
        h('dl', facts.map(([key, value]) => [h('dt', key), h('dd', value)])),
        run.equal === false && h('p.wrong', '✗ other results than oracle'),
        steps.count < steps.total && h('p.soft', `the first ${number(steps.count)} steps`));
    };

    // The step of each strip at which the focus' lane, or one that runs at the focus, does what it does there.
    const current = () => {
        const {scheme, step} = focus.value, own = stepsOf(scheme), at = own ? runningLane(focus) : 0;
        return shown.map(({index, steps}) => index === scheme ? step : own && at < steps.lanes
            ? sameStep(own, step, steps, at) : 0);
    };

    const draw = () => {
        if (!shown)
            return;
        const at = current();
        shown.forEach((one, k) => one.strip.draw({column: one.column[at[k]], lane: focus.value.lane}));
        shown.overview.draw(shown[0].column[at[0]]);
    };

    const fit = () => {
        const row = shown && shown[0].element;
        if (!row || !row.clientWidth)
            return;
        const beside = getComputedStyle(row).flexDirection === 'row' ? row.firstChild.offsetWidth + 12 : 0;
        view.resize(row.clientWidth - beside - GUTTER);
        draw();
    };
    app.resizers.push(fit);

    const update = () => {
        const now = focus.value;
        if (launch !== now.launch || warp !== now.warp || !shown || lane !== now.lane && mode === 'lane')
            build();
        if (shown)
            tools.querySelectorAll('.segments button')[1].textContent = `Lane ${lane = focus.value.lane}`;
        clear(app.beside);
        if (!shown) {
            compared = '';
            return void clear(table);
        }
        fit();
        const at = current(), k = Math.max(0, shown.findIndex(one => one.index === focus.value.scheme)), b = other();
        view.show(shown[k].column[at[k]]);
        draw();
        shown.forEach(one => one.element.classList.toggle('focus', one.index === focus.value.scheme));
        if (b >= 0) {
            put(app.beside, explain(app, reference, b, launch));
            if (compared !== `${reference} ${b} ${launch} ${warp}`)
                put(clear(table), differenceTable(app, reference, b, launch));
            compared = `${reference} ${b} ${launch} ${warp}`;
        }
    };
    return update;
}});

function runningLane(focus) {
    const active = focus.steps.active(focus.value.step);
    return hasLane(active, focus.value.lane) ? focus.value.lane : lanesOf(active)[0] ?? 0;
}

// By step of b: how many lanes more or fewer do it together than under a.
function companyOf(a, b) {
    const result = new Int8Array(b.count), seen = new Int32Array(b.lanes);
    for (let j = 0; j < b.count; j++) {
        const lanes = lanesOf(b.active(j));
        let found = -1;
        for (const lane of lanes) {
            const other = lane < a.lanes ? matched(b, a, lane)[seen[lane]] : -1;
            seen[lane]++;
            if (found < 0 && other >= 0)
                found = a.trace(lane)[other];
        }
        result[j] = found < 0 ? 0 : lanes.length - countLanes(a.active(found));
    }
    return result;
}

// At the focus: the cause of the difference, in words that lead there.
function explain(app, a, b, launch) {
    const {model, focus} = app, left = model.steps(a, launch), right = model.steps(b, launch), own = focus.steps;
    const {scheme, step} = focus.value, names = [model.run(a).scheme, model.run(b).scheme];
    const box = h('div.cause', {role: 'note', 'aria-label': 'Cause'}), lane = runningLane(focus);
    const i = scheme === a ? step : sameStep(own, step, left, lane);
    const j = scheme === b ? step : sameStep(own, step, right, lane);
    const why = left.lanes === right.lanes && hasLane(left.active(i), lane) && hasLane(right.active(j), lane)
        && cause(left, i, right, j, lane);
    if (!why)
        return put(box, h('p', `Here lane ${lane} runs with the same lanes under ${names[0]} and ${names[1]}. `,
            'A row of the table leads to where they differ.'));
    const {worse, better, missing, parted, meet, join} = why, bad = names[worse.side], good = names[better.side];
    const sides = [a, b], go = (side, at) => link(`step ${at + 1}`, () => focus.set({scheme: sides[side], step: at}));
    const at = (steps, one) => steps.placeAt(one).text, alone = countLanes(missing) === 1;
    const after = (from, blocks) => from < 0 ? '.' : `: after ${plural(blocks, 'block')} of lane ${lane}.`;
    const line = parted < 0 ? 0 : branchLine(model.launch(sides[worse.side], launch), worse.steps.placeAt(parted));
    const wait = why.group && (alone ? 'it waits ' : 'they wait ') + waitText(why.group);
    const waits = !wait ? `lane ${why.other} ${why.waits}` : alone ? wait : wait.replace('its turn', 'their turn');
    const others = one => countLanes(one.steps.active(one.step)) - 1;
    const view = views.findIndex(one => one.id === 'why'), whyThere = () =>
        focus.set({scheme: sides[worse.side], step: parted, line, view});
    const parting = parted < 0 ? `Under ${bad} they have not run together before.` : ['They part from it behind ',
        go(worse.side, parted), line ? `, at the branch of line ${line}. ` : '. ', link('Why so?', whyThere)];
    const meeting = meet < 0 ? '; they do not meet again in the steps that are kept.' : [', and meet it again in ',
        go(worse.side, meet), `, ${at(worse.steps, meet)}`, after(parted, why.meetProgress)];
    const joining = why.betterParted < 0 && join === 0 ? 'they have always been together.' : ['they meet it in ',
        go(better.side, join), `, ${at(better.steps, join)}`, after(why.betterParted, why.joinProgress)];
    return put(box, h('p', h('b', `Lane ${lane} runs ${at(worse.steps, worse.step)} with `,
        `${plural(others(worse), 'other')} under ${bad}, with ${others(better)} under ${good}.`),
    ` Missing: ${lanesText(missing)}.`), h('ol', h('li', parting), h('li', h('b', bad + ': '), waits, meeting),
    h('li', h('b', good + ': '), joining)));
}

// The line of a place whose branch diverges most.
function branchLine(launch, place) {
    const branches = list(launch.branches).filter(one => one.diverged && place.lines.includes(one.line));
    branches.sort((p, q) => q.diverged - p.diverged);
    return branches.length ? branches[0].line : place.lines[place.lines.length - 1] || 0;
}

function differenceTable(app, a, b, launch) {
    const {model, focus} = app, left = model.steps(a, launch), right = model.steps(b, launch);
    const names = [model.run(a).scheme, model.run(b).scheme], rows = differences(left, right);
    if (!rows.length)
        return note(`${names[0]} and ${names[1]} lose the same lane slots at every place.`);
    const most = Math.max(...rows.map(row => Math.abs(row.lost[1] - row.lost[0])));
    const jump = row => {
        const first = firstDifference(left, right, row.place.row);
        if (first)
            return focus.set({scheme: a, step: first.i, lane: first.lane});
        const [index, steps] = row.steps[0] ? [a, left] : [b, right];
        let step = 0;
        while (steps.placeAt(step).row !== row.place.row)
            step++;
        focus.set({scheme: index, step, lane: lanesOf(steps.active(step))[0]});
    };
    const side = (row, k) => [h('td.num', number(row.steps[k])),
        h('td.num', row.steps[k] ? number(Math.round(10 * row.active[k] / row.steps[k]) / 10) : '–')];
    const heads = ['Place', `Steps ${names[0]}`, 'lanes', `Steps ${names[1]}`, 'lanes', `Lost under ${names[0]}`,
        `under ${names[1]}`, 'Difference'].map((text, k) => [k ? 'num' : '', text]);
    const body = rows.slice(0, 20).map(row => {
        const more = row.lost[1] - row.lost[0], width = `width:${100 * Math.abs(more) / most}%`;
        const chip = h('i.chip', {style: `background:${codeVariable(row.place.colour)}`});
        return h('tr', {onclick: () => jump(row)}, h('th', {scope: 'row'}, h('button.link', chip,
                row.place.group ? row.place.text : `code ${row.place.row}`)),
            side(row, 0),
            side(row, 1), row.lost.map(lost => h('td.num', number(lost))), h('td.num.delta', h(more > 0 ? 'span.bar.bad'
                : 'span.bar.good', h('span', {style: width})), (more > 0 ? '+' : '−') + number(Math.abs(more))));
    });
    return scrollBox('', 'Where they differ', h('table.differences', h('caption',
        `Where ${names[0]} and ${names[1]} differ: `,
        'lane slots lost at a place, the most first. A row leads to the cause.'), columns(heads), h('tbody', body)));
}
