// The data at a glance: counts, classes and their links, predicates, graphs.

import { json } from './api.js'
import { counted, fill, grouped, h, say } from './dom.js'
import { drawing } from './graph.js'
import { inQuery, label, ofGeneration, parse, resourceLink, short } from './terms.js'

const shownFirst = 12 // entries of a list, before all are asked for

// OverviewView is the view; it is read again each time it is chosen.
export class OverviewView {
  constructor() {
    this.dom = h('section', { 'aria-label': 'Data' })
  }

  async show(parameters) {
    const generation = parameters.get('generation') ?? ''
    const turn = (this.turn = {})
    say('Counting…')
    const { counts, links } = await json(`/console/overview?generation=${encodeURIComponent(generation)}`)
    if (turn !== this.turn) return // another generation was chosen meanwhile
    say('')
    fill(this.dom,
      h('p', { id: 'totals', class: 'totals' }, h('b', {}, counted(counts.quads, 'quad')), `, ${grouped(counts.default_graph)} in the default graph, ${counted(counts.named_graphs.distinct, 'named graph')}`,
        generation ? ` — generation ${generation}` : ''),
      links?.length ? h('div', {}, h('h2', {}, 'Classes and their links'), schema(counts.classes.list, links, generation)) : null,
      h('div', { class: 'lists' },
        list('Classes', counts.classes, 'class', (iri) => `SELECT * WHERE {\n  ?s a ${iri} ; ?p ?o\n} LIMIT 100`, generation),
        list('Predicates', counts.predicates, 'predicate', (iri) => `SELECT * WHERE {\n  ?s ${iri} ?o\n} LIMIT 100`, generation),
        list('Named graphs', counts.named_graphs, 'graph', (iri) => `SELECT * WHERE {\n  GRAPH ${iri} { ?s ?p ?o }\n} LIMIT 100`, generation)))
  }
}

// list shows the entries of one kind; the number leads to a query for what has them.
function list(title, { distinct, list: entries }, kind, query, generation) {
  const most = Math.max(...entries.map((e) => e.quads), 1)
  const items = h('ul', { class: 'entries' })
  const all = h('button', { type: 'button', onclick: () => draw(entries.length) }, `All ${grouped(entries.length)}`)
  function draw(n) {
    all.hidden = n >= entries.length
    items.replaceChildren(...entries.slice(0, n).map((e) => {
      const bar = h('span', { class: 'share', 'aria-hidden': 'true' })
      bar.style.width = `${(100 * e.quads) / most}%`
      const text = inQuery(e[kind])
      const number = text ? h('a', { href: `#/query?query=${encodeURIComponent(query(text))}${ofGeneration(generation)}`, title: 'Query them' }, grouped(e.quads)) : grouped(e.quads)
      return h('li', {}, h('span', { class: 'entry' }, h('a', { href: resourceLink(e[kind], generation), title: e[kind] }, short(e[kind])), number), bar)
    }))
  }
  draw(shownFirst)
  return h('div', {}, h('h2', {}, `${title} (${grouped(distinct)})`), items, entries.length > shownFirst ? all : null)
}

// schema draws the classes and what links them.
function schema(classes, links, generation) {
  const counts = new Map(classes.map((c) => [c.class, c.quads]))
  const most = Math.max(...counts.values(), 1)
  const nodes = new Map()
  const node = (text) => {
    const term = parse(text)
    if (!nodes.has(text)) nodes.set(text, { id: text, text: label(term), href: term.kind === 'iri' ? resourceLink(term.value, generation) : undefined, weight: Math.sqrt((counts.get(term.value) ?? 0) / most) })
    return text
  }
  const edges = links.filter((l) => parse(l.to).kind === 'iri').slice(0, 80).map((l) => ({ source: node(l.from), target: node(l.to), text: `${label(parse(l.predicate))} ${grouped(l.triples)}` }))
  return drawing([...nodes.values()], edges, 'Classes and their links')
}
