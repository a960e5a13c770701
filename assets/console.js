/* What the console does beyond plain pages. Everything works without it. */
/* global document, location, history, DOMParser, AbortController, clearTimeout, FormData, confirm, navigator */
/* global URLSearchParams */
"use strict"

document.documentElement.classList.add("script")

/* Tables show the ends of ids; the button beside one copies all of it. */
const copy = async (text) => {
  if (navigator.clipboard) return navigator.clipboard.writeText(text)
  /* Without TLS a browser has no clipboard, but a selected text can be copied. */
  const area = document.createElement("textarea")
  area.value = text
  document.body.append(area)
  area.select()
  document.execCommand("copy")
  area.remove()
}
document.addEventListener("click", (event) => {
  const button = event.target.closest("[data-copy]")
  if (!button) return
  copy(button.dataset.copy).then(
    () => {
      button.dataset.copied = ""
      setTimeout(() => delete button.dataset.copied, 1500)
    },
    () => {}
  )
})

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

/* A form that comes back begins at what is wrong with it, which may be below what one sees. */
document.querySelector("main [aria-invalid='true']")?.focus()

const read = async (address, signal) => {
  const answer = await fetch(address, { credentials: "same-origin", ...(signal ? { signal } : {}) })
  if (!answer.ok) return null
  return new DOMParser().parseFromString(await answer.text(), "text/html")
}

/*
 * What moves is read again, and changes where it stands. No row comes, goes or changes its place, so nothing moves
 * under a reader. A list says by itself that there are newer rows.
 */
const movingMillis = 2000
const newsMillis = 5000
/* A page that nobody looks at asks nothing, and so does not keep its session alive. */
const attentionMillis = 600_000
let attended = performance.now()
for (const kind of ["pointermove", "pointerdown", "keydown", "scroll", "focus"])
  globalThis.addEventListener(kind, () => (attended = performance.now()), { passive: true })
const isAttended = () => document.visibilityState === "visible" && performance.now() - attended < attentionMillis

const live = () => [...document.querySelectorAll("[data-live]")]
const keyed = (root) => new Map([...root.querySelectorAll("[data-live]")].map((each) => [each.dataset.live, each]))
const waitMillis = () =>
  live().some((each) => each.dataset.moving !== undefined)
    ? movingMillis
    : document.querySelector("[data-news]")
      ? newsMillis
      : null

const refresh = async () => {
  const page = isAttended() ? await read(location.href).catch(() => null) : null
  if (page !== null) {
    const fresh = keyed(page)
    const known = keyed(document)
    for (const each of known.values()) {
      const now = fresh.get(each.dataset.live)
      if (now === undefined || now.innerHTML === each.innerHTML) continue
      /* Not while somebody is in it. */
      if (each.contains(document.activeElement)) continue
      each.replaceWith(document.importNode(now, true))
    }
    const news = document.querySelector("[data-news]")
    const [first] = fresh.keys()
    if (news && first !== undefined && !known.has(first)) news.hidden = false
  }
  schedule()
}
const schedule = () => {
  const millis = waitMillis()
  if (millis !== null) setTimeout(refresh, millis)
}
schedule()

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
