// View 8: who takes part in each instance of a convergent operation: under the definition and under the scheme.
'use strict';

// Instances of an operation: step and lanes. Where a place says which operations it has, that counts, else its lines.
// Under oracle lanes come one by one and wait for others: those that go on together take part together.
function instances(steps, operations, index, definition) {
    const line = operations[index].line, found = [];
    const has = step => {
        const place = steps.placeAt(step);
        return place.operations ? place.operations.includes(index) : place.lines.includes(line);
    };
    for (let i = 0; i < steps.count; i++) {
        if (definition) {
            const group = i && steps.at(i - 1).groups.find(one => one.wait === 'others' && one.line === line && !isEmpty(both(one.lanes, steps.active(i))));
            const came = i && has(i - 1) ? steps.active(i - 1) : NO_LANES;
            if (group && isEmpty(without(steps.active(i), [group.lanes[0] | came[0], group.lanes[1] | came[1]])))
                found.push({step: i, lanes: steps.active(i)});
        } else if (has(i) && !(i + 1 < steps.count && has(i + 1) && sameMask(steps.active(i), steps.active(i + 1)) && !steps.placeAt(i).operations))
            found.push({step: i, lanes: steps.active(i)});
    }
    return found;
}

views.push({id: 'sets', title: 'Sets', make(panel, app) {
    let chosen = 0, untouched = true;
    const draw = () => {
        const {model, focus} = app, operations = model.operations, {launch, scheme, step} = focus.value;
        clear(panel);
        if (!operations.length) {
            panel.append(note('The source has no convergent operation: no result depends on which threads come together.'));
            return;
        }
        const oracle = model.runs.findIndex(run => run.scheme === 'oracle'), definition = oracle >= 0 ? model.steps(oracle, launch) : null;
        const steps = focus.steps, run = focus.run, kernel = focus.launch && focus.launch.kernel;
        const performed = index => steps && steps.places.some(place => place.operations ? place.operations.includes(index)
            : place.lines.includes(operations[index].line));
        if (focus.value.line && operations[chosen].line !== focus.value.line) {
            const here = operations.findIndex(one => one.line === focus.value.line);
            chosen = here >= 0 ? here : chosen;
        }
        if (untouched && !performed(chosen))
            chosen = Math.max(0, operations.findIndex((_, index) => performed(index)));
        const operation = operations[chosen], choose = h('ul', {class: 'entries'}, operations.map((one, index) => h('li', {}, h('button', {type: 'button', class: 'entry' + (performed(index) ? '' : ' soft'),
            'aria-pressed': String(index === chosen), onclick: () => {
                chosen = index;
                untouched = false;
                focus.set({line: one.line});
                draw();
            }}, h('span', {class: 'where'}, `line ${one.line}`), h('code', {}, one.name), one.function && one.function !== kernel ? h('span', {class: 'soft'}, ` ${one.function}`) : null))));
        const right = h('div', {}, h('h3', {}, `${operation.name}, line ${operation.line}`), sourceOf(model, operation.line));
        panel.append(h('div', {class: 'two'}, h('div', {}, h('h3', {}, 'Convergent operations'), choose), right));
        if (!steps)
            return right.append(noSteps(app));
        const wanted = definition ? instances(definition, operations, chosen, true) : [], own = scheme === oracle ? wanted : instances(steps, operations, chosen, false);
        if (!wanted.length && !own.length)
            return right.append(note('It is not performed in the steps that are kept.'));
        // The k-th time that a lane performs it is one and the same event under both.
        const count = new Int32Array(64), company = new Map(), key = (lane, time) => lane * 1e6 + time;
        wanted.forEach(({lanes}) => lanesOf(lanes).forEach(lane => company.set(key(lane, count[lane]++), lanes)));
        count.fill(0);
        let wrong = 0;
        const rows = own.map(one => {
            let differs = false;
            const sets = [];
            for (const lane of lanesOf(one.lanes)) {
                const should = company.get(key(lane, count[lane]++));
                if (should && !sets.some(set => sameMask(set, should)))
                    sets.push(should);
                differs = differs || should && !sameMask(should, one.lanes);
            }
            wrong += differs ? 1 : 0;
            return {...one, sets, differs};
        });
        right.append(h('p', {class: 'lead'}, scheme === oracle ? `The definition: ${plural(own.length, 'instance')}.` : !wanted.length
            ? `${plural(own.length, 'instance')} under ${run.scheme}. ${oracle < 0 ? 'The experiment has no run under oracle to compare with.' : 'Under oracle it is not in the steps that are kept.'}`
            : wrong ? `${number(wrong)} of ${plural(own.length, 'instance')} under ${run.scheme} have other lanes than the definition asks for.`
                : `All ${number(own.length)} under ${run.scheme} have the lanes that the definition asks for.`));
        const bars = (mask, other) => laneBar(steps.lanes, lane => hasLane(mask, lane) ? 'on' : other && hasLane(other, lane) ? 'part' : 'off', lanesText(mask), null, lane => focus.set({lane}));
        const LIMIT = 200, near = Math.max(0, rows.findIndex(row => row.step >= step)), from = rows.length > LIMIT ? Math.min(Math.max(0, near - LIMIT / 2), rows.length - LIMIT) : 0;
        right.append(h('div', {class: 'scroll', tabindex: 0, role: 'region', 'aria-label': 'Instances'}, h('table', {class: 'sets'}, h('thead', {}, h('tr', {},
            ['Step', 'Lanes', `Under ${run.scheme}`, scheme === oracle ? null : 'Under the definition', ''].filter(text => text !== null).map((text, i) => h('th', {scope: 'col', class: i < 2 ? 'num' : ''}, text || '\u00a0')))),
        h('tbody', {}, rows.slice(from, from + LIMIT).map(row => h('tr', {class: (row.differs ? 'differs' : '') + (row.step === step ? ' here' : '')},
            h('td', {class: 'num'}, h('button', {type: 'button', class: 'link', onclick: () => focus.set({step: row.step, line: operation.line, lane: lanesOf(row.lanes)[0]})}, number(row.step + 1))),
            h('td', {class: 'num'}, String(countLanes(row.lanes))), h('td', {}, bars(row.lanes, row.sets[0])),
            scheme === oracle ? null : h('td', {}, row.sets.length ? row.sets.map(set => h('div', {}, bars(set, row.lanes))) : '–'), h('td', {}, row.differs ? '≠ differs' : '')))))));
        if (rows.length > LIMIT)
            right.append(note(`${LIMIT} of ${number(rows.length)} instances, those around the focus.`));
    };
    return draw;
}});
