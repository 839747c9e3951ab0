// Answers in every format, as the server writes them.

import { ask } from './api.js'
import { h, say } from './dom.js'

const ofRows = { CSV: 'csv', TSV: 'tsv', JSON: 'json', XML: 'xml', HTML: 'html' }
const ofGraphs = { Turtle: 'turtle', 'N-Triples': 'ntriples', TriG: 'trig', 'N-Quads': 'nquads', 'JSON-LD': 'jsonld', 'RDF/XML': 'rdfxml' }
const endings = { turtle: 'ttl', ntriples: 'nt', nquads: 'nq', rdfxml: 'rdf' }

// formatsOf are the formats of an answer, by what people call them.
export const formatsOf = (isGraph) => (isGraph ? ofGraphs : ofRows)

// downloads is the choice of a format with its button, for a query that is asked again.
export function downloads(parameters, isGraph) {
  const formats = formatsOf(isGraph)
  const choice = h('select', { id: 'download-format', 'aria-label': 'Format of the download' }, Object.entries(formats).map(([name, word]) => h('option', { value: word }, name)))
  const button = h('button', { type: 'button', id: 'download', onclick: fetchIt }, 'Download')
  async function fetchIt() {
    button.disabled = true
    try {
      save(await (await ask({ ...parameters, format: choice.value })).blob(), `answer.${endings[choice.value] ?? choice.value}`)
      say('The answer was downloaded.')
    } catch (problem) {
      say(problem.message, 'error')
    } finally {
      button.disabled = false
    }
  }
  return h('span', { class: 'group' }, choice, button)
}

function save(blob, name) {
  const link = h('a', { href: URL.createObjectURL(blob), download: name })
  document.body.append(link)
  link.click()
  link.remove()
  setTimeout(() => URL.revokeObjectURL(link.href), 60000)
}
