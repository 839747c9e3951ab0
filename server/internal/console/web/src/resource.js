// A resource: what is said of it, what points to it, and its neighbours as a graph.

import { ask } from './api.js'
import { readAnswer } from './answers.js'
import { counted, fill, h, say } from './dom.js'
import { Elements } from './graph.js'
import { table } from './table.js'
import { inQuery, label, ofGeneration, parse, short, shown } from './terms.js'

const most = 500 // statements in each direction
const drawn = 60 // neighbours

// ResourceView is the view of the resource that the address names.
export class ResourceView {
  constructor() {
    this.dom = h('section', { 'aria-label': 'Resource' })
  }

  async show(parameters) {
    const iri = parameters.get('iri') ?? ''
    const generation = parameters.get('generation') ?? ''
    const turn = (this.turn = {})
    const name = inQuery(iri)
    const field = h('input', { type: 'text', id: 'iri', value: iri, 'aria-label': 'IRI', spellcheck: 'false' })
    const go = (event) => {
      event.preventDefault()
      location.hash = `#/resource?iri=${encodeURIComponent(field.value.trim())}${ofGeneration(generation)}`
    }
    const head = h('form', { class: 'bar', onsubmit: go }, field, h('button', { type: 'submit' }, 'Show'))
    if (!iri || !name) {
      this.dom.replaceChildren(head, h('p', { class: 'note' }, iri ? 'No query can name this IRI.' : 'The IRI of a resource.'))
      return
    }
    say('Reading…')
    const [out, into] = await Promise.all([
      select(`SELECT ?p ?o ?g WHERE { { ${name} ?p ?o } UNION { GRAPH ?g { ${name} ?p ?o } } } LIMIT ${most}`, generation),
      select(`SELECT ?s ?p ?g WHERE { { ?s ?p ${name} } UNION { GRAPH ?g { ?s ?p ${name} } } } LIMIT ${most}`, generation),
    ])
    if (turn !== this.turn) return // another resource was chosen meanwhile
    say('')
    const page = /^https?:\/\//i.test(iri) ? h('a', { href: iri, rel: 'noopener noreferrer', target: '_blank' }, 'its page on the web') : null
    fill(this.dom, head, h('h2', { id: 'resource' }, short(iri), generation ? ` — generation ${generation}` : ''), page ? h('p', {}, page) : null,
      neighbours(`<${iri}>`, out, into, generation).draw('The resource and its neighbours'),
      part('What is said of it', ['predicate', 'value', 'graph'], out, generation), part('What points to it', ['subject', 'predicate', 'graph'], into, generation))
  }
}

const select = async (query, generation) => (await readAnswer(await ask({ query, generation, format: 'tsv' }))).rows

function part(title, columns, rows, generation) {
  const count = rows.length >= most ? `the first ${most}` : counted(rows.length, 'statement')
  return h('div', {}, h('h2', {}, `${title} (${count})`), rows.length ? table(columns, rows, (text) => shown(parse(text), generation)) : null)
}

function neighbours(centre, out, into, generation) {
  const drawing = new Elements(generation)
  drawing.node(centre, 'centre')
  for (const [p, o] of out.slice(0, drawn)) drawing.edge(centre, label(parse(p)), o)
  for (const [s, p] of into.slice(0, drawn)) drawing.edge(s, label(parse(p)), centre)
  return drawing
}
