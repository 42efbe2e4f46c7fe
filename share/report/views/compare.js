// View 3: schemes side by side, aligned by the progress of lanes, and why they differ.
'use strict';

views.push({id: 'compare', title: 'Schemes', make(panel, app) {
    const {model, focus} = app, tools = h('div', {class: 'tools'}), box = h('div', {class: 'figure compare'});
    const causes = h('section', {'aria-label': 'Differences'});
    panel.append(tools, box, causes);
    let chosen = null, reference = -1, mode = 'all', launch = -1, lane = -1, aligned = null, view = null, shown = null;

    const withSteps = () => model.runs.map((run, index) => index).filter(index => model.steps(index, focus.value.launch));

    // The definition runs each thread alone, so it is chosen only if there is little else; of schemes that take the same
    // steps one is.
    const choose = () => {
        const all = withSteps(), seen = new Set(), lanes = index => model.steps(index, focus.value.launch).lanes;
        const some = all.filter(index => model.run(index).scheme !== 'oracle');
        const most = some.filter(index => lanes(index) === lanes(some[0]));
        const differ = most.filter(index => {
            const steps = model.steps(index, focus.value.launch), key = `${steps.total} ${steps.slots.used}`;
            return !seen.has(key) && seen.add(key);
        });
        chosen = new Set((differ.length > 1 ? differ : most.length > 1 ? most : all).slice(0, 4));
        reference = [...chosen][0] ?? -1;
    };

    const other = () => {
        if (focus.value.scheme !== reference && chosen.has(focus.value.scheme))
            return focus.value.scheme;
        const rest = [...chosen].filter(index => index !== reference);
        const lost = index => model.steps(index, launch).slots.lost, own = reference >= 0 ? lost(reference) : 0;
        return rest.sort((a, b) => Math.abs(lost(b) - own) - Math.abs(lost(a) - own))[0] ?? -1;
    };

    const build = () => {
        launch = focus.value.launch;
        lane = focus.value.lane;
        if (!chosen || ![...chosen].every(index => model.steps(index, launch)))
            choose();
        const last = view;
        clear(tools);
        clear(box);
        aligned = view = shown = null;
        if (reference < 0) {
            box.append(noSteps(app));
            return;
        }
        const order = [reference, ...[...chosen].filter(index => index !== reference).sort((a, b) => a - b)];
        const steps = order.map(index => model.steps(index, launch));
        const lanes = mode === 'steps' ? null : mode === 'lane' ? [Math.min(lane, steps[0].lanes - 1)]
            : Array.from({length: steps[0].lanes}, (_, index) => index);
        aligned = alignAll(steps[0], steps.slice(1), lanes);
        view = new Viewport(aligned.columns, draw);
        if (last && last.columns === view.columns)
            Object.assign(view, {cell: last.cell, first: last.first});
        const label = (id, text) => h('label', {for: id}, text);
        const select = h('select', {id: 'reference', onchange: event => {
            reference = Number(event.target.value);
            build();
            update();
        }}, order.slice().sort((a, b) => a - b).map(index => h('option', {value: index, selected: index === reference}, model.run(index).scheme)));
        tools.append(h('span', {class: 'field'}, label('reference', 'Reference'), select),
            h('span', {class: 'field'}, h('span', {}, 'Aligned by'), segments('Aligned by', [['all', 'All lanes'], ['lane', `Lane ${lane}`],
                ['steps', 'Step number']], mode, value => {
                mode = value;
                build();
                update();
            })), zoomButtons(view), h('fieldset', {class: 'schemes'}, h('legend', {class: 'hidden'}, 'Schemes'), withSteps().map(index =>
                h('label', {}, h('input', {type: 'checkbox', checked: chosen.has(index), disabled: index === reference, onchange: () => {
                    chosen.has(index) ? chosen.delete(index) : chosen.add(index);
                    build();
                    update();
                }}), model.run(index).scheme))), legend(true));
        const most = Math.max(...steps.map(one => one.total));
        shown = aligned.strips.map((one, k) => {
            const index = order[k], run = model.run(index), metrics = (model.launch(index, launch) || {}).metrics || {};
            const base = (model.launch(reference, launch) || {}).metrics || {}, slots = one.steps.slots;
            const differs = k ? companyOf(aligned.strips[0].steps, one.steps) : null;
            const strip = new Strip(one.steps, {view, at: one.at, laneHeight: one.steps.lanes > 32 ? 3 : one.steps.lanes > 16 ? 4 : 8,
                differs: differs && (step => differs[step]), axis: k === order.length - 1, label: `Lanes by steps under ${run.scheme}`,
                pick: (step, at) => step >= 0 && focus.set({scheme: index, step, ...at >= 0 ? {lane: at} : {}}),
                hover: (step, at) => app.say(run, one.steps, step, at)});
            const ratio = k && base.warp_instructions ? ` (×${(metrics.warp_instructions / base.warp_instructions).toFixed(2)})` : '';
            const facts = [['Steps', number(one.steps.total)], ['Slots used', percent(slots.used / slots.all)],
                ['Instructions', number(metrics.warp_instructions) + ratio], ['Efficiency', percent(metrics.simt_efficiency)]];
            const head = h('div', {class: 'totals'}, h('h3', {}, h('button', {type: 'button', class: 'link', title: run.meaning || '',
                onclick: () => focus.set({scheme: index})}, run.scheme), index === reference ? h('span', {class: 'soft'}, ' reference') : null),
            bar(one.steps.total / most, `${number(one.steps.total)} steps`), h('dl', {}, facts.map(([key, value]) =>
                [h('dt', {}, key), h('dd', {}, value)])), run.equal === false ? h('p', {class: 'wrong'}, '✗ other results than oracle') : null,
            one.steps.count < one.steps.total ? h('p', {class: 'soft'}, `the first ${number(one.steps.count)} steps`) : null);
            const element = h('div', {class: 'row'}, head, strip.canvas);
            box.append(element);
            return {index, strip, ...one, element};
        });
        const map = minimap(steps[0], view, aligned.columns, c => aligned.strips[0].at[c], `All columns: how many lanes run under ${model.run(reference).scheme}`);
        box.append(h('div', {class: 'row'}, h('div', {class: 'totals soft'}, 'All of it'), map.canvas));
        shown.overview = map;
    };

    // The step of each strip at which the focus' lane does what it does at the focus.
    const current = () => {
        const {scheme, step, lane: at} = focus.value, own = model.steps(scheme, launch);
        return shown.map(({index, steps}) => index === scheme ? step : own && at < steps.lanes ? sameStep(own, step, steps, at) : 0);
    };

    const draw = () => {
        if (!shown)
            return;
        const at = current();
        shown.forEach((one, k) => one.strip.draw({column: one.column[at[k]], step: at[k], lane: focus.value.lane}));
        shown.overview.draw(shown[0].column[at[0]]);
    };

    const fit = () => {
        const room = shown && shown[0].element.clientWidth;
        if (!room)
            return;
        const beside = getComputedStyle(shown[0].element).flexDirection === 'row' ? shown[0].element.firstChild.offsetWidth + 12 : 0;
        view.resize(room - beside - GUTTER);
        draw();
    };
    app.onResize(fit);

    const update = () => {
        if (launch !== focus.value.launch || !shown || mode === 'lane' && lane !== focus.value.lane)
            build();
        else if (lane !== focus.value.lane) {
            lane = focus.value.lane;
            tools.querySelectorAll('.segments button')[1].textContent = `Lane ${lane}`;
        }
        if (!shown)
            return;
        fit();
        const at = current(), k = shown.findIndex(one => one.index === focus.value.scheme);
        view.show(shown[Math.max(0, k)].column[at[Math.max(0, k)]]);
        draw();
        shown.forEach((one, index) => one.element.classList.toggle('focus', one.index === focus.value.scheme));
        const b = other();
        clear(causes);
        clear(app.beside);
        if (b >= 0) {
            app.beside.append(explain(app, reference, b, launch));
            causes.append(differenceTable(app, reference, b, launch));
        }
    };
    return update;
}});

// By step of b: how many lanes more or fewer do it together than under a. What has no match counts as its first lane's.
function companyOf(a, b) {
    const result = new Int8Array(b.count), seen = new Int32Array(b.lanes);
    for (let j = 0; j < b.count; j++) {
        const lanes = lanesOf(b.active(j));
        let found = null;
        for (const lane of lanes) {
            const index = seen[lane]++;
            if (found === null && lane < a.lanes) {
                const other = matched(b, a, lane)[index];
                if (other >= 0)
                    found = a.trace(lane)[other];
            }
        }
        if (found !== null)
            result[j] = lanes.length - countLanes(a.active(found));
    }
    return result;
}

// At the focus: the cause of the difference, in words that lead there.
function explain(app, a, b, launch) {
    const {model, focus} = app, left = model.steps(a, launch), right = model.steps(b, launch);
    const {scheme, step} = focus.value, own = focus.steps, box = h('div', {class: 'cause', role: 'note', 'aria-label': 'Cause'});
    const names = [model.run(a).scheme, model.run(b).scheme];
    const lane = hasLane(own.active(step), focus.value.lane) ? focus.value.lane : lanesOf(own.active(step))[0] ?? 0;
    const i = scheme === a ? step : sameStep(own, step, left, lane), j = scheme === b ? step : sameStep(own, step, right, lane);
    const why = left.lanes === right.lanes && cause(left, i, right, j, lane);
    if (!why || !hasLane(left.active(i), lane) || !hasLane(right.active(j), lane)) {
        box.append(h('p', {}, `Here lane ${lane} runs with the same lanes under ${names[0]} and ${names[1]}. A row below leads to where they differ.`));
        return box;
    }
    const go = (side, at, text) => h('button', {type: 'button', class: 'link', onclick: () =>
        focus.set({scheme: side ? b : a, step: at})}, text || `step ${at + 1}`);
    const {worse, better, missing, parted, meet, join, other} = why, bad = names[worse.side], good = names[better.side];
    const line = place => place.lines.length ? `line ${branchLine(model.launch(worse.side ? b : a, launch), place)}` : place.text;
    const number_ = countLanes(missing), they = number_ === 1 ? 'it waits' : 'they wait';
    box.append(h('p', {}, h('b', {}, `Lane ${lane} runs ${worse.steps.placeAt(worse.step).text} with ${countLanes(worse.steps.active(worse.step))} lanes under `
        + `${bad}, with ${countLanes(better.steps.active(better.step))} under ${good}.`), ' ', `Missing under ${bad}: ${lanesText(missing)}.`));
    const points = h('ol', {});
    const waits = why.group ? `${waitText(why.group)}`.replace('its turn', number_ === 1 ? 'its turn' : 'their turn') : '';
    points.append(h('li', {}, parted < 0 ? `Lanes ${lane} and ${other} have not run together under ${bad} before.` : [`They part from lane ${lane} behind `,
        go(worse.side, parted), `, at the branch of ${line(worse.steps.placeAt(parted))}. `, parted >= 0 ? h('button', {type: 'button', class: 'link', onclick: () =>
            focus.set({scheme: worse.side ? b : a, step: parted, line: branchLine(model.launch(worse.side ? b : a, launch), worse.steps.placeAt(parted)),
                view: views.findIndex(one => one.id === 'why')})}, 'Why does it diverge?') : null]));
    points.append(h('li', {}, h('b', {}, bad + ': '), waits ? `${they} ${waits}` : `lane ${other} ${why.waits}`, meet < 0 ? '; the lanes do not meet again in the steps that are kept.'
        : [', and all meet again in ', go(worse.side, meet), `, ${worse.steps.placeAt(meet).text}`, parted < 0 ? '.' : `: after ${plural(why.meetProgress, 'block')} of lane ${lane}.`]));
    points.append(h('li', {}, h('b', {}, good + ': '), why.betterParted < 0 && join === 0 ? 'they have been together from the start.' : ['they meet again in ', go(better.side, join),
        `, ${better.steps.placeAt(join).text}`, why.betterParted < 0 ? '.' : `: after ${plural(why.joinProgress, 'block')} of lane ${lane}.`]));
    box.append(points);
    return box;
}

// The line of a place whose branch diverges most.
function branchLine(launch, place) {
    const branches = list(launch && launch.branches).filter(one => one.diverged && place.lines.includes(one.line));
    branches.sort((p, q) => q.diverged - p.diverged);
    return branches.length ? branches[0].line : place.lines[place.lines.length - 1];
}

function differenceTable(app, a, b, launch) {
    const {model, focus} = app, left = model.steps(a, launch), right = model.steps(b, launch), names = [model.run(a).scheme, model.run(b).scheme];
    const rows = differences(left, right);
    if (!rows.length)
        return note(`${names[0]} and ${names[1]} lose the same lane slots at every place.`);
    const most = Math.max(...rows.map(row => Math.abs(row.lost[1] - row.lost[0])));
    const jump = row => {
        const first = firstDifference(left, right, row.place.key);
        if (first)
            focus.set({scheme: a, step: first.i, lane: first.lane});
        else
            for (const [index, steps] of [[a, left], [b, right]])
                for (let step = 0; step < steps.count; step++)
                    if (steps.placeAt(step).key === row.place.key)
                        return focus.set({scheme: index, step, lane: lanesOf(steps.active(step))[0] ?? focus.value.lane});
    };
    const side = (row, k) => [h('td', {class: 'num'}, number(row.steps[k])), h('td', {class: 'num'}, row.steps[k] ? number(Math.round(10 * row.active[k] / row.steps[k]) / 10) : '–')];
    return h('div', {class: 'scroll', tabindex: 0, role: 'region', 'aria-label': 'Where they differ'}, h('table', {class: 'differences'},
        h('caption', {}, `Where ${names[0]} and ${names[1]} differ: lane slots lost at a place, the most first. A row leads to the cause.`),
        h('thead', {}, h('tr', {}, ['Place', `Steps ${names[0]}`, 'lanes', `Steps ${names[1]}`, 'lanes', `Lost under ${names[0]}`, `under ${names[1]}`, 'Difference']
            .map((text, k) => h('th', {scope: 'col', class: k ? 'num' : ''}, text)))),
        h('tbody', {}, rows.slice(0, 20).map(row => h('tr', {onclick: () => jump(row)}, h('th', {scope: 'row'}, h('button', {type: 'button', class: 'link',
            onclick: event => { event.stopPropagation(); jump(row); }}, h('i', {class: 'chip', style: `background:${codeVariable(row.place.colour)}`}), row.place.text)),
        side(row, 0), side(row, 1), h('td', {class: 'num'}, number(row.lost[0])), h('td', {class: 'num'}, number(row.lost[1])),
        h('td', {class: 'num delta'}, h('span', {class: 'bar ' + (row.lost[1] > row.lost[0] ? 'bad' : 'good')}, h('span', {style: `width:${100 * Math.abs(row.lost[1] - row.lost[0]) / most}%`})),
            (row.lost[1] > row.lost[0] ? '+' : '−') + number(Math.abs(row.lost[1] - row.lost[0]))))))));
}
