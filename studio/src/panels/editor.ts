// The scene's text: completion and documentation from the schema, errors where they are, mends as a click.

import { autocompletion, completionKeymap, closeBrackets, type Completion, type CompletionContext } from "@codemirror/autocomplete";
import { defaultKeymap, history, historyKeymap, indentWithTab } from "@codemirror/commands";
import { HighlightStyle, StreamLanguage, bracketMatching, syntaxHighlighting } from "@codemirror/language";
import { toml } from "@codemirror/legacy-modes/mode/toml";
import { lintGutter, lintKeymap, linter, setDiagnostics, type Diagnostic } from "@codemirror/lint";
import { highlightSelectionMatches, searchKeymap } from "@codemirror/search";
import { EditorState, Transaction } from "@codemirror/state";
import {
  EditorView, drawSelection, highlightActiveLine, hoverTooltip, keymap, lineNumbers, type Tooltip,
} from "@codemirror/view";
import { tags } from "@lezer/highlight";
import type { App } from "../app/app.ts";
import type { Problem } from "../protocol.ts";
import { completionsAt, docAt } from "../toml/complete.ts";

const CHECK_AFTER = 350; // ms without a key

const colours = HighlightStyle.define([
  { tag: tags.comment, color: "var(--quiet)", fontStyle: "italic" },
  { tag: [tags.propertyName, tags.definition(tags.propertyName)], color: "var(--ink)" },
  { tag: [tags.string, tags.special(tags.string)], color: "var(--series-3)" },
  { tag: [tags.number, tags.bool, tags.atom], color: "var(--series-1)" },
  { tag: [tags.keyword, tags.heading, tags.bracket], color: "var(--accent)" },
]);

const look = EditorView.theme({
  "&": { height: "100%", fontSize: "12.5px", backgroundColor: "var(--card)", color: "var(--ink)" },
  ".cm-scroller": { fontFamily: "ui-monospace, 'SF Mono', Menlo, Consolas, 'DejaVu Sans Mono', monospace", lineHeight: "1.6" },
  ".cm-gutters": { backgroundColor: "var(--card)", color: "var(--quiet)", border: "0" },
  ".cm-activeLine, .cm-activeLineGutter": { backgroundColor: "color-mix(in srgb, var(--ink) 4%, transparent)" },
  ".cm-content": { caretColor: "var(--ink)" },
  ".cm-cursor": { borderLeftColor: "var(--ink)" },
  "&.cm-focused .cm-selectionBackground, .cm-selectionBackground": {
    backgroundColor: "color-mix(in srgb, var(--accent) 22%, transparent) !important",
  },
  ".cm-tooltip": {
    backgroundColor: "var(--card)", color: "var(--ink)", border: "1px solid var(--hair)", borderRadius: "9px",
    boxShadow: "var(--shade)", overflow: "hidden", maxWidth: "430px",
  },
  ".cm-tooltip-autocomplete ul li[aria-selected]": { backgroundColor: "var(--accent)", color: "var(--on-accent)" },
  ".cm-completionInfo": { padding: "8px 11px", font: "13px/1.45 system-ui, sans-serif", whiteSpace: "pre-line" },
  ".cm-doc": { padding: "8px 11px", font: "13px/1.45 system-ui, sans-serif", whiteSpace: "pre-line" },
  ".cm-diagnostic": { fontFamily: "system-ui, sans-serif", fontSize: "13px", padding: "7px 10px", whiteSpace: "pre-line" },
  ".cm-diagnosticAction": {
    backgroundColor: "var(--accent)", color: "var(--on-accent)", borderRadius: "6px", padding: "3px 9px",
    margin: "5px 0 0", display: "block", cursor: "pointer",
  },
  ".cm-panels": { backgroundColor: "var(--paper)", color: "var(--ink)" },
});

export class Editor {
  readonly view: EditorView;
  private timer = 0;
  private writing = false;

  constructor(private readonly app: App, parent: HTMLElement) {
    this.view = new EditorView({ parent, state: this.state(app.draft.value.text) });
    app.draft.watch((draft) => this.take(draft.text));
    app.check.watch((check) => this.underline(check?.problems ?? []));
    this.checkSoon();
  }

  private state(doc: string): EditorState {
    return EditorState.create({
      doc,
      extensions: [
        lineNumbers(), highlightActiveLine(), drawSelection(), history(), bracketMatching(), closeBrackets(),
        StreamLanguage.define(toml), syntaxHighlighting(colours), highlightSelectionMatches(), lintGutter(), look,
        EditorView.lineWrapping,
        linter(null),
        autocompletion({ override: [(context) => this.complete(context)], icons: false }),
        hoverTooltip((view, at) => this.explain(view, at), { hoverTime: 350 }),
        keymap.of([...completionKeymap, ...lintKeymap, ...defaultKeymap, ...historyKeymap, ...searchKeymap, indentWithTab]),
        EditorView.contentAttributes.of({ tabindex: "0", "aria-label": "The scene as TOML. Control and Enter run it; Escape, then Tab, leaves." }),
        EditorView.updateListener.of((update) => update.docChanged && this.changed()),
      ],
    });
  }

  // What was changed elsewhere, in knobs: only the part that differs, so that the cursor stays.
  private take(text: string): void {
    const now = this.view.state.doc.toString();
    if (this.writing || text === now) return;
    let from = 0;
    while (from < now.length && now[from] === text[from]) from++;
    let [end, newEnd] = [now.length, text.length];
    while (end > from && newEnd > from && now[end - 1] === text[newEnd - 1]) [end, newEnd] = [end - 1, newEnd - 1];
    this.view.dispatch({
      changes: { from, to: end, insert: text.slice(from, newEnd) },
      annotations: Transaction.addToHistory.of(true),
    });
    this.checkSoon();
  }

  private changed(): void {
    this.writing = true;
    this.app.draft.value = { ...this.app.draft.value, text: this.view.state.doc.toString() };
    this.writing = false;
    this.checkSoon();
  }

  private checkSoon(): void {
    clearTimeout(this.timer);
    this.timer = setTimeout(() => void this.check(), CHECK_AFTER) as unknown as number;
  }

  private async check(): Promise<void> {
    const { text, path } = this.app.draft.value;
    try {
      const check = await this.app.engine.check(text, path ?? undefined);
      if (text === this.app.draft.value.text) this.app.check.value = check;
    } catch {
      // Without a connection nothing is said about the text; the bar at the top says why.
    }
  }

  private underline(problems: Problem[]): void {
    const { doc } = this.view.state;
    const clamp = (at: number): number => Math.max(0, Math.min(doc.length, at));
    const diagnostics = problems.map((problem): Diagnostic => {
      const line = problem.line === null ? null : doc.line(Math.max(1, Math.min(doc.lines, problem.line)));
      const { mend } = problem;
      // The word that is wrong, where it is known; else the field.
      const from = clamp(mend?.from ?? problem.from ?? line?.from ?? 0);
      const to = Math.max(from, clamp(mend?.to ?? problem.to ?? line?.to ?? 0));
      return {
        from, to, severity: "error",
        message: problem.help ? `${problem.message}\n${problem.help}` : problem.message,
        actions: mend ? [{ name: mend.label, apply: (view) => this.mend(view, mend) }] : [],
      };
    });
    this.view.dispatch(setDiagnostics(this.view.state, diagnostics));
  }

  mend(view: EditorView, mend: NonNullable<Problem["mend"]>): void {
    view.dispatch({ changes: { from: mend.from, to: mend.to, insert: mend.insert } });
    view.focus();
  }

  private complete(context: CompletionContext) {
    const book = this.app.book.value;
    const word = context.matchBefore(/"?[\w-]*"?/);
    if (!book || (!context.explicit && (!word || word.from === word.to))) return null;
    const found = completionsAt(book, context.state.doc.toString(), context.pos);
    if (!found) return null;
    const options = found.options.map((o): Completion => ({
      label: o.label, apply: o.insert, type: o.kind, info: o.doc || undefined, boost: o.required ? 1 : 0,
    }));
    return { from: found.from, options, validFor: /^"?[\w-]*$/ };
  }

  private explain(view: EditorView, at: number): Tooltip | null {
    const book = this.app.book.value;
    const doc = book && docAt(book, view.state.doc.toString(), at);
    if (!doc) return null;
    const dom = document.createElement("div");
    dom.className = "cm-doc";
    dom.textContent = doc.text;
    return { pos: doc.from, end: doc.to, above: true, create: () => ({ dom }) };
  }

  /** Puts the cursor at a place of the text. */
  goTo(at: number): void {
    this.view.dispatch({ selection: { anchor: Math.min(at, this.view.state.doc.length) }, scrollIntoView: true });
    this.view.focus();
  }
}
