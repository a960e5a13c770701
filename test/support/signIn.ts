/** A person who is signed in, without the pages that lead there. */
import { Effect, Redacted } from "effect"
import { commandLine } from "../../src/domain/AuditEntry.js"
import type { WorkspaceId } from "../../src/domain/Ids.js"
import type { Role, WorkspaceRole } from "../../src/domain/Member.js"
import { consoleCookies } from "../../src/http/console/Cookies.js"
import { Members } from "../../src/services/Members.js"
import { Sessions } from "../../src/services/Sessions.js"

let made = 0

const signIn = (workspaceId: WorkspaceId | null, role: Role, publicUrl: string) =>
  Effect.gen(function* () {
    const members = yield* Members
    const sessions = yield* Sessions
    const member = yield* members.add({ workspaceId, role, name: `${role} ${++made}`, email: null }, commandLine)
    const { secret, session } = yield* sessions.signIn(member.memberId, {
      origin: { from: "127.0.0.1", requestId: null },
      replaces: null
    })
    return {
      member,
      session,
      secret,
      /** What the browser sends with each request, as `cookie`. */
      cookie: `${consoleCookies(publicUrl).session.name}=${Redacted.value(secret)}`,
      /** What every form carries, as the field `csrf`. */
      csrf: session.csrf
    }
  }).pipe(Effect.orDie)

/** A new owner or member of the workspace. `publicUrl` is that of the gateway that gets the cookie. */
export const signInTo = (workspaceId: WorkspaceId, role: WorkspaceRole, publicUrl = "http://gateway.test") =>
  signIn(workspaceId, role, publicUrl)

/** A new operator. */
export const signInAsOperator = (publicUrl = "http://gateway.test") => signIn(null, "operator", publicUrl)
