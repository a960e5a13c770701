// The test files that get a process of their own. All others share one process, which loads the sources once. A file
// stands here when it starts gateways or browsers as programs, sends signals, replaces something of the process
// (environment, folder, clock, timers, `fetch`, modules), or judges figures of the whole process (memory, event loop,
// open handles, counters). eslint.config.js refuses most of that in the other files, and
// test/support/sharedProcess.ts fails a file that leaves its process changed.
export const isolated = [
  "test/cli/{Agents,Process}.test.ts",
  "test/client/{Browser,Patience,Webhooks}.test.ts",
  "test/docs/{Agents,Blocks,Client,Installed,Package,SupplyChain}.test.ts",
  "test/examples/Examples.test.ts",
  "test/golden/{DocumentExamples,Process}.test.ts",
  "test/http/{OAuth,PagesBrowser,SlowReaders}.test.ts",
  "test/http/serving/HangUps.test.ts",
  "test/http/console/{Browser,ConnectBrowser,TopUpBrowser}.test.ts",
  "test/layers/compose/Processes.test.ts",
  "test/layers/postgres/{EmbeddedPostgres,LeasesRenewedApart}.test.ts",
  "test/layers/providers/{Expressions,Failures}.test.ts",
  "test/layers/runs/RunCounters.test.ts",
  "test/scripts/{Build,ObjectSpreads}.test.ts"
]

// Short forms of what `npm run chaos` does, each with gateways that are killed, stopped and started again, or attacked
// for long. They take as long as a third of all other files, so they have a command of their own: `npm run test:chaos`.
export const chaos = ["test/chaos/{Answers,Kills,Renewals,Simultaneous,Stalls,Storage,WorstShapes}.test.ts"]
