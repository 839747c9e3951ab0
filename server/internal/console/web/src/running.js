// What the server carries out now, with the way to end it.

import { json, request } from './api.js'
import { bytes, grouped, h, say, seconds } from './dom.js'

const every = 1000 // milliseconds

// RunningView is the view; it is read again while it is shown.
export class RunningView {
  constructor(openPlan) {
    this.openPlan = openPlan
    this.list = h('div', { class: 'running' })
    this.dom = h('section', { 'aria-label': 'Running queries' }, this.list)
  }

  show() {
    clearTimeout(this.next)
    this.read().catch((problem) => say(problem.message, 'error'))
  }

  async read() {
    const { queries } = await json('/admin/queries')
    if (!this.dom.isConnected) return
    this.list.replaceChildren(...(queries.length ? queries.map((q) => this.row(q)) : [h('p', { class: 'note' }, 'Nothing runs.')]))
    this.next = setTimeout(() => this.dom.isConnected && this.show(), every)
  }

  row(q) {
    const facts = [q.kind, q.state, seconds(q.seconds * 1000), `${grouped(q.rows)} rows`, bytes(q.memory), q.user, q.client].filter(Boolean)
    const end = async () => {
      await request(`/admin/queries/${q.id}`, { method: 'DELETE' })
      say(`Query ${q.id} was ended.`)
      this.show()
    }
    return h('article', { 'data-id': q.id }, h('p', { class: 'bar' }, h('span', { class: 'facts' }, facts.join(' · ')),
      q.kind === 'query' ? h('button', { type: 'button', onclick: () => this.openPlan(q.text) }, 'Plan') : null,
      h('button', { type: 'button', class: 'danger', onclick: end }, 'End')), h('pre', {}, q.text))
  }
}
