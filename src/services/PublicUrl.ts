/** The URL by which people and clients reach this gateway, without a slash at its end. */
import { Context } from "effect"

export class PublicUrl extends Context.Tag("gateway/services/PublicUrl")<PublicUrl, string>() {}
