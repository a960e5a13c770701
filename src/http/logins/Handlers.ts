/** Translates between command-line logins and their service. A person decides in `console/sign-in/Approve.ts`. */
import * as HttpApiBuilder from "@effect/platform/HttpApiBuilder"
import type * as HttpApiGroup from "@effect/platform/HttpApiGroup"
import { Context, Effect, type Layer } from "effect"
import { LoginApprovals } from "../../services/LoginApprovals.js"
import { Api } from "../Api.js"
import type { Open } from "../Auth.js"
import { jsonBody } from "../Body.js"
import { publicBudget } from "../BodyBudget.js"
import { approvalIdOf } from "../GivenId.js"
import { served, type Served } from "../serving/Endpoints.js"
import { HttpSettings } from "../Settings.js"
import { loginBody, loginCreated, LoginInput } from "./Bodies.js"

const readLogin = jsonBody(LoginInput, publicBudget)

type Services = HttpSettings | LoginApprovals | Open | Served

export const LoginsHandlers: Layer.Layer<
  HttpApiGroup.ApiGroup<"provider-gateway", "logins">,
  never,
  Services
> = HttpApiBuilder.group(Api, "logins", (handlers) =>
  served(
    Effect.gen(function* () {
      const logins = yield* LoginApprovals
      const { publicUrl } = yield* HttpSettings

      const get = (raw: string) => Effect.flatMap(approvalIdOf(raw), logins.get)

      return handlers
        .handleRaw(
          "create",
          Effect.fnUntraced(function* ({ request }) {
            const { digest, expiresAt = null, label, scopes } = yield* readLogin(request)
            return loginCreated(
              yield* logins.create({ digest, label, scopes: [...new Set(scopes)], tokenExpiresAt: expiresAt }),
              publicUrl
            )
          })
        )
        .handle("get", ({ path }) => Effect.map(get(path.approvalId), loginBody))
    }),
    Context.pick()
  )
)
