/* What the console does beyond plain pages. Everything works without it. */
/* global document, location, history, fetch, DOMParser, AbortController, clearTimeout, FormData, confirm */
/* global URLSearchParams */
"use strict"

/* A form is sent once: a double click makes one request. Coming back to the page makes it sendable again. */
document.addEventListener("submit", (event) => {
  const form = event.target
  if (form.dataset.confirm && !confirm(form.dataset.confirm)) {
    event.preventDefault()
    return
  }
  if (form.dataset.once === undefined) return
  if (form.dataset.sent !== undefined) {
    event.preventDefault()
    return
  }
  form.dataset.sent = ""
  /* Later, because a disabled button is not sent with its form. */
  setTimeout(() => {
    for (const button of form.querySelectorAll("button")) {
      button.disabled = true
      button.setAttribute("aria-busy", "true")
    }
  })
})
globalThis.addEventListener("pageshow", () => {
  for (const form of document.querySelectorAll("form[data-sent]")) {
    delete form.dataset.sent
    for (const button of form.querySelectorAll("button")) {
      button.disabled = false
      button.removeAttribute("aria-busy")
    }
  }
})

const read = async (address, signal) => {
  const answer = await fetch(address, { credentials: "same-origin", ...(signal ? { signal } : {}) })
  if (!answer.ok) return null
  return new DOMParser().parseFromString(await answer.text(), "text/html")
}

/*
 * What moves is read again, and changes where it stands. No row comes, goes or changes its place, so nothing moves
 * under a reader. A list says by itself that there are newer rows.
 */
const liveEvery = 2000
const live = () => [...document.querySelectorAll("[data-live]")]
const keyed = (root) => new Map([...root.querySelectorAll("[data-live]")].map((each) => [each.dataset.live, each]))
const refresh = async () => {
  if (!live().some((each) => each.dataset.moving !== undefined)) return
  if (document.visibilityState === "visible") {
    const page = await read(location.href).catch(() => null)
    if (page !== null) {
      const fresh = keyed(page)
      for (const each of live()) {
        const now = fresh.get(each.dataset.live)
        if (now === undefined || now.innerHTML === each.innerHTML) continue
        /* Not while somebody is in it. */
        if (each.contains(document.activeElement)) continue
        each.replaceWith(document.importNode(now, true))
      }
      const told = document.querySelector("[data-news]")
      const first = page.querySelector("[data-live]")
      const known = keyed(document)
      if (told && first && !known.has(first.dataset.live)) told.hidden = false
    }
  }
  setTimeout(refresh, liveEvery)
}
setTimeout(refresh, liveEvery)

/* A search answers while one types: its results are read again and take the place of the old ones. */
for (const form of document.querySelectorAll("form[data-search]")) {
  let timer
  let reading = new AbortController()
  const search = async () => {
    const address = `${form.action.split("?")[0]}?${new URLSearchParams(new FormData(form))}`
    reading.abort()
    reading = new AbortController()
    const page = await read(address, reading.signal).catch(() => null)
    const found = page?.querySelector("[data-results]")
    const shown = document.querySelector("[data-results]")
    if (!found || !shown) return
    shown.replaceWith(document.importNode(found, true))
    history.replaceState(null, "", address)
  }
  form.addEventListener("input", () => {
    clearTimeout(timer)
    timer = setTimeout(search, 200)
  })
}
