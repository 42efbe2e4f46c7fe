// View 4: the control-flow graph: edges as wide as the lanes that took them, regions, overlays, the step at the focus.
'use strict';
const INCH = 80, BOX_LINES = 12, BOX_COLUMNS = 60;

// Which edges lead back, and blocks so that the others lead forward.
function forward(graph, next) {
    const back = new Set(), state = new Uint8Array(graph.blocks.length), sorted = [];
    for (let root = 0; root < graph.blocks.length; root++)
        for (const stack = state[root] ? [] : [[root, 0]]; stack.length;) {
            const top = stack[stack.length - 1], follow = next[top[0]][top[1]++];
            state[top[0]] = 1;
            if (!follow) {
                state[top[0]] = 2;
                sorted.unshift(stack.pop()[0]);
            } else if (state[follow.to] === 1)
                back.add(follow.e);
            else if (!state[follow.to])
                stack.push([follow.to, 0]);
        }
    return {back, sorted};
}

// Layers by longest path, in each the order of the mean of neighbours: for graphs that Graphviz has not placed.
function layered(graph, size) {
    const next = graph.blocks.map(() => []), rank = new Int32Array(graph.blocks.length), layers = [], GAP = 40;
    graph.edges.forEach(([from, to], e) => next[from].push({to, e}));
    const {back, sorted} = forward(graph, next);
    for (const block of sorted)
        for (const {to, e} of next[block])
            rank[to] = back.has(e) ? rank[to] : Math.max(rank[to], rank[block] + 1);
    const nodes = graph.blocks.map((_, block) => ({up: [], down: [], x: 0, rank: rank[block], ...size(block)}));
    nodes.forEach(node => (layers[node.rank] = layers[node.rank] || []).push(node));
    graph.edges.forEach(([from, to], e) => !back.has(e) && nodes[from].down.push(nodes[to])
        && nodes[to].up.push(nodes[from]));
    const mean = (all, own) => all.length ? all.reduce((sum, one) => sum + one.x, 0) / all.length : own;
    for (let sweep = 0; sweep < 9; sweep++)
        for (const layer of sweep % 2 ? [...layers].reverse() : layers) {
            layer.forEach(node => { node.want = mean(node[sweep % 2 ? 'down' : 'up'], node.x); });
            layer.sort((a, b) => a.want - b.want);
            let x = mean(layer.map(node => ({x: node.want})), 0)
                - (layer.reduce((sum, node) => sum + node.width + GAP, 0) - GAP) / 2;
            layer.forEach(node => { node.x = x + node.width / 2; x += node.width + GAP; });
        }
    let y = 0;
    for (const layer of layers) {
        const tall = Math.max(...layer.map(node => node.height));
        layer.forEach(node => { node.y = y + tall / 2; });
        y += tall + 44;
    }
    const left = Math.min(...nodes.map(node => node.x - node.width / 2));
    nodes.forEach(node => { node.x -= left; });
    const width = Math.max(...nodes.map(node => node.x + node.width / 2)) + 90;
    return {width, height: y - 44, blocks: nodes, paths: graph.edges.map(([from, to]) =>
        edgePath(nodes[from], nodes[to]))};
}

// To the next layer from border to border; else around, on the right.
function edgePath(a, b) {
    const side = a.x + a.width / 2, there = b.x + b.width / 2, x = Math.max(side, there) + 24 + Math.abs(b.y - a.y) / 9;
    if (a === b)
        return `M${side} ${a.y - 6}C${side + 34} ${a.y - 22} ${side + 34} ${a.y + 22} ${side + 1} ${a.y + 7}`;
    if (b.rank !== a.rank + 1)
        return `M${side} ${a.y}C${x} ${a.y} ${x} ${b.y} ${there + 1} ${b.y}`;
    const from = a.y + a.height / 2, to = b.y - b.height / 2 - 1, middle = (from + to) / 2;
    return `M${a.x} ${from}C${a.x} ${middle} ${b.x} ${middle} ${b.x} ${to}`;
}

// Graphviz' points are a start and three for each piece of a B-spline.
const splinePath = points => points.map((point, i) => (i === 0 ? 'M' : i % 3 === 1 ? 'C' : ' ')
    + point.map(value => value.toFixed(1)).join(' ')).join('');

// How many lanes took each edge, and ran each block, in the steps.
function flow(graph, steps) {
    const block = new Map(), edges = new Map(), n = graph.blocks.length, last = new Int32Array(64).fill(-1);
    const taken = new Float64Array(graph.edges.length), ran = new Float64Array(n);
    graph.blocks.forEach((one, index) => list(one.code).forEach(code => block.set(code, index)));
    graph.edges.forEach(([from, to], e) => edges.set(from * n + to, e));
    for (let i = 0; steps && i < steps.count; i++) {
        const at = block.get(steps.placeAt(i).code);
        for (const lane of at === undefined ? [] : lanesOf(steps.active(i))) {
            const edge = last[lane] < 0 ? undefined : edges.get(last[lane] * n + at);
            if (edge !== undefined)
                taken[edge]++;
            ran[at]++;
            last[lane] = at;
        }
    }
    return {taken, ran, block};
}

// The text of a block in a box that has room for so much of it.
function boxText(text, x, y) {
    const lines = text.trimEnd().split('\n');
    const shown = lines.length > BOX_LINES ? [...lines.slice(0, BOX_LINES - 1), '…'] : lines;
    return shown.map(line => line.length > BOX_COLUMNS ? line.slice(0, BOX_COLUMNS - 1) + '…' : line).map((line, k) =>
        svg(k ? 'text.ir-text' : 'text.name', {x: x + (k ? 8 : 0), y: y + k * 0.17 * INCH}, line));
}

// What a graph can show of convergence: barriers' live ranges, tokens' regions, and what blocks do to them.
const rangesOf = graph => [...list(graph.barriers).map(one => ({id: `b${one.register}`, live: one.live, title:
    `barrier B${one.register}` + (one.prediction ? ` of the prediction in line ${one.line}` : ''), acts: {joins:
        one.joined, waits: one.waited, rejoins: one.rejoined, cancels: one.cancelled}})),
...list(graph.tokens).map((one, i) => ({id: `t${i}`, live: one.region, title: `token ${one.text}`,
    acts: {defines: [one.block], uses: one.users}}))];

// Regions of the program structure tree as boxes around their blocks, the outer ones wider.
function regionBoxes(graph, place) {
    const regions = list(graph.regions), chain = at => {
        const all = [];
        for (; regions[at] && all.length < regions.length; at = regions[at].parent)
            all.push(at);
        return all;
    };
    const chains = graph.blocks.map(one => chain(one.region)), deepest = Math.max(0, ...chains.map(one => one.length));
    return regions.map((region, r) => {
        const own = place.blocks.filter((_, index) => chains[index].includes(r));
        const pad = 5 + 4 * (deepest - chain(r).length);
        if (!own.length || region.parent === null)
            return null;
        const edge = (pick, key, size, sign) => pick(...own.map(one => one[key] + sign * one[size] / 2)) + sign * pad;
        const x = edge(Math.min, 'x', 'width', -1), y = edge(Math.min, 'y', 'height', -1);
        return svg('rect.region', {x, y, width: edge(Math.max, 'x', 'width', 1) - x, rx: 6,
            height: edge(Math.max, 'y', 'height', 1) - y}, svg('title', `region ${r}: ${region.kind}`));
    });
}

views.push({id: 'graph', title: 'Graph', make(panel, app) {
    const shown = {Regions: true, 'Post-dominators': false, Frontiers: true};
    const tools = h('div.tools'), box = scrollBox('.graph', 'Control-flow graph'), under = h('div.under');
    let made = null, chosen = -1, last = -1, overlay = '', moving;
    put(panel, tools, box, under);

    const build = () => {
        const {run, steps, launch} = app.focus, graphs = run ? run.graphs : [];
        const code = steps && steps.placeAt(app.focus.value.step).code;
        let index = graphs.findIndex(one => one.blocks.some(block => list(block.code).includes(code)));
        if (index < 0)
            index = Math.max(0, graphs.findIndex(one => launch && one.function === launch.kernel));
        if (chosen >= 0 && chosen < graphs.length)
            index = chosen;
        const graph = graphs[index], key = `${app.focus.stepsKey} ${index} ${Object.values(shown)} ${overlay}`;
        if (key === made)
            return;
        made = key;
        moving = null;
        [tools, box].forEach(clear);
        if (!graph || !graph.blocks.length)
            return void put(box, note(run && run.error ? `No graph under ${run.scheme}: ${run.error}`
                : 'The experiment has no graph for this scheme.'));
        const again = () => { build(); mark(); };
        const select = h('select', {id: 'function',
            onchange: event => { chosen = Number(event.target.value); again(); }},
            graphs.map((one, i) => h('option', {value: i, selected: i === index}, one.function)));
        const check = name => h('label.check', h('input', {type: 'checkbox', checked: shown[name],
            onchange: () => { shown[name] = !shown[name]; again(); }}), name);
        const ranges = rangesOf(graph), range = ranges.find(one => one.id === overlay);
        const over = h('select', {id: 'overlay', onchange: event => { overlay = event.target.value; again(); }},
            [{id: '', title: 'none'}, ...ranges].map(one =>
                h('option', {value: one.id, selected: one === range}, one.title)));
        put(tools, field('Function', select), Object.keys(shown).map(check),
            ranges.length > 0 && field('Live range', over),
            h('span.soft', 'An edge is as wide as the lanes that took it.'));
        put(box, draw(graph, steps, range));
    };

    const placed = (graph, label) => {
        const given = graph.layout, scaled = values => values.map(value => value * INCH);
        const size = index => ({width: Math.max(70, ...label(index).map(text => text.length * 7 + 18)), height: 40});
        if (!given)
            return layered(graph, size);
        const blocks = given.blocks.map(scaled).map(([x, y, width, height]) => ({x, y, width, height}));
        const paths = given.edges.map(points => splinePath(points.map(scaled)));
        return {width: given.width * INCH, height: given.height * INCH, blocks, paths};
    };

    const draw = (graph, steps, range) => {
        const label = index => [graph.blocks[index].name, linesText(graph.blocks[index].lines)];
        const place = placed(graph, label), {taken, ran, block} = flow(graph, steps), most = Math.max(1, ...taken);
        const width = Math.ceil(place.width) + 32, height = Math.ceil(place.height) + 32;
        const name = index => graph.blocks[index].name;
        const arrows = ['arrow', 'arrow-soft'].map(id => svg('marker.' + id, {id, viewBox: '0 0 8 8', refY: 4,
            refX: graph.layout && id === 'arrow' ? 0 : 7, markerWidth: 9, markerHeight: 9,
            markerUnits: 'userSpaceOnUse', orient: 'auto'}, svg('path', {d: 'M0 0L8 4L0 8Z'})));
        const edges = graph.edges.map(([from, to], e) => svg(taken[e] || !steps ? 'path.edge' : 'path.edge.unused', {
            d: place.paths[e] || '', 'stroke-width': (1 + 5 * taken[e] / most).toFixed(2), 'marker-end': 'url(#arrow)'},
        svg('title', `${name(from)} to ${name(to)}: taken by ${plural(taken[e], 'lane')}`)));
        const dominators = graph.blocks.map((one, from) => {
            const a = place.blocks[from], b = place.blocks[one.ipdom];
            if (!b || !shown['Post-dominators'])
                return null;
            const x = a.x - a.width / 2, to = b.x - b.width / 2;
            const d = `M${x} ${a.y}Q${Math.min(x, to) - 30} ${(a.y + b.y) / 2} ${to} ${b.y}`;
            return svg('path.ipdom', {d, 'marker-end': 'url(#arrow-soft)'},
                svg('title', `${one.name}: its immediate post-dominator is ${name(one.ipdom)}`));
        });
        const boxes = graph.blocks.map((one, index) => {
            const {x, y, width: wide, height: tall} = place.blocks[index], [title, lines] = label(index);
            const focus = () => one.lines.length && app.focus.set({line: one.lines[0]});
            const line = (kind, down, words) => svg('text.' + kind, {x, y: y + down, 'text-anchor': 'middle'}, words);
            const text = graph.layout ? boxText(one.text || title, x - wide / 2 + 7, y - tall / 2 + 16)
                : [line('name', -3, title), line('soft', 12, lines)];
            const key = event => event.key === 'Enter' && focus();
            const acts = range ? Object.keys(range.acts).filter(act => list(range.acts[act]).includes(index)) : [];
            return {badge: svg('text.badge', {x: x + 9, y: y - tall / 2 - 5}),
                acts: acts.length > 0 && svg('text.acts', {x: x + wide / 2 - 4, y: y + tall / 2 + 12,
                    'text-anchor': 'end'}, acts.join(', ')),
                group: svg(range && list(range.live).includes(index) ? 'g.block.live' : 'g.block',
                    {tabindex: 0, role: 'button', onclick: focus, onkeydown: key},
                    svg('rect', {x: x - wide / 2, y: y - tall / 2, width: wide, height: tall, rx: 4}), text)};
        });
        moving = {graph, block, boxes, ran};
        return svg('svg', {viewBox: `-16 -16 ${width} ${height}`, width, height, role: 'group',
            'aria-label': `Control-flow graph of ${graph.function}`}, svg('defs', arrows),
        shown.Regions && regionBoxes(graph, place), edges, dominators,
        boxes.map(({group, badge, acts}) => [group, badge, acts]));
    };

    const mark = () => {
        if (!moving)
            return;
        const {graph, block, boxes, ran} = moving, {steps, value: {step, line}} = app.focus, waiting = new Map();
        const byLine = at => graph.blocks.findIndex(one => at && one.lines.includes(at));
        const at = steps ? block.get(steps.placeAt(step).code) : byLine(line), one = graph.blocks[at];
        steps && steps.at(step).groups.forEach((group, g) => {
            const where = block.get(group.code) ?? byLine(group.line);
            const lanes = steps.lanesAt(step).filter(w => w === g + 1).length;
            if (lanes)
                waiting.set(where, (waiting.get(where) || 0) + lanes);
        });
        boxes.forEach(({group, badge}, index) => {
            group.classList.toggle('focus', index === at);
            group.classList.toggle('frontier', shown.Frontiers && Boolean(one) && list(one.frontier).includes(index));
            group.classList.toggle('unused', Boolean(steps) && !ran[index]);
            badge.textContent = [index === at && steps ? `${countLanes(steps.active(step))} run` : '',
                waiting.has(index) ? `${waiting.get(index)} wait` : ''].filter(Boolean).join(', ');
        });
        if (one && last !== at)
            reveal(box, boxes[at].group);
        last = at;
        clear(under);
        if (!one)
            return void put(under, note('The step at the focus runs code that no block of this graph became.'));
        const text = (one.text || '').trimEnd().split('\n'), name = index => graph.blocks[index]?.name ?? 'none';
        const frontier = one.frontier ? ` Thread frontier: ${one.frontier.map(name).join(', ') || 'empty'}.` : '';
        put(under, h('h2', one.name), h('p.soft', `Immediate post-dominator: ${name(one.ipdom)}.`, frontier),
            (!graph.layout || text.length > BOX_LINES)
            && scrollBox('.ir', 'IR', text.map(words => irLine(app, words))));
    };

    return () => {
        build();
        mark();
    };
}});

// A line of IR: one that names a line of the source leads there.
function irLine(app, words) {
    const at = /!(\d+):\d+/.exec(words), line = at ? Number(at[1]) : 0;
    return h(line && line === app.focus.value.line ? 'div.irline.here' : 'div.irline',
        {title: line ? `line ${line}` : null, onclick: () => line && app.focus.set({line})}, words || ' ');
}
