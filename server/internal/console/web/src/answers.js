// Answers of queries, read as they come and no more of them than a page can hold.

import { pieces } from './terms.js'

// maxRows and maxChars bound what is read of an answer; the rest is left on the server.
export const maxRows = 200000
const maxChars = 200e6

// readAnswer reads an answer of rows (TSV) or of a graph (N-Quads). It has the columns, the rows as
// texts of terms, the number of characters, and whether it was cut; grown is called now and then.
export async function readAnswer(answer, grown) {
  const isRows = answer.headers.get('Content-Type').startsWith('text/tab-separated-values')
  const out = { columns: isRows ? null : ['subject', 'predicate', 'object', 'graph'], rows: [], chars: 0, cut: false, isRows, note: answer.headers.get('Rete-Note') }
  for await (const line of lines(answer.body, out)) {
    if (!isRows) {
      if (line) out.rows.push(pieces(line))
    } else if (out.columns === null) out.columns = line ? line.split('\t').map((v) => v.replace(/^\?/, '')) : []
    else out.rows.push(line.split('\t'))
    if (out.rows.length % 5000 === 0) grown?.(out)
    if (out.rows.length >= maxRows || out.chars > maxChars) {
      out.cut = true
      break
    }
  }
  if (!isRows && !out.rows.some((r) => r.length > 3)) out.columns.pop()
  return out
}

// lines yields the lines of a stream. Leaving the loop ends the request.
async function* lines(body, out) {
  const reader = body.pipeThrough(new TextDecoderStream()).getReader()
  let rest = ''
  try {
    for (;;) {
      const { value, done } = await reader.read()
      if (done) break
      out.chars += value.length
      const parts = (rest + value).split('\n')
      rest = parts.pop()
      yield* parts
    }
    if (rest) yield rest
  } finally {
    await reader.cancel().catch(() => {})
  }
}
