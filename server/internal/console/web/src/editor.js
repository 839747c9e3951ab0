// The editor of queries and updates.

import { autocompletion, closeBrackets, closeBracketsKeymap, completionKeymap } from '@codemirror/autocomplete'
import { defaultKeymap, history, historyKeymap } from '@codemirror/commands'
import { bracketMatching, indentOnInput } from '@codemirror/language'
import { lintGutter, lintKeymap, setDiagnostics } from '@codemirror/lint'
import { highlightSelectionMatches, search, searchKeymap } from '@codemirror/search'
import { EditorState, Prec } from '@codemirror/state'
import { drawSelection, EditorView, highlightActiveLine, keymap, lineNumbers } from '@codemirror/view'
import { nonce } from './api.js'
import { complete } from './completion.js'
import { sparql } from './sparql.js'

const theme = EditorView.theme({
  '&': { backgroundColor: 'var(--field)', color: 'var(--text)', fontSize: '0.95rem' },
  '.cm-content': { fontFamily: 'var(--mono)', caretColor: 'var(--text)' },
  '.cm-cursor': { borderLeftColor: 'var(--text)' },
  '.cm-gutters': { backgroundColor: 'var(--field)', color: 'var(--faint)', border: 'none' },
  '&.cm-focused': { outline: '2px solid var(--focus)' },
  '.cm-activeLine, .cm-activeLineGutter': { backgroundColor: 'var(--active)' },
  '&.cm-focused > .cm-scroller > .cm-selectionLayer .cm-selectionBackground, .cm-selectionBackground': { background: 'var(--selection)' },
  '.cm-tooltip, .cm-panels': { backgroundColor: 'var(--raised)', color: 'var(--text)', border: '1px solid var(--line)' },
  '.cm-tooltip-autocomplete > ul > li[aria-selected]': { backgroundColor: 'var(--main)', color: 'var(--on-main)' },
  '.cm-completionDetail': { color: 'inherit', opacity: '0.85' },
})

// Editor wraps CodeMirror. changed is called with each new text, run when the keys for it are pressed.
export class Editor {
  constructor({ changed, run }) {
    const start = () => (run(), true)
    this.extensions = [
      EditorView.cspNonce.of(nonce),
      Prec.highest(keymap.of([{ key: 'Mod-Enter', run: start }])),
      lineNumbers(), history(), drawSelection(), indentOnInput(), bracketMatching(), closeBrackets(), highlightActiveLine(),
      highlightSelectionMatches(), search({ top: true }), lintGutter(), EditorView.lineWrapping, sparql(), theme,
      autocompletion({ override: [complete], icons: false }),
      keymap.of([...closeBracketsKeymap, ...defaultKeymap, ...searchKeymap, ...historyKeymap, ...completionKeymap, ...lintKeymap]),
      EditorView.contentAttributes.of({ 'aria-label': 'Query or update', spellcheck: 'false', autocapitalize: 'off' }),
      EditorView.updateListener.of((u) => u.docChanged && changed(u.state.doc.toString())),
    ]
    this.view = new EditorView({ state: this.fresh('') })
    this.dom = this.view.dom
  }

  fresh(text) {
    return EditorState.create({ doc: text, extensions: this.extensions })
  }

  get text() {
    return this.view.state.doc.toString()
  }

  // open shows another text, with a history of its own.
  open(text) {
    this.view.setState(this.fresh(text))
  }

  // mark shows a problem at its place; null takes it away.
  mark(problem) {
    const { state } = this.view
    const list = problem ? [{ ...place(state.doc, problem), severity: 'error', message: problem.message }] : []
    this.view.dispatch(setDiagnostics(state, list))
  }

  // show moves the cursor to the place of a problem.
  show(problem) {
    const { from } = place(this.view.state.doc, problem)
    this.view.dispatch({ selection: { anchor: from }, scrollIntoView: true })
    this.view.focus()
  }
}

// place is the word at a line and a column, which counts characters.
function place(doc, { line, column }) {
  if (!line || line > doc.lines) return { from: doc.length, to: doc.length }
  const { from, to, text } = doc.line(line)
  const at = Math.min(from + [...text].slice(0, column - 1).join('').length, to)
  const word = /^[\w?$:<>.-]+|^./u.exec(text.slice(at - from))
  return { from: word ? at : Math.max(from, at - 1), to: word ? at + word[0].length : at }
}
