/**
 * What becomes of curl commands as the documentation of providers shows them: the operation sends what the command
 * sends, and its key is where the command has it. Values are shortened.
 */
import { assert, describe, it } from "@effect/vitest"
import { Either } from "effect"
import { ExactNumber } from "../../../src/domain/ExactNumber.js"
import type { Json, JsonObject } from "../../../src/domain/Json.js"
import type { Endpoint } from "../../../src/domain/Manifest.js"
import { inputFields } from "../../../src/domain/OperationInput.js"
import { curlOperation } from "../../../src/layers/catalog/import/CurlOperation.js"
import { OperationImporter } from "../../../src/layers/catalog/import/ImportedOperation.js"
import { ReportBuilder } from "../../../src/layers/catalog/import/ImportReport.js"
import { sentRequest } from "../../support/sentRequest.js"

interface Row {
  readonly of: string
  readonly command: string
  readonly auth: object
  /** Values of the fields for which the command has no example. */
  readonly input?: JsonObject
  readonly sends: string
}

const json = (value: Json): string => `application/json\n${JSON.stringify(value)}`

const rows: ReadonlyArray<Row> = [
  {
    of: "Stripe: a form, the key as user without a password",
    command: `curl https://api.stripe.com/v1/customers \\
  -u "sk_test_BQokikJOvBiI2HlWgH4olfQ2:" \\
  -d name="Jenny Rosen" \\
  --data-urlencode email="jenny@example.com" \\
  -d "metadata[order_id]"=6735`,
    auth: { type: "basic", passwordless: true },
    sends:
      "POST https://api.stripe.com/v1/customers\napplication/x-www-form-urlencoded\nname=Jenny+Rosen&email=jenny%40example.com&metadata%5Border_id%5D=6735"
  },
  {
    of: "Stripe: an id in the path",
    command: `curl -G https://api.stripe.com/v1/customers/cus_9s6XKzkNRiz8i3/sources -u $STRIPE_API_KEY: -d object=card -d limit=3`,
    auth: { type: "basic", passwordless: true },
    sends: "GET https://api.stripe.com/v1/customers/cus_9s6XKzkNRiz8i3/sources?object=card&limit=3"
  },
  {
    of: "Telegram: the token in the path, as a variable of the shell",
    command: `TOKEN=$(cat ~/.config/telegram/bot_token)
CHAT_ID="123456789"
curl -s -X POST "https://api.telegram.org/bot\${TOKEN}/sendMessage" \\
-H "Content-Type: application/json" \\
-d '{
"chat_id": "'$CHAT_ID'",
"text": "*Bold* _italic_ \`code\`",
"parse_mode": "MarkdownV2"
}'`,
    auth: { type: "path", name: "token" },
    sends: `POST https://api.telegram.org/bot{token}/sendMessage\n${json({ chat_id: "123456789", text: "*Bold* _italic_ `code`", parse_mode: "MarkdownV2" })}`
  },
  {
    of: "Telegram: a real token in the path, and a photo",
    command: `curl -F chat_id="123" -F "photo=@/path/to/image.jpg" "https://api.telegram.org/bot110201543:AAHdqTcvCH1vGWJxfSeofSAs0K5PALDsaw/sendPhoto"`,
    auth: { type: "path", name: "token" },
    input: { photo: { base64: "aGk=", filename: "a.jpg", contentType: "image/jpeg" } },
    sends:
      'POST https://api.telegram.org/bot{token}/sendPhoto\nmultipart/form-data; boundary=b\n--b\r\nContent-Disposition: form-data; name="chat_id"\r\n\r\n123\r\n--b\r\nContent-Disposition: form-data; name="photo"; filename="a.jpg"\r\nContent-Type: image/jpeg\r\n\r\nhi\r\n--b--\r\n'
  },
  {
    of: "parts of a form with a type of their own",
    command: `curl https://api.shop.example/v1/a -F 'meta={"a":1};type=application/json' -F "photo=@a.png;type=image/png"`,
    auth: { type: "none" },
    input: { photo: { base64: "aGk=", filename: "a" } },
    sends:
      'POST https://api.shop.example/v1/a\nmultipart/form-data; boundary=b\n--b\r\nContent-Disposition: form-data; name="meta"\r\nContent-Type: application/json\r\n\r\n{"a":1}\r\n--b\r\nContent-Disposition: form-data; name="photo"; filename="a"\r\nContent-Type: image/png\r\n\r\nhi\r\n--b--\r\n'
  },
  {
    of: "Twilio: the account in the path, a form of encoded values",
    command: `curl -X POST https://api.twilio.com/2010-04-01/Accounts/YOUR_ACCOUNT_SID/Messages.json \\
--data-urlencode "To=+15551234567" \\
--data-urlencode "Body=Your appointment is at 3PM" \\
-u YOUR_ACCOUNT_SID:YOUR_AUTH_TOKEN`,
    auth: { type: "basic" },
    input: { account_sid: "AC1" },
    sends:
      "POST https://api.twilio.com/2010-04-01/Accounts/AC1/Messages.json\napplication/x-www-form-urlencoded\nTo=%2B15551234567&Body=Your+appointment+is+at+3PM"
  },
  {
    of: "Mailgun: a field of a form twice",
    command: `curl -s --user 'api:YOUR_API_KEY' \\
  https://api.mailgun.net/v3/YOUR_DOMAIN_NAME/messages \\
  -F from='Excited User <postmaster@mg.example.com>' \\
  -F to=one@example.com \\
  -F to=two@example.com \\
  -F subject='Hello there!'`,
    auth: { type: "basic" },
    input: { domain_name: "mg.example.com" },
    sends:
      'POST https://api.mailgun.net/v3/mg.example.com/messages\nmultipart/form-data; boundary=b\n--b\r\nContent-Disposition: form-data; name="from"\r\n\r\nExcited User <postmaster@mg.example.com>\r\n--b\r\nContent-Disposition: form-data; name="to"\r\n\r\none@example.com\r\n--b\r\nContent-Disposition: form-data; name="to"\r\n\r\ntwo@example.com\r\n--b\r\nContent-Disposition: form-data; name="subject"\r\n\r\nHello there!\r\n--b--\r\n'
  },
  {
    of: "Notion: a version in a header, a nested body",
    command: `curl 'https://api.notion.com/v1/pages' \\
  -H 'Authorization: Bearer '"$NOTION_API_KEY"'' \\
  -H "Content-Type: application/json" \\
  -H "Notion-Version: 2022-06-28" \\
  --data '{ "parent": { "database_id": "d9824bdc" }, "properties": { "Name": { "title": [] } } }'`,
    auth: { type: "bearer" },
    sends: `POST https://api.notion.com/v1/pages\n${json({ parent: { database_id: "d9824bdc" }, properties: { Name: { title: [] } } })}`
  },
  {
    of: "Notion: a placeholder in the path, no body",
    command: `curl -s "https://api.notion.com/v1/blocks/{page_id}/children" \\
-H "Authorization: Bearer $NOTION_KEY" -H "Notion-Version: 2025-09-03" | jq '.results[]'`,
    auth: { type: "bearer" },
    input: { page_id: "p1" },
    sends: "GET https://api.notion.com/v1/blocks/p1/children"
  },
  {
    of: "DataForSEO: a list, one of whose values is a large number",
    command: `curl --location --request POST "https://api.dataforseo.com/v3/serp/google/organic/live/regular" \\
--header "Authorization: Basic \${cred}" \\
--header "Content-Type: application/json" \\
--data-raw "[
    {
        \\"language_code\\": \\"en\\",
        \\"location_code\\": 90071992547409931,
        \\"keyword\\": \\"albert einstein\\"
    }
]"`,
    auth: { type: "basic" },
    input: {
      body: [{ language_code: "en", location_code: new ExactNumber("90071992547409931"), keyword: "albert einstein" }]
    },
    sends:
      'POST https://api.dataforseo.com/v3/serp/google/organic/live/regular\napplication/json\n[{"language_code":"en","location_code":90071992547409931,"keyword":"albert einstein"}]'
  },
  {
    of: "Deepgram: bytes of a file, with their own type",
    command: `curl --request POST --header 'Authorization: Token YOUR_DEEPGRAM_API_KEY' --header 'Content-Type: audio/wav' --data-binary @youraudio.wav --url 'https://api.deepgram.com/v1/listen?model=nova-3&smart_format=true'`,
    auth: { type: "header", name: "Authorization", prefix: "Token " },
    input: { body: { base64: "aGk=" } },
    sends: "POST https://api.deepgram.com/v1/listen?model=nova-3&smart_format=true\naudio/wav\nhi"
  },
  {
    of: "Algolia: two keys in headers, one of them in the host",
    command: `curl -X POST 'https://<APP_ID>-dsn.algolia.net/1/indexes/<INDEX_NAME>/query' \\
-H 'Content-Type: application/json' \\
-H 'X-Algolia-API-Key: <API_KEY>' \\
-H 'X-Algolia-Application-Id: <APP_ID>' \\
--data-raw '{"params":"query=&hitsPerPage=1"}'`,
    auth: { type: "header_pair", names: ["X-Algolia-API-Key", "X-Algolia-Application-Id"] },
    input: { index_name: "products" },
    sends: `POST https://example-dsn.algolia.net/1/indexes/products/query\n${json({ params: "query=&hitsPerPage=1" })}`
  },
  {
    of: "Dixa: a body that follows with <<",
    command: `curl -i -X POST https://dev.dixa.io/v1/conversations \\
  -H 'Authorization: YOUR_API_KEY_HERE' \\
  -H 'Content-Type: application/json' \\
  -d @- <<'EOF'
{
    "requesterId": "9c2a2cce-699f-4a72-89d9-fda5bc8dec8b",
    "subject": "order #123",
    "language": "en"
}
EOF`,
    auth: { type: "header", name: "Authorization" },
    sends: `POST https://dev.dixa.io/v1/conversations\n${json({ requesterId: "9c2a2cce-699f-4a72-89d9-fda5bc8dec8b", subject: "order #123", language: "en" })}`
  },
  {
    of: "GitHub: owner and repository in capitals",
    command: `curl -L \\
  -X POST \\
  -H "Accept: application/vnd.github+json" \\
  -H "Authorization: Bearer <YOUR-TOKEN>" \\
  -H "X-GitHub-Api-Version: 2022-11-28" \\
  https://api.github.com/repos/OWNER/REPO/issues \\
  -d '{"title":"Found a bug","assignees":["octocat"],"milestone":1}'`,
    auth: { type: "bearer" },
    input: { owner: "octocat", repo: "hello" },
    sends: `POST https://api.github.com/repos/octocat/hello/issues\n${json({ title: "Found a bug", assignees: ["octocat"], milestone: 1 })}`
  },
  {
    of: "OpenAI: a chat, with a variable of the shell in double quotes",
    command: `curl https://api.openai.com/v1/chat/completions -H "Content-Type: application/json" -H "Authorization: Bearer $OPENAI_API_KEY" -d '{
    "model": "gpt-5.4",
    "messages": [{ "role": "user", "content": "Hello!" }]
  }'`,
    auth: { type: "bearer" },
    sends: `POST https://api.openai.com/v1/chat/completions\n${json({ model: "gpt-5.4", messages: [{ role: "user", content: "Hello!" }] })}`
  },
  {
    of: "OpenAI: a transcription, a file with its type",
    command: `curl https://api.openai.com/v1/audio/transcriptions \\
  -H "Authorization: Bearer $OPENAI_API_KEY" \\
  -H "Content-Type: multipart/form-data" \\
  -F file="@/path/to/file/audio.mp3;type=audio/mpeg" \\
  -F model="gpt-4o-transcribe"`,
    auth: { type: "bearer" },
    input: { file: { base64: "aGk=", filename: "a.mp3", contentType: "audio/mpeg" } },
    sends:
      'POST https://api.openai.com/v1/audio/transcriptions\nmultipart/form-data; boundary=b\n--b\r\nContent-Disposition: form-data; name="file"; filename="a.mp3"\r\nContent-Type: audio/mpeg\r\n\r\nhi\r\n--b\r\nContent-Disposition: form-data; name="model"\r\n\r\ngpt-4o-transcribe\r\n--b--\r\n'
  },
  {
    of: "Shopify: the shop in the host",
    command: `curl -X GET "https://{shop}.myshopify.com/admin/api/2024-10/products/632910392.json?fields=id,title" -H "X-Shopify-Access-Token: {access_token}"`,
    auth: { type: "header", name: "X-Shopify-Access-Token" },
    sends: "GET https://example.myshopify.com/admin/api/2024-10/products/632910392.json?fields=id,title"
  },
  {
    of: "ExchangeRate-API: the key as a step of the path, a currency behind it",
    command: `curl https://v6.exchangerate-api.com/v6/YOUR-API-KEY/latest/USD`,
    auth: { type: "path", name: "api_key" },
    sends: "GET https://v6.exchangerate-api.com/v6/{api_key}/latest/USD"
  },
  {
    of: "OpenWeather: the key in the query",
    command: `curl "https://api.openweathermap.org/data/2.5/weather?lat=44.34&lon=10.99&appid={API key}"`,
    auth: { type: "query", name: "appid" },
    sends: "GET https://api.openweathermap.org/data/2.5/weather?lat=44.34&lon=10.99"
  },
  {
    of: "NewsAPI: -G with parts of the query",
    command: `curl https://newsapi.org/v2/everything -G \\
    -d q=Apple \\
    -d from=2026-10-22 \\
    -d sortBy=popularity \\
    -d apiKey=API_KEY`,
    auth: { type: "query", name: "apiKey" },
    sends: "GET https://newsapi.org/v2/everything?q=Apple&from=2026-10-22&sortBy=popularity"
  },
  {
    of: "ElevenLabs: text to speech, a voice in the path",
    command: `curl -X POST "https://api.elevenlabs.io/v1/text-to-speech/JBFqnCBsd6RMkjVDRZzb?output_format=mp3_44100_128" \\
     -H "xi-api-key: xi-api-key" \\
     -H "Content-Type: application/json" \\
     -d '{"text": "The first move", "model_id": "eleven_multilingual_v2"}'`,
    auth: { type: "header", name: "xi-api-key" },
    input: { id: "JBFqnCBsd6RMkjVDRZzb" },
    sends: `POST https://api.elevenlabs.io/v1/text-to-speech/JBFqnCBsd6RMkjVDRZzb?output_format=mp3_44100_128\n${json({ text: "The first move", model_id: "eleven_multilingual_v2" })}`
  },
  {
    of: "DeepL: a prefix of its own before the key, lists",
    command: `curl -X POST https://api.deepl.com/v2/translate \\
  --header "Content-Type: application/json" \\
  --header "Authorization: DeepL-Auth-Key $API_KEY" \\
  --data '{"text": ["Hello world!"], "target_lang": "DE"}'`,
    auth: { type: "header", name: "Authorization", prefix: "DeepL-Auth-Key " },
    sends: `POST https://api.deepl.com/v2/translate\n${json({ text: ["Hello world!"], target_lang: "DE" })}`
  },
  {
    of: "Hugging Face: bytes without a type",
    command: `curl https://api-inference.huggingface.co/models/facebook/detr-resnet-50 -X POST --data-binary '@cats.jpg' -H "Authorization: Bearer hf_abcdefghijklmnopqrstuv1234"`,
    auth: { type: "bearer" },
    input: { body: { base64: "aGk=" } },
    sends: "POST https://api-inference.huggingface.co/models/facebook/detr-resnet-50\napplication/octet-stream\nhi"
  },
  {
    of: "Cloudflare: e-mail address and key in headers, a zone in the path",
    command: `curl -X DELETE "https://api.cloudflare.com/client/v4/zones/023e105f4ecef8ad9ca31a8372d0c353/purge_cache" \\
     -H "X-Auth-Email: user@example.com" -H "X-Auth-Key: c2547eb745079dac9320b638f5e225cf483cc5cfdda41" \\
     -H "Content-Type: application/json" --data '{"purge_everything":true}'`,
    auth: { type: "header", name: "X-Auth-Key" },
    input: { zone_id: "z1" },
    sends: `DELETE https://api.cloudflare.com/client/v4/zones/z1/purge_cache\n${json({ purge_everything: true })}`
  },
  {
    of: "Jira: user and key, single quotes inside of double ones",
    command: `curl --request GET \\
  --url 'https://your-domain.atlassian.net/rest/api/3/search/jql?jql=project%20%3D%20HSP&maxResults=50' \\
  --user 'email@example.com:<api_token>' \\
  --header 'Accept: application/json'`,
    auth: { type: "basic" },
    sends: "GET https://example.atlassian.net/rest/api/3/search/jql?jql=project = HSP&maxResults=50"
  },
  {
    of: "PayPal: a token for client and secret",
    command: `curl -v -X POST "https://api-m.sandbox.paypal.com/v1/oauth2/token" -u "CLIENT_ID:CLIENT_SECRET" -H "Content-Type: application/x-www-form-urlencoded" -d "grant_type=client_credentials"`,
    auth: { type: "basic" },
    sends:
      "POST https://api-m.sandbox.paypal.com/v1/oauth2/token\napplication/x-www-form-urlencoded\ngrant_type=client_credentials"
  },
  {
    of: "Google: the token of a command, unquoted, and a key in the query",
    command: `curl -X POST -H "Authorization: Bearer "$(gcloud auth application-default print-access-token) -H "X-Goog-User-Project: PROJECT_ID" -H "Content-Type: application/json; charset=utf-8" -d '{"q": "Hello", "target": "es"}' "https://translation.googleapis.com/language/translate/v2"`,
    auth: { type: "bearer" },
    sends: `POST https://translation.googleapis.com/language/translate/v2\n${json({ q: "Hello", target: "es" })}`
  },
  {
    of: "AWS: a signature that curl makes",
    command: `curl --aws-sigv4 "aws:amz:eu-west-1:execute-api" --user "$AWS_ACCESS_KEY_ID:$AWS_SECRET_ACCESS_KEY" https://abc123.execute-api.eu-west-1.amazonaws.com/prod/items`,
    auth: { type: "aws_sigv4", service: "execute-api", region: "eu-west-1" },
    sends: "GET https://abc123.execute-api.eu-west-1.amazonaws.com/prod/items"
  },
  {
    of: "VIES: an XML body",
    command: `curl -X POST https://ec.europa.eu/taxation_customs/vies/services/checkVatService -H 'Content-Type: text/xml' -d '<soapenv:Envelope><vatNumber>X</vatNumber></soapenv:Envelope>'`,
    auth: { type: "none" },
    sends:
      "POST https://ec.europa.eu/taxation_customs/vies/services/checkVatService\ntext/xml\n<soapenv:Envelope><vatNumber>X</vatNumber></soapenv:Envelope>"
  },
  {
    of: "a browser's copy, with the quotes of bash",
    command: `curl 'https://api.shop.example/v1/search' \\
  -H 'accept: */*' -H 'sec-ch-ua-mobile: ?0' -H 'user-agent: Mozilla/5.0' \\
  -H 'content-type: application/json' \\
  --data-raw $'{"q":"it\\'s caf\\u00e9\\\\n","limit":20}' --compressed`,
    auth: { type: "none" },
    sends: `POST https://api.shop.example/v1/search\n${json({ q: "it's café\n", limit: 20 })}`
  },
  {
    of: "Elasticsearch: lines of JSON from a file",
    command: `curl -sX POST "https://es.example.com/_bulk?pretty" -H 'Content-Type: application/x-ndjson' -H "Authorization: ApiKey $API_KEY" --data-binary @requests.ndjson`,
    auth: { type: "header", name: "Authorization", prefix: "ApiKey " },
    input: { pretty: "", body: "{}\n" },
    sends: "POST https://es.example.com/_bulk?pretty=\napplication/x-ndjson\n{}\n"
  },
  {
    of: "HubSpot: PATCH with an id",
    command: `curl --request PATCH \\
  --url https://api.hubapi.com/crm/v3/objects/contacts/512 \\
  --header 'authorization: Bearer YOUR_ACCESS_TOKEN' \\
  --header 'content-type: application/json' \\
  --data '
{
  "properties": { "lifecyclestage": "customer" }
}
'`,
    auth: { type: "bearer" },
    sends: `PATCH https://api.hubapi.com/crm/v3/objects/contacts/512\n${json({ properties: { lifecyclestage: "customer" } })}`
  },
  {
    of: "Mintlify pages: types as values, one without quotes",
    command: `curl --request POST --url https://api.firecrawl.dev/v2/scrape --header 'Authorization: Bearer <token>' --header 'Content-Type: application/json' --data '{"url": "<string>", "onlyMainContent": true, "maxAge": <integer>}'`,
    auth: { type: "bearer" },
    input: { url: "https://example.com", maxAge: 5 },
    sends: `POST https://api.firecrawl.dev/v2/scrape\n${json({ url: "https://example.com", onlyMainContent: true, maxAge: 5 })}`
  },
  {
    of: "Replicate: a call without a body",
    command: `curl -s -X POST -H "Authorization: Bearer $REPLICATE_API_TOKEN" https://api.replicate.com/v1/predictions/{prediction_id}/cancel > out.json 2>&1`,
    auth: { type: "bearer" },
    input: { prediction_id: "p1" },
    sends: "POST https://api.replicate.com/v1/predictions/p1/cancel"
  },
  {
    of: "RapidAPI: a key and a header that is always the same",
    command: `curl --request GET --url 'https://wordsapiv1.p.rapidapi.com/words/hatchback/typeOf' --header 'x-rapidapi-host: wordsapiv1.p.rapidapi.com' --header 'x-rapidapi-key: 0123456789abcdefmshp1'`,
    auth: { type: "header", name: "x-rapidapi-key" },
    sends: "GET https://wordsapiv1.p.rapidapi.com/words/hatchback/typeOf"
  },
  {
    of: "Azure: a file put into a container",
    command: `curl -X PUT -T ./image.png -H "x-ms-version: 2023-11-03" -H "x-ms-blob-type: BlockBlob" -H "Authorization: Bearer $TOKEN" "https://myaccount.blob.core.windows.net/pictures/image.png"`,
    auth: { type: "bearer" },
    input: { body: { base64: "aGk=" } },
    sends: "PUT https://myaccount.blob.core.windows.net/pictures/image.png\napplication/octet-stream\nhi"
  },
  {
    of: "a bearer token together with a key",
    command: `curl https://api.shop.example/v1/orders -H 'Authorization: Bearer $TOKEN' -H 'X-Api-Key: $KEY'`,
    auth: {
      type: "pair",
      places: [
        { in: "header", name: "Authorization", prefix: "Bearer " },
        { in: "header", name: "X-Api-Key" }
      ]
    },
    sends: "GET https://api.shop.example/v1/orders"
  }
]

const made = (command: string): { readonly endpoint: Endpoint; readonly leftOut: ReadonlyArray<string> } => {
  const found = Either.getOrThrowWith(curlOperation(command), (reason) => new Error(reason))
  const report = new ReportBuilder()
  const endpoint = new OperationImporter(report).take(found.operation)
  if (endpoint === null) throw new Error(JSON.stringify(report.done(1, 0)))
  return { endpoint, leftOut: found.leftOut }
}

/** The values of the command in the order of its fields, and those that are given here. */
const inputOf = ({ operation }: Endpoint, given: JsonObject = {}): JsonObject =>
  Object.fromEntries(
    inputFields(operation).flatMap(([name, { examples }]) => {
      const value = given[name] ?? (Array.isArray(examples) ? examples[0] : undefined)
      return value === undefined ? [] : [[name, value]]
    })
  )

describe("a curl command of a provider's documentation", () => {
  for (const { auth, command, input, of, sends } of rows)
    it(`becomes an operation that sends the same: ${of}`, () => {
      const { endpoint } = made(command)
      assert.strictEqual(sentRequest(endpoint, inputOf(endpoint, input)), sends)
      assert.deepInclude(endpoint.provider.auth, auth)
    })

  it("names what stands in the path of every call, and options that are not known", () => {
    const { leftOut } = made("curl --frobnicate https://a.example/users/octocat/repos")
    assert.includeMembers(
      [...leftOut],
      [
        "octocat stands in the path of every call; where it is a value, write {name} in its place",
        "the option --frobnicate, which is not known here"
      ]
    )
  })

  it("takes the end of a path like any other step: a number behind a collection is a field, other values are named", () => {
    const inPath = (text: string) =>
      `${text} stands in the path of every call; where it is a value, write {name} in its place`
    for (const [url, path, named] of [
      ["https://a.example/v1/orders/42", "/v1/orders/{order_id}", []],
      ["https://a.example/orders/42/items", "/orders/{order_id}/items", []],
      ["https://a.example/repos/acme/widgets/issues/7", "/repos/acme/widgets/issues/{issue_id}", ["acme", "issues"]],
      ["https://a.example/users/octocat", "/users/octocat", ["octocat"]],
      ["https://a.example/users/", "/users/", []],
      ["https://a.example/rest/api/3/search", "/rest/api/3/search", ["3"]]
    ] as const) {
      const { endpoint, leftOut } = made(`curl -X POST ${url}`)
      assert.strictEqual(endpoint.operation.path, path)
      assert.deepStrictEqual([...leftOut], named.map(inPath), url)
    }
  })

  it("names a kind of answer that it asks for, since the manifest says that elsewhere", () => {
    assert.deepStrictEqual(
      [...made('curl -H "Accept: text/csv" https://a.example/rates').leftOut],
      ["the header Accept, which says the contentTypes of the operation: let them begin with text/csv"]
    )
    for (const common of ["*/*", "application/json", "application/json, text/plain, */*"])
      assert.deepStrictEqual([...made(`curl -H "Accept: ${common}" https://a.example/rates`).leftOut], [])
  })

  it("has a number of more digits than an example keeps for a number, and no example", () => {
    const { endpoint, leftOut } = made("curl https://a.example/x --json '{\"id\":90071992547409931}'")
    assert.deepStrictEqual(endpoint.operation.input["properties"], { id: { type: "integer" } })
    assert.strictEqual(
      sentRequest(endpoint, { id: new ExactNumber("90071992547409931") }),
      'POST https://a.example/x\napplication/json\n{"id":90071992547409931}'
    )
    assert.match(leftOut.join(), /the value of id as an example, because it has a number of more digits/)
  })

  it("keeps a key of letters alone out of the manifest, and takes words for words", () => {
    const hook = made('curl -X POST --json \'{"text":"x"}\' https://hooks.example/services/B1/aBcDeFgHiJkLmNoPqRsTuVwX')
    assert.notMatch(JSON.stringify(hook), /aBcDeFgHiJkLmNoPqRsTuVwX/i)
    assert.strictEqual(hook.endpoint.operation.path, "/services/B1/{token}")
    const words = made("curl https://a.example/getCustomerAccountSettings")
    assert.strictEqual(words.endpoint.operation.path, "/getCustomerAccountSettings")
  })

  const kept = "S3cr3tHunter2"
  for (const command of [
    `curl https://api.shop.test/x -H 'Content-Type: text/xml' -d '<req><apiKey>${kept}</apiKey></req>'`,
    `curl https://api.shop.test/x -H 'Content-Type: application/json' -d '{"auth":{"user":"ada","pw":"${kept}"}}'`,
    `curl https://api.shop.test/x -H 'Content-Type: application/json' -d '{"credentials":{"user":"ada","value":"${kept}"}}'`,
    `curl https://api.shop.test/x -H 'Content-Type: application/json' -d '{"login":{"user":{"pass":"${kept}"}}}'`,
    `curl https://api.shop.test/x -H 'X-Pass: ${kept}'`,
    `curl 'https://api.shop.test/x?license=${kept}'`,
    `curl https://api.shop.test/x -d 'query={ login(password: "${kept}") }'`,
    `curl https://api.shop.test/graphql -H 'content-type: application/json' -d '{"query":"mutation { login(password: \\"${kept}\\") }"}'`,
    `curl https://api.shop.test/x -F 'meta={"token":"${kept}"};type=application/json'`,
    `curl https://api.shop.test/x -d 'user=ada&pin=${kept}'`
  ])
    it(`keeps no secret of ${command.slice(28, 100)}`, () => {
      const made = curlOperation(command)
      assert.isTrue(Either.isRight(made))
      assert.notInclude(JSON.stringify(Either.map(made, ({ operation }) => operation)), kept)
    })

  it("keeps texts and objects that name no secret as examples", () => {
    const made = curlOperation(
      `curl https://api.shop.test/x -H 'Content-Type: application/json' -d '{"query":"{ user(name: \\"Ada\\") }","address":{"pincode":"560001"},"note":"<b>pins</b>"}'`
    )
    const text = JSON.stringify(made)
    for (const each of ["Ada", "560001", "<b>pins</b>"]) assert.include(text, each)
  })

  it("is refused with a reason where its request cannot be known", () => {
    for (const [command, words] of [
      ["curl https://a.example -d @request.json", /file request\.json, which is not read; put its content in place/],
      ["curl https://a.example -H 'Content-Type: application/json' -d @-", /standard input, which is not read/],
      ["curl https://a.example --json '{\"a\":'", /the body is not JSON/],
      ["curl $BASE_URL/v1/items", /leaves its host open \(\$BASE_URL\)/],
      ["curl https://$API_HOST/v1/items", /leaves its host open/],
      ["curl https://a.example -d @- <<EOF\n{}", /<<EOF and never ends/],
      ["curl https://a.example -X", /--request of the curl command has no value/]
    ] as const)
      assert.match(
        Either.getOrElse(Either.flip(curlOperation(command)), () => ""),
        words,
        command
      )
  })
})

describe("a command of more than one request", () => {
  it("is taken for its first one, and what stands behind that is named without its text", () => {
    const address = "what stands behind the first address; make a manifest of each address, or put a value in quotes"
    const request = "the second request; make a manifest of each"
    for (const [command, leftOut] of [
      ["curl https://a.example/x https://b.example/topsecret1", address],
      ["curl https://a.example/x --url https://b.example/topsecret1", address],
      ["curl https://a.example/x -H Authorization: Bearer topsecret1", address],
      ["curl https://a.example/x --next https://b.example/topsecret1", request],
      ["curl https://a.example/x\ncurl https://b.example/topsecret1", request],
      ["curl https://a.example/x && curl https://b.example/topsecret1", request]
    ] as const) {
      const found = Either.getOrThrow(curlOperation(command))
      assert.strictEqual(found.operation.path, "/x", command)
      assert.include([...found.leftOut], leftOut, command)
      assert.notInclude(JSON.stringify(found), "topsecret1", command)
    }
    const piped = Either.getOrThrow(curlOperation("curl https://a.example/x | jq .curl"))
    assert.deepStrictEqual([...piped.leftOut], [])
  })
})
