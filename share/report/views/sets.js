// View 8: who takes part in each instance of a convergent operation: under the definition and under the scheme.
'use strict';
// The blocks of code that perform an operation: of each block of the graph that has it in its IR the first that has
// its line; without a graph all that have its line. Places that say what they perform are believed.
function performing(run, steps, operations, index) {
    const {line, name} = operations[index], at = code => steps.places.filter(place => place.code === code);
    const said = steps.places.filter(place => place.operations && place.operations.includes(index));
    const blocks = run.graphs.flatMap(graph => graph.blocks)
        .filter(block => String(block.text).split(/\s/).includes(name));
    const first = block => list(block.code).find(code => at(code).some(place => place.lines.includes(line)));
    return new Set(said.length ? said.map(place => place.code) : run.graphs.length ? blocks.map(first).filter(isFinite)
        : steps.places.filter(place => place.lines.includes(line)).map(place => place.code));
}

// Instances of an operation: step and lanes. Where lanes gather, as under oracle and at barriers, they come one after
// the other and wait for others: those that go on together take part together.
function instances(steps, codes, gather) {
    const found = [], has = step => step >= 0 && codes.has(steps.placeAt(step).code);
    for (let i = 0, last = -2; i < steps.count; i++) {
        const active = steps.active(i), came = has(i - 1) && last !== i - 1 ? steps.active(i - 1) : NO_LANES;
        const group = gather && i && steps.at(i - 1).groups.find(one =>
            one.wait === 'others' && codes.has(one.code) && !isEmpty(both(one.lanes, active)));
        const together = group ? [group.lanes[0] | came[0], group.lanes[1] | came[1]] : came;
        if (gather ? isEmpty(without(active, together)) : has(i))
            found.push({step: last = i, lanes: active});
    }
    return found;
}

// With each instance under a scheme the sets that the definition asks for: the k-th time that a lane performs the
// operation is the same event under both.
function compareSets(wanted, own) {
    const count = new Int32Array(64), company = new Map(), key = (lane, time) => lane * 1e6 + time;
    wanted.forEach(({lanes}) => lanesOf(lanes).forEach(lane => company.set(key(lane, count[lane]++), lanes)));
    count.fill(0);
    return own.map(one => {
        const sets = [];
        for (const lane of lanesOf(one.lanes)) {
            const should = company.get(key(lane, count[lane]++));
            if (should && !sets.some(set => sameMask(set, should)))
                sets.push(should);
        }
        return {...one, sets, differs: sets.some(set => !sameMask(set, one.lanes))};
    });
}

views.push({id: 'sets', title: 'Sets', make(panel, app) {
    let chosen = 0, untouched = true;
    const draw = () => {
        const {model, focus} = app, operations = model.operations, {launch, scheme, step, line} = focus.value;
        const steps = focus.steps, run = focus.run, kernel = focus.launch && focus.launch.kernel, LIMIT = 200;
        clear(panel);
        if (!operations.length)
            return void put(panel, note('The source has no convergent operation: nothing depends on who comes.'));
        const oracle = model.runs.findIndex(one => one.scheme === 'oracle'), definition = model.steps(oracle, launch);
        const performed = index => steps && performing(run, steps, operations, index).size > 0;
        const here = operations.findIndex(one => one.line === line);
        if (here >= 0 && operations[chosen].line !== line)
            chosen = here;
        else if (untouched && !performed(chosen))
            chosen = Math.max(0, operations.findIndex((_, index) => performed(index)));
        const operation = operations[chosen], choose = h('ul.entries', operations.map((one, index) => h('li',
            h(`button.entry${performed(index) ? '' : '.soft'}`, {'aria-pressed': String(index === chosen),
                onclick: () => {
                chosen = index;
                untouched = false;
                focus.set({line: one.line});
                draw();
            }}, h('span.where', `line ${one.line}`), h('code', one.name),
            one.function && one.function !== kernel ? h('span.soft', ` ${one.function}`) : null))));
        const right = h('div', h('h2', `${operation.name}, line ${operation.line}`), sourceOf(model, operation.line));
        put(panel, h('div.two', h('div', h('h2', 'Convergent operations'), choose), right));
        if (!steps)
            return void put(right, noSteps(app));
        const isOracle = scheme === oracle, codes = performing(run, steps, operations, chosen);
        const wanted = definition
            ? instances(definition, performing(model.run(oracle), definition, operations, chosen), true) : [];
        const rows = compareSets(wanted, isOracle ? wanted : instances(steps, codes, operation.name === 'barrier'));
        if (!rows.length)
            return void put(right, note('It is not performed in the steps that are kept.'));
        const wrong = rows.filter(row => row.differs).length, all = plural(rows.length, 'step');
        const missing = oracle < 0 ? 'The experiment has no run under oracle to compare with.'
            : 'Under oracle it is not in the steps that are kept.';
        put(right, h('p.lead', isOracle ? `The definition: performed in ${all}.` : !wanted.length
            ? `Performed in ${all} under ${run.scheme}. ${missing}`
            : `Performed in ${all} under ${run.scheme}, ${wrong ? `in ${number(wrong)} of them by other lanes than`
                : 'always by the lanes that'} the definition asks for.`));
        const bars = (mask, other) => laneBar(steps.lanes, lane => hasLane(mask, lane) ? 'on' : other && hasLane(other,
            lane) ? 'part' : 'off', lanesText(mask), null, lane => focus.set({lane}));
        const near = rows.findIndex(row => row.step >= step) - LIMIT / 2;
        const from = Math.max(0, Math.min(near, rows.length - LIMIT));
        const heads = [['num', 'Step'], ['num', 'Lanes'], ['', `Under ${run.scheme}`],
            ...isOracle ? [] : [['', 'Under the definition'], ['', 'Same?']]];
        put(right, scrollBox('', 'Instances',
            h('table.sets', columns(heads), h('tbody', rows.slice(from, from + LIMIT).map(row =>
            h('tr', {class: (row.differs ? 'differs' : '') + (row.step === step ? ' here' : '')},
                h('td.num', link(number(row.step + 1), () =>
                    focus.set({step: row.step, line: operation.line, lane: lanesOf(row.lanes)[0]}))),
                h('td.num', String(countLanes(row.lanes))), h('td', bars(row.lanes, row.sets[0])), !isOracle && [h('td',
                    row.sets.length ? row.sets.map(set => h('div', bars(set, row.lanes))) : '–'),
                h('td', row.differs ? '≠' : row.sets.length ? '=' : '–')]))))));
        if (rows.length > LIMIT)
            put(right, note(`${LIMIT} of ${number(rows.length)} instances, those around the focus.`));
    };
    return draw;
}});
