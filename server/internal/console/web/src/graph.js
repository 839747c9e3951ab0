// Drawings of graphs.

import cytoscape from 'cytoscape'
import { counted, h } from './dom.js'
import { label, parse, resourceLink } from './terms.js'
import { color } from './theme.js'

const maxEdges = 400
const largest = 1.15 // zoom of a graph that is small

// drawing makes the element of a graph. Nodes have id, text and perhaps href, kind and weight (0 to 1);
// edges have source, target and text. Choosing a node with an href goes there.
export function drawing(nodes, edges, what) {
  const box = h('div', { class: 'graph', role: 'img', 'aria-label': `${what}: ${counted(nodes.length, 'node')}, ${counted(edges.length, 'link')}` })
  const cy = cytoscape({
    headless: true, styleEnabled: true, wheelSensitivity: 0.4, minZoom: 0.1, maxZoom: 4,
    elements: [
      ...nodes.map((n) => ({ data: { ...n, size: 14 + 30 * (n.weight ?? 0.2) }, classes: n.kind ?? '' })),
      ...edges.map((e, i) => ({ data: { id: `edge ${i}`, ...e } })),
    ],
  })
  const paint = () => cy.style(styles())
  paint()
  cy.on('tap', 'node[href]', (event) => (location.hash = event.target.data('href')))
  // It is laid out once it has a size, and removed with its element.
  new ResizeObserver((_, observer) => {
    if (!box.isConnected) {
      observer.disconnect()
      removeEventListener('themechange', paint)
      cy.destroy()
      return
    }
    if (!cy.container()) {
      cy.mount(box)
      place(cy)
      if (cy.zoom() > largest) cy.zoom(largest).center()
      box.dataset.ready = 'yes'
    } else cy.resize()
  }).observe(box)
  addEventListener('themechange', paint)
  box.graph = cy
  const fit = h('button', { type: 'button', onclick: () => cy.fit(undefined, 24) }, 'Fit')
  return h('div', {}, box, h('p', { class: 'bar' }, fit, h('span', { class: 'note' }, 'Drag to move, turn the wheel to zoom, choose a node to go to it.')))
}

// place lays a graph out: around its centre if it has one, else by its links. The same graph has the same places.
function place(cy) {
  if (cy.nodes('.centre').length) {
    cy.layout({ name: 'concentric', concentric: (n) => (n.hasClass('centre') ? 2 : 1), levelWidth: () => 1, minNodeSpacing: 110, padding: 24 }).run()
    return
  }
  cy.layout({ name: 'circle', padding: 24 }).run()
  const springs = { animate: false, randomize: false, nodeRepulsion: () => 1e6, idealEdgeLength: () => 110, nodeOverlap: 60, componentSpacing: 80, padding: 24 }
  if (cy.nodes().length > 6) cy.layout({ name: 'cose', ...springs }).run()
}

const styles = () => [
  { selector: 'node', style: { label: 'data(text)', width: 'data(size)', height: 'data(size)', 'background-color': color('main'), color: color('text'), 'font-size': 12, 'text-wrap': 'ellipsis', 'text-max-width': 140, 'text-valign': 'bottom', 'text-margin-y': 3 } },
  { selector: 'node.literal', style: { shape: 'round-rectangle', 'background-color': color('string') } },
  { selector: 'node.blank', style: { 'background-color': color('edge') } },
  { selector: 'node.centre', style: { 'background-color': color('variable') } },
  { selector: 'edge', style: { label: 'data(text)', width: 1.4, 'curve-style': 'bezier', 'target-arrow-shape': 'triangle', 'line-color': color('edge'), 'target-arrow-color': color('edge'), color: color('faint'), 'font-size': 10, 'text-rotation': 'autorotate', 'text-wrap': 'ellipsis', 'text-max-width': 120, 'text-background-color': color('page'), 'text-background-opacity': 0.85 } },
]

// Elements collects nodes and edges from the texts of terms.
export class Elements {
  nodes = new Map()
  edges = []
  cut = false

  constructor(generation) {
    this.generation = generation
  }

  node(text, kind) {
    const term = parse(text)
    if (!this.nodes.has(text)) this.nodes.set(text, { id: text, text: label(term).slice(0, 80), kind: kind ?? term.kind, href: term.kind === 'iri' ? resourceLink(term.value, this.generation) : undefined })
    return text
  }

  edge(source, text, target) {
    if (this.edges.length >= maxEdges) {
      this.cut = true
      return
    }
    this.edges.push({ source: this.node(source), target: this.node(target), text })
  }

  draw(what) {
    const note = this.cut ? h('p', { class: 'note' }, `The first ${counted(maxEdges, 'link')}.`) : null
    return h('div', {}, note, this.edges.length || this.nodes.size ? drawing([...this.nodes.values()], this.edges, what) : h('p', { class: 'note' }, 'There is nothing to draw.'))
  }
}

// ofAnswer draws an answer: statements, rows whose second column is a predicate, or else the links
// from the first column to the second.
export function ofAnswer(answer, generation) {
  const rows = answer.rows.slice(0, maxEdges + 1)
  const isTriples = answer.columns.length > 2 && rows.every((r) => parse(r[1]).kind === 'iri')
  const out = new Elements(generation)
  for (const r of rows) {
    if (answer.columns.length === 1) out.node(r[0])
    else if (isTriples && r[0] && r[2]) out.edge(r[0], label(parse(r[1])), r[2])
    else if (r[0] && r[1]) out.edge(r[0], answer.columns[1], r[1])
  }
  out.cut ||= answer.rows.length > maxEdges
  return out.draw('The answer as a graph')
}
