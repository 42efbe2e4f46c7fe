// View 2: lanes × time.
'use strict';
views.push({id: 'lanes', title: 'Lanes × time', make(panel, app) {
    let made = '', strip = null, map, view, last = -1;
    const box = h('div.figure'), tools = h('div.tools');
    put(panel, tools, box);
    const draw = () => {
        const {step, lane} = app.focus.value;
        strip.draw({column: step, lane});
        map.draw(step);
    };
    const fit = () => {
        if (strip && box.clientWidth) {
            view.resize(box.clientWidth - GUTTER - 20);
            draw();
        }
    };
    const build = () => {
        const {steps, run} = app.focus;
        [tools, box].forEach(clear);
        strip = null;
        last = -1;
        if (!steps)
            return void put(box, noSteps(app));
        view = new Viewport(steps.count, draw);
        const laneHeight = Math.min(16, Math.max(6, Math.floor((innerHeight - 320) / steps.lanes)));
        strip = new Strip(steps, {view, laneHeight, axis: true, label: `Lanes by steps under ${run.scheme}`,
            pick: (step, lane) => step >= 0 && app.focus.set(lane >= 0 ? {step, lane} : {step}),
            hover: (step, lane) => app.say(run, steps, step, lane)});
        map = minimap(steps, view, step => step, 'All steps: how many lanes run');
        put(tools, zoomButtons(view), legend());
        put(box, strip.canvas, map.canvas, steps.count < steps.total && note(`The first ${number(steps.count)} of `,
            `${number(steps.total)} steps; --max-steps=N keeps more.`));
    };
    app.resizers.push(fit);
    return () => {
        const {step} = app.focus.value;
        if (made !== app.focus.stepsKey)
            build();
        made = app.focus.stepsKey;
        if (strip && last !== step) {
            view.resize(box.clientWidth - GUTTER - 20);
            view.show(step);
            last = step;
        }
        fit();
    };
}});

// What the shapes of strips mean.
function legend(compare) {
    const item = (kind, text) => h('span.key' + kind, h('i'), text);
    const mark = (sign, text) => h('span.key', h('b', sign), text);
    return h('div.legend', {role: 'note', 'aria-label': 'Legend'}, item('.k-run', 'runs (colour: place)'),
        item('.k-turn', 'waits for its turn'), item('.k-others', 'waits for others'), item('.k-ended', 'ended'),
        mark('<', 'part'), mark('>', 'meet'),
        compare && [item('.k-less', 'fewer lanes,'), item('.k-more', 'more than the reference')]);
}

function noSteps(app) {
    const {run, launch} = app.focus;
    return note(run && run.error ? `No steps under ${run.scheme}: ${run.error}` : !launch
        ? 'There are no steps: nothing was launched.'
            : `No steps are kept of launch ${launch.number}, ${launch.kernel}: `
            + 'the warp is not in it, or it is beyond the limit of launches.');
}
