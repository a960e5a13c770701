#!/usr/bin/env bash
# Shows that a fresh clone runs with `npm ci && npm start` for root and for an ordinary user, with the embedded Postgres and with another
# one, in an open directory and under a private home, package install scripts blocked throughout. Each case clones, installs, starts on a
# free port, waits for /readyz, runs the curl command that the start printed, starts a second time on the same data after a kill -9, presses
# Ctrl-C and looks for anything left running. Needs root (it lends itself the identity of an ordinary user), git, curl and ps.
# Usage: scripts/prove-install.sh [REPOSITORY]   (the committed state of this checkout where not given)
set -uo pipefail

repository="${1:-$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)}"
work="$(mktemp -d /tmp/prove-install.XXXXXX)"
chmod 711 "$work"
ordinary=65534
passed=0
failed=0
# What a function of postgres-programs.mjs answers; nothing for null.
asked() { node --input-type=module -e "import * as it from \"$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)/postgres-programs.mjs\"; console.log((await it.$1()) ?? \"\")"; }
external_bin="$(asked postgresPrograms)"
external_url=""

if [ "$(id -u)" != 0 ]; then
  echo "Run this as root: it starts some cases as root and some as uid $ordinary." >&2
  exit 2
fi

# Job control gives every start a process group with Ctrl-C enabled, as a terminal would.
set -m

as() { # as USER HOME COMMAND...
  local user="$1" home="$2"
  shift 2
  local clean=(env -i "PATH=$PATH" "HOME=$home" "npm_config_cache=$work/npm-$user" "npm_config_registry=$(npm config get registry 2>/dev/null)" npm_config_update_notifier=false)
  if [ "$user" = root ]; then "${clean[@]}" "$@"; else setpriv --reuid="$ordinary" --regid="$ordinary" --clear-groups "${clean[@]}" "$@"; fi
}

free_port() { asked freePort; }

stop_external() {
  [ -n "$external_url" ] && as ordinary "$work" "$external_bin/pg_ctl" -D "$work/external/data" -m fast stop >/dev/null
  external_url=""
}
clean_up() {
  stop_external
  rm -rf "$work"
}
trap clean_up EXIT

start_external() {
  local port
  port="$(free_port)"
  mkdir -m 700 "$work/external"
  echo prove >"$work/external/password"
  chown -R "$ordinary:$ordinary" "$work/external"
  as ordinary "$work" "$external_bin/initdb" -D "$work/external/data" -U gateway -A scram-sha-256 --pwfile="$work/external/password" -E UTF8 >/dev/null || return 1
  as ordinary "$work" "$external_bin/pg_ctl" -D "$work/external/data" -l "$work/external/log" -w \
    -o "-p $port -c listen_addresses=127.0.0.1 -c unix_socket_directories=" start >/dev/null || return 1
  external_url="postgresql://gateway:prove@127.0.0.1:$port/postgres"
}

# The command of the start's output that begins with curl, with the lines it goes on over.
printed_curl() { awk '/^[[:space:]]*curl / { on = 1 } on { print } on && !/\\$/ { exit }' "$1"; }

wait_ready() { # wait_ready PORT PID
  # The first start builds, which takes its time on a busy machine.
  for _ in $(seq 4000); do
    curl -fsS -o /dev/null "http://127.0.0.1:$1/readyz" 2>/dev/null && return 0
    kill -0 "$2" 2>/dev/null || return 1
    sleep 0.05
  done
  return 1
}

left_running() { ps -eo pid,stat,args | awk '$2 !~ /^Z/' | grep -F -e "$1" ${2:+-e "$2"} | grep -v -e grep -e awk -e 'ps -eo'; }

prove() { # prove NAME USER HOME_MODE DATABASE_URL
  local name="$1" user="$2" mode="$3" url="$4" home clone log port start="" answer shelter=""
  home="$work/$(tr -c 'a-z0-9\n' - <<<"$name")"
  clone="$home/provider-gateway"
  log="$work/$(basename "$home").log"
  mkdir "$home"
  chmod "$mode" "$home"
  mkdir -p "$work/npm-$user"
  [ "$user" = root ] || chown "$ordinary:$ordinary" "$home" "$work/npm-$user"

  broken() {
    echo "FAILED  $name: $1"
    tail -20 "$log" | sed 's/^/        /'
    [ -z "${start:-}" ] || kill -KILL -- "-$start" 2>/dev/null
    failed=$((failed + 1))
  }
  run() { (cd "$clone" && as "$user" "$home" env ${url:+"DATABASE_URL=$url"} "PORT=$port" npm start) >"$log" 2>&1 & }

  as "$user" "$home" git clone -q "$work/repository.bundle" "$clone" >"$log" 2>&1 || { broken "git clone"; return; }
  (cd "$clone" && as "$user" "$home" npm ci --ignore-scripts --prefer-offline --no-audit --no-fund) >"$log" 2>&1 || { broken "npm ci"; return; }
  port="$(free_port)"

  run
  start=$!
  wait_ready "$port" "$start" || { broken "the first start was not ready"; return; }
  answer="$(as "$user" "$home" bash -c "$(printed_curl "$log")" 2>&1)"
  grep -q '"runId"' <<<"$answer" && ! grep -q '"error": *{' <<<"$answer" || { broken "the printed curl command answered: $answer"; return; }

  kill -KILL -- "-$start"
  wait "$start" 2>/dev/null
  local began ready
  began="$(date +%s%N)"
  run
  start=$!
  wait_ready "$port" "$start" || { broken "the start after kill -9 was not ready"; return; }
  ready=$((($(date +%s%N) - began) / 1000000))
  answer="$(as "$user" "$home" bash -c "$(printed_curl "$log")" 2>&1)"
  grep -q '"runId"' <<<"$answer" || { broken "the second start lost the data: $answer"; return; }

  [ -f "$clone/.data/postgres.json" ] && shelter="$(node -p 'JSON.parse(require("fs").readFileSync(process.argv[1], "utf8")).home' "$clone/.data/postgres.json")"
  case "$shelter" in /*) ;; *) shelter="" ;; esac
  kill -INT -- "-$start"
  wait "$start" 2>/dev/null
  sleep 0.2
  local left
  left="$(left_running "$clone" "$shelter")"
  [ -z "$left" ] || { broken "left running: $left"; return; }
  [ -n "$shelter" ] && rm -rf "$shelter"
  rm -rf "$home"
  echo "passed  $name (ready again in $ready ms after kill -9)"
  passed=$((passed + 1))
}

# A bundle, because git refuses to clone for one user from a directory of another.
git -C "$repository" bundle create -q "$work/repository.bundle" HEAD --branches || exit 2
chmod 644 "$work/repository.bundle"

prove "root, embedded" root 755 ""
prove "root, embedded, private home" root 700 ""
prove "ordinary user, embedded" ordinary 755 ""
prove "ordinary user, embedded, private home" ordinary 700 ""
if [ -z "$external_bin" ]; then
  echo "skipped the cases with another Postgres: apt-get install postgresql puts one under /usr/lib/postgresql" >&2
  failed=$((failed + 1))
else
  start_external || { echo "could not start $external_bin/postgres" >&2; exit 1; }
  prove "root, another Postgres, private home" root 700 "$external_url"
  stop_external
  rm -rf "$work/external"
  start_external || { echo "could not start $external_bin/postgres" >&2; exit 1; }
  prove "ordinary user, another Postgres, private home" ordinary 700 "$external_url"
fi
echo "$passed passed, $failed failed"
[ "$failed" = 0 ]
