// The view of queries: texts in tabs, and what they answer.

import { ask, json } from './api.js'
import { readAnswer } from './answers.js'
import { arrows, counted, fill, h, say, seconds } from './dom.js'
import { Editor } from './editor.js'
import { plan } from './plan.js'
import { results } from './results.js'
import { nameOf, ran, remember, Tabs } from './tabs.js'
import { preview } from './update.js'

const checkAfter = 600 // milliseconds without a key

// QueryView is the view; it lives as long as the page, so that an answer stays while others are shown.
export class QueryView {
  constructor() {
    this.tabs = new Tabs()
    this.editor = new Editor({ changed: (text) => this.changed(text), run: () => this.run() })
    this.tabRow = h('div', { class: 'strip', role: 'tablist', 'aria-label': 'Open texts', onkeydown: arrows })
    this.runButton = h('button', { type: 'button', id: 'run', class: 'main', title: 'Ctrl+Enter', onclick: () => this.run() }, 'Run')
    this.stopButton = h('button', { type: 'button', id: 'stop', disabled: true, onclick: () => this.place().running?.abort() }, 'Stop')
    this.output = h('div', { id: 'output' })
    this.places = new Map()
    this.state = h('span', { id: 'generation' })
    this.past = h('select', { id: 'past', 'aria-label': 'Texts that ran', onchange: () => this.recall() })
    this.dom = h('section', { 'aria-label': 'Query' }, this.tabRow, this.editor.dom,
      h('p', { class: 'bar' }, this.runButton, this.stopButton,
        h('button', { type: 'button', id: 'explain', onclick: () => this.showPlan(false) }, 'Plan'),
        h('button', { type: 'button', id: 'analyze', onclick: () => this.showPlan(true) }, 'Analyze'),
        h('button', { type: 'button', id: 'link', onclick: () => this.link() }, 'Link'), this.past, this.state),
      this.output)
    this.open()
  }

  // show is called when the view is chosen; a link may carry a query, which is opened and not run.
  show(parameters) {
    if (parameters.has('query')) {
      this.openText(parameters.get('query'), '', Number(parameters.get('generation')) || 0)
      history.replaceState(null, '', '#/query')
    }
    this.drawPast()
  }

  openText(text, name, generation = 0) {
    const known = this.tabs.list.find((t) => t.text === text && t.generation === generation)
    if (known) this.tabs.choose(known)
    else this.tabs.add(text, name, generation)
    this.open()
  }

  open() {
    this.editor.open(this.tabs.chosen.text)
    this.output.replaceChildren(this.place().dom)
    this.drawTabs()
    this.drawStop()
  }

  // place is where the answer of a tab is shown, with what runs for it. It stays while other tabs are open.
  place(tab = this.tabs.chosen) {
    if (!this.places.has(tab.id)) this.places.set(tab.id, { dom: h('div'), running: null })
    return this.places.get(tab.id)
  }

  drawStop() {
    this.stopButton.disabled = !this.place().running
  }

  close(tab) {
    this.place(tab).running?.abort()
    this.places.delete(tab.id)
    this.tabs.close(tab)
    this.open()
  }

  drawTabs() {
    const { list, chosen } = this.tabs
    this.tabRow.replaceChildren(...list.map((t) => h('span', { role: 'presentation' },
      h('button', { role: 'tab', type: 'button', 'aria-selected': String(t === chosen), tabindex: t === chosen ? 0 : -1, onclick: () => (this.tabs.choose(t), this.open()) }, nameOf(t)),
      h('button', { type: 'button', class: 'close', 'aria-label': `Close ${nameOf(t)}`, onclick: () => this.close(t) }, '×'))),
      h('button', { type: 'button', id: 'new-tab', 'aria-label': 'New tab', onclick: () => (this.tabs.add(), this.open()) }, '+'))
    const at = chosen.generation
    this.state.replaceChildren(...(at ? [`asks generation ${at} `, h('button', { type: 'button', onclick: () => this.toNow() }, 'Ask now')] : []))
  }

  toNow() {
    this.tabs.chosen.generation = 0
    this.tabs.save()
    this.drawTabs()
  }

  drawPast() {
    const list = ran()
    this.past.replaceChildren(h('option', { value: '' }, 'History'), ...list.map((r, i) => h('option', { value: String(i) }, `${new Date(r.at).toLocaleString()}  ${nameOf(r)}`)))
  }

  recall() {
    const found = ran()[Number(this.past.value)]
    if (this.past.value !== '' && found) this.openText(found.text)
    this.past.value = ''
  }

  changed(text) {
    this.tabs.chosen.text = text
    this.tabs.save()
    this.drawTabs()
    clearTimeout(this.checking)
    this.checking = setTimeout(() => this.check().catch(() => {}), checkAfter)
  }

  // check returns the form of the text, and marks what is wrong with it.
  async check(signal) {
    clearTimeout(this.checking)
    const { text } = this.editor
    if (!text.trim()) return ''
    try {
      const { form } = await json('/console/check', { method: 'POST', body: text, headers: { 'Content-Type': 'text/plain' }, signal })
      if (text === this.editor.text) this.editor.mark(null)
      return form
    } catch (problem) {
      if (text === this.editor.text && problem.line) this.editor.mark(problem)
      throw problem
    }
  }

  parameters() {
    return { query: this.editor.text, generation: this.tabs.chosen.generation || '' }
  }

  async run() {
    const parameters = this.parameters()
    await this.during(async (signal) => {
      const form = await this.check(signal)
      remember(parameters.query)
      this.drawPast()
      if (form === 'update') return preview(parameters, signal)
      const start = performance.now()
      if (form === 'ask') {
        const { boolean } = await (await ask({ ...parameters, format: 'json' }, { signal })).json()
        return h('p', { id: 'count', class: 'boolean' }, `${boolean ? 'Yes' : 'No'}, in ${seconds(performance.now() - start)}`)
      }
      const format = form === 'select' ? 'tsv' : 'nquads'
      const answer = await readAnswer(await ask({ ...parameters, format }, { signal }), (a) => say(`${counted(a.rows.length, 'row')} read…`))
      return results(answer, parameters, performance.now() - start)
    })
  }

  async showPlan(analyze) {
    const parameters = this.parameters()
    await this.during(async (signal) => {
      await this.check(signal)
      return plan(parameters, analyze, signal)
    })
  }

  // during runs work that can be stopped, and shows what it makes or what was wrong, in the place of
  // the tab that is open now.
  async during(work) {
    const place = this.place()
    place.running?.abort()
    const running = (place.running = new AbortController())
    this.drawStop()
    place.dom.replaceChildren(h('p', { class: 'note busy' }, 'Running…'))
    try {
      const made = await work(running.signal)
      if (running === place.running) place.dom.replaceChildren(made)
    } catch (problem) {
      if (running === place.running) this.fail(place, running.signal.aborted ? new Error('Stopped.') : problem)
    } finally {
      if (running === place.running) place.running = null
      this.drawStop()
      say('')
    }
  }

  fail(place, problem) {
    if (problem.line && place === this.place()) this.editor.mark(problem)
    fill(place.dom, h('div', { class: 'problem', role: 'alert' }, h('b', {}, problem.title ?? 'Error'), h('p', {}, problem.message),
      problem.line ? h('button', { type: 'button', id: 'to-error', onclick: () => this.editor.show(problem) }, `Go to line ${problem.line}, column ${problem.column}`) : null))
  }

  // link puts the query into the address of the page, and that onto the clipboard.
  async link() {
    const { generation } = this.tabs.chosen
    const hash = `#/query?query=${encodeURIComponent(this.editor.text)}${generation ? `&generation=${generation}` : ''}`
    history.replaceState(null, '', hash)
    try {
      await navigator.clipboard.writeText(location.href)
      say('The link is on the clipboard, and in the address of this page.')
    } catch {
      say('The link is in the address of this page.')
    }
  }
}
