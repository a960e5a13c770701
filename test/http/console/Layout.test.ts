/** What the frame of every page does with names that people chose. */
import { assert, it } from "@effect/vitest"
import { Link, nothing } from "../../../src/http/console/Html.js"
import { frame } from "../../../src/http/console/Layout.js"

it("a workspace is called the same in the bar and above its navigation, in its own direction of writing", () => {
  const link = { link: Link.page(["docs"]) }
  const page = frame(
    [
      {
        method: "GET",
        navigation: { label: "Runs", order: 1 },
        path: "/console/:workspaceId/runs",
        sees: "member"
      }
    ],
    { icon: link, style: link, script: link } as never,
    {
      screen: { title: "Runs", actions: null, content: nothing },
      session: { role: "operator", name: "Grace" } as never,
      workspace: { workspaceId: "ws_1", name: "שלום 1" },
      path: "/console/:workspaceId/runs",
      requestId: "req_1"
    }
  ).render({ prefix: "", csrf: null })
  assert.strictEqual(page.split("<bdi>שלום 1</bdi>").length - 1, 2)
  assert.include(page, "<h2><bdi>שלום 1</bdi></h2>")
})
