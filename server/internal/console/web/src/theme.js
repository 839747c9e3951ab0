// Light and dark: what the system says, unless the user chose.

import { h } from './dom.js'

const key = 'rete.theme'

// applyTheme sets the theme that was chosen, before anything is drawn.
export function applyTheme() {
  const chosen = localStorage.getItem(key)
  if (chosen) document.documentElement.dataset.theme = chosen
}

const isDark = () => (document.documentElement.dataset.theme ?? (matchMedia('(prefers-color-scheme: dark)').matches ? 'dark' : 'light')) === 'dark'

// themeSwitch is the button that changes it.
export function themeSwitch() {
  const button = h('button', { type: 'button', id: 'theme', onclick: flip })
  const label = () => (button.textContent = isDark() ? 'Light' : 'Dark')
  function flip() {
    const to = isDark() ? 'light' : 'dark'
    document.documentElement.dataset.theme = to
    localStorage.setItem(key, to)
    label()
    dispatchEvent(new Event('themechange'))
  }
  matchMedia('(prefers-color-scheme: dark)').addEventListener('change', () => {
    label()
    dispatchEvent(new Event('themechange'))
  })
  label()
  return button
}

// color resolves a color of the stylesheet, for what is drawn on a canvas.
export function color(name) {
  const probe = h('span')
  probe.style.color = `var(--${name})`
  document.body.append(probe)
  const value = getComputedStyle(probe).color
  probe.remove()
  return value
}
