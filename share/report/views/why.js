// View 5: why it diverges: from a branch or value, a hop a line, to a lane id, a load or a loop.
'use strict';
views.push({id: 'why', title: 'Why', make(panel, app) {
    let chosen = null, of = null;

    const draw = () => {
        const run = app.focus.run, {line} = app.focus.value, all = run ? run.divergence : [];
        const kernel = app.focus.launch && app.focus.launch.kernel, byId = new Map(all.map(one => [one.id, one]));
        clear(panel);
        if (!all.length)
            return void put(panel, note(!run ? 'There are no runs.' : run.error && !run.graphs.length
                ? `Nothing is known under ${run.scheme}: ${run.error}`
                : 'No value and no branch diverges: all threads of a warp always agree.'));
        const branches = all.filter(one => one.branch)
            .sort((a, b) => (b.function === kernel) - (a.function === kernel) || a.line - b.line);
        const here = all.filter(one => one.line === line && !one.branch), chain = [], seen = new Set();
        const start = [byId.get(chosen), branches.find(one => one.line === line), here[here.length - 1], branches[0],
            all[0]].find(Boolean);
        for (let hop = start; hop && !seen.has(hop.id); hop = byId.get(hop.of)) {
            chain.push(hop);
            seen.add(hop.id);
        }
        const follows = new Map(all.map(one => [one.id, []]));
        all.forEach(one => follows.has(one.of) && follows.get(one.of).push(one));
        const entry = one => h('li', h('button.entry', {'aria-pressed': String(one === start), onclick: () => {
            chosen = one.id;
            of = one.line || line;
            app.focus.set({line: of});
            draw();
        }}, h('span.where', one.line ? `line ${one.line}` : one.function), h('code', one.text)));
        const forward = h('div.forward'), tell = hop => {
            const direct = follows.get(hop.id), reach = new Set([hop.id]);
            for (const id of reach)
                for (const next of follows.get(id))
                    reach.add(next.id);
            const ends = all.filter(one => one.branch && reach.has(one.id) && one !== hop);
            put(clear(forward), h('h2', 'What follows from ', h('code', hop.text.split(' = ')[0])),
                h('p.soft', `${direct.length} directly, ${reach.size - 1} in all; branches: ${ends.length}.`),
                h('ul', [...new Set([...direct.slice(0, 8), ...ends.slice(0, 6)])].map(entry)));
        };
        const last = chain[chain.length - 1], because = hop => hop === last ? hop.why
            : (hop.why === 'data' ? 'an operand differs between threads' : hop.why) + ' ↓';
        const step = hop => h(hop.line && hop.line === line ? 'li.here' : 'li', {onmouseenter: () => tell(hop)},
            h('button.link', {onfocus: () => tell(hop), onclick: () => hop.line && app.focus.set({line: hop.line})},
                hop.line ? `line ${hop.line}:${hop.column}` : hop.function), ' ', h('code', hop.text),
            sourceOf(app.model, hop.line), h('span.because', because(hop)));
        const some = (all, most) => h('ul.entries', all.slice(0, most).map(entry));
        put(panel, h('div.two', h('div', branches.length > 0 && [h('h2', 'Branches that diverge'), some(branches, 60)],
            here.length > 0 && [h('h2', `Values of line ${line}`), some(here, 40)]),
        h('div', h('h2', `Why ${start.branch ? 'this branch' : 'this value'} diverges`), h('ol.chain', chain.map(step)),
            h('p.lead', byId.get(last.of) ? 'The chain goes round: a loop carries it.'
                : `The source of the divergence: ${last.why}.`), forward)));
        tell(start);
    };
    return () => {
        if (of !== null && app.focus.value.line !== of)
            chosen = of = null;
        draw();
    };
}});

const sourceOf = (model, line) => model.source && line && model.source[line - 1] !== undefined
    ? h('span.quote', model.source[line - 1].trim()) : null;
