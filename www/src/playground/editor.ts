/** The editor: CodeMirror in the page's colours, which completes the names of lanthorn. */
import type { CompletionContext, CompletionResult } from '@codemirror/autocomplete';
import { javascript, javascriptLanguage } from '@codemirror/lang-javascript';
import { HighlightStyle, syntaxHighlighting } from '@codemirror/language';
import { EditorState, Prec } from '@codemirror/state';
import { EditorView, keymap } from '@codemirror/view';
import { tags } from '@lezer/highlight';
import { basicSetup } from 'codemirror';
import entries from 'virtual:reference';

const THEME = EditorView.theme({
  '&': { height: '100%', fontSize: '0.85rem', backgroundColor: 'transparent', color: 'var(--ink)' },
  // The frame around the editor shows the focus.
  '&.cm-focused': { outline: 'none' },
  '.cm-scroller': { fontFamily: 'var(--mono)', lineHeight: '1.55' },
  '.cm-gutters': { backgroundColor: 'transparent', color: 'var(--ink-soft)', border: 'none' },
  '.cm-content': { caretColor: 'var(--ink)' },
  '.cm-cursor': { borderLeftColor: 'var(--ink)' },
  '.cm-activeLine, .cm-activeLineGutter': { backgroundColor: 'color-mix(in srgb, var(--line) 40%, transparent)' },
  '&.cm-focused .cm-selectionBackground, .cm-selectionBackground': { background: 'color-mix(in srgb, var(--cool) 30%, transparent) !important' },
  '.cm-tooltip': { backgroundColor: 'var(--card)', color: 'var(--ink)', border: '1px solid var(--line)' },
  '.cm-tooltip-autocomplete ul li[aria-selected]': { backgroundColor: 'var(--accent-fill)', color: 'var(--on-accent)' },
});

const COLOURS = HighlightStyle.define([
  { tag: [tags.keyword, tags.operatorKeyword, tags.definitionKeyword, tags.controlKeyword], color: 'var(--cool)' },
  { tag: [tags.string, tags.special(tags.string)], color: 'var(--good)' },
  { tag: tags.number, color: 'var(--accent)' },
  { tag: tags.comment, color: 'var(--ink-soft)', fontStyle: 'italic' },
]);

const OPTIONS = entries.map(({ kind, javascript: label, summary }) => ({ label, detail: kind, info: summary, type: kind === 'Operation' ? 'function' : 'class' }));

/** Operations are methods and functions; modules and optimizers are names of `nn` and `optim`. */
function complete(context: CompletionContext): CompletionResult | null {
  const word = context.matchBefore(/(?:\b(?:nn|optim|linalg|fft|special)\.)?[\w$]*$/);
  if (!word || (word.from === word.to && !context.explicit)) {
    return null;
  }
  return { from: word.from, options: OPTIONS, validFor: /^[\w$.]*$/ };
}

export interface EditorOptions {
  source: string;
  run: () => void;
  /** The visitor has changed the text. */
  onChange?: () => void;
  /** The element that says how the editor is used. */
  describedBy: string;
}

export class Editor {
  private readonly view: EditorView;

  constructor(parent: HTMLElement, { source, run, onChange, describedBy }: EditorOptions) {
    const extensions = [
      // Before the editor's own meaning of these keys, which is a new line.
      Prec.highest(keymap.of([{ key: 'Mod-Enter', run: () => { run(); return true; } }])),
      basicSetup,
      javascript(),
      javascriptLanguage.data.of({ autocomplete: complete }),
      syntaxHighlighting(COLOURS),
      EditorState.tabSize.of(2),
      EditorView.lineWrapping,
      EditorView.updateListener.of((update) => update.docChanged && onChange?.()),
      EditorView.contentAttributes.of({ 'aria-label': 'Program', 'aria-describedby': describedBy }),
      THEME,
    ];
    this.view = new EditorView({ parent, doc: source, extensions });
  }

  get source(): string {
    return this.view.state.doc.toString();
  }

  set source(text: string) {
    this.view.dispatch({ changes: { from: 0, to: this.view.state.doc.length, insert: text } });
  }
}
