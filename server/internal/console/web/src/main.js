// The page: a header with the views, and the view that the address names.

import 'uplot/dist/uPlot.min.css'
import './console.css'
import { h, say } from './dom.js'
import { QueryView } from './query.js'
import { account, may, refresh } from './session.js'
import { applyTheme, themeSwitch } from './theme.js'

applyTheme()

const views = {}
const names = { query: 'Query' }
const main = h('main')
const nav = h('nav', { 'aria-label': 'Views' })
const user = h('span')

document.body.append(
  h('a', { class: 'skip', href: '#main' }, 'Skip to the content'),
  h('header', {}, h('b', { class: 'brand' }, 'rete'), nav, h('span', { class: 'end' }, user, themeSwitch())),
  h('p', { id: 'status', role: 'status', 'aria-live': 'polite' }), main)
main.id = 'main'

function draw() {
  const [, name = 'query', rest = ''] = /^#\/([a-z]+)(?:\?(.*))?$/.exec(location.hash) ?? []
  const chosen = names[name] ? name : 'query'
  nav.replaceChildren(...Object.entries(names).map(([key, text]) => h('a', { href: `#/${key}`, 'aria-current': key === chosen ? 'page' : false }, text)))
  user.replaceChildren(account(draw))
  if (!may('read')) {
    main.replaceChildren(h('p', { class: 'note', id: 'locked' }, 'This server wants a token.'))
    return
  }
  views[chosen] ??= make(chosen)
  if (main.firstChild !== views[chosen].dom) main.replaceChildren(views[chosen].dom)
  views[chosen].show(new URLSearchParams(rest))
}

function make(name) {
  return { query: () => new QueryView() }[name]()
}

addEventListener('hashchange', draw)
addEventListener('unhandledrejection', (event) => say(event.reason?.message ?? String(event.reason), 'error'))
refresh().then(draw, (problem) => say(problem.message, 'error'))
