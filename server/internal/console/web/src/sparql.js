// The words and signs of SPARQL, for colors.

import { HighlightStyle, LanguageSupport, StreamLanguage, syntaxHighlighting } from '@codemirror/language'
import { tags } from '@lezer/highlight'

const keywords = new Set((
  'SELECT CONSTRUCT DESCRIBE ASK WHERE FROM NAMED PREFIX BASE DISTINCT REDUCED ORDER BY GROUP HAVING LIMIT OFFSET ASC DESC OPTIONAL UNION MINUS ' +
  'GRAPH FILTER BIND VALUES SERVICE SILENT EXISTS NOT IN AS UNDEF INSERT DELETE DATA WITH USING LOAD CLEAR DROP CREATE ADD MOVE COPY TO INTO ALL ' +
  'DEFAULT SEPARATOR LATERAL TRUE FALSE A').split(' '))

const rules = [
  [/^#.*/, 'comment'],
  [/^("""|''')/, 'long'],
  [/^("(?:[^"\\]|\\.)*"|'(?:[^'\\]|\\.)*')/, 'string'],
  [/^<[^<>"{}|^`\\\s]*>/, 'link'],
  [/^[?$][\p{L}\p{N}_]+/u, 'variableName'],
  [/^@[A-Za-z]+(-[A-Za-z0-9]+)*/, 'meta'],
  [/^_:[\p{L}\p{N}_.-]+/u, 'atom'],
  [/^[\p{L}_][\p{L}\p{N}_.-]*:[\p{L}\p{N}_.%:\\-]*|^:[\p{L}\p{N}_.%:\\-]*/u, 'name'],
  [/^[+-]?(\d+\.?\d*|\.\d+)([eE][+-]?\d+)?/, 'number'],
  [/^[\p{L}_][\p{L}\p{N}_]*/u, 'word'],
  [/^[{}()[\]]/, 'bracket'],
]

const stream = StreamLanguage.define({
  name: 'sparql',
  startState: () => ({ quote: '' }),
  token(s, state) {
    if (state.quote) {
      const end = s.string.indexOf(state.quote, s.pos)
      if (end < 0) s.skipToEnd()
      else {
        s.pos = end + 3
        state.quote = ''
      }
      return 'string'
    }
    if (s.eatSpace()) return null
    for (const [pattern, kind] of rules) {
      const found = s.match(pattern)
      if (!found) continue
      if (kind === 'long') {
        state.quote = found[0]
        return 'string'
      }
      if (kind === 'word') return keywords.has(found[0].toUpperCase()) ? 'keyword' : 'function'
      return kind
    }
    s.next()
    return 'operator'
  },
  tokenTable: { function: tags.function(tags.name), name: tags.propertyName },
  languageData: { commentTokens: { line: '#' }, closeBrackets: { brackets: ['{', '(', '[', '"', "'"] } },
})

const style = HighlightStyle.define([
  { tag: tags.keyword, color: 'var(--keyword)', fontWeight: '600' },
  { tag: [tags.string, tags.meta], color: 'var(--string)' },
  { tag: tags.comment, color: 'var(--faint)', fontStyle: 'italic' },
  { tag: tags.link, color: 'var(--link)' },
  { tag: tags.variableName, color: 'var(--variable)' },
  { tag: tags.propertyName, color: 'var(--link)' },
  { tag: tags.number, color: 'var(--string)' },
  { tag: tags.function(tags.name), color: 'var(--keyword)' },
])

// sparql is the language of the editor.
export const sparql = () => new LanguageSupport(stream, syntaxHighlighting(style))
