// Asks the service once: node checks/answers.js ADDRESS STATUS [BODY]
import { createServer } from 'node:http'

import { handle } from '../service.js'

const [address, status, body] = process.argv.slice(2)

const server = createServer(handle).listen(0, '127.0.0.1', async () => {
  const answer = await fetch(`http://127.0.0.1:${server.address().port}${address}`)
  const said = await answer.text()
  console.log(`${address}: ${answer.status} ${said}`)
  process.exit(answer.status === Number(status) && (body ?? said) === said ? 0 : 1)
})
