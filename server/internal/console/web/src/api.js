// Requests to the server of this page, which is the only one that is asked.

const { root, nonce } = document.documentElement.dataset
export { nonce }

const tokenKey = 'rete.token'

// The token lasts as long as the tab of the browser, and no other site can read it.
export const token = {
  get: () => sessionStorage.getItem(tokenKey) ?? '',
  set: (secret) => (secret ? sessionStorage.setItem(tokenKey, secret) : sessionStorage.removeItem(tokenKey)),
}

// Problem is what the server says of a request that it refused.
export class Problem extends Error {
  constructor(document) {
    super(document.detail || document.title)
    Object.assign(this, document)
  }
}

// headers are those that every request has.
export const headers = () => (token.get() ? { Authorization: `Bearer ${token.get()}` } : {})

// address is that of a resource of the server.
export const address = (path) => root + path

// request sends a request and returns its answer, or throws a Problem.
export async function request(path, options = {}) {
  const answer = await fetch(address(path), { ...options, cache: 'no-cache', headers: { ...headers(), ...options.headers } })
  if (!answer.ok) throw await problemOf(answer)
  return answer
}

async function problemOf(answer) {
  const text = await answer.text()
  try {
    return new Problem(JSON.parse(text))
  } catch {
    return new Problem({ title: `${answer.status} ${answer.statusText}`, detail: text.slice(0, 500), status: answer.status })
  }
}

// json is a request whose answer is JSON.
export const json = async (path, options) => (await request(path, options)).json()

// form is the body of a POST with parameters; those that are empty are left out.
export const form = (parameters) => new URLSearchParams(Object.entries(parameters).filter(([, v]) => v !== undefined && v !== '' && v !== null))

// ask sends a query, or a part of one's parameters.
export const ask = (parameters, options = {}) => request('/sparql', { method: 'POST', body: form(parameters), ...options })
