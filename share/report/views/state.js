// View 6: what the scheme holds at the focus: its stack, groups and barriers, and what the last step changed.
'use strict';

views.push({id: 'state', title: 'State', make(panel, app) {
    return () => {
        const {steps, run} = app.focus, {step, lane} = app.focus.value;
        clear(panel);
        if (!steps)
            return void put(panel, noSteps(app));
        const state = steps.at(step), before = step ? steps.at(step - 1) : null, place = steps.placeAt(step);
        const stack = /pdom|stack|struct|rpc|source-pc|article|hanoi/.test(run.scheme), own = steps.lanesAt(step)[lane];
        const toLine = at => at ? link(`line ${at}`, () => app.focus.set({line: at})) : '–';
        const bars = (mask, colour, joined) => laneBar(steps.lanes, one => hasLane(mask, one) ? 'on' : joined
            && hasLane(joined, one)
            ? 'part' : hasLane(state.live, one) ? 'off' : 'ended', lanesText(mask), colour, one =>
                app.focus.set({lane: one}));
        const identity = group => [group.wait, group.code, group.line, group.barrier].join();
        const old = new Map(list(before && before.groups).map(group => [identity(group), group])), gone = new Map(old);
        const change = group => {
            const was = old.get(identity(group));
            gone.delete(identity(group));
            if (!was)
                return before ? 'new' : '';
            const more = countLanes(without(group.lanes, was.lanes)), less = countLanes(without(was.lanes,
                group.lanes));
            return [more && `+${more}`, less && `−${less}`].filter(Boolean).join(' ');
        };
        const why = (group, top) => {
            const missing = without(both(group.joined, state.live), group.lanes);
            return group.wait === 'barrier' ? isEmpty(missing) ? 'all are there' : `for ${lanesText(missing)}`
                : group.wait === 'others' ? 'for others to come to a convergent operation or barrier'
                    : !stack ? 'for its turn' : top ? 'until those that run come there or end'
                        : 'until all above are done';
        };
        const row = (kind, head, mask, joined, colour, where, reason, changed) => h(`tr${kind}`, h('th',
            {scope: 'row'}, head),
            h('td.num', String(countLanes(mask))), h('td', bars(mask, colour, joined)), h('td', where), h('td',
                reason), h('td.change', changed));
        const rows = [row(own === ACTIVE ? '.own' : '', 'runs', state.active, null, codeVariable(place.colour),
            place.lines.length
            ? place.lines.map((at, i) => [i ? ', ' : '', toLine(at)]) : `code ${place.code}`, '–',
        before && !sameMask(before.active, state.active) ? `was ${countLanes(before.active)}` : '')];
        for (let g = state.groups.length - 1; g >= 0; g--) {
            const group = state.groups[g], barrier = group.wait === 'barrier';
            rows.push(row(own === g + 1 ? '.own' : '', barrier ? `B${group.barrier}`
                : `${stack ? 'entry' : 'group'} ${g + 1}`, group.lanes,
                barrier ? group.joined : null, null, toLine(group.line), why(group, g === state.groups.length - 1),
                    change(group)));
        }
        for (const group of gone.values())
            rows.push(row('.gone', group.wait === 'barrier' ? `B${group.barrier}` : 'was', group.lanes, null, null,
                toLine(group.line),
                waitText(group), 'gone'));
        const heads = ['What', 'Lanes', 'Which', 'Where', 'Waits', 'Change'].map((text, i) => [i === 1 ? 'num' : '',
            text]);
        put(panel, h('p.lead', `Step ${step + 1} of ${number(steps.total)} under ${run.scheme}: ${run.meaning || ''}`),
            scrollBox('', 'State of the scheme', h('table.state', columns(heads), h('tbody', rows))),
            note(stack && state.groups.length ? 'The top of the stack is above. ' : '',
                'Filled: in the group; ringed: takes part in the ',
                `barrier, but is not there; a dot: alive, elsewhere. ${steps.lanes - countLanes(state.live)} lanes have ended.`),
            h('p.lead', h('b', `Lane ${lane} `), doing(steps, step, lane), '.', own === ACTIVE ? '' : runsAgain(steps,
                step, lane)));
    };
}});

function runsAgain(steps, step, lane) {
    const next = steps.trace(lane)[steps.progress(lane, step)];
    return next !== undefined ? ` It runs again in step ${next + 1}, after ${plural(next - step, 'step')}.`
        : hasLane(steps.at(step).live, lane) ? ' It does not run again in the steps that are kept.' : '';
}
