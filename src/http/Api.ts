/**
 * The whole interface: every group, and the errors that any route can answer with. The routes and the OpenAPI document
 * derive from it.
 */
import * as HttpApi from "@effect/platform/HttpApi"
import * as OpenApi from "@effect/platform/OpenApi"
import { productName, productVersion } from "../domain/Product.js"
import { AccountApi } from "./account/Api.js"
import { AuditApi } from "./audit/Api.js"
import { CatalogApi, PublicCatalogApi } from "./catalog/Api.js"
import { ConnectionsApi } from "./connections/Api.js"
import { Wire } from "./Envelope.js"
import { LoginsApi } from "./logins/Api.js"
import { OAuthApi } from "./logins/OAuthApi.js"
import { AutomaticTopUpsApi } from "./payments/AutomaticApi.js"
import { PagesApi } from "./pages/Api.js"
import { PaymentsApi } from "./payments/Api.js"
import { RunsApi } from "./runs/Api.js"
import { SystemApi } from "./system/Api.js"
import { TokensApi } from "./tokens/Api.js"

export class Api extends HttpApi.make("provider-gateway")
  .add(PublicCatalogApi)
  .add(CatalogApi)
  .add(RunsApi)
  .add(AccountApi)
  .add(TokensApi)
  .add(AuditApi)
  .add(ConnectionsApi)
  .add(LoginsApi)
  .add(OAuthApi)
  .add(AutomaticTopUpsApi)
  .add(PaymentsApi)
  .add(PagesApi)
  .add(SystemApi)
  .addError(Wire.ValidationError)
  .addError(Wire.InternalError)
  // No route can name these errors, because they are about paths and methods that do not exist.
  .annotate(HttpApi.AdditionalSchemas, [Wire.RouteNotFound, Wire.MethodNotAllowed, Wire.RequestTimeout])
  .annotate(OpenApi.Title, productName)
  .annotate(OpenApi.Version, productVersion)
  .annotate(
    OpenApi.Description,
    "One token and one prepaid balance to discover, inspect, run and pay for operations of many providers."
  ) {}
