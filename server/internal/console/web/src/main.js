// The page: a header with the views, and the view that the address names.

import 'uplot/dist/uPlot.min.css'
import './console.css'
import { h, say } from './dom.js'
import { HistoryView } from './history.js'
import { LoadView } from './load.js'
import { OverviewView } from './overview.js'
import { QueryView } from './query.js'
import { ResourceView } from './resource.js'
import { RunningView } from './running.js'
import { account, may, mayChange, refresh, session } from './session.js'
import { applyTheme, themeSwitch } from './theme.js'

applyTheme()

const views = {}

// kinds are the views: what they are called, who may see them, and how they are made.
const kinds = {
  query: { name: 'Query', make: () => new QueryView() },
  data: { name: 'Data', make: () => new OverviewView() },
  resource: { name: 'Resource', make: () => new ResourceView() },
  history: { name: 'History', allowed: () => session().history, make: () => new HistoryView() },
  load: { name: 'Load', allowed: mayChange, make: () => new LoadView() },
  running: { name: 'Running', allowed: () => may('admin'), make: () => new RunningView(openPlan) },
}
const main = h('main')
const nav = h('nav', { 'aria-label': 'Views' })
const user = h('span')

document.body.append(
  h('button', { type: 'button', class: 'skip', onclick: () => main.focus() }, 'Skip to the content'),
  h('header', {}, h('b', { class: 'brand' }, 'rete'), nav, h('span', { class: 'end' }, user, themeSwitch())),
  h('p', { id: 'status', role: 'status', 'aria-live': 'polite' }), main)
main.tabIndex = -1

function draw() {
  const [, name = 'query', rest = ''] = /^#\/([a-z]+)(?:\?(.*))?$/.exec(location.hash) ?? []
  const open = Object.keys(kinds).filter((key) => kinds[key].allowed?.() ?? true)
  const chosen = open.includes(name) ? name : 'query'
  const entry = (key) => h('a', { href: `#/${key}`, 'aria-current': key === chosen ? 'page' : false }, kinds[key].name)
  nav.replaceChildren(...(may('read') ? open.map(entry) : []))
  user.replaceChildren(account(draw))
  if (!may('read')) {
    main.replaceChildren(h('p', { class: 'note', id: 'locked' }, 'This server wants a token.'))
    return
  }
  const view = (views[chosen] ??= kinds[chosen].make())
  if (main.firstChild !== view.dom) main.replaceChildren(view.dom)
  Promise.resolve(view.show(new URLSearchParams(rest))).catch(failed)
}

const failed = (problem) => say(problem?.message ?? String(problem), 'error')

// openPlan shows the plan of a text in the view of queries.
function openPlan(text) {
  location.hash = '#/query'
  views.query ??= kinds.query.make()
  views.query.openText(text)
  views.query.showPlan(false)
}

addEventListener('hashchange', draw)
addEventListener('unhandledrejection', (event) => {
  event.preventDefault() // it is told here
  failed(event.reason)
})
refresh().then(draw, failed)
