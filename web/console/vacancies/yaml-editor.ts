/**
 * The editor of a vacancy's file: CodeMirror with the colours of the page. A part of its own, because it is large. Tab is left
 * to the page, so that a keyboard gets out; Ctrl + ] indents.
 */
import { defaultKeymap, history, historyKeymap } from '@codemirror/commands';
import { yaml } from '@codemirror/lang-yaml';
import { bracketMatching, syntaxHighlighting } from '@codemirror/language';
import { lintGutter, lintKeymap, setDiagnostics } from '@codemirror/lint';
import { highlightSelectionMatches, search, searchKeymap } from '@codemirror/search';
import { Compartment, EditorState } from '@codemirror/state';
import type { Extension } from '@codemirror/state';
import {
  EditorView,
  highlightActiveLine,
  highlightActiveLineGutter,
  keymap,
  lineNumbers,
} from '@codemirror/view';
import type { FileProblem } from './calls';
import { changeBetween } from './text-change';

export interface EditorWords {
  label: string;
  /** The ids of what tells how it is used, and of its mistakes. */
  describedBy: string;
  /** Of the search panel, by what CodeMirror has in English. */
  phrases: Readonly<Record<string, string>>;
}

interface EditorOptions {
  parent: HTMLElement;
  text: string;
  isReadOnly: boolean;
  words: EditorWords;
  onChange: (text: string) => void;
  onSave: () => void;
}

export class YamlEditor {
  private readonly view: EditorView;
  private readonly words = new Compartment();
  /** The page changes the text, not the person. */
  private isShowing = false;

  constructor({ parent, text, isReadOnly, words, onChange, onSave }: EditorOptions) {
    const save = { key: 'Mod-s', run: () => (onSave(), true), preventDefault: true };
    this.view = new EditorView({
      parent,
      state: EditorState.create({
        doc: text,
        extensions: [
          this.words.of(wordsOf(words)),
          lineNumbers(),
          lintGutter(),
          history(),
          yaml(),
          bracketMatching(),
          highlightActiveLine(),
          highlightActiveLineGutter(),
          highlightSelectionMatches(),
          search({ top: true }),
          EditorView.lineWrapping,
          EditorState.readOnly.of(isReadOnly),
          syntaxHighlighting(COLOURS),
          LOOK,
          keymap.of([save, ...lintKeymap, ...searchKeymap, ...historyKeymap, ...defaultKeymap]),
          EditorView.updateListener.of(({ docChanged, state }) => {
            if (docChanged && !this.isShowing) onChange(state.doc.toString());
          }),
        ],
      }),
    });
  }

  /** Replaces what differs, so that the place in the text stays, and what was there can be taken back. */
  show(text: string): void {
    const shown = this.view.state.doc.toString();
    if (shown === text) return;
    this.isShowing = true;
    this.view.dispatch({ changes: changeBetween(shown, text) });
    this.isShowing = false;
  }

  speak(words: EditorWords): void {
    this.view.dispatch({ effects: this.words.reconfigure(wordsOf(words)) });
  }

  mark(problems: readonly FileProblem[]): void {
    const { doc } = this.view.state;
    const diagnostics = problems.map(({ line, reason }) => {
      const { from, to, text } = doc.line(Math.min(Math.max(1, line), doc.lines));
      const blank = text.length - text.trimStart().length;
      return { from: from + blank, to, severity: 'error' as const, message: reason };
    });
    this.view.dispatch(setDiagnostics(this.view.state, diagnostics));
  }

  /** `line`: counted from 1. */
  goTo(line: number): void {
    const { doc } = this.view.state;
    const { from, text } = doc.line(Math.min(Math.max(1, line), doc.lines));
    const anchor = from + text.length - text.trimStart().length;
    this.view.dispatch({
      selection: { anchor },
      effects: EditorView.scrollIntoView(anchor, { y: 'center' }),
    });
    this.view.focus();
  }

  focus(): void {
    this.view.focus();
  }

  end(): void {
    this.view.destroy();
  }
}

function wordsOf({ label, describedBy, phrases }: EditorWords): Extension {
  return [
    EditorState.phrases.of(phrases),
    EditorView.contentAttributes.of({
      'aria-label': label,
      'aria-describedby': describedBy,
      // It has the focus in any case; a check of pages knows it by this.
      tabindex: '0',
    }),
  ];
}

/** By the names of the grammar's tags. */
const COLOURS: Parameters<typeof syntaxHighlighting>[0] = {
  style: (tags) => {
    const names = tags.join(' ');
    if (/propertyName/.test(names)) return 'yaml-key';
    if (/comment/i.test(names)) return 'yaml-comment';
    return /punctuation|separator|meta/i.test(names) ? 'yaml-sign' : null;
  },
};

const LOOK = EditorView.theme({
  '&': {
    height: '100%',
    backgroundColor: 'var(--card)',
    color: 'var(--ink)',
    fontSize: 'inherit',
  },
  '&.cm-focused': { outline: 'none' },
  '.cm-scroller': {
    fontFamily: 'ui-monospace, "SF Mono", Menlo, Consolas, monospace',
    lineHeight: '1.6',
  },
  '.cm-content': { padding: '0.5rem 0', caretColor: 'var(--ink)' },
  '.cm-gutters': { backgroundColor: 'var(--card)', color: 'var(--soft)', border: 'none' },
  '.cm-activeLine': { backgroundColor: 'color-mix(in oklab, var(--tint) 60%, transparent)' },
  '.cm-activeLineGutter': { backgroundColor: 'transparent', color: 'var(--ink)' },
  '.cm-content ::selection': { backgroundColor: 'var(--own)', color: 'var(--ink)' },
  '.cm-selectionMatch': { backgroundColor: 'var(--own)' },
  '&.cm-focused .cm-matchingBracket': { backgroundColor: 'var(--own)', color: 'var(--ink)' },
  '.yaml-key': { color: 'var(--accent)', fontWeight: '600' },
  '.yaml-comment': { color: 'var(--soft)', fontStyle: 'italic' },
  '.yaml-sign': { color: 'var(--soft)' },
  '.cm-lintRange-error': {
    backgroundImage: 'none',
    paddingBottom: '0',
    textDecoration: 'underline wavy var(--red)',
    textUnderlineOffset: '0.2em',
    textDecorationSkipInk: 'none',
  },
  '.cm-gutter-lint': { width: '1rem' },
  '.cm-lint-marker-error': { content: 'none' },
  '.cm-lint-marker': {
    width: '0.625rem',
    height: '0.625rem',
    margin: '0.4em 0.1875rem',
    borderRadius: '50%',
    backgroundColor: 'var(--red)',
  },
  '.cm-tooltip': {
    maxWidth: 'min(30rem, 90vw)',
    border: '1px solid var(--line)',
    borderRadius: '0.5rem',
    backgroundColor: 'var(--card)',
    color: 'var(--ink)',
    boxShadow: 'var(--shadow)',
    fontFamily: 'var(--sans)',
  },
  '.cm-diagnostic-error': { borderLeft: '3px solid var(--red)' },
  '.cm-panels': { backgroundColor: 'var(--card)', color: 'var(--ink)', borderColor: 'var(--line)' },
  '.cm-panels-top': { borderBottom: '1px solid var(--line)' },
  '.cm-panel.cm-search': { padding: '0.5rem 2rem 0.5rem 0.5rem', fontFamily: 'var(--sans)' },
  '.cm-panel.cm-search label': { fontSize: '0.8125rem' },
  '.cm-panel.cm-search [name=close]': {
    top: '0.375rem',
    right: '0.375rem',
    fontSize: '1.25rem',
    color: 'var(--ink)',
  },
  '.cm-textfield': {
    minHeight: '2rem',
    border: '1px solid var(--field-line)',
    borderRadius: '0.375rem',
    backgroundColor: 'var(--card)',
    color: 'var(--ink)',
    fontSize: '0.875rem',
  },
  '.cm-button': {
    minHeight: '2rem',
    border: '1px solid var(--field-line)',
    borderRadius: '0.375rem',
    backgroundImage: 'none',
    backgroundColor: 'transparent',
    color: 'var(--ink)',
    fontSize: '0.8125rem',
  },
  '.cm-searchMatch': { backgroundColor: 'var(--amber)', color: 'var(--on-amber)' },
  '.cm-searchMatch-selected': {
    backgroundColor: 'var(--own)',
    color: 'var(--ink)',
    outline: '1px solid var(--accent)',
  },
});
