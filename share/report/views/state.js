// View 6: what the scheme holds at the focus: its stack, groups and barriers, and what the last step changed.
'use strict';
views.push({id: 'state', title: 'State', make(panel, app) {
    return () => {
        const {steps, run} = app.focus, {step, lane} = app.focus.value;
        clear(panel);
        if (!steps)
            return void put(panel, noSteps(app));
        const state = steps.at(step), before = step ? steps.at(step - 1) : null, place = steps.placeAt(step);
        const where = steps.lanesAt(step), stack = /pdom|stack|struct|rpc|source-pc|article|hanoi/.test(run.scheme);
        const toLine = at => at ? link(`line ${at}`, () => app.focus.set({line: at})) : '–';
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
            if (group.wait === 'barrier')
                return isEmpty(missing) ? 'all are there' : `for ${lanesText(missing)}`;
            return group.wait === 'others' ? 'for others to come to a convergent operation or barrier'
                : !stack ? 'for its turn' : top ? 'until those that run come there or end' : 'until all above are done';
        };
        // here: the lanes that are there; all: those that take part, and may yet come.
        const row = (kind, head, here, all, colour, at, reason, changed) => {
            const kindOf = one => hasLane(here, one) ? 'on' : hasLane(all, one) ? 'part' : hasLane(state.live, one)
                ? 'off' : 'ended';
            const count = sameMask(here, all) ? countLanes(here) : `${countLanes(here)} of ${countLanes(all)}`;
            return h('tr' + kind, h('th', {scope: 'row'}, head), h('td.num', String(count)), h('td',
                laneBar(steps.lanes, kindOf,
                lanesText(here), colour, one => app.focus.set({lane: one}))), h('td', at), h('td', reason),
                    h('td.change', changed));
        };
        const name = (group, g) => group.wait === 'barrier' ? `B${group.barrier}`
            : `${stack ? 'entry' : 'group'} ${g + 1}`;
        const there = g => lanesOf(state.live).filter(one => where[one] === g + 1)
            .reduce((mask, one) => { mask[one >> 5] |= 1 << (one & 31); return mask; }, [0, 0]);
        const rows = [row(where[lane] === ACTIVE ? '.own' : '', 'runs', state.active, state.active,
            codeVariable(place.colour),
            place.lines.length ? place.lines.map((at, i) => [i ? ', ' : '', toLine(at)]) : place.text, '–',
            before && !sameMask(before.active, state.active) ? `was ${countLanes(before.active)}` : '')];
        for (let g = state.groups.length - 1; g >= 0; g--) {
            const group = state.groups[g], all = group.wait === 'barrier' ? group.joined : group.lanes;
            rows.push(row(where[lane] === g + 1 ? '.own' : '', name(group, g), there(g), all, null, toLine(group.line),
                why(group, g === state.groups.length - 1), change(group)));
        }
        for (const group of gone.values())
            rows.push(row('.gone', name(group, before.groups.indexOf(group)), group.lanes, group.lanes, null,
                toLine(group.line), waitText(group), 'gone'));
        const heads = [['', 'What'], ['num', 'Lanes'], ['', 'Which'], ['', 'Where'], ['', 'Waits'], ['', 'Change']];
        const next = steps.trace(lane)[steps.progress(lane, step)];
        put(panel, h('p.lead', `Step ${step + 1} of ${number(steps.total)} under ${run.scheme}: ${run.meaning || ''}`),
            scrollBox('', 'State of the scheme', h('table.state', columns(heads), h('tbody', rows))),
            note(stack && state.groups.length ? 'The top of the stack is above. ' : '',
                'Filled: is there; ringed: takes part, ',
                'but is not there; a dot: alive, elsewhere; nothing: ended.'),
            h('p.lead', h('b', `Lane ${lane} `), doing(steps, step, lane), '.', next > step
                ? ` It runs again in step ${next + 1}, after ${plural(next - step, 'step')}.` : ''));
    };
}});
