/** One example for each command, shown by its help. */
import { member } from "../domain/Members.js"

export const examples: Readonly<Record<string, string>> = {
  serve: "gateway serve",
  migrate: "gateway migrate --dry-run",
  doctor: "gateway doctor",
  "config print": "gateway config print --json",
  completions: "gateway completions bash > ~/.local/share/bash-completion/completions/gateway",
  login: "gateway login --url https://gateway.example.com",
  logout: "gateway logout",
  whoami: "gateway whoami",
  search: "gateway search find an email address --limit 5",
  inspect: "gateway inspect job:people.email.find",
  run: "gateway run job:people.email.find name='Ada Example' domain=example.com",
  mcp: "gateway mcp --url https://gateway.example.com",
  audit: "gateway audit --action token.created",
  "token list": "gateway token list --workspace acme",
  "token rotate": "gateway token rotate tok_01k0000000000000000000000a --overlap-seconds 3600",
  "runs list": "gateway runs list --status failed",
  "runs show": "gateway runs show run_01k0000000000000000000000a",
  "runs watch": "gateway runs watch run_01k0000000000000000000000a",
  "runs download": "gateway runs download run_01k0000000000000000000000a --to invoice.pdf",
  "workspace create": "gateway workspace create acme",
  "workspace list": "gateway workspace list --json",
  "workspace set": "gateway workspace set ws_01k0000000000000000000000a --runs-per-minute 60 --deny effectful",
  credit: "gateway credit --workspace ws_01k0000000000000000000000a --usd 25 --reason 'invoice 7' --key invoice-7",
  "token create":
    "gateway token create --workspace ws_01k0000000000000000000000a --label app --scope catalog:read,runs:execute",
  "token revoke": "gateway token revoke tok_01k0000000000000000000000a",
  console: "gateway console --workspace acme --member Ada",
  "member add": "gateway member add Ada --workspace acme --role owner --email ada@example.com",
  "member list": "gateway member list --workspace acme",
  "member remove": "gateway member remove Ada --workspace acme --revoke-tokens",
  "member role": "gateway member role Ada owner --workspace acme",
  archive: "gateway archive --dry-run",
  nodes: "gateway nodes",
  "ledger verify": "gateway ledger verify",
  "runs uncertain": "gateway runs uncertain",
  "runs resolve":
    "gateway runs resolve run_01k0000000000000000000000a --as released --reason 'the provider has no such message'",
  "connection create":
    'printf %s "$KEY" | gateway connection create --workspace ws_01k0000000000000000000000a --provider hunter --label ours',
  "connection list": "gateway connection list --workspace ws_01k0000000000000000000000a",
  "connection delete":
    "gateway connection delete con_01k0000000000000000000000a --workspace ws_01k0000000000000000000000a",
  "key set": 'printf %s "$KEY" | gateway key set hunter',
  "key list": "gateway key list",
  "key remove": "gateway key remove hunter",
  "secrets rotate": "gateway secrets rotate",
  "provider state": "gateway provider state hunter draining",
  "catalog lint": "gateway catalog lint my-catalog",
  "catalog watch": "gateway catalog watch --budget-usd 0.05 --history drift.jsonl",
  "catalog new": "gateway catalog new --to my-catalog < curl.txt",
  "catalog try":
    'gateway catalog try my-catalog/providers/crandb.yaml crandb-package --input \'{"package":"ggplot2"}\'',
  "catalog import-openapi": "gateway catalog import-openapi openapi.yaml --to my-catalog",
  "catalog import-jsonl": "gateway catalog import-jsonl operations.jsonl.gz --publish add",
  "catalog publish": "gateway catalog publish my-catalog",
  "catalog published": "gateway catalog published",
  "catalog withdraw": "gateway catalog withdraw catfacts"
}

/** The examples of the command that these words name, or of all commands of its group. */
export const examplesFor = (args: ReadonlyArray<string>): ReadonlyArray<string> => {
  const [first = "", second = ""] = args.filter((arg) => !arg.startsWith("-"))
  const one = member(examples, `${first} ${second}`) ?? member(examples, first)
  return one === undefined
    ? Object.entries(examples).flatMap(([name, example]) => (name.startsWith(`${first} `) ? [example] : []))
    : [one]
}
