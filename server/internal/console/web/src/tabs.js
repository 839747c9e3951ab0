// The texts that are open, and those that ran: kept by the browser, for this server's address.

const tabsKey = `rete.tabs ${location.pathname}`
const historyKey = `rete.history ${location.pathname}`
const maxHistory = 200
const first = 'SELECT * WHERE {\n  ?s ?p ?o\n} LIMIT 100'

const read = (key, otherwise) => {
  try {
    return JSON.parse(localStorage.getItem(key)) ?? otherwise
  } catch {
    return otherwise
  }
}

function write(key, value) {
  try {
    localStorage.setItem(key, JSON.stringify(value))
  } catch {
    // full: what is open stays in this page
  }
}

// Tabs are the open texts, one of which is chosen. A tab has id, name, text and generation, of the
// data that it asks; 0 is now.
export class Tabs {
  constructor() {
    const saved = read(tabsKey, null)
    this.list = Array.isArray(saved?.list) && saved.list.length ? saved.list : [this.make(first)]
    this.chosen = this.list.find((t) => t.id === saved?.chosen) ?? this.list[0]
  }

  make(text, name, generation = 0) {
    return { id: crypto.randomUUID?.() ?? String(Math.random()), name: name ?? '', text, generation }
  }

  add(text = first, name, generation) {
    this.chosen = this.make(text, name, generation)
    this.list.push(this.chosen)
    this.save()
  }

  choose(tab) {
    this.chosen = tab
    this.save()
  }

  close(tab) {
    const at = this.list.indexOf(tab)
    this.list.splice(at, 1)
    if (!this.list.length) this.list.push(this.make(first))
    if (this.chosen === tab) this.chosen = this.list[Math.min(at, this.list.length - 1)]
    this.save()
  }

  save() {
    write(tabsKey, { list: this.list, chosen: this.chosen.id })
  }
}

// nameOf is what a tab is called: its name, or the first words of its text.
export function nameOf(tab) {
  if (tab.name) return tab.name
  const text = tab.text.replace(/^\s*(#.*\n|(prefix|base)\b[^>]*>\s*)*/i, '').replace(/\s+/g, ' ')
  return text.slice(0, 24) || 'empty'
}

// ran returns the texts that ran, the newest first.
export const ran = () => read(historyKey, [])

// remember adds a text to those that ran.
export function remember(text) {
  const rest = ran().filter((r) => r.text !== text)
  write(historyKey, [{ text, at: Date.now() }, ...rest].slice(0, maxHistory))
}
