/** A real OpenID provider (`oidc-provider`) on a socket of this machine. It lets in the account that a test names. */
import { generateKeyPairSync } from "node:crypto"
import { createServer, type Server } from "node:http"
import type { AddressInfo } from "node:net"
import { Effect } from "effect"
import { Provider } from "oidc-provider"
import { walkTo } from "./browserWalk.js"

export interface Account {
  readonly sub: string
  readonly email?: string
  readonly email_verified?: boolean
}

export const startOpenIdProvider = (redirectUri: string) =>
  Effect.acquireRelease(
    Effect.promise(async () => {
      const server: Server = createServer()
      await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve))
      const issuer = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
      const accounts = new Map<string, Account>()
      let current = ""
      const provider: Provider = new Provider(issuer, {
        clients: [{ client_id: "gateway", client_secret: "s".repeat(32), redirect_uris: [redirectUri] }],
        claims: { openid: ["sub"], email: ["email", "email_verified"] },
        pkce: { required: () => true },
        cookies: { keys: ["test"] },
        features: { devInteractions: { enabled: false } },
        interactions: { url: (_, interaction) => `/interaction/${interaction.uid}` },
        findAccount: (_, sub) => ({ accountId: sub, claims: () => ({ ...accounts.get(sub), sub }) }),
        loadExistingGrant: async (context) => {
          const { Grant } = provider
          const grant = new Grant({ clientId: "gateway", accountId: context.oidc.session!.accountId! })
          grant.addOIDCScope("openid email")
          await grant.save()
          return grant
        }
      })
      const answer = provider.callback()
      let published: string | null = null
      /** From now on, the published keys are not those that sign, under the same names. */
      const publishOtherKeys = async () => {
        const { keys } = (await (await fetch(`${issuer}/jwks`)).json()) as { readonly keys: ReadonlyArray<object> }
        const other = generateKeyPairSync("rsa", { modulusLength: 2048 }).publicKey.export({ format: "jwk" })
        published = JSON.stringify({ keys: keys.map((key) => ({ ...key, ...other })) })
      }
      /** From now on, the provider's metadata are changed so. */
      let metadata: string | null = null
      const publishMetadata = async (change: (metadata: Record<string, unknown>) => object) => {
        metadata = null
        const own = (await (await fetch(`${issuer}/.well-known/openid-configuration`)).json()) as Record<
          string,
          unknown
        >
        metadata = JSON.stringify(change(own))
      }
      server.on("request", (request, response) => {
        if (request.url === "/.well-known/openid-configuration" && metadata !== null)
          return void response.setHeader("content-type", "application/json").end(metadata)
        if (request.url === "/jwks" && published !== null)
          return void response.setHeader("content-type", "application/json").end(published)
        if (request.url?.startsWith("/interaction/") !== true) return void answer(request, response)
        void provider.interactionFinished(request, response, { login: { accountId: current } })
      })
      /** Goes through the provider as the browser of this account; answers where it sends the person back to. */
      const visit = (address: string, account: Account): Promise<string> => {
        accounts.set(account.sub, account)
        current = account.sub
        return walkTo(address, redirectUri)
      }
      return {
        issuer,
        visit: (at: string, who: Account) => Effect.promise(() => visit(at, who)),
        publishOtherKeys: Effect.promise(publishOtherKeys),
        publishMetadata: (change: (metadata: Record<string, unknown>) => object) =>
          Effect.promise(() => publishMetadata(change)),
        server
      }
    }),
    ({ server }) =>
      Effect.promise(() => new Promise((resolve) => (server.close(resolve), server.closeAllConnections())))
  )
