// Who is logged in, and what they may do.

import { json, token } from './api.js'
import { h, say } from './dom.js'
import { setPrefixes } from './terms.js'

let now = { scope: 'none', prefixes: {}, known: {}, writable: false }

const scopes = ['none', 'read', 'write', 'admin']

// session is what the server said last.
export const session = () => now

// may tells whether the user has a scope.
export const may = (scope) => scopes.indexOf(now.scope) >= scopes.indexOf(scope)

// mayChange tells whether the user can change the data at all.
export const mayChange = () => may('write') && now.writable

// refresh asks the server who the user is. A token that it does not know is dropped.
export async function refresh() {
  try {
    now = await json('/console/session')
  } catch (problem) {
    if (problem.status !== 401) throw problem
    token.set('')
    now = await json('/console/session')
    say('The token is not known.', 'error')
  }
  setPrefixes(now.prefixes, now.known)
  return now
}

// account shows who is logged in, with the way in and out. changed is called after each.
export function account(changed) {
  if (!now.tokens) return h('span', { class: 'account' }, now.writable ? '' : 'read-only')
  if (now.user) {
    const out = async () => {
      token.set('')
      changed(await refresh())
    }
    return h('span', { class: 'account' }, `${now.user} (${now.scope}) `, h('button', { type: 'button', id: 'logout', onclick: out }, 'Log out'))
  }
  return h('span', { class: 'account' }, h('button', { type: 'button', id: 'login', onclick: () => dialog(changed) }, 'Log in'))
}

function dialog(changed) {
  const secret = h('input', { type: 'password', id: 'secret', autocomplete: 'current-password', required: true })
  const enter = async (event) => {
    event.preventDefault()
    token.set(secret.value.trim())
    box.close()
    changed(await refresh())
  }
  const box = h('dialog', { 'aria-labelledby': 'login-title', onclose: () => box.remove() },
    h('form', { onsubmit: enter },
      h('h2', { id: 'login-title' }, 'Log in'),
      h('input', { type: 'text', autocomplete: 'username', value: 'token', hidden: true }),
      h('label', {}, 'Token ', secret),
      h('p', { class: 'buttons' }, h('button', { type: 'submit', class: 'main' }, 'Log in'), h('button', { type: 'button', onclick: () => box.close() }, 'Cancel'))))
  document.body.append(box)
  box.showModal()
}
