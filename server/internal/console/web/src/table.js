// A table of any number of rows: only those in sight are in the page.

import { h } from './dom.js'
import { label, number, parse, shown } from './terms.js'

const rowHeight = 28 // pixels, as in the stylesheet
const beyond = 10 // rows above and below those in sight
const measured = 200 // rows that the widths of columns go by

// table makes the element of a table. Cells are texts of terms; cell makes the element of one.
export function table(columns, rows, cell = (text) => shown(parse(text))) {
  let order = rows
  let sorted = { column: -1, down: false }
  const body = h('div', { class: 'rows', role: 'rowgroup' })
  const space = h('div', { class: 'space', role: 'presentation' }, body)
  const head = h('div', { class: 'row head', role: 'row', 'aria-rowindex': 1 })
  const view = h('div', { class: 'table', role: 'table', tabindex: 0, 'aria-label': 'Rows of the answer', 'aria-rowcount': rows.length + 1, 'aria-colcount': columns.length },
    h('div', { role: 'rowgroup', class: 'heads' }, head), space)
  space.style.height = `${rows.length * rowHeight}px`
  view.style.setProperty('--columns', `calc(${Math.max(2, String(rows.length).length)}ch + 1.2rem) ${widths(columns, rows)}`)

  function heads() {
    head.replaceChildren(h('span', { role: 'columnheader', class: 'number' }, '#'), ...columns.map((name, i) => {
      const mark = sorted.column !== i ? '' : sorted.down ? ' ▼' : ' ▲'
      const direction = sorted.column !== i ? 'none' : sorted.down ? 'descending' : 'ascending'
      return h('span', { role: 'columnheader', 'aria-sort': direction }, h('button', { type: 'button', onclick: () => sort(i) }, name + mark))
    }))
  }

  function sort(column) {
    sorted = { column, down: sorted.column === column && !sorted.down }
    order = sortedBy(rows, column, sorted.down)
    heads()
    draw()
  }

  function draw() {
    const first = Math.max(0, Math.floor(view.scrollTop / rowHeight) - beyond)
    const last = Math.min(order.length, Math.ceil((view.scrollTop + view.clientHeight) / rowHeight) + beyond)
    body.style.transform = `translateY(${first * rowHeight}px)`
    body.replaceChildren(...order.slice(first, last).map((row, i) =>
      h('div', { class: 'row', role: 'row', 'aria-rowindex': first + i + 2 }, h('span', { role: 'rowheader', class: 'number' }, String(first + i + 1)),
        columns.map((_, c) => h('span', { role: 'cell' }, cell(row[c] ?? '', row, c))))))
  }

  let waiting = false
  const later = () => {
    if (waiting) return
    waiting = true
    requestAnimationFrame(() => {
      waiting = false
      draw()
    })
  }
  view.addEventListener('scroll', later)
  new ResizeObserver(later).observe(view)
  heads()
  return view
}

// widths returns the width of each column, by its first rows.
function widths(columns, rows) {
  return columns.map((name, c) => {
    if (!name) return '3ch' // a sign
    let most = name.length + 2
    for (const row of rows.slice(0, measured)) most = Math.max(most, label(parse(row[c] ?? '')).length)
    return `minmax(${Math.min(Math.max(most, 6), 60) + 2}ch, 1fr)`
  }).join(' ')
}

// sortedBy orders rows by one column: numbers by value, then all else by its text.
function sortedBy(rows, column, down) {
  const keys = new Map(rows.map((row) => {
    const term = parse(row[column] ?? '')
    return [row, { n: number(term), s: label(term) }]
  }))
  const by = (a, b) => {
    const x = keys.get(a)
    const y = keys.get(b)
    const [p, q] = [Number.isNaN(x.n), Number.isNaN(y.n)]
    if (p !== q) return p ? 1 : -1
    return p ? (x.s < y.s ? -1 : x.s > y.s ? 1 : 0) : x.n - y.n
  }
  const out = [...rows].sort(by)
  return down ? out.reverse() : out
}
