/**
 * `console` and `member`: who may sign in to the console, and a link that signs somebody in. The command line may do
 * what an operator may, and makes the first owner and the first operator, because nobody else can.
 */
import * as Args from "@effect/cli/Args"
import * as Command from "@effect/cli/Command"
import * as Options from "@effect/cli/Options"
import { Config, Effect, Option, Redacted } from "effect"
import { counted } from "../domain/Counted.js"
import { NotFound, ValidationError } from "../domain/ApiErrors.js"
import { commandLine } from "../domain/AuditEntry.js"
import type { WorkspaceId } from "../domain/Ids.js"
import { type Member, sameName, signInLinkPath, workspaceRoles } from "../domain/Member.js"
import { Accounts } from "../services/Accounts.js"
import { Members } from "../services/Members.js"
import { PublicUrl } from "../services/PublicUrl.js"
import { Reports } from "../services/Reports.js"
import { Sessions } from "../services/Sessions.js"
import { announced, dryRun } from "./Announced.js"
import { answer, isoTime } from "./Answer.js"
import * as Inputs from "./Inputs.js"
import { workspaceOf } from "./Workspaces.js"

const workspaceOption = Inputs.workspaceOr("; the only one when it is left out")
const operatorOption = Options.boolean("operator").pipe(
  Options.withDescription("The operators of the gateway, who see every workspace, instead of a workspace")
)
const roleOption = Options.choice("role", workspaceRoles).pipe(
  Options.withDescription(
    "An owner also manages members, tokens and connections, and pays; member when it is left out"
  ),
  Options.withDefault("member" as const)
)
const emailOption = Options.text("email").pipe(
  Options.withDescription("By which a sign-in with OpenID Connect knows them the first time"),
  Options.optional
)
const memberArgument = Inputs.text("MEMBER").pipe(Args.withDescription("The member's name or id"))

/** Null for the operators. */
const scopeOf = Effect.fn("scopeOf")(function* (asked: {
  readonly workspace: Option.Option<string>
  readonly operator: boolean
}) {
  if (asked.operator) {
    return Option.isNone(asked.workspace)
      ? null
      : yield* ValidationError.of("operator", "is not for one workspace; leave out --workspace")
  }
  if (Option.isSome(asked.workspace))
    return (yield* (yield* Accounts).workspace(yield* workspaceOf(asked.workspace.value))).workspaceId
  // Two are enough to see that there is not one.
  const [only, other] = (yield* (yield* Reports).workspaces(null, { limit: 2, after: null })).items
  return only !== undefined && other === undefined
    ? only.workspaceId
    : yield* ValidationError.of(
        "workspace",
        only === undefined
          ? "there is none yet; make one with gateway workspace create NAME, or use --operator"
          : "must be named where there are several; gateway workspace list shows them"
      )
})

const named = (people: ReadonlyArray<Member>, text: string): Member | undefined =>
  people.find(({ memberId, name }) => memberId === text || sameName(name, text))

const memberOf = Effect.fn("memberOf")(function* (workspaceId: WorkspaceId | null, text: string) {
  const found = named(yield* (yield* Members).list(workspaceId), text)
  return found ?? (yield* new NotFound({ what: "member", id: text }))
})

/** Who signs in, and whether they were made for it. */
const personFor = Effect.fn("personFor")(function* (workspaceId: WorkspaceId | null, asked: string | null) {
  const members = yield* Members
  const people = yield* members.list(workspaceId)
  const role = workspaceId === null ? "operator" : "owner"
  const candidates = people.filter((person) => (asked === null ? person.role === role : named([person], asked)))
  const [only, ...more] = candidates
  if (only !== undefined && more.length === 0) return { member: only, made: false }
  if (only !== undefined)
    return yield* ValidationError.of("member", `name one of ${candidates.map(({ name }) => name).join(", ")}`)
  if (people.some((person) => person.role === role)) return yield* new NotFound({ what: "member", id: asked ?? role })
  const member = yield* members.add({ workspaceId, role, name: asked ?? role, email: null }, commandLine)
  return { member, made: true }
})

export const console = Command.make(
  "console",
  {
    workspace: workspaceOption,
    member: Options.text("member").pipe(
      Options.withPseudoName("NAME"),
      Options.withDescription("Who signs in; the only owner or operator when it is left out"),
      Options.optional
    ),
    operator: operatorOption,
    json: Inputs.json
  },
  ({ json, member: asked, ...where }) =>
    answer(
      json,
      Effect.gen(function* () {
        const workspaceId = yield* scopeOf(where)
        const { made, member } = yield* personFor(workspaceId, Option.getOrNull(asked))
        const link = yield* (yield* Sessions).makeLink(workspaceId, member.memberId, commandLine)
        const url = `${yield* PublicUrl}${signInLinkPath(Redacted.value(link.secret))}`
        const { memberId, name, role } = member
        const isGuessed = (yield* Effect.all(
          ["GATEWAY_PUBLIC_URL", "PORT"].map((setting) => Config.option(Config.nonEmptyString(setting)))
        )).every(Option.isNone)
        return {
          json: { url, expiresAt: isoTime(link.expiresAt), memberId, name, role, workspaceId, made },
          text: [
            ...(made ? [`There was no ${role} yet: ${name} was made one`] : []),
            `${name === role ? name : `${name} (${role})`} signs in with this link, once, before ${isoTime(link.expiresAt)}:`,
            url,
            ...(isGuessed
              ? [
                  "Neither GATEWAY_PUBLIC_URL nor PORT is set for this command: where the gateway has another address, set them here as there"
                ]
              : [])
          ].join("\n")
        }
      })
    )
).pipe(Command.withDescription("Print a link that signs somebody in to the console, once"))

const add = Command.make(
  "add",
  {
    name: Inputs.text("NAME").pipe(Args.withDescription("What the member is called")),
    workspace: workspaceOption,
    operator: operatorOption,
    role: roleOption,
    email: emailOption,
    json: Inputs.json
  },
  ({ email, json, name, role, ...where }) =>
    answer(
      json,
      Effect.gen(function* () {
        const workspaceId = yield* scopeOf(where)
        const member = yield* (yield* Members).add(
          { workspaceId, name, role: workspaceId === null ? "operator" : role, email: Option.getOrNull(email) },
          commandLine
        )
        return {
          json: { memberId: member.memberId, role: member.role },
          text: `${member.memberId}: ${member.name} is ${member.role}; gateway console ${workspaceId === null ? "--operator" : `--workspace ${workspaceId}`} --member ${JSON.stringify(member.name)} prints their sign-in link`
        }
      })
    )
).pipe(Command.withDescription("Add somebody to a workspace, or an operator to the gateway"))

const list = Command.make(
  "list",
  { workspace: workspaceOption, operator: operatorOption, json: Inputs.json },
  ({ json, ...where }) =>
    answer(
      json,
      Effect.gen(function* () {
        const people = yield* (yield* Members).list(yield* scopeOf(where))
        return {
          json: {
            members: people.map(({ createdAt, email, memberId, name, role }) => ({
              memberId,
              name,
              role,
              email,
              createdAt: isoTime(createdAt)
            }))
          },
          text:
            people.length === 0
              ? "Nobody yet"
              : people
                  .map(({ email, memberId, name, role }) =>
                    [memberId, role.padEnd(8), name, ...(email === null ? [] : [email])].join("  ")
                  )
                  .join("\n")
        }
      })
    )
).pipe(Command.withDescription("Everybody of a workspace, or all operators, oldest first"))

const remove = Command.make(
  "remove",
  {
    who: memberArgument,
    workspace: workspaceOption,
    operator: operatorOption,
    revokeTokens: Options.boolean("revoke-tokens").pipe(
      Options.withDescription("Also revoke the tokens that they made or approved")
    ),
    dryRun,
    json: Inputs.json
  },
  ({ dryRun, json, revokeTokens, who, ...where }) =>
    announced(
      { dryRun, json },
      Effect.gen(function* () {
        const members = yield* Members
        const workspaceId = yield* scopeOf(where)
        const { memberId, name, role } = yield* memberOf(workspaceId, who)
        return {
          will: [
            `Removes ${name}, ${role} of ${workspaceId ?? "the gateway"}, and ends their sessions and sign-in links`,
            `The tokens that they made or approved ${revokeTokens ? "are revoked" : "go on working"}`
          ],
          work: Effect.map(
            members.remove(workspaceId, memberId, { revokeTokens }, commandLine),
            ({ member, tokens }) => {
              const theirs = `${counted(tokens.length, "token")} of theirs`
              return {
                json: { memberId, removed: true, tokens, tokensRevoked: revokeTokens },
                text: [
                  `${member.name} is removed and signed out everywhere`,
                  ...(tokens.length === 0
                    ? []
                    : revokeTokens
                      ? [`${theirs} revoked: ${tokens.join(", ")}`]
                      : [`${theirs} still working: ${tokens.join(", ")} (gateway token revoke ID ends one)`])
                ].join("\n")
              }
            }
          )
        }
      })
    )
).pipe(Command.withDescription("Remove somebody; their sessions end at once"))

const role = Command.make(
  "role",
  {
    who: memberArgument,
    role: Args.choice(
      workspaceRoles.map((each) => [each, each]),
      { name: "ROLE" }
    ).pipe(Args.withDescription("What they are from now on")),
    workspace: workspaceOption,
    dryRun,
    json: Inputs.json
  },
  ({ dryRun, json, role: asked, who, workspace }) =>
    announced(
      { dryRun, json },
      Effect.gen(function* () {
        const members = yield* Members
        const workspaceId = yield* scopeOf({ workspace, operator: false })
        if (workspaceId === null) return yield* ValidationError.of("workspace", "must be named")
        const { memberId, name, role: before } = yield* memberOf(workspaceId, who)
        return {
          will: [
            before === asked
              ? `Leaves ${name} ${asked} of ${workspaceId}, as they are`
              : `Makes ${name} ${asked} of ${workspaceId}; they are ${before} now`
          ],
          work: Effect.map(members.setRole(workspaceId, memberId, asked, commandLine), (member) => ({
            json: { memberId, role: member.role },
            text: `${member.name} is ${member.role} from the next request on`
          }))
        }
      })
    )
).pipe(Command.withDescription("Make somebody an owner or a member"))

export const member = Command.make("member").pipe(
  Command.withDescription("People who sign in to the console"),
  Command.withSubcommands([add, list, remove, role])
)
