// holdfast for opencode: what happens is told to the ledger, what it knows is told to the model.
// Put here by `holdfast agents install opencode`; `holdfast agents remove opencode` takes it away.
// Each event is one short process. Nothing here keeps opencode from working: whatever goes wrong
// is said on stderr by that process, and told by `holdfast agents status`.
import { spawn } from "node:child_process"

const COMMAND = __COMMAND__
const EVENTS = new Set(__EVENTS__)
const WAIT_MS = __WAIT_MS__

function tell(cwd, payload) {
  return new Promise((resolve) => {
    let out = ""
    let child
    const timer = setTimeout(() => done({}), WAIT_MS)
    function done(answer) {
      clearTimeout(timer)
      resolve(answer)
    }
    try {
      child = spawn(COMMAND[0], COMMAND.slice(1), { cwd, stdio: ["pipe", "pipe", "ignore"] })
      child.on("error", () => done({}))
      child.stdin.on("error", () => {})
      child.stdout.on("data", (part) => (out += part))
      child.on("close", () => {
        try {
          done(out.trim() ? JSON.parse(out) : {})
        } catch {
          done({})
        }
      })
      child.stdin.end(JSON.stringify(payload))
    } catch {
      done({})
    }
  })
}

export const Holdfast = async ({ client, directory, worktree }) => {
  const cwd = directory || worktree || process.cwd()
  const contexts = new Map()
  const compacted = new Set()
  const summaries = new Map()
  let queue = Promise.resolve()

  // One after the other, so that they arrive in the order in which they happened.
  function send(name, session, input, output) {
    if (!EVENTS.has(name)) return Promise.resolve({})
    const payload = { hook_event_name: name, session_id: session ?? null, cwd, input, output }
    queue = queue.then(() => tell(cwd, payload))
    return queue
  }

  function summaryOf(session) {
    if (!summaries.has(session)) summaries.set(session, { messageID: null, parts: new Map() })
    return summaries.get(session)
  }

  // A compaction is told part by part, and at last that it is over: keep the parts until then.
  function more(type, session, told) {
    const part = told.part ?? {}
    if (type === "message.updated" && told.info?.summary === true) {
      summaryOf(session).messageID = told.info.id
    } else if (type === "message.part.updated" && part.type === "compaction") {
      summaries.set(session, { messageID: null, parts: new Map(), auto: part.auto === true })
    } else if (type === "message.part.updated" && part.type === "text") {
      const known = summaries.get(session)
      if (!part.messageID || known?.messageID !== part.messageID) return undefined
      known.parts.set(part.id, part.text)
      return { summary: true }
    } else if (type === "session.compacted") {
      const { messageID, parts, auto } = summaryOf(session)
      const text = [...parts.values()].join("\n")
      contexts.delete(session)
      compacted.add(session)
      summaries.delete(session)
      return { auto, summary: text ? { messageID, text } : null }
    }
    return undefined
  }

  async function show(message) {
    try {
      await client.tui.showToast({ body: { message, variant: "info" } })
    } catch {
      // There is no screen to show it on.
    }
  }

  return {
    event: async ({ event }) => {
      const told = event.properties ?? {}
      const session = told.sessionID ?? told.info?.sessionID ?? told.info?.id ?? told.part?.sessionID
      const output = more(event.type, session, told)
      if (event.type === "message.part.updated" && !told.part?.time?.end) return
      if (event.type === "message.updated" && !told.info?.time?.completed) return
      const answer = await send(event.type, session, told, output)
      if (answer.message) await show(answer.message)
    },
    "chat.message": async (input, output) => {
      const answer = await send("chat.message", input.sessionID, input, output)
      if (answer.block) throw new Error(answer.block)
    },
    "command.execute.before": async (input, output) => {
      const answer = await send("command.execute.before", input.sessionID, input, output)
      if (answer.block) throw new Error(answer.block)
    },
    "tool.execute.before": async (input, output) => {
      const answer = await send("tool.execute.before", input.sessionID, input, output)
      if (answer.block) throw new Error(answer.block)
    },
    "tool.execute.after": async (input, output) => {
      await send("tool.execute.after", input.sessionID, input, output)
    },
    "experimental.session.compacting": async (input, output) => {
      const answer = await send("experimental.session.compacting", input.sessionID, input)
      if (answer.context) output.context.push(answer.context)
    },
    "experimental.chat.system.transform": async (input, output) => {
      const session = input.sessionID ?? ""
      if (!contexts.has(session)) {
        const name = "experimental.chat.system.transform"
        const output = { compacted: compacted.delete(session) }
        const answer = await send(name, input.sessionID, { sessionID: input.sessionID }, output)
        contexts.set(session, answer.context ?? "")
      }
      if (contexts.get(session)) output.system.push(contexts.get(session))
    },
  }
}
