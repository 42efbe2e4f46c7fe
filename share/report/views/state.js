// View 6: what the scheme holds at the focus: its stack, groups and barriers, and what the last step changed.
'use strict';

views.push({id: 'state', title: 'State', make(panel, app) {
    return () => {
        const steps = app.focus.steps, {step, lane} = app.focus.value;
        clear(panel);
        if (!steps) {
            panel.append(noSteps(app));
            return;
        }
        const run = app.focus.run, state = steps.at(step), before = step ? steps.at(step - 1) : null;
        const place = steps.placeAt(step), pick = one => app.focus.set({lane: one});
        const stack = /pdom|tf-stack|struct|rpc|source-pc|article|hanoi|frontier/.test(run.scheme);
        const line = at => at ? h('button', {type: 'button', class: 'link', onclick: () => app.focus.set({line: at})}, `line ${at}`) : '–';
        const bars = (mask, colour, joined) => laneBar(steps.lanes, one => hasLane(mask, one) ? 'on'
            : joined && hasLane(joined, one) ? 'part' : hasLane(state.live, one) ? 'off' : 'ended', lanesText(mask), colour, pick);
        const identity = group => [group.wait, group.code, group.line, group.barrier].join();
        const old = new Map(), gone = new Set(before ? before.groups : []);
        (before ? before.groups : []).forEach(group => old.set(identity(group), group));
        const change = group => {
            const was = old.get(identity(group));
            gone.delete(was);
            if (!before || !was)
                return before ? ['new', 'new'] : ['', ''];
            const more = countLanes(without(group.lanes, was.lanes)), less = countLanes(without(was.lanes, group.lanes));
            return more || less ? ['changed', [more && `+${more}`, less && `−${less}`].filter(Boolean).join(' ')] : ['', ''];
        };
        const own = steps.lanesAt(step)[lane];
        const row = (kind, head, mask, joined, colour, where, why, [mark, text]) => h('tr', {class: `${kind} ${mark}`},
            h('th', {scope: 'row'}, head), h('td', {class: 'num'}, String(countLanes(mask))), h('td', {}, bars(mask, colour, joined)),
            h('td', {}, where), h('td', {class: 'why'}, why), h('td', {class: 'change'}, text));
        const rows = [row(own === ACTIVE ? 'own' : '', 'runs', state.active, null, codeVariable(place.colour),
            place.lines.length ? place.lines.map((at, i) => [i ? ', ' : '', line(at)]) : `code ${place.code}`, 'runs now',
            before && !sameMask(before.active, state.active) ? ['changed', `was ${countLanes(before.active)}`] : ['', ''])];
        for (let g = state.groups.length - 1; g >= 0; g--) {
            const group = state.groups[g], missing = group.wait === 'barrier' ? without(both(group.joined, state.live), group.lanes) : null;
            const shown = group.wait === 'barrier' ? group.lanes : stack ? group.lanes : group.lanes;
            const why = group.wait === 'barrier' ? (isEmpty(missing) ? 'all of the barrier are there'
                : `waits in barrier B${group.barrier} for ${lanesText(missing)}`)
                : group.wait === 'others' ? 'waits for others to come to a convergent operation or barrier'
                    : stack ? (g === state.groups.length - 1 ? 'waits until those that run come there or end' : 'waits until all above it are done')
                        : 'waits for its turn';
            rows.push(row(own === g + 1 ? 'own' : '', group.wait === 'barrier' ? `B${group.barrier}` : stack ? `entry ${g + 1}` : `group ${g + 1}`,
                shown, group.joined, null, group.line ? line(group.line) : group.code !== undefined ? `code ${group.code}` : '–', why, change(group)));
        }
        for (const group of gone)
            rows.push(row('gone', group.wait === 'barrier' ? `B${group.barrier}` : 'was', group.lanes, null, null,
                group.line ? line(group.line) : '–', waitText(group), ['gone', 'gone']));
        const ended = steps.lanes - countLanes(state.live);
        panel.append(h('p', {class: 'lead'}, `Step ${step + 1} of ${number(steps.total)} under ${run.scheme}: ${run.meaning || ''}`),
            h('div', {class: 'scroll', tabindex: 0, role: 'region', 'aria-label': 'State of the scheme'}, h('table', {class: 'state'},
                h('caption', {class: 'hidden'}, 'What the scheme holds'), h('thead', {}, h('tr', {},
                    ['What', 'Lanes', 'Which', 'Where', 'Waits for', 'Change'].map((text, i) =>
                        h('th', {scope: 'col', class: i === 1 ? 'num' : ''}, text)))), h('tbody', {}, rows))),
            note(`${stack && state.groups.length ? 'The top of the stack is above. ' : ''}${plural(countLanes(state.live), 'lane')} alive, ${ended} ended. `
                + 'Filled: in the group; ringed: takes part in the barrier, but is not there; a dot: alive, elsewhere.'),
            h('p', {class: 'lead'}, h('b', {}, `Lane ${lane} `), doing(steps, step, lane), '.', waitsFor(steps, step, lane)));
    };
}});

// Whom a waiting lane waits for, as far as the state says.
function waitsFor(steps, step, lane) {
    const group = steps.groupOf(step, lane), state = steps.at(step);
    if (!group)
        return '';
    if (group.wait === 'barrier') {
        const missing = without(both(group.joined, state.live), group.lanes);
        return isEmpty(missing) ? '' : ` It waits for ${lanesText(missing)}.`;
    }
    let next = step;
    while (next < steps.count && steps.lanesAt(next)[lane] !== ACTIVE)
        next++;
    return next < steps.count ? ` It runs again in step ${next + 1}, after ${plural(next - step, 'step')}.`
        : ' It does not run again in the steps that are kept.';
}
