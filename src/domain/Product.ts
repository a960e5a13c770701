/** What this software is called and which version of it runs. `package.json` has the same version; a test says so. */
export const productName = "Provider Operations Gateway"
export const productVersion = "0.1.0"
/** How it names itself to the servers that it calls. */
export const userAgent = `provider-gateway/${productVersion}`
