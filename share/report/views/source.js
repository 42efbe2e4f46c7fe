// View 1: the source, hot by waste. Its table also stands beside the other views, with less in its gutter.
'use strict';

const WORDS = new Set(('kernel void bool char uchar short ushort int uint long ulong half float double struct enum const '
    + 'global shared constant private if else for while do switch case default break continue return goto try catch '
    + 'throw launch typedef sizeof true false token inline extern reconverge').split(' '));

// The line as spans: comments, strings, numbers, words of the language. state.comment: inside /* */.
function highlight(text, state) {
    const parts = [], pattern = /\/\/.*|\/\*|"(?:[^"\\]|\\.)*"?|'(?:[^'\\]|\\.)*'?|[A-Za-z_]\w*|\d[\w.]*/g;
    let at = 0;
    const put = (end, kind) => {
        if (end > at)
            parts.push(kind ? h('span', {class: 'c-' + kind}, text.slice(at, end)) : text.slice(at, end));
        at = end;
    };
    const comment = from => {
        const end = text.indexOf('*/', from);
        state.comment = end < 0;
        put(end < 0 ? text.length : end + 2, 'comment');
        pattern.lastIndex = at;
    };
    if (state.comment)
        comment(0);
    for (let found; (found = pattern.exec(text));) {
        const word = found[0];
        put(found.index);
        if (word === '/*')
            comment(found.index + 2);
        else
            put(found.index + word.length, word.startsWith('//') ? 'comment' : /^["']/.test(word) ? 'string'
                : /^\d/.test(word) ? 'number' : WORDS.has(word) ? 'word' : null);
    }
    put(text.length);
    return parts;
}

function histogram(counts, lanes) {
    const most = Math.max(...counts), picture = svg('svg', {class: 'histogram', viewBox: '0 0 48 16', width: 48, height: 16,
        role: 'img', 'aria-label': 'Steps by active lanes: ' + [...counts].map((n, i) => n ? `${bucket(i, lanes)}: ${n}` : '')
            .filter(Boolean).join('; ')});
    counts.forEach((n, i) => picture.append(svg('rect', {x: i * 6 + 0.5, width: 5, y: n ? 15 - Math.max(1, n / most * 15) : 15,
        height: n ? Math.max(1, n / most * 15) + 1 : 1, class: n ? 'full' : 'none'},
    svg('title', {}, `${bucket(i, lanes)} lanes: ${plural(n, 'step')}`))));
    return picture;
}

function bucket(i, lanes) {
    const from = Math.floor(i * lanes / 8) + 1, to = Math.floor((i + 1) * lanes / 8);
    return from >= to ? String(to) : `${from}–${to}`;
}

const bar = (share, label) => h('span', {class: 'bar', role: 'img', 'aria-label': label, title: label},
    h('span', {style: `width:${(100 * share).toFixed(2)}%`}));

// Messages and remarks by line.
function notesOf(model, run, withRemarks) {
    const notes = new Map(), add = (line, kind, text, more) => {
        if (!line)
            return;
        if (!notes.has(line))
            notes.set(line, []);
        if (!notes.get(line).some(one => one.text === text))
            notes.get(line).push({kind, text, more});
    };
    for (const message of list(model.raw.diagnostics)) {
        add(message.line, message.severity, `${message.severity}: ${message.message}`,
            list(message.notes).map(one => `line ${one.line}: ${one.message}`));
    }
    for (const remark of withRemarks && run ? run.remarks : [])
        add(remark.line, 'remark', `${remark.pass} (${remark.kind}): ${remark.message}`, []);
    return notes;
}

class SourceTable {
    constructor(app, full) {
        Object.assign(this, {app, full, byWaste: false, withNotes: true});
        this.element = h('div', {class: 'scroll source' + (full ? ' full' : ''), tabindex: 0, role: 'region',
            'aria-label': full ? 'Source by waste' : 'Source'});
        this.build();
    }

    build() {
        const {app, full} = this, {scheme, launch} = app.focus.value, model = app.model;
        const {rows, lost} = model.lines(scheme, launch), steps = model.steps(scheme, launch);
        const notes = full && this.withNotes ? notesOf(model, app.focus.run, true) : new Map();
        this.rows = new Map();
        this.made = `${scheme} ${launch}`;
        const colours = new Map();
        for (const [key, colour] of model.palette.keys)
            if (key[0] !== '#')
                for (const line of key.split(',').map(Number))
                    colours.set(line, [...colours.get(line) || [], colour]);
        const state = {comment: false}, lines = model.source || [];
        let entries = lines.map((text, index) => ({line: index + 1, parts: highlight(text, state)}));
        if (this.byWaste)
            entries = entries.filter(entry => rows.has(entry.line))
                .sort((a, b) => rows.get(b.line).lost - rows.get(a.line).lost || a.line - b.line);
        const head = full ? h('thead', {}, h('tr', {},
            [['num', 'Line'], ['', 'Lost lane slots'], ['wide', 'Active lanes'], ['num wide', 'Efficiency'], ['num wide', 'Executed'],
                ['num wide', 'Threads'], ['num wide', 'Diverged'], ['', 'Source']].map(([kind, text]) =>
                h('th', {scope: 'col', class: kind}, text)))) : null;
        const body = h('tbody');
        for (const {line, parts} of entries) {
            const row = rows.get(line), share = row && lost ? row.lost / lost : 0;
            const chips = h('td', {class: 'chips'}, (colours.get(line) || []).slice(0, 3).map(colour =>
                h('i', {style: `background:${codeVariable(colour)}`})));
            const button = h('button', {type: 'button', class: 'lineno', 'aria-label': `Line ${line}`}, String(line));
            const text = h('td', {class: 'text'}, h('code', {}, parts.length ? parts : ' '));
            const lostText = row ? `${percent(share)} of all lost lane slots: ${number(row.lost)}` : '';
            const lostCell = h('td', {class: 'lost'}, row && row.lost ? [bar(share, lostText), full && h('span', {class: 'share'},
                percent(share))] : null);
            const tr = full ? h('tr', {}, h('td', {class: 'num'}, button), lostCell,
                h('td', {class: 'wide'}, row && row.histogram ? histogram(row.histogram, steps.lanes) : null),
                h('td', {class: 'num wide'}, row ? percent(row.efficiency) : ''),
                h('td', {class: 'num wide'}, row ? number(row.executed) : ''),
                h('td', {class: 'num wide'}, row ? number(row.threads) : ''),
                h('td', {class: 'num wide'}, row && row.diverged ? number(row.diverged) : ''), text)
                : h('tr', {}, h('td', {class: 'num'}, button), chips, lostCell, text);
            tr.addEventListener('click', () => app.focus.set({line}));
            this.rows.set(line, tr);
            body.append(tr);
            for (const {kind, text: words, more} of notes.get(line) || [])
                body.append(h('tr', {class: 'notes ' + kind}, h('td', {colspan: 7}), h('td', {}, h('span', {}, words),
                    more.map(one => h('span', {class: 'more'}, one)))));
        }
        const caption = full ? 'Source with metrics by line' : 'Source';
        clear(this.element).append(lines.length ? h('table', {}, h('caption', {class: 'hidden'}, caption), head, body)
            : app.focus.run && app.focus.run.listing ? h('pre', {}, app.focus.run.listing)
                : note('The input has no source text.'));
        this.marked = [];
    }

    update() {
        const {scheme, launch, step, line} = this.app.focus.value, steps = this.app.focus.steps;
        if (this.made !== `${scheme} ${launch}`)
            this.build();
        this.marked.forEach(tr => { tr.classList.remove('runs', 'focus'); tr.style.removeProperty('--place'); });
        this.marked = [];
        const place = steps && steps.placeAt(step);
        for (const at of place ? place.lines : []) {
            const tr = this.rows.get(at);
            if (tr) {
                tr.classList.add('runs');
                tr.style.setProperty('--place', codeVariable(place.colour));
                this.marked.push(tr);
            }
        }
        const tr = this.rows.get(line);
        if (tr) {
            tr.classList.add('focus');
            this.marked.push(tr);
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
    const table = new SourceTable(app, true), summary = h('p', {class: 'lead'});
    const tools = h('div', {class: 'tools'});
    const rebuild = () => {
        clear(tools).append(
            segments('Order of lines', [[false, 'In order'], [true, 'By waste']], table.byWaste, value => {
                table.byWaste = value;
                rebuild();
            }),
            segments('Remarks and messages', [[true, 'Remarks'], [false, 'None']], table.withNotes, value => {
                table.withNotes = value;
                rebuild();
            }));
        table.build();
        table.update();
    };
    panel.append(tools, summary, table.element);
    const general = list(app.model.raw.diagnostics).filter(one => !one.line);
    if (general.length)
        panel.append(h('ul', {class: 'messages'}, general.map(one => h('li', {}, `${one.severity}: ${one.message}`))));
    rebuild();
    return () => {
        const {scheme, launch} = app.focus.value, {rows, lost} = app.model.lines(scheme, launch), run = app.focus.run;
        const worst = [...rows.values()].sort((a, b) => b.lost - a.lost)[0];
        clear(summary).append(!rows.size ? `No figures by line: ${(run && run.error) || 'nothing ran.'}`
            : !lost ? `No lane slot is lost under ${run.scheme}: all lanes of the warps always run together.`
                : `${number(lost)} lane slots are lost under ${run.scheme}; ${percent(worst.lost / lost)} of them in line ${worst.line}.`);
        table.update();
    };
}});
