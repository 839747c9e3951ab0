// An answer as the server sends it, its beginning.

import { ask } from './api.js'
import { bytes, h } from './dom.js'
import { formatsOf } from './download.js'

const most = 1 << 20 // characters

// raw shows an answer in a format that is chosen.
export function raw(parameters, isGraph) {
  const formats = formatsOf(isGraph)
  const text = h('pre', { class: 'raw', tabindex: 0, id: 'raw-text' })
  const note = h('span', { class: 'note' })
  const choice = h('select', { id: 'raw-format', 'aria-label': 'Format', onchange: load }, Object.entries(formats).map(([name, word]) => h('option', { value: word }, name)))
  async function load() {
    note.textContent = 'reading…'
    text.textContent = ''
    try {
      const { body, cut } = await begin(await ask({ ...parameters, format: choice.value }))
      text.textContent = body
      note.textContent = cut ? `the first ${bytes(most)}` : ''
    } catch (problem) {
      note.textContent = problem.message
    }
  }
  load()
  return h('div', {}, h('p', { class: 'bar' }, choice, note), text)
}

async function begin(answer) {
  const reader = answer.body.pipeThrough(new TextDecoderStream()).getReader()
  let body = ''
  while (body.length < most) {
    const { value, done } = await reader.read()
    if (done) return { body, cut: false }
    body += value
  }
  await reader.cancel().catch(() => {})
  return { body: body.slice(0, most), cut: true }
}
