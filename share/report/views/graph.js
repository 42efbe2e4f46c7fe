// View 4: the control-flow graph: edges as wide as the lanes that took them, regions, overlays, the step at the focus.
'use strict';

// Layers by longest path, order by the mean of neighbours: for graphs without places of their own.
function layered(graph, size) {
    const blocks = graph.blocks.length, back = new Set(), state = new Uint8Array(blocks), sorted = [];
    const next = graph.blocks.map((_, block) => graph.edges.map((edge, e) => [edge, e]).filter(([edge]) => edge[0] === block));
    const visit = root => {
        for (const stack = [[root, 0]]; stack.length;) {
            const top = stack[stack.length - 1], [block] = top;
            state[block] = 1;
            const follow = next[block][top[1]++];
            if (!follow) {
                state[block] = 2;
                sorted.unshift(block);
                stack.pop();
            } else if (state[follow[0][1]] === 1)
                back.add(follow[1]);
            else if (!state[follow[0][1]])
                stack.push([follow[0][1], 0]);
        }
    };
    for (let block = 0; block < blocks; block++)
        if (!state[block])
            visit(block);
    const rank = new Int32Array(blocks);
    for (const block of sorted)
        for (const [edge, e] of next[block])
            if (!back.has(e))
                rank[edge[1]] = Math.max(rank[edge[1]], rank[block] + 1);
    const layers = [], nodes = [];
    const add = (r, block) => {
        const node = {rank: r, block, up: [], down: [], x: 0, width: block < 0 ? 10 : size(block).width,
            height: block < 0 ? 0 : size(block).height};
        (layers[r] = layers[r] || []).push(node);
        nodes.push(node);
        return node;
    };
    graph.blocks.forEach((_, block) => add(rank[block], block));
    const chains = graph.edges.map(([from, to], e) => {
        const [upper, lower] = rank[from] <= rank[to] ? [from, to] : [to, from], chain = [nodes[upper]];
        for (let r = rank[upper] + 1; r < rank[lower]; r++)
            chain.push(add(r, -1));
        chain.push(nodes[lower]);
        for (let i = 0; i + 1 < chain.length; i++)
            if (chain[i] !== chain[i + 1]) {
                chain[i].down.push(chain[i + 1]);
                chain[i + 1].up.push(chain[i]);
            }
        return upper === from && !(rank[from] === rank[to] && back.has(e)) ? chain : chain.reverse();
    });
    const mean = (list, of) => list.reduce((sum, one) => sum + of(one), 0) / list.length, GAP = 26;
    const number_ = layer => layer.forEach((node, i) => { node.order = i; });
    layers.forEach(number_);
    for (let sweep = 0; sweep < 8; sweep++) {
        const side = sweep % 2 ? 'down' : 'up';
        for (const layer of sweep % 2 ? [...layers].reverse() : layers) {
            for (const node of layer)
                node.want = node[side].length ? mean(node[side], one => one.order) : node.order;
            layer.sort((a, b) => a.want - b.want || a.order - b.order);
            number_(layer);
        }
    }
    for (let sweep = 0; sweep < 16; sweep++)
        for (const layer of sweep % 2 ? [...layers].reverse() : layers) {
            for (const node of layer) {
                const side = sweep % 2 ? node.down : node.up, all = sweep > 11 ? [...node.up, ...node.down] : side;
                node.want = all.length ? mean(all, one => one.x) : node.x;
            }
            let edge = -Infinity, shift = 0;
            for (const node of layer) {
                node.x = Math.max(node.want, edge + node.width / 2);
                edge = node.x + node.width / 2 + GAP;
                shift += node.want - node.x;
            }
            layer.forEach(node => { node.x += shift / layer.length; });
        }
    let y = 12;
    for (const layer of layers) {
        const tall = Math.max(...layer.map(node => node.height));
        layer.forEach(node => { node.y = y + tall / 2; });
        y += tall + 40;
    }
    const left = Math.min(...nodes.map(node => node.x - node.width / 2)) - 24;
    const width = Math.max(...nodes.map(node => node.x + node.width / 2)) - left + 40;
    return {width, height: y - 20, blocks: nodes.slice(0, blocks).map(node => ({...node, x: node.x - left})),
        paths: chains.map(chain => edgePath(chain.map(node => ({...node, x: node.x - left}))))};
}

// A curve through the middle points of a chain of nodes, from border to border.
function edgePath(chain) {
    const a = chain[0], b = chain[chain.length - 1];
    if (a.block === b.block) {
        const x = a.x + a.width / 2;
        return `M${x} ${a.y - 6}C${x + 34} ${a.y - 22} ${x + 34} ${a.y + 22} ${x + 1} ${a.y + 7}`;
    }
    const down = b.y >= a.y ? 1 : -1, points = [[a.x, a.y + down * a.height / 2], ...chain.slice(1, -1).map(node => [node.x, node.y]),
        [b.x, b.y - down * (b.height / 2 + 1)]];
    if (down < 0 && chain.length === 2) {
        const x = Math.max(a.x + a.width / 2, b.x + b.width / 2);
        return `M${a.x + a.width / 2} ${a.y}C${x + 40} ${a.y} ${x + 40} ${b.y} ${b.x + b.width / 2 + 1} ${b.y}`;
    }
    return 'M' + points[0].join(' ') + points.slice(1).map((point, i) => {
        const half = (point[1] - points[i][1]) / 2;
        return `C${points[i][0]} ${points[i][1] + half} ${point[0]} ${point[1] - half} ${point[0]} ${point[1]}`;
    }).join('');
}

// Graphviz' points are a start and three for each piece of a B-spline.
function splinePath(points) {
    const at = point => point.map(value => value.toFixed(1)).join(' ');
    let path = 'M' + at(points[0]);
    for (let i = 1; i + 2 < points.length; i += 3)
        path += `C${at(points[i])} ${at(points[i + 1])} ${at(points[i + 2])}`;
    return path;
}

// How many lanes took each edge, and ran each block, in the steps.
function flow(graph, steps) {
    const block = new Map(), edges = new Map(), taken = new Float64Array(graph.edges.length), ran = new Float64Array(graph.blocks.length);
    graph.blocks.forEach((one, index) => list(one.code).forEach(code => block.set(code, index)));
    graph.edges.forEach(([from, to], e) => edges.set(from * graph.blocks.length + to, e));
    const last = new Int32Array(64).fill(-1);
    for (let i = 0; steps && i < steps.count; i++) {
        const at = block.get(steps.placeAt(i).code);
        if (at === undefined)
            continue;
        for (const lane of lanesOf(steps.active(i))) {
            const edge = last[lane] < 0 ? undefined : edges.get(last[lane] * graph.blocks.length + at);
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
    const LINES = 12, COLUMNS = 60, lines = text.trimEnd().split('\n'), shown = lines.slice(0, lines.length > LINES ? LINES - 1 : LINES);
    return [...shown.map(line => line.length > COLUMNS ? line.slice(0, COLUMNS - 1) + '…' : line), ...lines.length > LINES ? ['…'] : []]
        .map((line, k) => svg('text', {x: x + (k ? 8 : 0), y: y + k * 0.17 * INCH, class: k ? 'ir-text' : 'name'}, line));
}

const INCH = 80;

views.push({id: 'graph', title: 'Graph', make(panel, app) {
    const shown = {Regions: true, 'Post-dominators': false, Frontiers: true};
    const tools = h('div', {class: 'tools'}), box = h('div', {class: 'scroll graph', tabindex: 0, role: 'region', 'aria-label': 'Control-flow graph'});
    const under = h('div', {class: 'under'});
    let made = null, chosen = -1, last = -1, moving;
    panel.append(tools, box, under);

    const build = () => {
        const run = app.focus.run, steps = app.focus.steps, graphs = run ? run.graphs : [];
        const code = steps && steps.placeAt(app.focus.value.step).code;
        const kernel = app.focus.launch ? app.focus.launch.kernel : null;
        let index = graphs.findIndex(one => one.blocks.some(block => list(block.code).includes(code)));
        if (index < 0)
            index = Math.max(0, graphs.findIndex(one => one.function === kernel));
        if (chosen >= 0 && chosen < graphs.length)
            index = chosen;
        const key = `${app.focus.value.scheme} ${app.focus.value.launch} ${index} ${Object.values(shown)}`;
        if (key === made)
            return;
        made = key;
        clear(tools);
        clear(box);
        moving = null;
        const graph = graphs[index];
        if (!graph || !graph.blocks.length) {
            box.append(note(run && run.error ? `No graph under ${run.scheme}: ${run.error}` : 'The experiment has no graph for this scheme.'));
            return;
        }
        put(tools, h('span', {class: 'field'}, h('label', {for: 'function'}, 'Function'), h('select', {id: 'function', onchange: event => {
            chosen = Number(event.target.value);
            build();
            mark();
        }}, graphs.map((one, i) => h('option', {value: i, selected: i === index}, one.function)))),
        Object.keys(shown).map(name => h('label', {class: 'check'}, h('input', {type: 'checkbox', checked: shown[name], onchange: () => {
            shown[name] = !shown[name];
            build();
            mark();
        }}), name)), h('span', {class: 'soft'}, 'An edge is as wide as the lanes that took it.'));
        box.append(draw(graph, steps));
    };

    const draw = (graph, steps) => {
        const label = block => [block.name, block.lines.length ? 'line' + (block.lines.length > 1 ? 's ' : ' ') + ranges(block.lines) : ''];
        const size = block => ({width: Math.max(70, ...label(graph.blocks[block]).map(text => text.length * 7 + 18)), height: 40});
        const given = graph.layout, scaled = values => values.map(value => value * INCH);
        const place = given ? {width: given.width * INCH, height: given.height * INCH,
            blocks: given.blocks.map(scaled).map(([x, y, width, height]) => ({x, y, width, height})),
            paths: given.edges.map(points => points.length ? splinePath(points.map(scaled)) : '')} : layered(graph, size);
        const {taken, ran, block} = flow(graph, steps), most = Math.max(1, ...taken);
        const picture = svg('svg', {viewBox: `-16 -16 ${Math.ceil(place.width) + 32} ${Math.ceil(place.height) + 32}`,
            width: Math.ceil(place.width) + 32, height: Math.ceil(place.height) + 32, role: 'group', 'aria-label': `Control-flow graph of ${graph.function}`});
        picture.append(svg('defs', {}, ['arrow', 'arrow-soft'].map(id => svg('marker', {id, viewBox: '0 0 8 8', refX: given && id === 'arrow' ? 0 : 7, refY: 4, markerWidth: 9,
            markerHeight: 9, markerUnits: 'userSpaceOnUse', orient: 'auto', class: id}, svg('path', {d: 'M0 0L8 4L0 8Z'})))));
        if (shown.Regions)
            picture.append(...regionBoxes(graph, place));
        graph.edges.forEach(([from, to], e) => picture.append(svg('path', {d: place.paths[e] || '', class: taken[e] || !steps ? 'edge' : 'edge unused',
            'stroke-width': (1 + 5 * taken[e] / most).toFixed(2), 'marker-end': 'url(#arrow)'},
        svg('title', {}, `${graph.blocks[from].name} to ${graph.blocks[to].name}: taken by ${plural(taken[e], 'lane')}`))));
        if (shown['Post-dominators'])
            graph.blocks.forEach((one, from) => {
                const a = place.blocks[from], b = place.blocks[one.ipdom];
                if (b)
                    picture.append(svg('path', {d: `M${a.x - a.width / 2} ${a.y}Q${Math.min(a.x - a.width / 2, b.x - b.width / 2) - 30} ${(a.y + b.y) / 2} ${b.x - b.width / 2} ${b.y}`,
                        class: 'ipdom', 'marker-end': 'url(#arrow-soft)'}, svg('title', {}, `${one.name}: its immediate post-dominator is ${graph.blocks[one.ipdom].name}`)));
            });
        const boxes = graph.blocks.map((one, index) => {
            const {x, y, width, height} = place.blocks[index], [name, lines] = label(one), focus = () => one.lines.length && app.focus.set({line: one.lines[0]});
            const badge = svg('text', {x: x + 9, y: y - height / 2 - 5, class: 'badge'});
            const text = given ? boxText(one.text || name, x - width / 2 + 7, y - height / 2 + 16)
                : [svg('text', {x, y: y - 3, 'text-anchor': 'middle', class: 'name'}, name),
                    svg('text', {x, y: y + 12, 'text-anchor': 'middle', class: 'soft'}, lines)];
            const group = svg('g', {class: ran[index] || !steps ? 'block' : 'block unused', tabindex: 0, role: 'button', 'aria-label': `${name} ${lines}`,
                onclick: focus, onkeydown: event => event.key === 'Enter' && focus()},
            svg('rect', {x: x - width / 2, y: y - height / 2, width, height, rx: 4}), text, svg('title', {}, one.text || name));
            put(picture, group, badge);
            return {group, badge};
        });
        moving = {graph, block, boxes};
        return picture;
    };

    const mark = () => {
        if (!moving)
            return;
        const {graph, block, boxes} = moving, steps = app.focus.steps, {step, line} = app.focus.value;
        const at = steps ? block.get(steps.placeAt(step).code) : graph.blocks.findIndex(one => one.lines.includes(line));
        const waiting = new Map();
        for (const group of steps ? steps.at(step).groups : []) {
            const where = block.get(group.code) ?? graph.blocks.findIndex(one => group.line && one.lines.includes(group.line));
            const lanes = countLanes(without(both(group.lanes, steps.at(step).live), steps.active(step)));
            if (where >= 0 && lanes)
                waiting.set(where, (waiting.get(where) || 0) + lanes);
        }
        const frontier = shown.Frontiers && graph.blocks[at] ? list(graph.blocks[at].frontier) : [];
        boxes.forEach(({group, badge}, index) => {
            group.classList.toggle('focus', index === at);
            group.classList.toggle('frontier', frontier.includes(index));
            group.style.setProperty('--place', steps && index === at ? codeVariable(steps.placeAt(step).colour) : 'transparent');
            badge.textContent = [index === at && steps ? `${countLanes(steps.active(step))} run` : '', waiting.has(index) ? `${waiting.get(index)} wait` : ''].filter(Boolean).join(', ');
        });
        const one = graph.blocks[at];
        if (one && last !== at)
            reveal(box, boxes[at].group);
        last = at;
        clear(under).append(one ? h('div', {}, h('h3', {}, one.name), h('p', {class: 'soft'}, [one.ipdom === null || one.ipdom === undefined ? 'No immediate post-dominator.'
            : `Immediate post-dominator: ${(graph.blocks[one.ipdom] || {}).name}.`, one.frontier ? ` Thread frontier: ${one.frontier.map(i => graph.blocks[i].name).join(', ') || 'empty'}.` : ''].join('')),
        !graph.layout || (one.text || '').trimEnd().split('\n').length > 12 ? irLines(app, one.text || '') : null) : note('The step at the focus runs code outside this function, or code that no block of the graph became.'));
    };

    return () => {
        build();
        mark();
    };
}});

// Regions of the program structure tree as boxes around their blocks, the outer ones wider.
function regionBoxes(graph, place) {
    const regions = list(graph.regions), depth = region => region === null || region === undefined || !regions[region] ? 0 : 1 + depth(regions[region].parent);
    const deepest = Math.max(0, ...regions.map((_, r) => depth(r)));
    return regions.map((region, r) => {
        const inside = at => { for (; at !== null && at !== undefined && regions[at]; at = regions[at].parent) if (at === r) return true; return false; };
        const own = place.blocks.filter((_, index) => inside(graph.blocks[index].region)), pad = 5 + 4 * (deepest - depth(r));
        if (!own.length || region.parent === null)
            return null;
        const left = Math.min(...own.map(one => one.x - one.width / 2)) - pad, right = Math.max(...own.map(one => one.x + one.width / 2)) + pad;
        const top = Math.min(...own.map(one => one.y - one.height / 2)) - pad, bottom = Math.max(...own.map(one => one.y + one.height / 2)) + pad;
        return svg('rect', {x: left, y: top, width: right - left, height: bottom - top, rx: 6, class: 'region'}, svg('title', {}, `region ${r}: ${region.kind}`));
    }).filter(Boolean);
}

// IR as rows: one that names a line of the source leads there.
function irLines(app, text) {
    return h('div', {class: 'scroll ir', tabindex: 0, role: 'region', 'aria-label': 'IR'}, text.split('\n').map(words => irLine(app, words)));
}

function irLine(app, words, kind) {
    const at = /!(\d+):\d+/.exec(words), line = at ? Number(at[1]) : 0;
    return h('div', {class: 'irline ' + (kind || '') + (line && line === app.focus.value.line ? ' here' : ''), title: line ? `line ${line}` : null,
        onclick: () => line && app.focus.set({line})}, words || ' ');
}
