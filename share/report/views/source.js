// View 1: the source, hot by waste. Its table also stands beside the other views, with less in its gutter.
'use strict';
const WORDS = new Set(('kernel void bool char uchar short ushort int uint long ulong half float double struct enum '
    + 'const global shared constant private if else for while do switch case default break continue return goto try '
    + 'catch throw launch typedef sizeof true false token inline extern').split(' '));

// The line as spans: comments, strings, numbers, words of the language. state.comment: inside /* */.
function highlight(text, state) {
    const parts = [], pattern = /\/\/.*|\/\*|"(?:[^"\\]|\\.)*"?|'(?:[^'\\]|\\.)*'?|[A-Za-z_]\w*|\d[\w.]*/g;
    let at = 0;
    const upTo = (end, kind) => {
        if (end > at)
            parts.push(kind ? h('span.c-' + kind, text.slice(at, end)) : text.slice(at, end));
        pattern.lastIndex = at = end;
    };
    const comment = from => {
        const end = text.indexOf('*/', from);
        state.comment = end < 0;
        upTo(end < 0 ? text.length : end + 2, 'comment');
    };
    if (state.comment)
        comment(0);
    for (let found; (found = pattern.exec(text));) {
        const word = found[0];
        upTo(found.index);
        if (word === '/*')
            comment(found.index + 2);
        else
            upTo(found.index + word.length, word.startsWith('//') ? 'comment' : /^["']/.test(word) ? 'string'
                : /^\d/.test(word) ? 'number' : WORDS.has(word) ? 'word' : null);
    }
    upTo(text.length);
    return parts;
}

// Steps by how many lanes are active in them, in eighths of the warp.
function histogram(counts, lanes) {
    const most = Math.max(...counts), names = [...counts].map((_, i) => {
        const from = Math.floor(i * lanes / 8) + 1, to = Math.floor((i + 1) * lanes / 8);
        return from >= to ? String(to) : `${from}–${to}`;
    });
    const label = names.map((name, i) => counts[i] ? `${name}: ${counts[i]}` : '').filter(Boolean).join('; ');
    return svg('svg.histogram', {viewBox: '0 0 48 16', width: 48, height: 16, role: 'img',
        'aria-label': `Steps by active lanes: ${label}`}, [...counts].map((n, i) => {
            const height = n ? Math.max(2, n / most * 15) : 1;
            return svg(n ? 'rect.full' : 'rect.none', {x: i * 6 + 0.5, width: 5, y: 16 - height, height},
                svg('title', `${names[i]} lanes: ${plural(n, 'step')}`));
        }));
}

const bar = (share, label) => h('span.bar', {role: 'img', 'aria-label': label, title: label},
    h('span', {style: `width:${(100 * share).toFixed(2)}%`}));

// Messages and remarks by line.
function notesOf(model, run) {
    const notes = new Map(), add = (line, kind, text, more) => {
        const own = notes.get(line) || [];
        if (!own.some(one => one.text === text))
            notes.set(line, [...own, {kind, text, more}]);
    };
    for (const one of list(model.raw.diagnostics))
        add(one.line, one.severity, `${one.severity}: ${one.message}`, list(one.notes).map(of =>
            `line ${of.line}: ${of.message}`));
    for (const one of run ? run.remarks : [])
        add(one.line, 'remark', `${one.pass} (${one.kind}): ${one.message}`, []);
    return notes;
}

const HEADS = [['num', 'Line'], ['', 'Lost lane slots'], ['wide', 'Active lanes'], ['num wide', 'Efficiency'],
    ['num wide', 'Executed'], ['num wide', 'Threads'], ['num wide', 'Diverged'], ['', 'Source']];

class SourceTable {
    constructor(app, full) {
        Object.assign(this, {app, full, byWaste: false, withNotes: true});
        this.element = scrollBox(full ? '.source.full' : '.source', full ? 'Source by waste' : 'Source');
        this.build();
    }

    build() {
        const {app, full} = this, {scheme, launch} = app.focus.value, model = app.model, run = app.focus.run;
        const {rows, lost} = model.lines(scheme, launch), steps = model.steps(scheme, launch), state = {comment: false};
        const notes = full && this.withNotes ? notesOf(model, run) : new Map(), body = h('tbody');
        Object.assign(this, {rows: new Map(), made: app.focus.stepsKey, marked: []});
        let entries = list(model.source).map((text, index) => ({line: index + 1, parts: highlight(text, state)}));
        if (this.byWaste)
            entries = entries.filter(entry => rows.has(entry.line))
                .sort((a, b) => rows.get(b.line).lost - rows.get(a.line).lost || a.line - b.line);
        for (const {line, parts} of entries) {
            const row = rows.get(line), share = row && lost ? row.lost / lost : 0;
            const chips = h('td.chips', model.palette.coloursOf(line).slice(0, 3).map(colour =>
                h('i', {style: `background:${codeVariable(colour)}`})));
            const head = h('td.num', h('button.lineno', {'aria-label': `Line ${line}`}, String(line)));
            const text = h('td.text', h('code', parts.length ? parts : ' '));
            const waste = h('td', share > 0 && [bar(share,
                `${percent(share)} of all lost lane slots: ${number(row.lost)}`),
                full && h('span.share', percent(share))]);
            const figures = row && row.executed ? [percent(row.efficiency), number(row.executed), number(row.threads),
                row.diverged ? number(row.diverged) : ''] : ['', '', '', ''];
            const tr = h('tr', {onclick: () => app.focus.set({line})}, head, full ? [waste,
                h('td.wide', row && row.histogram && histogram(row.histogram, steps.lanes)),
                figures.map(figure => h('td.num.wide', figure))] : [chips, waste], text);
            this.rows.set(line, tr);
            put(body, tr, (notes.get(line) || []).map(({kind, text: words, more}) => h('tr', {class: 'notes ' + kind},
                h('td', {colspan: 2}), h('td.wide', {colspan: 5}),
                h('td', words, more.map(one => h('span.more', one))))));
        }
        put(clear(this.element), entries.length ? h('table', h('caption.hidden', 'Source'), full && columns(HEADS),
            body) : run && run.listing ? h('pre', run.listing) : note('The input has no source text.'));
    }

    update() {
        const {step, line} = this.app.focus.value, steps = this.app.focus.steps;
        if (this.made !== this.app.focus.stepsKey)
            this.build();
        const place = steps && steps.placeAt(step), key = `${place && place.key} ${line}`, tr = this.rows.get(line);
        if (this.marked.key === key)
            return;
        this.marked.forEach(one => one.classList.remove('runs', 'focus'));
        this.marked = [...place ? place.lines : [], line].map(at => this.rows.get(at)).filter(Boolean);
        this.marked.key = key;
        this.marked.forEach(one => one.classList.toggle('runs',
            one !== tr || Boolean(place) && place.lines.includes(line)));
        this.element.style.setProperty('--place', place ? codeVariable(place.colour) : 'transparent');
        if (tr) {
            tr.classList.add('focus');
            reveal(this.element, tr);
        }
    }
}

// Scrolls within a box, and only if what it should show is out of sight.
function reveal(box, row) {
    const outer = box.getBoundingClientRect(), inner = row.getBoundingClientRect(), head = box.querySelector('thead');
    const top = outer.top + (head ? head.getBoundingClientRect().height : 0);
    if (outer.height && (inner.top < top || inner.bottom > outer.bottom) && box.scrollHeight > box.clientHeight + 1)
        box.scrollTop += inner.top - outer.top - Math.max(0, outer.height - inner.height) / 3;
}

views.push({id: 'source', title: 'Source', make(panel, app) {
    const table = new SourceTable(app, true), summary = h('p.lead'), tools = h('div.tools');
    const choose = (key, label, options) => segments(label, options, table[key], value => {
        table[key] = value;
        rebuild();
    });
    const rebuild = () => {
        put(clear(tools), choose('byWaste', 'Order of lines', [[false, 'In order'], [true, 'By waste']]),
            choose('withNotes', 'Remarks and messages', [[true, 'Remarks'], [false, 'None']]));
        table.build();
        table.update();
    };
    put(panel, tools, summary, h('ul.messages', list(app.model.raw.diagnostics).filter(one => !one.line).map(one =>
        h('li', `${one.severity}: ${one.message}`))), table.element);
    rebuild();
    return () => {
        const {scheme, launch} = app.focus.value, {rows, lost, counted} = app.model.lines(scheme, launch);
        const run = app.focus.run, worst = [...rows.values()].sort((a, b) => b.lost - a.lost)[0];
        summary.textContent = !counted ? `No figures by line: ${(run && run.error) || 'nothing ran.'}`
            : !lost ? `No lane slot is lost under ${run.scheme}: all lanes of the warps always run together.`
                : `${number(lost)} lane slots are lost under ${run.scheme}; `
                    + `${percent(worst.lost / lost)} of them in line ${worst.line}.`;
        table.update();
    };
}});
