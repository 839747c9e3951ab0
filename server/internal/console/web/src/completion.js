// Completion of the word at the cursor, by what the server knows of its data.

import { json } from './api.js'
import { namespaceOf } from './terms.js'

// complete is a source of completions of CodeMirror.
export async function complete(context) {
  const before = context.state.sliceDoc(0, context.pos)
  if (!context.explicit && !/[\w:<?$/#.-]$/.test(before)) return null
  const aborted = new AbortController()
  context.addEventListener('abort', () => aborted.abort())
  let answer
  try {
    answer = await json('/console/complete', { method: 'POST', body: before, headers: { 'Content-Type': 'text/plain' }, signal: aborted.signal })
  } catch {
    return null // the editor goes on without
  }
  const options = answer.candidates.filter((c) => c.text !== answer.word).map((c) => ({ label: c.text, type: c.kind, detail: c.kind === 'keyword' ? '' : c.kind, apply }))
  return { from: context.pos - answer.word.length, options, filter: false }
}

// apply puts a word in, and declares its prefix where the query has to.
function apply(view, choice, from, to) {
  const changes = [{ from, to, insert: choice.label }]
  const declaration = declarationOf(choice, view.state.doc.toString())
  if (declaration) changes.unshift({ from: 0, insert: declaration })
  view.dispatch({ changes, selection: { anchor: from + choice.label.length + declaration.length }, userEvent: 'input.complete' })
}

function declarationOf(choice, text) {
  const prefix = /^([\w-]+):/.exec(choice.label)?.[1]
  const space = prefix && namespaceOf(prefix)
  if (!space || new RegExp(`\\bprefix\\s+${prefix}:`, 'i').test(text)) return ''
  return `PREFIX ${prefix}: <${space}>\n`
}
