// A resource: what is said of it, what points to it, and its neighbours as a graph.

import { ask } from './api.js'
import { readAnswer } from './answers.js'
import { counted, fill, h, say } from './dom.js'
import { Elements } from './graph.js'
import { table } from './table.js'
import { inQuery, label, parse, short } from './terms.js'

const most = 500 // statements in each direction
const drawn = 60 // neighbours

// ResourceView is the view of the resource that the address names.
export class ResourceView {
  constructor() {
    this.dom = h('section', { 'aria-label': 'Resource' })
  }

  async show(parameters) {
    const iri = parameters.get('iri') ?? ''
    const name = inQuery(iri)
    const field = h('input', { type: 'text', id: 'iri', value: iri, 'aria-label': 'IRI', spellcheck: 'false' })
    const go = (event) => {
      event.preventDefault()
      location.hash = `#/resource?iri=${encodeURIComponent(field.value.trim())}`
    }
    const head = h('form', { class: 'bar', onsubmit: go }, field, h('button', { type: 'submit' }, 'Show'))
    if (!iri || !name) {
      this.dom.replaceChildren(head, h('p', { class: 'note' }, iri ? 'No query can name this IRI.' : 'The IRI of a resource.'))
      return
    }
    say('Reading…')
    const [out, into] = await Promise.all([
      select(`SELECT ?p ?o ?g WHERE { { ${name} ?p ?o } UNION { GRAPH ?g { ${name} ?p ?o } } } LIMIT ${most}`),
      select(`SELECT ?s ?p ?g WHERE { { ?s ?p ${name} } UNION { GRAPH ?g { ?s ?p ${name} } } } LIMIT ${most}`),
    ])
    say('')
    const page = /^https?:\/\//i.test(iri) ? h('a', { href: iri, rel: 'noopener noreferrer', target: '_blank' }, 'its page on the web') : null
    fill(this.dom, head, h('h2', { id: 'resource' }, short(iri)), page ? h('p', {}, page) : null,
      neighbours(`<${iri}>`, out, into).draw('The resource and its neighbours'),
      part('What is said of it', ['predicate', 'value', 'graph'], out), part('What points to it', ['subject', 'predicate', 'graph'], into))
  }
}

const select = async (query) => (await readAnswer(await ask({ query, format: 'tsv' }))).rows

function part(title, columns, rows) {
  const count = rows.length >= most ? `the first ${most}` : counted(rows.length, 'statement')
  return h('div', {}, h('h2', {}, `${title} (${count})`), rows.length ? table(columns, rows) : null)
}

function neighbours(centre, out, into) {
  const drawing = new Elements()
  drawing.node(centre, 'centre')
  for (const [p, o] of out.slice(0, drawn)) drawing.edge(centre, label(parse(p)), o)
  for (const [s, p] of into.slice(0, drawn)) drawing.edge(s, label(parse(p)), centre)
  return drawing
}
