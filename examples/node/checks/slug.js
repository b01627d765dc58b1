// Makes one slug: node checks/slug.js TITLE EXPECTED
import assert from 'node:assert/strict'

import { slug } from '../slug.js'

const [title, expected] = process.argv.slice(2)

assert.equal(slug(title), expected)
