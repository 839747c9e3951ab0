// Files into the graph, with progress.

import { address, headers, Problem } from './api.js'
import { bytes, h } from './dom.js'

const media = { ttl: 'text/turtle', nt: 'application/n-triples', rdf: 'application/rdf+xml', owl: 'application/rdf+xml', xml: 'application/rdf+xml', trig: 'application/trig', nq: 'application/n-quads' }
const codings = { gz: 'gzip', zst: 'zstd' }
const ofQuads = ['trig', 'nq'] // files that name their graphs

// LoadView is the view.
export class LoadView {
  constructor() {
    this.graph = h('input', { type: 'text', id: 'load-graph', placeholder: 'default graph', 'aria-label': 'IRI of the graph', spellcheck: 'false' })
    this.replace = h('input', { type: 'checkbox', id: 'load-replace' })
    this.files = h('input', { type: 'file', id: 'files', multiple: true, accept: Object.keys(media).flatMap((e) => [`.${e}`, `.${e}.gz`, `.${e}.zst`]).join(','), onchange: () => this.send([...this.files.files]) })
    this.list = h('div', { id: 'loads', 'aria-live': 'polite' })
    this.dom = h('section', { 'aria-label': 'Load', class: 'load', ondragover: (e) => e.preventDefault(), ondrop: (e) => this.drop(e) },
      h('h2', {}, 'Load files'),
      h('p', {}, h('label', {}, 'Into the graph ', this.graph)),
      h('p', {}, h('label', {}, this.replace, ' in place of what the graph has now')),
      h('p', {}, h('label', {}, 'Files: Turtle, N-Triples, RDF/XML, TriG, N-Quads; .gz and .zst too ', this.files)),
      h('p', { class: 'note' }, 'Or drop them here. TriG and N-Quads name their graphs, and are added as they are.'), this.list)
  }

  show() {}

  drop(event) {
    event.preventDefault()
    this.send([...event.dataTransfer.files])
  }

  // send loads files one after the other.
  async send(files) {
    let replace = this.replace.checked // until the first is there: the others are added to it
    for (const file of files) {
      const bar = h('progress', { max: 1, value: 0, 'aria-label': file.name })
      const text = h('span', {}, 'waits')
      this.list.prepend(h('p', { class: 'bar' }, h('b', {}, file.name), bar, text))
      try {
        await this.sendOne(file, replace, bar, text)
        replace = false
        text.textContent = `loaded, ${bytes(file.size)}`
      } catch (problem) {
        text.textContent = problem.line && !/\d+:\d+/.test(problem.message) ? `line ${problem.line}: ${problem.message}` : problem.message
        text.className = 'failed'
      }
    }
    this.files.value = ''
  }

  sendOne(file, replace, bar, text) {
    const { type, coding, quads } = kindOf(file.name)
    if (!type) throw new Error('Files of this kind are not read here; their names end in .ttl, .nt, .rdf, .trig or .nq.')
    const graph = this.graph.value.trim()
    if (quads && replace) throw new Error('A file that names its graphs replaces none.')
    const path = quads ? '/store' : graph ? `/store?graph=${encodeURIComponent(graph)}` : '/store?default'
    return new Promise((resolve, reject) => {
      const r = new XMLHttpRequest() // fetch does not tell how much was sent
      r.open(replace ? 'PUT' : 'POST', address(path))
      for (const [name, value] of Object.entries({ ...headers(), 'Content-Type': type, ...(coding ? { 'Content-Encoding': coding } : {}) })) r.setRequestHeader(name, value)
      r.upload.onprogress = (e) => {
        bar.value = e.loaded / e.total
        text.textContent = e.loaded < e.total ? `${bytes(e.loaded)} of ${bytes(e.total)}` : 'being loaded…'
      }
      r.onerror = () => reject(new Error('The connection broke; what was sent may be loaded or not.'))
      r.onload = () => (r.status < 300 ? resolve() : reject(problemOf(r)))
      r.send(file)
    })
  }
}

function kindOf(name) {
  const parts = name.toLowerCase().split('.')
  const coding = codings[parts.at(-1)]
  const ending = parts.at(coding ? -2 : -1)
  return { type: media[ending], coding, quads: ofQuads.includes(ending) }
}

function problemOf(r) {
  try {
    return new Problem(JSON.parse(r.responseText))
  } catch {
    return new Error(`${r.status} ${r.statusText}`)
  }
}
