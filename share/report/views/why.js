// View 5: why it diverges: from a branch or value, a hop a line, to a lane id, a load or a loop.
'use strict';

views.push({id: 'why', title: 'Why', make(panel, app) {
    let chosen = null, of = null;
    const choose = id => {
        chosen = id;
        draw();
    };

    const draw = () => {
        const run = app.focus.run, {line} = app.focus.value, all = run ? run.divergence : [], byId = new Map(all.map(one => [one.id, one]));
        clear(panel);
        if (!all.length) {
            panel.append(note(!run ? 'There are no runs.' : run.error && !run.graphs.length ? `Nothing is known under ${run.scheme}: ${run.error}`
                : 'No value and no branch diverges: all threads of a warp always agree.'));
            return;
        }
        const kernel = app.focus.launch && app.focus.launch.kernel;
        const branches = all.filter(one => one.branch).sort((a, b) => (b.function === kernel) - (a.function === kernel) || a.line - b.line);
        const here = all.filter(one => one.line === line && !one.branch);
        const start = byId.get(chosen) || branches.find(one => one.line === line) || here[here.length - 1] || branches[0] || all[0];
        const chain = [], seen = new Set();
        for (let hop = start; hop && !seen.has(hop.id); hop = byId.get(hop.of)) {
            chain.push(hop);
            seen.add(hop.id);
        }
        const follows = new Map();
        for (const one of all)
            follows.set(one.of, [...follows.get(one.of) || [], one]);
        const forward = h('div', {class: 'forward'});
        const tell = hop => {
            const direct = follows.get(hop.id) || [], reach = new Set([hop.id]);
            for (const id of reach)
                for (const next of follows.get(id) || [])
                    reach.add(next.id);
            const ends = all.filter(one => one.branch && reach.has(one.id));
            clear(forward).append(h('h3', {}, 'What follows from it'), h('p', {class: 'soft'}, `${plural(direct.length, 'value')} and branches directly, `
                + `${number(reach.size - 1)} in all; ${plural(ends.length, 'branch').replace('branchs', 'branches')} diverge for it.`),
            h('ul', {}, [...direct.slice(0, 8), ...ends.filter(one => !direct.includes(one)).slice(0, 6)].map(one => h('li', {}, entry(one)))));
        };
        const entry = one => h('button', {type: 'button', class: 'entry', 'aria-pressed': String(one === start), onclick: () => {
            chosen = one.id;
            of = one.line;
            one.line ? app.focus.set({line: one.line}) : draw();
            draw();
        }}, h('span', {class: 'where'}, one.line ? `line ${one.line}` : '–'), h('code', {}, one.text));
        const last = chain[chain.length - 1];
        panel.append(h('div', {class: 'two'},
            h('div', {}, h('h3', {}, 'Branches that diverge'), h('ul', {class: 'entries'}, branches.slice(0, 60).map(one => h('li', {}, entry(one)))),
                here.length ? [h('h3', {}, `Values of line ${line}`), h('ul', {class: 'entries'}, here.slice(0, 40).map(one => h('li', {}, entry(one))))] : null),
            h('div', {}, h('h3', {}, `Why ${start.branch ? 'this branch' : 'this value'} diverges`), h('ol', {class: 'chain'}, chain.map((hop, index) =>
                h('li', {tabindex: 0, class: hop.line && hop.line === line ? 'here' : '', onmouseenter: () => tell(hop), onfocus: () => tell(hop),
                    onclick: () => hop.line && app.focus.set({line: hop.line})},
                h('span', {class: 'where'}, hop.line ? `line ${hop.line}:${hop.column}` : hop.function), h('code', {}, hop.text),
                sourceOf(app.model, hop.line), h('span', {class: 'because'}, index === chain.length - 1 ? hop.why
                        : (hop.why === 'data' ? 'an operand differs between threads' : hop.why) + ' ↓')))),
            h('p', {class: 'lead'}, byId.get(last.of) ? 'The chain goes round: a loop carries it.' : `The source of the divergence is ${last.why}.`), forward)));
        tell(start);
    };
    return () => {
        if (of !== null && app.focus.value.line !== of)
            chosen = of = null;
        draw();
    };
}});

const sourceOf = (model, line) => model.source && line && model.source[line - 1] !== undefined
    ? h('span', {class: 'quote'}, model.source[line - 1].trim()) : null;
