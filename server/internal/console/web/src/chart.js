// Charts of answers: bars, lines or points of the numbers of one column along another.

import uPlot from 'uplot'
import { h } from './dom.js'
import { isTime, label, number, parse } from './terms.js'
import { color } from './theme.js'

const most = 20000 // rows

// chart shows a chart of an answer, with the choice of its columns; null if no column has numbers.
export function chart(answer) {
  const rows = answer.rows.slice(0, most)
  const columns = answer.columns.map((name, c) => {
    const terms = rows.map((r) => parse(r[c] ?? ''))
    const values = terms.map(number)
    return { name, terms, values, numeric: values.some((v) => !Number.isNaN(v)), time: terms.some(isTime) }
  })
  const numeric = columns.filter((c) => c.numeric)
  if (!numeric.length) return h('p', { class: 'note' }, 'No column has numbers.')
  const option = (c) => h('option', { value: c.name }, c.name)
  const y = h('select', { id: 'chart-y', 'aria-label': 'Values' }, numeric.map(option))
  const x = h('select', { id: 'chart-x', 'aria-label': 'Along' }, columns.map(option))
  const kind = h('select', { id: 'chart-kind', 'aria-label': 'Kind of chart' }, ['bars', 'line', 'points'].map((k) => h('option', { value: k }, k)))
  y.value = (numeric.find((c) => c !== columns[0]) ?? numeric[0]).name
  const box = h('div', { class: 'chart' })
  const named = (name) => columns.find((c) => c.name === name)
  let plot
  const redraw = () => {
    if (!box.clientWidth) return
    plot?.destroy()
    plot = draw(box, named(x.value), named(y.value), kind.value)
  }
  for (const choice of [x, y, kind]) choice.addEventListener('change', redraw)
  new ResizeObserver((_, observer) => (box.isConnected ? redraw() : observer.disconnect())).observe(box)
  addEventListener('themechange', function repaint() {
    if (box.isConnected) redraw()
    else removeEventListener('themechange', repaint)
  })
  return h('div', {}, h('p', { class: 'bar' }, h('label', {}, 'Values ', y), h('label', {}, 'along ', x), h('label', {}, 'as ', kind)), box)
}

// beside leaves room for the first and the last bar.
function beside(points) {
  const half = points.length > 1 ? (points.at(-1).x - points[0].x) / (points.length - 1) / 2 : 0.5
  return (_, low, high) => [low - half, high + half]
}

function draw(box, x, y, kind) {
  const byNumber = x.numeric && x !== y
  const points = y.values.map((v, i) => ({ x: byNumber ? x.values[i] : i, y: v, text: label(x.terms[i]) })).filter((p) => !Number.isNaN(p.x) && !Number.isNaN(p.y))
  if (byNumber) points.sort((a, b) => a.x - b.x)
  const ink = color('main')
  const axis = { stroke: color('text'), grid: { stroke: color('line'), width: 1 }, ticks: { stroke: color('line') } }
  const along = byNumber ? {} : { values: (_, splits) => splits.map((s) => (Number.isInteger(s) && points[s] ? points[s].text.slice(0, 14) : '')) }
  const series = { stroke: ink, fill: kind === 'bars' ? ink : undefined, width: kind === 'points' ? 0 : 2, points: { show: kind !== 'bars', size: 6, stroke: ink, fill: ink } }
  if (kind === 'bars') series.paths = uPlot.paths.bars({ size: [0.7, 80] })
  if (kind === 'points') series.paths = () => null
  box.setAttribute('role', 'img')
  box.setAttribute('aria-label', `Chart of ${y.name} along ${x.name}, ${points.length} values`)
  const plot = new uPlot({
    width: box.clientWidth, height: 360, legend: { show: false }, cursor: { show: false },
    scales: { x: { time: byNumber && x.time, ...(kind === 'bars' ? { range: beside(points) } : {}) }, y: kind === 'bars' ? { range: (_, low, high) => [Math.min(0, low), Math.max(0, high) * 1.05 || 1] } : {} },
    axes: [{ ...axis, ...along }, axis], series: [{}, series],
  }, [points.map((p) => p.x), points.map((p) => p.y)], box)
  box.dataset.values = points.length
  return plot
}
