// View 7: what each pass made of a function, and what it gains; pairs of csc; stages of predictions.
'use strict';
// Rows [kind, before, after]: 'same', 'change', 'del', 'add', whatever the comments of lines are. The longest common
// subsequence of what is between equal beginnings and ends; without it where that would be too large.
function lineDiff(a, b) {
    const LIMIT = 4e6, bare = text => text.replace(/\s+; .*$/, ''), alike = (x, y) => bare(x) === bare(y);
    let head = 0, tail = 0;
    while (head < a.length && head < b.length && alike(a[head], b[head]))
        head++;
    while (tail < Math.min(a.length, b.length) - head && alike(a[a.length - 1 - tail], b[b.length - 1 - tail]))
        tail++;
    const left = a.slice(head, a.length - tail), right = b.slice(head, b.length - tail), n = left.length,
        m = right.length, keys = [left.map(bare), right.map(bare)], same = (x, y) => ['same', x, y];
    const rows = a.slice(0, head).map((text, i) => same(text, b[i])), large = n * m > LIMIT;
    const best = new Uint16Array(large ? 0 : (n + 1) * (m + 1)), at = (i, j) => i * (m + 1) + j;
    for (let i = n - 1; i >= 0 && !large; i--)
        for (let j = m - 1; j >= 0; j--)
            best[at(i, j)] = keys[0][i] === keys[1][j] ? best[at(i + 1, j + 1)] + 1 : Math.max(best[at(i + 1, j)],
                best[at(i, j + 1)]);
    let del = [], add = [];
    const flush = () => {
        for (let k = 0; k < Math.max(del.length, add.length); k++)
            rows.push([k >= del.length ? 'add' : k >= add.length ? 'del' : 'change', del[k] ?? '', add[k] ?? '']);
        [del, add] = [[], []];
    };
    for (let i = 0, j = 0; i < n || j < m;) {
        if (!large && i < n && j < m && keys[0][i] === keys[1][j]) {
            flush();
            rows.push(same(left[i++], right[j++]));
        } else if (i < n && (j === m || large || best[at(i + 1, j)] >= best[at(i, j + 1)]))
            del.push(left[i++]);
        else
            add.push(right[j++]);
    }
    flush();
    return [...rows, ...a.slice(a.length - tail).map((text, i) => same(text, b[b.length - tail + i]))];
}

views.push({id: 'passes', title: 'Passes', make(panel, app) {
    let chosen = null, fn = null, all = false;
    const textOf = pass => String(app.model.texts[pass.text] ?? '');

    const draw = () => {
        const run = app.focus.run, passes = run ? run.passes : [], kernel = app.focus.launch && app.focus.launch.kernel;
        clear(panel);
        if (!passes.length)
            return void put(panel, note(run && run.error ? `No passes under ${run.scheme}: ${run.error}`
                : 'The experiment has no passes for this scheme.'));
        const functions = [...new Set(passes.map(pass => pass.function))];
        if (!functions.includes(fn))
            fn = functions.includes(kernel) ? kernel : functions[0];
        const own = passes.map((pass, index) => ({...pass, index})).filter(pass => pass.function === fn);
        let stage = 0, measured = null;
        own.forEach((pass, i) => {
            pass.before = i ? own[i - 1].after : null;
            pass.after = textOf(pass);
            pass.title = pass.stage ? `(${'abcdefgh'[stage]}) ${pass.stage}` : pass.name || 'front end';
            stage = pass.stage ? stage + 1 : 0;
            pass.was = measured;
            measured = pass.metrics || measured;
        });
        const listed = own.filter((pass, i) => all || !i || pass.before !== pass.after);
        const current = listed.find(pass => pass.index === chosen) || listed[1] || listed[0];
        const alone = current.before === null;
        const remarks = run.remarks.filter(one => one.pass === current.name && one.function === fn && !current.stage);
        const rows = lineDiff((current.before ?? current.after).split('\n'), current.after.split('\n'));
        const count = kind => rows.filter(([one]) => one === kind || one === 'change').length;
        const pick = pass => {
            chosen = pass.index;
            draw();
            panel.querySelector('.pass[aria-pressed=true]').focus();
        };
        put(panel, h('div.tools', field('Function', h('select', {id: 'pass-function', onchange: event => {
            fn = event.target.value;
            draw();
        }}, functions.map(name => h('option', {value: name, selected: name === fn}, name)))),
        segments('Passes', [[false, 'That changed something'], [true, 'All']], all, value => { all = value; draw(); })),
        h('div.two.passes', h('ol.entries', {'aria-label': 'Passes'}, listed.map(pass => h('li', h(
            `button.entry.pass${pass.stage ? '.stage' : ''}`, {'aria-pressed': String(pass === current),
                title: pass.title, onclick: () => pick(pass)}, h('span.title', pass.title), gain(pass))))),
        h('div', h('h2', current.name ? current.title : 'What the front end made'), measures(current),
            !alone && h('p.soft', `${plural(count('del'), 'line')} out, ${count('add')} in`),
            remarks.length > 0 && h('ul.messages', remarks.map(one => h('li', one.line ? link(`line ${one.line}`, () =>
                app.focus.set({line: one.line})) : null, ` ${one.kind}: ${one.message}`))),
            pairTable(app, remarks.flatMap(one => list(one.pairs))), diffTable(app, rows, alone))),
        own.every(pass => !pass.metrics) && note('What passes gain is not measured where that takes long: ',
            '--limit=report_pass_fuel=N raises the limit.'));
    };
    return draw;
}});

// SIMT efficiency if the optimiser stops behind the pass; how it differs from that before.
function gain({metrics, was}) {
    const by = metrics && was ? metrics.simt_efficiency - was.simt_efficiency : 0;
    const kind = by > 5e-4 ? '.more' : by < -5e-4 ? '.less' : '';
    return metrics && h('span.gain' + kind, percent(metrics.simt_efficiency));
}

const measures = ({metrics, was}) => metrics && h('p', [['SIMT efficiency', 'simt_efficiency', percent],
    [', warp instructions', 'warp_instructions', number], [', cycles', 'cycles', number]].map(([name, key, show]) =>
    `${name} ${show(metrics[key])}` + (was ? ` (before: ${show(was[key])})` : '')), ', if the optimiser stops here.');

// The operations of both arms that csc has made one, by the lines that they come from.
function pairTable(app, pairs) {
    const rows = new Map();
    for (const {way, operation, line, other_line: other} of pairs) {
        const key = `${way} ${line} ${other}`, lines = [line, other];
        const {operations} = entryOf(rows, key, () => ({way, lines, operations: new Map()}));
        operations.set(operation, (operations.get(operation) || 0) + 1);
    }
    const heads = ['What', 'Operations', 'Of one arm', 'Of the other'].map(text => ['', text]);
    const arm = line => h('td', line ? link(`line ${line}`, () => app.focus.set({line})) : '–',
        sourceOf(app.model, line));
    return pairs.length > 0 && scrollBox('.pairs', 'Pairs of operations', h('table', columns(heads), h('tbody',
        [...rows.values()].map(({way, lines, operations}) => h('tr', h('th', {scope: 'row'}, way), h('td',
            [...operations].map(([name, n]) => n > 1 ? `${name} ×${n}` : name).join(', ')), lines.map(arm))))));
}

// Before and after side by side; long stretches that are alike are left out.
function diffTable(app, rows, alone) {
    const NEAR = 3, body = h('tbody');
    let skipped = 0;
    const skip = () => {
        if (skipped)
            put(body, h('tr.skip', h('td', {colspan: 2}, `${plural(skipped, 'line')} alike`)));
        skipped = 0;
    };
    rows.forEach(([kind, before, after], index) => {
        const near = rows.slice(Math.max(0, index - NEAR), index + NEAR + 1).some(([one]) => one !== 'same');
        if (!alone && !near)
            return void skipped++;
        skip();
        put(body, h(`tr.${kind}`, !alone && h('td', irLine(app, before)), h('td', irLine(app, after))));
    });
    skip();
    return scrollBox('', 'IR before and after', h('table.diff', columns(alone ? [['', 'IR']] : [['', 'Before'], ['',
        'After']]), body));
}
