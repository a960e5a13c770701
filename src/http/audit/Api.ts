/** The route of the audit trail. */
import * as HttpApiEndpoint from "@effect/platform/HttpApiEndpoint"
import * as HttpApiGroup from "@effect/platform/HttpApiGroup"
import * as OpenApi from "@effect/platform/OpenApi"
import { auditActionNames } from "../../domain/AuditEntry.js"
import { Access } from "../Access.js"
import { Bearer } from "../Auth.js"
import { WireReading } from "../Envelope.js"
import { exampleId, field } from "../Fields.js"
import { choiceParam, optionalParam, pageParams, query, textParam, timeParams } from "../Query.js"
import { AuditPage } from "./Bodies.js"

export class AuditApi extends HttpApiGroup.make("audit")
  .add(
    HttpApiEndpoint.get("list", "/v1/audit")
      .setUrlParams(
        query({
          action: optionalParam(field(choiceParam(...auditActionNames), "Only changes of this kind", "token.created")),
          actor: optionalParam(
            field(
              textParam(100),
              "Only changes by this token or member, by its id, or by command_line or gateway",
              exampleId("tok")
            )
          ),
          subject: optionalParam(field(textParam(200), "Only changes of the thing with this id", exampleId("tok"))),
          ...timeParams,
          ...pageParams
        })
      )
      .addSuccess(AuditPage)
      .addError(WireReading)
      .annotate(Access, "account:manage")
      .annotate(OpenApi.Summary, "List who changed what in the workspace, newest first")
      .annotate(
        OpenApi.Description,
        "Everything that operators, owners, members and tokens changed: money, limits, policy, tokens, connections, people, decisions about uncertain runs. Entries are never changed or deleted."
      )
  )
  .annotate(OpenApi.Description, "Who changed what in the workspace")
  .middleware(Bearer) {}
