/** The route of the audit trail. */
import { HttpApiEndpoint, HttpApiGroup, OpenApi } from "@effect/platform"
import { auditActionNames } from "../../domain/AuditEntry.js"
import { Access } from "../Access.js"
import { Bearer } from "../Auth.js"
import { WireReading } from "../Envelope.js"
import { choiceParam, instantParam, optionalParam, pageParams, query, textParam } from "../Query.js"
import { AuditPage } from "./Bodies.js"

export class AuditApi extends HttpApiGroup.make("audit")
  .add(
    HttpApiEndpoint.get("list", "/v1/audit")
      .setUrlParams(
        query({
          action: optionalParam(choiceParam(...auditActionNames)),
          actor: optionalParam(textParam(100)),
          subject: optionalParam(textParam(200)),
          from: optionalParam(instantParam),
          to: optionalParam(instantParam),
          ...pageParams
        })
      )
      .addSuccess(AuditPage)
      .addError(WireReading)
      .annotate(Access, "account:manage")
      .annotate(OpenApi.Summary, "List who changed what in the workspace, newest first")
      .annotate(
        OpenApi.Description,
        "Everything that operators, owners, members and tokens changed: money, limits, policy, tokens, connections, people, decisions about uncertain runs. Entries are never changed or deleted. `action` is one of the actions, `actor` the id of a token or member or one of the kinds command_line and gateway, `subject` the id of the thing that was changed, `from` and `to` bound the time (from is included)."
      )
  )
  .middleware(Bearer) {}
