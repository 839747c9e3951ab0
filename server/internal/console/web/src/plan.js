// The plan of a query as a tree, with rows and time of each operator.

import { ask } from './api.js'
import { bytes, counted, grouped, h, seconds } from './dom.js'

// plan shows the plan of a query. Analyze runs it, and adds what was measured; signal ends that.
export async function plan(parameters, analyze, signal) {
  const found = await (await ask({ ...parameters, plan: analyze ? 'analyze' : 'explain' }, { signal })).json()
  const run = found.run
  const total = run ? Math.max(run.ns, 1) : 0
  const head = run
    ? `${counted(run.rows, 'row')} in ${seconds(run.ns / 1e6)}, at most ${bytes(run.peak_bytes)} of memory`
    : 'Expected rows of each operator; Analyze runs the query and measures.'
  return h('div', { class: 'plan' }, h('p', {}, head), h('ul', { class: 'tree', 'aria-label': 'Plan' }, node(found.plan, total)))
}

function node(n, total) {
  const facts = [`${estimate(n.est)} expected`]
  if (n.rows !== undefined) facts.push(counted(n.rows, 'row'))
  if (n.ns !== undefined) facts.push(seconds(n.ns / 1e6))
  if (n.tiles_of) facts.push(`${grouped(n.tiles ?? 0)} of ${counted(n.tiles_of, 'tile')} read`)
  if (n.spill) facts.push(`${bytes(n.spill)} in temporary files`)
  const bar = h('span', { class: 'share', 'aria-hidden': 'true' })
  if (total && n.ns !== undefined) bar.style.width = `${Math.min(100, (100 * n.ns) / total)}%`
  return h('li', {}, h('div', { class: 'operator' }, h('b', {}, n.op), ' ', h('code', {}, n.detail ?? '', n.order ? ` ${n.order}` : ''), h('span', { class: 'facts' }, facts.join(', ')), total ? h('span', { class: 'shares' }, bar) : null),
    n.inputs?.length ? h('ul', {}, n.inputs.map((i) => node(i, total))) : null)
}

const estimate = (n) => (n >= 10 ? grouped(Math.round(n)) : String(Math.round(n * 10) / 10))
