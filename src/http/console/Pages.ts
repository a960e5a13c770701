/** Every page of the console. A page that is not in this list does not exist, and nothing leads to it. */
import { home } from "./Home.js"
import type { Page } from "./Page.js"

/** The services that the pages ask for. */
export type ConsoleServices = never

export const consolePages: ReadonlyArray<Page<ConsoleServices>> = [home]
