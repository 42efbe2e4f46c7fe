// The editor: CodeMirror with the words of Kern, and messages of kernc in place.
import {closeBrackets, closeBracketsKeymap} from '@codemirror/autocomplete';
import {defaultKeymap, history, historyKeymap, indentWithTab} from '@codemirror/commands';
import {bracketMatching, HighlightStyle, indentOnInput, indentUnit, StreamLanguage, syntaxHighlighting}
    from '@codemirror/language';
import {lintGutter, setDiagnostics} from '@codemirror/lint';
import {EditorState} from '@codemirror/state';
import {drawSelection, EditorView, highlightActiveLine, highlightActiveLineGutter, keymap, lineNumbers}
    from '@codemirror/view';
import {tags} from '@lezer/highlight';
import words from 'kern-words'; // word → group, of share/vim/syntax/kern.vim

const TOKENS = {Type: 'typeName', Structure: 'keyword', Space: 'modifier', Storage: 'modifier', Boolean: 'atom',
    Place: 'builtin', Function: 'builtin', Converge: 'builtin'};

// The parser of one line after another; state.comment: inside /* */.
const kern = StreamLanguage.define({
    name: 'kern',
    startState: () => ({comment: false, depth: 0}),
    token(stream, state) {
        if (state.comment || stream.match('/*')) {
            state.comment = !stream.match(/^.*?\*\//);
            if (state.comment)
                stream.skipToEnd();
            return 'comment';
        }
        if (stream.eatSpace())
            return null;
        if (stream.match(/^\/\/.*/))
            return 'comment';
        if (stream.match(/^"(?:[^"\\]|\\.)*"?/) || stream.match(/^'(?:[^'\\]|\\.)*'?/))
            return 'string';
        if (stream.match(/^(?:\d|\.\d)(?:[eEpP][-+]|[\w.'])*/))
            return 'number';
        const word = stream.match(/^[A-Za-z_]\w*/);
        if (word)
            return Object.hasOwn(words, word[0]) ? TOKENS[words[word[0]]] || 'keyword' : null;
        const sign = stream.next();
        state.depth = Math.max(0, state.depth + ('{(['.includes(sign) ? 1 : '})]'.includes(sign) ? -1 : 0));
        return null;
    },
    indent: (state, after, context) => Math.max(0, state.depth - (/^[})\]]/.test(after) ? 1 : 0)) * context.unit,
    languageData: {commentTokens: {line: '//', block: {open: '/*', close: '*/'}}, indentOnInput: /^\s*[})\]]$/,
        closeBrackets: {brackets: ['(', '[', '{', '"']}},
});

const colours = HighlightStyle.define([
    {tag: tags.comment, color: 'var(--soft)', fontStyle: 'italic'},
    {tag: [tags.keyword, tags.modifier, tags.typeName], fontWeight: '650'},
    {tag: [tags.string, tags.number, tags.atom], color: 'var(--more)'},
    {tag: [tags.standard(tags.variableName)], color: 'var(--less)'},
]);

const encoder = new TextEncoder(), decoder = new TextDecoder();

// Where line and column (from 1, in bytes of UTF-8) are in a text; beyond its end: there.
function offsetOf(doc, line, column) {
    if (line < 1 || line > doc.lines)
        return line < 1 ? 0 : doc.length;
    const {from, text} = doc.line(line);
    return from + decoder.decode(encoder.encode(text).slice(0, column - 1)).length;
}

// A diagnostic of kernc as one of CodeMirror's. Its fix is an action.
function placed(doc, one) {
    const from = offsetOf(doc, one.line, one.column), to = Math.max(from, offsetOf(doc, one.endLine, one.endColumn));
    const notes = one.notes.map(note => `\nline ${note.line}: ${note.message}`).join('');
    const fix = one.fix && {from: offsetOf(doc, one.fix.line, one.fix.column), insert: one.fix.insert,
        to: offsetOf(doc, one.fix.endLine, one.fix.endColumn)};
    const apply = view => view.dispatch({changes: fix, selection: {anchor: fix.from + fix.insert.length}});
    const severity = ['error', 'warning'].includes(one.severity) ? one.severity : 'info';
    return {from, to, severity, message: one.message + notes, line: one.line, actions: fix ? [{name: 'Fix', apply}] : []};
}

export class Editor {
    // changed(text): after each change by hand. act: what Ctrl-Enter does.
    constructor(parent, changed, act) {
        this.changed = changed;
        this.extensions = [lineNumbers(), highlightActiveLine(), highlightActiveLineGutter(), history(), drawSelection(),
            indentUnit.of('    '), EditorState.tabSize.of(4), indentOnInput(), bracketMatching(), closeBrackets(), kern,
            syntaxHighlighting(colours), lintGutter(), EditorView.lineWrapping,
            EditorView.contentAttributes.of({'aria-label': 'Kernel'}),
            keymap.of([{key: 'Mod-Enter', run: () => (act(), true)}, ...closeBracketsKeymap, ...defaultKeymap,
                ...historyKeymap, indentWithTab]),
            EditorView.updateListener.of(update => update.docChanged && this.changed(this.text))];
        this.view = new EditorView({parent});
        this.show('');
    }

    get text() { return this.view.state.doc.toString(); }

    // Another text, with a history of its own.
    show(text) {
        this.view.setState(EditorState.create({doc: text, extensions: this.extensions}));
    }

    // The messages of kernc about this text, in place. They come back as they are shown.
    diagnose(diagnostics) {
        const {state} = this.view, shown = diagnostics.map(one => placed(state.doc, one));
        this.view.dispatch(setDiagnostics(state, [...shown].sort((a, b) => a.from - b.from)));
        return shown;
    }

    fix(diagnostic) {
        diagnostic.actions[0].apply(this.view);
        this.view.focus();
    }

    toLine(line) {
        const {doc} = this.view.state, at = doc.line(Math.min(Math.max(1, line), doc.lines)).from;
        this.view.dispatch({selection: {anchor: at}, effects: EditorView.scrollIntoView(at, {y: 'center'})});
        this.view.focus();
    }
}
