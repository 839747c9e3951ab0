// RDF terms: read from N-Triples and TSV, and shown short by the prefixes of the graph.

import { h } from './dom.js'

const xsd = 'http://www.w3.org/2001/XMLSchema#'
let prefixes = []
let stored = {}
let wellKnown = {}

// setPrefixes takes the prefixes of the graph, which need not be declared, and well-known ones.
export function setPrefixes(ofGraph, known) {
  stored = ofGraph
  wellKnown = known
  prefixes = Object.entries({ ...known, ...ofGraph }).sort((a, b) => b[1].length - a[1].length)
}

// namespaceOf returns the namespace of a prefix that a query would have to declare; undefined
// if the graph has it, or nobody knows it.
export const namespaceOf = (prefix) => (prefix in stored ? undefined : wellKnown[prefix])

// short writes an IRI by a prefix where there is one.
export function short(iri) {
  for (const [name, space] of prefixes) {
    if (iri.startsWith(space) && /^[\w-]*$/.test(iri.slice(space.length))) return `${name}:${iri.slice(space.length)}`
  }
  return `<${iri}>`
}

const escapes = { t: '\t', n: '\n', r: '\r', b: '\b', f: '\f' }
const unescape = (s) =>
  s.includes('\\') ? s.replace(/\\(u[0-9A-Fa-f]{4}|U[0-9A-Fa-f]{8}|.)/g, (_, e) => (/^[uU]/.test(e) && e.length > 1 ? String.fromCodePoint(parseInt(e.slice(1), 16)) : escapes[e] ?? e)) : s

const token = /\s*(<<\(|\)>>|<[^<>\s]*>|_:[^\s<>"]+|"(?:[^"\\]|\\.)*"(?:@[A-Za-z0-9-]+|\^\^<[^<>\s]*>)?|[^\s.()<>"]+(?:\.[^\s()<>"]+)*|\.)/y

// pieces splits a line of N-Quads into the texts of its terms; a triple term is one.
export function pieces(line) {
  const out = []
  let depth = 0
  token.lastIndex = 0
  for (let m; (m = token.exec(line)); ) {
    if (m[1] === ')>>') depth--
    if (depth > 0 || m[1] === ')>>') out[out.length - 1] += (m[1] === ')>>' || out.at(-1).endsWith('(') ? '' : ' ') + m[1]
    else if (m[1] !== '.') out.push(m[1])
    if (m[1] === '<<(') depth++
  }
  return out
}

// parse reads the text of one term: its kind (iri, blank, literal, triple, none), value, and of a
// literal its language or datatype.
export function parse(text) {
  if (!text) return { kind: 'none', value: '' }
  if (text.startsWith('<<(')) return { kind: 'triple', value: text }
  if (text[0] === '<') return { kind: 'iri', value: unescape(text.slice(1, -1)) }
  if (text.startsWith('_:')) return { kind: 'blank', value: text }
  if (text[0] !== '"') return { kind: 'literal', value: text, datatype: bare(text) }
  const end = text.lastIndexOf('"')
  const term = { kind: 'literal', value: unescape(text.slice(1, end)), datatype: xsd + 'string' }
  const rest = text.slice(end + 1)
  if (rest[0] === '@') term.lang = rest.slice(1)
  else if (rest) term.datatype = rest.slice(3, -1)
  return term
}

function bare(text) {
  if (text === 'true' || text === 'false') return xsd + 'boolean'
  return xsd + (/[eE]/.test(text) ? 'double' : text.includes('.') ? 'decimal' : 'integer')
}

const numeric = new Set(['integer', 'decimal', 'double', 'float', 'int', 'long', 'short', 'byte', 'nonNegativeInteger', 'positiveInteger', 'unsignedInt', 'unsignedLong'].map((n) => xsd + n))
const temporal = new Set(['date', 'dateTime', 'dateTimeStamp', 'gYear'].map((n) => xsd + n))

// number returns the number of a term, a time as seconds; NaN for others.
export function number(term) {
  if (numeric.has(term.datatype)) return Number(term.value)
  if (temporal.has(term.datatype)) return Date.parse(term.value) / 1000
  return NaN
}

// isTime tells whether number takes the term for a time.
export const isTime = (term) => temporal.has(term.datatype)

// label writes a term for people.
export function label(term) {
  if (term.kind === 'iri') return short(term.value)
  if (term.kind !== 'literal') return term.value
  return term.value + (term.lang ? ` @${term.lang}` : '')
}

// ofGeneration is the part of an address in this page that names a generation; empty for now.
export const ofGeneration = (generation) => (generation ? `&generation=${encodeURIComponent(generation)}` : '')

// resourceLink is the address in this page of what is known of an IRI, in a generation.
export const resourceLink = (iri, generation) => `#/resource?iri=${encodeURIComponent(iri)}${ofGeneration(generation)}`

// shown makes the element of a term: an IRI leads to its resource.
export function shown(term, generation) {
  if (term.kind === 'iri') return h('a', { href: resourceLink(term.value, generation), title: term.value }, short(term.value))
  const title = term.kind === 'literal' && !term.lang && term.datatype !== xsd + 'string' ? `${term.value} (${short(term.datatype)})` : term.value
  return h('span', { class: term.kind, title }, term.value, term.lang ? h('span', { class: 'lang' }, `@${term.lang}`) : null)
}

// inQuery writes an IRI as a query has it; null for one that no query can name.
export const inQuery = (iri) => (/[<>"{}|^`\\\u0000-\u0020]/.test(iri) ? null : `<${iri}>`)
