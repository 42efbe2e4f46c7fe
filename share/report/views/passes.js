// View 7: what each pass made of a function.
'use strict';

// Rows [kind, before, after]: 'same', 'change', 'del', 'add'. The longest common subsequence of what is between equal
// beginnings and ends; without it where that would be too large.
function lineDiff(a, b) {
    const LIMIT = 4e6;
    let head = 0, tail = 0;
    while (head < a.length && head < b.length && a[head] === b[head])
        head++;
    while (tail < Math.min(a.length, b.length) - head && a[a.length - 1 - tail] === b[b.length - 1 - tail])
        tail++;
    const left = a.slice(head, a.length - tail), right = b.slice(head, b.length - tail), n = left.length,
        m = right.length;
    const rows = a.slice(0, head).map(text => ['same', text, text]), large = n * m > LIMIT;
    const best = new Uint16Array(large ? 0 : (n + 1) * (m + 1)), at = (i, j) => i * (m + 1) + j;
    for (let i = n - 1; i >= 0 && !large; i--)
        for (let j = m - 1; j >= 0; j--)
            best[at(i, j)] = left[i] === right[j] ? best[at(i + 1, j + 1)] + 1 : Math.max(best[at(i + 1, j)],
                best[at(i, j + 1)]);
    let del = [], add = [];
    const flush = () => {
        for (let k = 0; k < Math.max(del.length, add.length); k++)
            rows.push([k >= del.length ? 'add' : k >= add.length ? 'del' : 'change', del[k] ?? '', add[k] ?? '']);
        [del, add] = [[], []];
    };
    for (let i = 0, j = 0; i < n || j < m;) {
        if (!large && i < n && j < m && left[i] === right[j]) {
            flush();
            rows.push(['same', left[i++], right[j++]]);
        } else if (i < n && (j === m || large || best[at(i + 1, j)] >= best[at(i, j + 1)]))
            del.push(left[i++]);
        else
            add.push(right[j++]);
    }
    flush();
    return [...rows, ...a.slice(a.length - tail).map(text => ['same', text, text])];
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
        own.forEach((pass, i) => {
            pass.before = i ? own[i - 1].after : null;
            pass.after = textOf(pass);
        });
        const listed = own.filter((pass, i) => all || !i || pass.before !== pass.after);
        const current = listed.find(pass => pass.index === chosen) || listed[1] || listed[0],
            alone = current.before === null;
        const remarks = run.remarks.filter(one => one.pass === current.name && one.function === fn);
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
        h('div.two.passes', h('ol.entries', {'aria-label': 'Passes'}, listed.map(pass => h('li', h('button.entry.pass',
            {
            'aria-pressed': String(pass === current), onclick: () => pick(pass)}, pass.name || 'front end')))),
        h('div', h('h2', current.name || 'What the front end made'),
            !alone && h('p.soft', `${plural(count('del'), 'line')} out, ${count('add')} in`),
            remarks.length > 0 && h('ul.messages', remarks.map(one => h('li', one.line ? link(`line ${one.line}`, () =>
                app.focus.set({line: one.line})) : null, ` ${one.kind}: ${one.message}`))),
                    diffTable(app, rows, alone))));
    };
    return draw;
}});

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
