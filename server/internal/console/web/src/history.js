// The generations of the graph: when, why, how much came and went; open, compare, revert.

import { json, request } from './api.js'
import { changed, changes } from './changes.js'
import { counted, fill, grouped, h, say } from './dom.js'
import { may, session } from './session.js'

const patience = 3000 // milliseconds that one count may take for the next to be made
const page = 50 // generations that are shown first, and with each step

// HistoryView is the view; from= and to= of its address compare two generations.
export class HistoryView {
  constructor() {
    this.line = h('ol', { class: 'line', 'aria-label': 'Generations, newest first' })
    this.now = h('li', { hidden: true })
    this.differences = h('div', { id: 'differences' })
    this.compare = h('button', { type: 'button', id: 'compare', onclick: () => this.choose() }, 'Compare')
    this.more = h('button', { type: 'button', onclick: () => this.fill(this.shown + page) }, 'Older')
    this.dom = h('section', { 'aria-label': 'History' }, h('p', { class: 'bar' }, 'Choose two generations, the first on the left and the second on the right: ', this.compare), this.differences, this.line, this.more)
  }

  async show(parameters) {
    const from = parameters.get('from')
    this.turn = {}
    if (!from) this.differences.replaceChildren()
    const { generations } = await json('/console/history')
    if (JSON.stringify(generations) !== JSON.stringify(this.list)) {
      this.list = generations
      this.fill(page)
    } else this.countNow()
    if (from) await this.showDifferences(from, parameters.get('to') ?? '')
  }

  fill(n) {
    this.shown = n
    this.more.hidden = n >= this.list.length
    const rows = this.list.slice(0, n).map((g) => this.row(g))
    fill(this.line, this.now, rows.map((r) => r.dom))
    this.countNow()
    this.count(rows)
  }

  // countNow shows what the journal has above the newest generation.
  countNow() {
    const newest = this.list[0].generation
    json(`/console/changes?from=${newest}`).then(({ added, removed }) => {
      this.now.hidden = !added && !removed
      fill(this.now, h('b', {}, 'Now'), ' ', changed(added, removed), ' ', h('span', { class: 'note' }, 'in the journal, of no generation yet'), ' ',
        h('a', { href: `#/history?from=${newest}` }, 'Show'))
    }, () => {})
  }

  row(g) {
    const counts = h('span', { class: 'counts' })
    const pick = (name) => h('input', { type: 'radio', name, value: String(g.generation), 'aria-label': `${name} generation ${g.generation}` })
    const dom = h('li', { 'data-generation': g.generation }, h('span', { class: 'picks' }, pick('from'), pick('to')), h('b', {}, `Generation ${g.generation}`), ' ',
      g.at ? h('time', { datetime: g.at }, new Date(g.at).toLocaleString()) : null, ' ', counts, ' ', h('span', { class: 'noted' }, g.note ?? ''),
      h('span', { class: 'group' },
        h('a', { href: `#/query?generation=${g.generation}&query=${encodeURIComponent('SELECT * WHERE {\n  ?s ?p ?o\n} LIMIT 100')}` }, 'Query'),
        h('a', { href: `#/data?generation=${g.generation}` }, 'Data'),
        may('admin') && session().writable && g !== this.list[0] ? h('button', { type: 'button', class: 'danger', onclick: () => this.revert(g.generation) }, 'Revert to this') : null))
    return { dom, counts, g }
  }

  // count tells how much each generation added and removed, one after the other, while they are shown.
  async count(rows) {
    for (const [i, { counts, g }] of rows.entries()) {
      const before = this.list[i + 1]?.generation
      if (!before || !counts.isConnected) continue
      const start = performance.now()
      try {
        const { added, removed, more } = await json(`/console/changes?from=${before}&to=${g.generation}`)
        counts.replaceChildren(changed(added, removed, more))
      } catch (problem) {
        counts.replaceChildren(h('span', { class: 'note', title: problem.message }, 'not counted'))
      }
      if (performance.now() - start > patience) return // those that are asked for are counted by Compare
    }
  }

  choose() {
    const [from, to] = ['from', 'to'].map((name) => this.dom.querySelector(`input[name=${name}]:checked`)?.value)
    if (!from || !to) say('Choose the first generation on the left and the second one on the right.', 'error')
    else location.hash = `#/history?from=${from}&to=${to}`
  }

  async showDifferences(from, to) {
    say('Comparing…')
    const turn = this.turn
    const { added, removed, changes: quads, more } = await json(`/console/changes?limit=1000&from=${encodeURIComponent(from)}&to=${encodeURIComponent(to)}`)
    if (turn !== this.turn) return // others were chosen meanwhile
    say('')
    fill(this.differences, h('h2', {}, `From generation ${from} to ${to ? `generation ${to}` : 'now'} `, changed(added, removed, more)),
      changes(quads),
      added + removed > quads.length ? h('p', { class: 'note' }, `The first ${counted(quads.length, 'change')} of ${grouped(added + removed)}${more ? ' or more' : ''}.`) : null)
  }

  revert(generation) {
    const cancel = h('button', { type: 'button', onclick: () => box.close() }, 'Cancel')
    const send = async (event) => {
      event.preventDefault()
      box.close()
      const done = await (await request(`/admin/revert?generation=${generation}&note=${encodeURIComponent(`revert to ${generation}`)}`, { method: 'POST' })).json()
      await this.show(new URLSearchParams())
      say(done.done ? `Generation ${done.generation} is generation ${generation} again.` : 'The data is that of this generation already.')
    }
    const what = h('p', {}, 'Counting…')
    json(`/console/changes?from=${this.list[0].generation}&to=${generation}`).then(
      ({ added, removed, more }) => what.replaceChildren('It adds a generation with the data of this one. Compared with the newest: ', changed(added, removed, more), '. Nothing goes from the history.'),
      (problem) => (what.textContent = problem.message))
    const box = h('dialog', { 'aria-labelledby': 'revert-title', onclose: () => box.remove() }, h('form', { onsubmit: send },
      h('h2', { id: 'revert-title' }, `Revert to generation ${generation}?`), what,
      h('p', { class: 'buttons' }, h('button', { type: 'submit', class: 'main', id: 'revert' }, 'Revert'), cancel)))
    document.body.append(box)
    box.showModal()
  }
}
