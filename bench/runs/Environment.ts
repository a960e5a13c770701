// What the programs of a benchmark find in their environment: what a command needs to run at all, and the settings of
// the benchmark. Never those of a gateway that this shell is set up for. A benchmark that read them would fill, charge
// or change the database of that gateway, or would measure it with other settings than it says.

const ofAGateway = /^(?:GATEWAY_.*|OTEL_.*|DATABASE_URL(?:_FILE)?|PORT|HOST)$/

/** The environment without every setting of a gateway, and with these. */
export const environmentWith = (
  settings: Readonly<Record<string, string>>,
  around: NodeJS.ProcessEnv = process.env
): Record<string, string> => ({
  ...Object.fromEntries(
    Object.entries(around).flatMap(([name, value]) =>
      value === undefined || ofAGateway.test(name) ? [] : [[name, value] as const]
    )
  ),
  ...settings
})
