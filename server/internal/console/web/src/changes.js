// Quads that came and went.

import { grouped, h } from './dom.js'
import { table } from './table.js'
import { parse, shown } from './terms.js'

// changed writes how much came and went.
export function changed(added, removed, more) {
  return h('span', {}, h('span', { class: 'added' }, `+${grouped(added)}`), ' ', h('span', { class: 'removed' }, `−${grouped(removed)}`), more ? ' or more' : '')
}

// changes shows quads, each with whether it came, as a table; null if there are none.
export function changes(quads) {
  const rows = quads.map(({ added, s, p, o, g }) => [added ? '+' : '−', s, p, o, g ?? ''])
  const cell = (text, row, column) => (column ? shown(parse(text)) : h('span', { class: text === '+' ? 'added' : 'removed' }, text))
  return rows.length ? table(['', 'subject', 'predicate', 'object', 'graph'], rows, cell) : null
}
