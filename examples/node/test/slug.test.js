import assert from 'node:assert/strict'
import { test } from 'node:test'

import { slug } from '../slug.js'

test('words are joined by dashes', () => {
  assert.equal(slug('  A day at the sea!  '), 'a-day-at-the-sea')
})

test('some characters are written out', () => {
  assert.equal(slug('Straße & Grøn'), 'strasse-and-gron')
})

test('a title without letters has an empty slug', () => {
  assert.equal(slug('…'), '')
})
