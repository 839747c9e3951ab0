// Updates: what one would change is shown before it is sent.

import { form, json, request } from './api.js'
import { changed, changes } from './changes.js'
import { counted, fill, grouped, h } from './dom.js'
import { mayChange } from './session.js'

// preview tries an update on the server, and shows what it would change with the button that carries it out.
export async function preview({ query: update, generation }, signal) {
  if (generation) throw new Error('An earlier generation cannot be changed; ask now.')
  if (!mayChange()) throw new Error('This is an update, and you may not change the data.')
  const box = h('div', { id: 'preview' })
  await tried(box, update, signal, null)
  return box
}

// tried fills the preview; note says why it is shown again.
async function tried(box, update, signal, note) {
  const would = await json('/update', { method: 'POST', body: form({ update, 'dry-run': 'true' }), signal })
  const quad = (added) => (q) => ({ added, s: q.subject, p: q.predicate, o: q.object, g: q.graph })
  const quads = [...would.first_removed.map(quad(false)), ...would.first_added.map(quad(true))]
  const send = h('button', { type: 'button', class: 'main', id: 'send', onclick: () => carryOut() }, 'Carry out')
  const problem = h('p', { class: 'failed', role: 'alert' })
  fill(box, note ? h('p', { class: 'failed' }, note) : null,
    h('p', { class: 'bar', id: 'would' }, 'It would change ', changed(would.added, would.removed), send),
    problem, changes(quads),
    quads.length < would.added + would.removed ? h('p', { class: 'note' }, `${counted(quads.length, 'change')} of ${grouped(would.added + would.removed)} shown.`) : null)

  async function carryOut() {
    send.disabled = true
    try {
      await request('/update', { method: 'POST', body: form({ update }), headers: { 'Rete-If-State': would.state } })
      fill(box, h('p', { id: 'count' }, 'Carried out: ', changed(would.added, would.removed)))
    } catch (refused) {
      if (refused.status !== 412) {
        problem.textContent = refused.message
        send.disabled = false
        return
      }
      await tried(box, update, undefined, 'The data has changed meanwhile: this is what it would change now.').catch(
        (again) => fill(box, h('p', { class: 'failed', role: 'alert' }, `The data has changed meanwhile, and the update cannot be tried: ${again.message}`)))
    }
  }
}
