// What a query answered, in several views.

import { chart } from './chart.js'
import { counted, grouped, h, seconds, strip } from './dom.js'
import { downloads } from './download.js'
import { ofAnswer } from './graph.js'
import { raw } from './raw.js'
import { table } from './table.js'
import { parse, shown } from './terms.js'

// results shows an answer, of a query with these parameters, that took so many milliseconds.
export function results(answer, parameters, took) {
  const isGraph = !answer.isRows
  const views = {
    Table: () => table(answer.columns, answer.rows, (text) => shown(parse(text), parameters.generation)),
    Graph: () => ofAnswer(answer, parameters.generation),
    ...(isGraph ? {} : { Chart: () => chart(answer) }),
    Raw: () => raw(parameters, isGraph),
  }
  const panel = h('div', { role: 'tabpanel', id: 'view' })
  const chooser = h('div')
  function choose(name) {
    chooser.replaceChildren(strip('Views of the answer', Object.keys(views), name, choose))
    panel.replaceChildren(views[name]())
  }
  choose('Table')
  const count = answer.cut ? `The first ${grouped(answer.rows.length)} rows` : counted(answer.rows.length, isGraph ? 'statement' : 'row')
  return h('div', {}, h('p', { class: 'bar' }, h('span', { id: 'count' }, `${count} in ${seconds(took)}`), downloads(parameters, isGraph)),
    answer.note && !answer.rows.length ? h('p', { class: 'note' }, answer.note) : null, chooser, panel)
}
