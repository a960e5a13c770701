/**
 * A real OAuth 2 server (`oidc-provider`) on a socket of this machine. It rotates refresh tokens and revokes. Its `/me`
 * takes access tokens, as the API of a provider does.
 */
import { createServer, type Server } from "node:http"
import type { AddressInfo } from "node:net"
import { Effect } from "effect"
import { Provider } from "oidc-provider"
import { walkTo } from "./browserWalk.js"

export const clientSecret = "s".repeat(32)

/** With `asks`, people log in and decide on pages of the server, each time; without, everybody is Ada and agrees. */
export const startAuthorizationServer = (redirectUri: string, { asks = false }: { readonly asks?: boolean } = {}) =>
  Effect.acquireRelease(
    Effect.promise(async () => {
      const server: Server = createServer()
      await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve))
      const { port } = server.address() as AddressInfo
      const origin = `http://127.0.0.1:${port}`
      const requests: Array<string> = []
      const provider: Provider = new Provider(origin, {
        clients: [
          {
            client_id: "gateway",
            client_secret: clientSecret,
            redirect_uris: [redirectUri],
            grant_types: ["authorization_code", "refresh_token"]
          }
        ],
        scopes: ["files.read", "offline_access"],
        pkce: { required: () => true },
        cookies: { keys: ["test"] },
        features: { devInteractions: { enabled: asks }, revocation: { enabled: true } },
        issueRefreshToken: async () => true,
        rotateRefreshToken: true,
        findAccount: (_, sub) => ({ accountId: sub, claims: () => ({ sub }) }),
        ...(asks
          ? {}
          : {
              interactions: { url: (_, interaction) => `/interaction/${interaction.uid}` },
              loadExistingGrant: async (context) => {
                const grant = new provider.Grant({ clientId: "gateway", accountId: context.oidc.session!.accountId! })
                grant.addOIDCScope("openid files.read offline_access")
                await grant.save()
                return grant
              }
            })
      })
      const answer = provider.callback()
      const tokens: { answers: "as it should" | "never" | "done and never" | "invalid_grant" } = {
        answers: "as it should"
      }
      server.on("request", (request, response) => {
        const path = request.url ?? ""
        if (path === "/token" && tokens.answers === "done and never")
          // The server does what it was asked, and its answer is lost.
          Object.assign(response, { write: () => true, end: () => response })
        else if (path === "/token" && tokens.answers !== "as it should") {
          requests.push("POST unanswered")
          if (tokens.answers === "never") return
          return void response
            .writeHead(400, { "content-type": "application/json" })
            .end(JSON.stringify({ error: tokens.answers, error_description: clientSecret }))
        }
        requests.push(`${request.method ?? ""} ${path.split("?")[0] ?? ""}`)
        if (asks || !path.startsWith("/interaction/")) return void answer(request, response)
        void provider.interactionFinished(request, response, { login: { accountId: "ada" } })
      })
      /** Goes through the server as the browser of a user who agrees; answers where it sends the user back to. */
      const visit = (address: string): Promise<string> => walkTo(address, redirectUri)
      return {
        origin,
        /** What the token address does from now on. */
        tokens,
        host: `127.0.0.1:${port}`,
        visit: (at: string) => Effect.promise(() => visit(at)),
        asked: (path: string, method = "POST") => requests.filter((each) => each === `${method} ${path}`).length,
        server
      }
    }),
    ({ server }) =>
      Effect.promise(() => new Promise((resolve) => (server.close(resolve), server.closeAllConnections())))
  )
