/**
 * Sign-in links and sessions of people. A link and a session are random secrets of which only the digest is stored. A
 * link works once, for 15 minutes, for one member. A session ends after 12 hours without a request, after 7 days in any
 * case, at sign-out, and when its member is removed. Nothing is kept in memory: every request reads the session and the
 * member's role, so that an end and a new role hold on every node from the next request.
 */
import { Context, Data, type Effect, type Redacted } from "effect"
import type { Forbidden, NotFound } from "../domain/ApiErrors.js"
import type { Actor, Origin } from "../domain/AuditEntry.js"
import type { MemberId, SessionId, WorkspaceId } from "../domain/Ids.js"
import type { Member, Role } from "../domain/Member.js"
import type { StorageError } from "../domain/StorageErrors.js"
import type { Principal } from "./Accounts.js"

export interface Session {
  readonly sessionId: SessionId
  readonly memberId: MemberId
  readonly name: string
  readonly role: Role
  /** Null for an operator, who acts in every workspace. */
  readonly workspaceId: WorkspaceId | null
  /** What every form of the session carries. Made from the session's secret, and so stored nowhere. */
  readonly csrf: string
  readonly createdAt: number
  /** When it ends if no further request comes. */
  readonly expiresAt: number
}

export interface SignInLink {
  /** Shown once, never stored. */
  readonly secret: Redacted.Redacted<string>
  readonly expiresAt: number
}

export interface SignedIn {
  readonly session: Session
  /** For the cookie. */
  readonly secret: Redacted.Redacted<string>
}

/** A link that is unknown, used or too old. The three are not told apart. */
export class LinkOver extends Data.TaggedError("LinkOver")<{}> {
  override get message() {
    return "This sign-in link was used already, or is older than 15 minutes"
  }
}

/** What a sign-in knows of the browser that asks for it. */
export interface Browser {
  readonly origin: Origin
  /** The session that its cookie named until now. It ends with the sign-in, whoever it belonged to. */
  readonly replaces: Redacted.Redacted<string> | null
}

export class Sessions extends Context.Tag("gateway/services/Sessions")<
  Sessions,
  {
    /**
     * An owner makes links for members of their workspace, operators and the command line for everybody, and each
     * person for themselves.
     */
    readonly makeLink: (
      workspaceId: WorkspaceId | null,
      memberId: MemberId,
      by: Actor
    ) => Effect.Effect<SignInLink, Forbidden | NotFound | StorageError>
    /** Whom a link signs in. Does not use it up. */
    readonly linkedMember: (link: Redacted.Redacted<string>) => Effect.Effect<Member, LinkOver | StorageError>
    /** Uses the link up and begins a session, in one transaction: of two at once, one signs in. */
    readonly signInByLink: (
      link: Redacted.Redacted<string>,
      browser: Browser
    ) => Effect.Effect<SignedIn, LinkOver | StorageError>
    /** For a person whom somebody else has made sure of, such as an OpenID provider. */
    readonly signIn: (memberId: MemberId, browser: Browser) => Effect.Effect<SignedIn, NotFound | StorageError>
    /** Null for what is no session, or none any more. Writes down the time of the request at most once a minute. */
    readonly find: (secret: Redacted.Redacted<string>) => Effect.Effect<Session | null, StorageError>
    /** Twice is the same as once. */
    readonly signOut: (session: Session, by: Actor) => Effect.Effect<void, StorageError>
    /**
     * Ends all sessions of the member, and their unused links. Answers how many sessions. Members may do so themselves;
     * for others it takes what `makeLink` takes.
     */
    readonly signOutEverywhere: (
      workspaceId: WorkspaceId | null,
      memberId: MemberId,
      by: Actor
    ) => Effect.Effect<number, Forbidden | NotFound | StorageError>
    /**
     * The session as a caller in a workspace, with the scopes of its role. `NotFound` for a workspace that is not the
     * session's own; operators may act in each. Made of a token without a usable secret, which each member has once per
     * workspace, so that their runs have limits and a ledger like all others.
     */
    readonly principal: (
      session: Session,
      workspaceId: WorkspaceId
    ) => Effect.Effect<Principal, NotFound | StorageError>
  }
>() {}
