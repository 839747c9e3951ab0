// Elements of the page. Texts become text nodes, so nothing of the data is ever parsed as HTML.

// h makes an element. Properties that begin with "on" are listeners, "class" and attributes are as
// in HTML; false, null and undefined leave one out.
export function h(tag, props = {}, ...children) {
  const el = document.createElement(tag)
  for (const [name, value] of Object.entries(props)) {
    if (value === false || value === null || value === undefined) continue
    if (name.startsWith('on')) el.addEventListener(name.slice(2), value)
    else if (name === 'value' || name === 'checked' || name === 'disabled') el[name] = value
    else el.setAttribute(name, value === true ? '' : value)
  }
  fill(el, ...children)
  return el
}

// fill puts children in place of those that an element has; null, undefined and false are left out.
export const fill = (el, ...children) => el.replaceChildren(...children.flat(2).filter((c) => c !== null && c !== undefined && c !== false))

// say tells people, and those who listen to the page, what happened.
export function say(text, kind = 'note') {
  const box = document.getElementById('status')
  box.className = kind
  box.textContent = text
}

const numbers = new Intl.NumberFormat('en')

// grouped writes a number with separators.
export const grouped = (n) => numbers.format(n)

// counted writes a number with its noun.
export const counted = (n, one, many = one + 's') => `${grouped(n)} ${n === 1 ? one : many}`

// seconds writes a time that is given in milliseconds.
export function seconds(ms) {
  if (ms < 1) return `${Math.round(ms * 1000)} µs`
  if (ms < 1000) return `${ms < 10 ? ms.toFixed(1) : Math.round(ms)} ms`
  return `${(ms / 1000).toFixed(ms < 10000 ? 2 : 1)} s`
}

// bytes writes a size.
export function bytes(n) {
  for (const unit of ['bytes', 'KiB', 'MiB', 'GiB']) {
    if (n < 1024 || unit === 'GiB') return unit === 'bytes' ? `${n} bytes` : `${n.toFixed(1)} ${unit}`
    n /= 1024
  }
}

// strip makes a row of tabs with their panels' names. choose is called with the name of a tab.
export function strip(label, names, chosen, choose) {
  const tabs = names.map((name) =>
    h('button', { role: 'tab', type: 'button', 'data-name': name, 'aria-selected': String(name === chosen), tabindex: name === chosen ? 0 : -1, onclick: () => choose(name) }, name))
  return h('div', { role: 'tablist', 'aria-label': label, class: 'strip', onkeydown: arrows }, tabs)
}

// arrows moves among the tabs of a row, as keyboards do.
export function arrows(event) {
  const step = { ArrowRight: 1, ArrowLeft: -1 }[event.key]
  const tabs = [...event.currentTarget.querySelectorAll('[role=tab]')]
  const at = tabs.indexOf(document.activeElement)
  if (!step || at < 0) return
  event.preventDefault()
  tabs[(at + step + tabs.length) % tabs.length].focus()
}
