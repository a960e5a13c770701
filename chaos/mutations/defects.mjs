// Deliberate defects: each breaks one promise about money in the source, and names the tests that must notice. `edits`
// are [file, text that occurs exactly once, replacement]. Types do not matter here: tests run without a type check.

const settlement = "src/domain/Settlement.ts"
const admission = "src/domain/Admission.ts"
const admitting = "src/layers/runs/AdmissionBatched.ts"
const settling = "src/layers/runs/SettlementBatched.ts"
const runWrites = "src/layers/postgres/RunWritesPg.ts"
const walletPg = "src/layers/postgres/WalletPg.ts"
const takeOver = "src/layers/runs/dispatch/FirstStep.ts"
const attemptCall = "src/layers/runs/dispatch/AttemptCall.ts"
const attemptEnding = "src/layers/runs/dispatch/AttemptEnding.ts"
const automatic = "src/domain/AutomaticTopUp.ts"
const paymentReport = "src/domain/PaymentReport.ts"

const endingsMemory = "test/layers/memory/RunEndingsMemory.test.ts"
const endingsPg = "test/layers/postgres/RunEndingsPg.test.ts"
const takeoversMemory = "test/layers/memory/RunTakeoversMemory.test.ts"
const takeoversPg = "test/layers/postgres/RunTakeoversPg.test.ts"
const admissionMemory = "test/layers/memory/RunAdmissionMemory.test.ts"
const admissionPg = "test/layers/postgres/RunAdmissionPg.test.ts"
const runsMemory = "test/layers/memory/RunsMemory.test.ts"
const runsPg = "test/layers/postgres/RunsPg.test.ts"
const topUpsMemory = "test/layers/memory/TopUpsMemory.test.ts"

export const defects = [
  {
    name: "the owner of a key is not looked at",
    edits: [
      [
        "src/layers/postgres/IdempotencyPg.ts",
        "return keys.map((one) => owners.get(placeText(one)) ?? null)",
        "return keys.map(() => null)"
      ]
    ],
    tests: [admissionPg]
  },
  {
    name: "requests of one batch do not see each other's keys",
    edits: [
      [
        admitting,
        "const owner = owned ?? batch.claimed.get(placeText(placeOf({ run: asked })))",
        "const owner = owned ?? undefined"
      ]
    ],
    tests: [admissionMemory]
  },
  {
    name: "a key is claimed by nobody",
    edits: [[admitting, "if (stored.length > 0) yield* idempotency.claim(stored.map(claimOf))", ""]],
    tests: [admissionMemory]
  },
  {
    name: "another request under a known key replays the run",
    edits: [[admitting, "return owner.requestDigest === asked.requestDigest", "return true"]],
    tests: [admissionMemory]
  },
  {
    name: "a refused admission keeps its key",
    edits: [
      [
        admitting,
        ": Exit.fail(decided.left)",
        ": (batch.claimed.set(placeText(placeOf({ run })), run), Exit.fail(decided.left))"
      ],
      [admitting, "idempotency.claim(stored.map(claimOf))", "idempotency.claim(requests.map(claimOf))"]
    ],
    tests: [admissionMemory]
  },
  {
    name: "the wallets' lock is left out",
    edits: [[walletPg, '"for update of w, t"', '""']],
    tests: ["test/layers/postgres/WalletPg.test.ts"]
  },
  {
    name: "a credit does not lock the wallet",
    edits: [[walletPg, "where workspace_id = ${workspaceId} for update`", "where workspace_id = ${workspaceId}`"]],
    tests: ["test/layers/postgres/WalletPg.test.ts"]
  },
  {
    name: "a credit that comes again is credited again",
    edits: [
      [
        "src/layers/memory/WalletMemory.ts",
        "if (earlierMicros !== undefined) return { before, after: before, earlierMicros }",
        ""
      ]
    ],
    tests: ["test/layers/memory/WalletMemory.test.ts"]
  },
  {
    name: "the hold is not released",
    edits: [[settlement, 'kind: "release", micros: closing.holdMicros', 'kind: "release", micros: 0']],
    tests: ["test/domain/Settlement.test.ts"]
  },
  {
    name: "a charge may be above the hold",
    edits: [
      [
        settlement,
        "const charge = Money.min(closing.costMicros, closing.holdMicros)",
        "const charge = closing.costMicros"
      ]
    ],
    tests: ["test/domain/Settlement.test.ts"]
  },
  {
    name: "a provider's cost above the maximum is passed on",
    edits: [[settlement, "return rounded > maxMicros", "return false"]],
    tests: ["test/domain/Settlement.test.ts"]
  },
  {
    name: "a negative cost is passed on",
    edits: [[settlement, "if (!Number.isFinite(micros) || micros < 0)", "if (!Number.isFinite(micros))"]],
    tests: ["test/domain/Settlement.test.ts"]
  },
  {
    name: "a run that ended stays in flight",
    edits: [[settlement, "(isInflight(closing.status) && !isInflight(to.value) ? 1 : 0)", "0"]],
    tests: [admissionMemory]
  },
  {
    name: "a run that started is not counted in flight",
    edits: [[admission, "inflight: walletState.inflight + 1", "inflight: walletState.inflight"]],
    tests: [admissionMemory]
  },
  {
    name: "one run more than the in-flight limit",
    edits: [[admission, "if (inflight >= inflightLimit)", "if (inflight > inflightLimit)"]],
    tests: [admissionMemory]
  },
  {
    name: "one run more than the minute's budget",
    edits: [[admission, "window.minuteCount >= runsPerMinute", "window.minuteCount > runsPerMinute"]],
    tests: [admissionMemory]
  },
  {
    name: "the month's spend is not counted",
    edits: [[admission, "spent(spendInMonth(spend, month), request.holdMicros)", "spendInMonth(spend, month)"]],
    tests: [admissionMemory]
  },
  {
    name: "the key's limit looks at what was spent, not at what this run may cost",
    edits: [[admission, "holdMicros <= leftOf(limitMicros, spentMicros)", "spentMicros < limitMicros"]],
    tests: ["test/domain/Admission.test.ts"]
  },
  {
    name: "the month goes back with the clock",
    edits: [[admission, "month > spend.month ?", "month !== spend.month ?"]],
    tests: ["test/domain/Admission.test.ts"]
  },
  {
    name: "a hold of last month makes room in this one",
    edits: [[settlement, "spend.month === closing.spendMonth", "true"]],
    tests: ["test/domain/Settlement.test.ts"]
  },
  {
    name: "what was not spent stays counted against the month",
    edits: [[settlement, "spend.spentMicros - unspent", "spend.spentMicros"]],
    tests: [admissionMemory]
  },
  {
    name: "the hold is sized for one result",
    edits: [["src/domain/Pricing.ts", "const last = Math.max(1, results - full * size)", "const last = 1"]],
    tests: ["test/domain/Pricing.test.ts"]
  },
  {
    name: "the hold covers one attempt of several",
    edits: [["src/domain/RoutePlan.ts", ".slice(0, attemptsMax(plan))", ".slice(0, 1)"]],
    tests: ["test/domain/RoutePlan.test.ts"]
  },
  {
    name: "the client's cost cap is ignored",
    edits: [
      [
        "src/domain/RoutePlan.ts",
        "cap === null ? dearestSet(plan) : Money.min(dearestSet(plan), cap)",
        "dearestSet(plan)"
      ]
    ],
    tests: ["test/domain/RoutePlan.test.ts"]
  },
  {
    name: "a client's dollars are rounded up to the next micro",
    edits: [["src/domain/Micros.ts", "isWhole ? nearest : Math.floor(micros)", "Math.ceil(micros)"]],
    tests: ["test/domain/Micros.test.ts"]
  },
  {
    name: "the ledger check skips a workspace whose wallet is gone",
    edits: [
      [
        "src/layers/postgres/LedgerVerificationPg.ts",
        "from wallets w full join sums s",
        "from wallets w left join sums s"
      ]
    ],
    tests: ["test/layers/postgres/LedgerVerification.test.ts"]
  },
  {
    name: "the workspace's run cap is ignored",
    edits: [[admission, "if (runCapMicros !== null && holdMicros > runCapMicros)", "if (false)"]],
    tests: [admissionMemory]
  },
  {
    name: "fallback goes on beyond maxAttempts",
    edits: [["src/domain/Fallback.ts", 'if (tried.size >= attemptsMax(plan)) return { _tag: "Conclude" }', ""]],
    tests: ["test/domain/Fallback.test.ts"]
  },
  {
    name: "fallback goes on beyond the hold",
    edits: [["src/domain/Fallback.ts", " && spent + candidate.maxMicros <= holdMicros", ""]],
    tests: ["test/domain/Fallback.test.ts"]
  },
  {
    name: "a write action is repeated after its node died",
    edits: [
      [takeOver, "return candidate.effectful ? uncertain(run, before, open, now) : afterLost", "return afterLost"],
      [takeOver, "candidate.repeatable ? { ...lost, errorCode: code } : lost", "{ ...lost, errorCode: code }"],
      [
        "src/domain/Fallback.ts",
        "current?.repeatable === true &&\n    !current.effectful &&",
        "current !== undefined &&"
      ]
    ],
    tests: [takeoversMemory]
  },
  {
    name: "a write action fails when its node died, though it may have happened",
    edits: [
      [takeOver, "return candidate.effectful ? uncertain(run, before, open, now) : afterLost", "return afterLost"]
    ],
    tests: [takeoversMemory]
  },
  {
    name: "a write action whose answer was lost fails, though it may have happened",
    edits: [
      ["src/layers/runs/dispatch/RunWork.ts", "if (isUncertain(failed, opened.candidate.effectful))", "if (false)"]
    ],
    tests: [runsMemory]
  },
  {
    name: "a write action is aborted by a cancel",
    edits: [[attemptCall, 'if (effect === "effectful") return', "if (false) return"]],
    tests: [runsMemory]
  },
  {
    name: "an ending is written whatever lease it has",
    edits: [[settling, " || fence.leaseToken !== leaseToken", ""]],
    tests: [endingsMemory]
  },
  {
    name: "an ending is written whatever the run's status is",
    edits: [
      [settling, "fence?.status !== run.status || fence.leaseToken !== leaseToken", "fence?.leaseToken !== leaseToken"]
    ],
    tests: [endingsMemory]
  },
  {
    name: "a run is ended without its lock",
    edits: [[runWrites, "for no key update of r`", "`"]],
    tests: [endingsPg]
  },
  {
    name: "the failure of a statement that was sent is not looked at",
    edits: [
      [
        "src/layers/postgres/database/Reserved.ts",
        "if (this.untold !== undefined) return Effect.zipRight(Effect.exit(this.rollback), Effect.fail(this.untold))",
        ""
      ]
    ],
    tests: ["test/layers/postgres/Database.test.ts"]
  },
  {
    name: "a write follows a BEGIN that may be refused",
    edits: [["src/layers/postgres/database/Reserved.ts", 'if (atOnce || this.begun === "answered")', "if (true)"]],
    tests: ["test/layers/postgres/Database.test.ts"]
  },
  {
    name: "an attempt is opened under a lost lease",
    edits: [
      [
        runWrites,
        "and r.status = 'running' and r.lease_token = ${lease.token}\n          returning 1",
        "and r.status = 'running'\n          returning 1"
      ]
    ],
    tests: [endingsPg]
  },
  {
    name: "a late cancel keeps the node from ending its run",
    edits: [[settling, "  if (fence?.status", "  batch.fences.delete(run.runId)\n  if (fence?.status"]],
    tests: [endingsMemory]
  },
  {
    name: "the cancel of a queued run charges it",
    edits: [["src/layers/runs/UnstartedRun.ts", "costMicros: zero,", "costMicros: run.holdMicros,"]],
    tests: [endingsMemory]
  },
  {
    name: "a run that waited too long for a slot keeps one",
    edits: [
      [
        "src/layers/runs/dispatch/ClaimingRuns.ts",
        "Effect.ensuring(expire(parts, leased), slot.release)",
        "expire(parts, leased)"
      ]
    ],
    tests: ["test/layers/runs/ClaimingRuns.test.ts"]
  },
  {
    name: "a run whose node was away for months cannot end",
    edits: [
      [
        "src/domain/Run.ts",
        "Math.min(latencyMsMax, Math.max(0, endedAt - startedAt))",
        "Math.max(0, endedAt - startedAt)"
      ]
    ],
    tests: [takeoversPg]
  },
  {
    name: "a client is answered before the commit",
    edits: [
      [
        admitting,
        "const { transact } = yield* Transactions",
        `const { transact: atLast } = yield* Transactions
    const transact = (work) => Effect.flatMap(Deferred.make(), (early) => Effect.zipRight(
      Effect.forkDaemon(atLast(Effect.zipLeft(Effect.tap(work, (answers) => Deferred.succeed(early, answers)), Effect.sleep(50)))), Deferred.await(early)))`
      ],
      [admitting, "import { Array as Arr, Effect,", "import { Array as Arr, Deferred, Effect,"]
    ],
    tests: [runsMemory, admissionMemory]
  },
  {
    name: "a ledger entry without its change of the wallet",
    edits: [
      [
        walletPg,
        "update wallets w set available_micros = c.available, reserved_micros = c.reserved,",
        "update wallets w set reserved_micros = c.reserved,"
      ]
    ],
    tests: [runsPg]
  },
  {
    name: "a change of the wallet without its ledger entry",
    edits: [
      [
        settling,
        "for (const posting of settled.postings) batch.postings.push({ workspaceId: run.workspaceId, posting })",
        ""
      ]
    ],
    tests: [runsMemory]
  },
  {
    name: "a half-done transaction stays",
    edits: [
      [
        "src/layers/memory/MemoryStorage.ts",
        "const result = yield* Effect.provideService(work, Draft, draft)",
        "const result = yield* Effect.ensuring(Effect.provideService(work, Draft, draft), Effect.flatMap(Ref.get(draft), (half) => Ref.set(committed, half)))"
      ]
    ],
    tests: ["test/layers/memory/MemoryStorage.test.ts"]
  },
  {
    name: "two endings of one run in one commit both count",
    edits: [[settling, "  batch.fences.delete(run.runId)\n", ""]],
    tests: [endingsMemory]
  },
  {
    name: "look-ups of two connections share a call",
    edits: [
      [
        "src/layers/runs/dispatch/SingleFlight.ts",
        'credential._tag === "Connection" ? credential.connectionId : credential._tag',
        "credential._tag"
      ]
    ],
    tests: ["test/layers/runs/SingleFlight.test.ts"]
  },
  {
    name: "look-ups of two contracts share a call",
    edits: [["src/layers/runs/dispatch/SingleFlight.ts", "        endpoint.contractVersion,\n", ""]],
    tests: ["test/layers/runs/SingleFlight.test.ts"]
  },
  {
    name: "the failure of a shared call is paid by everybody",
    edits: [[attemptEnding, "sharedWithRunId !== null ? nothing : costOfFailure(", "costOfFailure("]],
    tests: ["test/layers/runs/AttemptEnding.test.ts"]
  },
  {
    name: "a failed attempt may cost all that the run holds",
    edits: [
      [attemptEnding, "costOfFailure(costEvidence, candidate.maxMicros)", "costOfFailure(costEvidence, run.holdMicros)"]
    ],
    tests: ["test/layers/runs/AttemptEnding.test.ts"]
  },
  {
    name: "a run that had begun ends as one that waited too long",
    edits: [
      [
        "src/layers/runs/dispatch/ClaimingRuns.ts",
        "attempts.length === 0 && waitedMillis > options.queueMillisMax",
        "waitedMillis > options.queueMillisMax"
      ]
    ],
    tests: [takeoversMemory]
  },
  {
    name: "one payment pays two top-ups",
    edits: [[paymentReport, 'return payment.topUp === null ? "credited" : "mismatched"', 'return "credited"']],
    tests: [topUpsMemory]
  },
  {
    name: "a payment that does not fit saves its card",
    edits: [[paymentReport, 'outcome !== "mismatched" && savedMethod', "savedMethod"]],
    tests: [topUpsMemory]
  },
  {
    name: "a card is saved that nobody asked to save",
    edits: [
      [
        "src/layers/accounts/payments/StripeEvents.ts",
        'const saved = setup_future_usage === "off_session" && customer',
        "const saved = customer"
      ]
    ],
    tests: ["test/gateway/Payments.test.ts"]
  },
  {
    name: "a declined card brings a removed rule back",
    edits: [[automatic, 'return declined === null || rule.status === "off"', "return declined === null"]],
    tests: [topUpsMemory]
  },
  {
    name: "a token that may do more is prolonged by one that may do less",
    edits: [
      [
        "src/domain/TokenLine.ts",
        "  if (!widens) return tooMuch(changes, caller)\n",
        "  if (widens || !widens) return tooMuch(changes, caller)\n"
      ]
    ],
    tests: ["test/layers/memory/TokensMemory.test.ts"]
  },
  {
    name: "a child is handed the secret of its parent",
    edits: [
      [
        "src/domain/TokenLine.ts",
        "caller.ancestors.every((tokenId) => token.ancestors.includes(tokenId))",
        "caller.ancestors.every((tokenId) => tokenId.length > 0)"
      ]
    ],
    tests: ["test/layers/memory/TokensMemory.test.ts"]
  },
  {
    name: "an address with another letter of the same lower case is a member's",
    edits: [
      [
        "src/domain/Member.ts",
        "raw.trim().replace(/[A-Z]+/g, (letters) => letters.toLowerCase())",
        "raw.trim().toLowerCase()"
      ]
    ],
    tests: ["test/http/console/OpenId.test.ts"]
  },
  {
    name: "whoever can answer for the OpenID provider names a person",
    edits: [["src/layers/accounts/OpenIdClient.ts", "                client.enableNonRepudiationChecks,\n", ""]],
    tests: ["test/http/console/OpenId.test.ts"]
  },
  {
    name: "a member can be removed while they make a token",
    edits: [["src/layers/postgres/MembersPg.ts", " and removed_at is null for share`", " and removed_at is null`"]],
    tests: ["test/layers/postgres/TokensPg.test.ts"]
  },
  {
    name: "a month that leaves takes what finds the runs of an earlier one",
    edits: [
      [
        "src/layers/postgres/history/HistoryMonths.ts",
        ' and not ${holds("runs")} and not ${holds("history_runs")}`',
        ' and (true or (not ${holds("runs")} and not ${holds("history_runs")}))`'
      ]
    ],
    tests: ["test/layers/postgres/RunHistory.test.ts"]
  },
  {
    name: "the end of another top-up ends the one under way",
    edits: [
      [
        automatic,
        "  if (underWay?.topUpId !== topUp.topUpId) return topUp.paid ? paidLate(rule, topUp.amountMicros, now) : rule\n",
        "  if (underWay === null) return rule\n"
      ]
    ],
    tests: ["test/domain/AutomaticTopUp.test.ts"]
  },
  {
    name: "a top-up that was paid is charged again",
    edits: [
      [
        "src/layers/accounts/topups/AutomaticTopUpsOver.ts",
        'if (row === null || row.status !== "pending") return null',
        "if (row === null) return null"
      ],
      [
        "src/domain/AutomaticTopUp.ts",
        "rule.underWay?.topUpId === topUp.topUpId &&\n  !rule.underWay.stopped &&\n  rule.underWay.method === method &&",
        "rule.underWay?.stopped !== true &&"
      ]
    ],
    tests: [topUpsMemory]
  },
  {
    name: "a refund locks the payment before the wallet",
    edits: [
      [
        "src/layers/accounts/topups/TopUpReportsOver.ts",
        "if (payer === null && payment.topUp !== null)",
        "if (payer !== null && payment.topUp === null)"
      ]
    ],
    tests: ["test/layers/postgres/TopUpsPg.test.ts"]
  },
  {
    name: "a later rotation lengthens the life of an earlier secret",
    edits: [
      ["src/layers/postgres/TokensPg.ts", "works_until = least(works_until, ${until})", "works_until = ${until}"]
    ],
    tests: ["test/layers/postgres/TokensPg.test.ts"]
  },
  {
    name: "a run that is read with others is answered to whoever names it",
    edits: [
      [
        "src/layers/postgres/RunReadsPg.ts",
        "const nameOf = ({ runId, workspaceId }: RunKey): string => `${workspaceId} ${runId}`",
        "const nameOf = ({ runId }: RunKey): string => runId"
      ]
    ],
    tests: [runsPg]
  },
  {
    name: "a run that leaves for the history while it is read has no attempts",
    edits: [["src/layers/postgres/RunReadsPg.ts", "if (mayHaveLeft(detail)) found.delete(name)", "void mayHaveLeft"]],
    tests: ["test/layers/postgres/RunHistory.test.ts"]
  },
  {
    name: "balances that are read together show the holds of one of them",
    edits: [
      [
        "src/layers/postgres/WalletListsPg.ts",
        "found.get(workspaceId)?.holds.push",
        "[...found.values()][0]?.holds.push"
      ]
    ],
    tests: [runsPg]
  },
  {
    name: "a read that is called and given up keeps its turn",
    edits: [
      [
        "src/http/ReadTurns.ts",
        "return hasTurn ? Effect.zipRight(leave(workspaceId, line), gone) : gone",
        "return gone"
      ]
    ],
    tests: ["test/http/ReadTurns.test.ts"]
  },
  {
    name: "a month leaves before its charges are in the reports",
    edits: [
      ["src/layers/postgres/history/HistoryMonths.ts", "return unsummed === null ? null :", "return true ? null :"]
    ],
    tests: ["test/layers/postgres/RunHistory.test.ts"]
  },
  {
    name: "an automatic top-up that is paid after it had failed does not count in the month",
    edits: [[automatic, "return topUp.paid ? paidLate(rule, topUp.amountMicros, now) : rule", "return rule"]],
    tests: [topUpsMemory]
  },
  {
    name: "a dispute leaves the rule of automatic top-ups on",
    edits: [[paymentReport, '(kind === "dispute" || topUp.automatic)', "topUp.automatic"]],
    tests: [topUpsMemory]
  },
  {
    name: "an answer of Stripe is taken whatever its shape",
    edits: [
      [
        "src/layers/accounts/payments/StripeClient.ts",
        "Effect.catchAll(Schema.decodeUnknown(answer)(found), () => unreadable)",
        "Effect.succeed(found)"
      ]
    ],
    tests: ["test/layers/accounts/StripeAnswers.test.ts"]
  },
  {
    name: "rows of a statement whose columns are known get lost",
    edits: [["src/layers/postgres/database/DriverInternals.ts", "this._accumulateRows = true", "void 0"]],
    tests: ["test/layers/postgres/DriverInternals.test.ts"]
  },
  {
    name: "a provider that was switched off is called by runs that were admitted before",
    edits: [
      [
        "src/layers/runs/dispatch/AttemptCall.ts",
        "if (off !== null) return yield* off",
        "if (off !== null) yield* Effect.void"
      ]
    ],
    tests: ["test/layers/runs/SwitchedOff.test.ts"]
  }
]
