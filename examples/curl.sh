#!/usr/bin/env bash
# The first run, and what it cost: run a job, look at its attempts, the balance and the ledger.
# Usage: npm start in one terminal, then examples/curl.sh in another.
set -euo pipefail

URL=${GATEWAY_URL:-http://127.0.0.1:8080}
TOKEN=${GATEWAY_TOKEN:-$(cat "${GATEWAY_DATA_DIR:-.data}/dev-token")}

# Ends with an error where the gateway refuses a request: --fail-with-body still prints what it says. A run that failed
# is no refused request: its answer is 201, and its status says "failed".
call() {
  curl --silent --show-error --fail-with-body -H "Authorization: Bearer $TOKEN" -H 'Content-Type: application/json' "$@" && echo
}

# One key for one intent: sending this again answers the same run with "replayed": true, and costs nothing.
KEY="example-$(date +%s)-$$"
BODY='{"endpointId":"job:people.email.find","input":{"name":"Ada Example","domain":"example.com"}}'

echo "== run"
RUN=$(call "$URL/v1/runs?wait=true" -H "Idempotency-Key: $KEY" -d "$BODY")
echo "$RUN"
RUN_ID=$(sed -E 's/^\{"runId":"(run_[a-z0-9]+)".*/\1/' <<<"$RUN")

echo "== the same again"
call "$URL/v1/runs?wait=true" -H "Idempotency-Key: $KEY" -d "$BODY"

echo "== attempts"
call "$URL/v1/runs/$RUN_ID/attempts"

echo "== balance"
call "$URL/v1/balance"

echo "== ledger"
call "$URL/v1/ledger?runId=$RUN_ID"
