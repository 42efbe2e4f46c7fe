// View 7: what each pass made of a function.
'use strict';

// Pairs [kind, before, after]: 'same', 'change', 'del', 'add'. The longest common subsequence of what is between equal
// beginnings and ends; without it where that would be too large.
function lineDiff(a, b) {
    const LIMIT = 4e6;
    let head = 0, tail = 0;
    while (head < a.length && head < b.length && a[head] === b[head])
        head++;
    while (tail < a.length - head && tail < b.length - head && a[a.length - 1 - tail] === b[b.length - 1 - tail])
        tail++;
    const left = a.slice(head, a.length - tail), right = b.slice(head, b.length - tail), n = left.length, m = right.length;
    const rows = a.slice(0, head).map(text => ['same', text, text]);
    const pending = {del: [], add: []}, flush = () => {
        for (let i = 0; i < Math.max(pending.del.length, pending.add.length); i++) {
            const before = pending.del[i], after = pending.add[i];
            rows.push([before === undefined ? 'add' : after === undefined ? 'del' : 'change', before ?? '', after ?? '']);
        }
        pending.del = [];
        pending.add = [];
    };
    if (n * m > LIMIT) {
        pending.del = left;
        pending.add = right;
    } else {
        const best = new Uint16Array((n + 1) * (m + 1));
        for (let i = n - 1; i >= 0; i--)
            for (let j = m - 1; j >= 0; j--)
                best[i * (m + 1) + j] = left[i] === right[j] ? best[(i + 1) * (m + 1) + j + 1] + 1
                    : Math.max(best[(i + 1) * (m + 1) + j], best[i * (m + 1) + j + 1]);
        let i = 0, j = 0;
        while (i < n || j < m)
            if (i < n && j < m && left[i] === right[j]) {
                flush();
                rows.push(['same', left[i++], right[j++]]);
            } else if (i < n && (j === m || best[(i + 1) * (m + 1) + j] >= best[i * (m + 1) + j + 1]))
                pending.del.push(left[i++]);
            else
                pending.add.push(right[j++]);
    }
    flush();
    return [...rows, ...a.slice(a.length - tail).map(text => ['same', text, text])];
}

views.push({id: 'passes', title: 'Passes', make(panel, app) {
    let chosen = null, fn = null, all = false;
    const textOf = pass => String(app.model.texts[pass.text] ?? '');

    const draw = () => {
        const run = app.focus.run, passes = run ? run.passes : [];
        clear(panel);
        if (!passes.length) {
            panel.append(note(run && run.error ? `No passes under ${run.scheme}: ${run.error}` : 'The experiment has no passes for this scheme.'));
            return;
        }
        const functions = [...new Set(passes.map(pass => pass.function))], kernel = app.focus.launch && app.focus.launch.kernel;
        if (!functions.includes(fn))
            fn = functions.includes(kernel) ? kernel : functions[0];
        const own = passes.map((pass, index) => ({...pass, index, lines: null})).filter(pass => pass.function === fn);
        own.forEach((pass, i) => {
            pass.before = i ? textOf(own[i - 1]) : null;
            pass.after = textOf(pass);
        });
        const listed = own.filter((pass, i) => all || i === 0 || pass.before !== pass.after);
        const current = listed.find(pass => pass.index === chosen) || listed[1] || listed[0];
        const remarks = run.remarks.filter(one => one.pass === current.name && one.function === fn);
        const rows = current.before === null ? current.after.split('\n').map(text => ['same', text, text])
            : lineDiff(current.before.split('\n'), current.after.split('\n'));
        const count = kind => rows.filter(([one]) => one === kind || one === 'change').length;
        const pick = pass => {
            chosen = pass.index;
            draw();
            panel.querySelector('[aria-pressed=true].pass').focus();
        };
        panel.append(h('div', {class: 'tools'}, h('span', {class: 'field'}, h('label', {for: 'pass-function'}, 'Function'), h('select', {id: 'pass-function', onchange: event => {
            fn = event.target.value;
            draw();
        }}, functions.map(name => h('option', {value: name, selected: name === fn}, name)))),
        segments('Passes', [[false, 'That changed something'], [true, 'All']], all, value => { all = value; draw(); })),
        h('div', {class: 'two passes'}, h('ol', {class: 'entries', 'aria-label': 'Passes'}, listed.map(pass => h('li', {}, h('button', {type: 'button', class: 'entry pass',
            'aria-pressed': String(pass === current), onclick: () => pick(pass)}, pass.name || 'front end')))),
        h('div', {}, h('h3', {}, current.name || 'What the front end made'), current.before === null ? null : h('p', {class: 'soft'}, `${count('del')} lines out, ${count('add')} in`),
            remarks.length ? h('ul', {class: 'messages'}, remarks.map(one => h('li', {}, one.line ? h('button', {type: 'button', class: 'link', onclick: () => app.focus.set({line: one.line})},
                `line ${one.line}`) : '', ` ${one.kind}: ${one.message}`))) : null, diffTable(app, rows, current.before === null))));
    };
    return draw;
}});

// Before and after side by side; long stretches that are alike are left out.
function diffTable(app, rows, alone) {
    const NEAR = 3, near = (index, from, to) => rows.slice(Math.max(0, index + from), index + to + 1).some(([kind]) => kind !== 'same');
    const body = h('tbody');
    let skipped = 0;
    const skip = () => {
        if (skipped)
            body.append(h('tr', {class: 'skip'}, h('td', {colspan: 2}, `${plural(skipped, 'line')} alike`)));
        skipped = 0;
    };
    rows.forEach(([kind, before, after], index) => {
        if (!alone && kind === 'same' && !near(index, -NEAR, NEAR)) {
            skipped++;
            return;
        }
        skip();
        body.append(h('tr', {class: kind}, alone ? null : h('td', {}, irLine(app, before)), h('td', {}, irLine(app, after))));
    });
    skip();
    return h('div', {class: 'scroll', tabindex: 0, role: 'region', 'aria-label': 'IR before and after'}, h('table', {class: 'diff'},
        h('thead', {}, h('tr', {}, alone ? null : h('th', {scope: 'col'}, 'Before'), h('th', {scope: 'col'}, alone ? 'IR' : 'After'))), body));
}
