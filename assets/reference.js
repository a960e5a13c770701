/* Shows the OpenAPI document, whose address stands in the page, with Swagger UI. Nothing is sent from the page. */
/* global addEventListener, document, history, location, SwaggerUIBundle */
"use strict"

const place = document.getElementById("reference")

const needs = ({ security = [], "x-required-scope": scope }) =>
  scope !== undefined
    ? `Needs a token with the scope \`${scope}\`.`
    : security.length === 0
      ? "Needs no token."
      : security.length > 1
        ? "Takes a token, and needs none."
        : "Needs a token."

/* Who may call it stands in the text of each operation, instead of locks that open a form for tokens. */
const told = (operation) => {
  operation.description = `${needs(operation)} ${operation.description ?? ""}`
  delete operation.security
}

const withWords = (specification) => {
  for (const item of Object.values(specification.paths)) for (const operation of Object.values(item)) told(operation)
  delete specification.security
  delete specification.components.securitySchemes
  delete specification.servers
  return specification
}

/* Our page has its own title, and a link inside of a button is for nobody. */
const Plain = ({ React }) => ({
  components: {
    InfoContainer: () => null,
    DeepLink: ({ text }) => React.createElement("span", null, text)
  },
  wrapComponents: {
    /* Its list of examples has no name for those who do not see where it stands. */
    ExamplesSelect: (Original) => (props) =>
      React.createElement(
        "label",
        null,
        React.createElement("span", { className: "unseen" }, "Example"),
        React.createElement(Original, props)
      )
  }
})

/* Swagger UI makes an entry of the history for each operation that is opened, and looks at the address only once. */
history.pushState = history.replaceState.bind(history)
addEventListener("hashchange", () => location.reload())

fetch(place.querySelector("a").getAttribute("href"))
  .then((answer) => answer.json())
  .then((specification) =>
    SwaggerUIBundle({
      spec: withWords(specification),
      domNode: place,
      plugins: [Plain],
      deepLinking: true,
      docExpansion: "list",
      defaultModelsExpandDepth: 0,
      syntaxHighlight: false,
      supportedSubmitMethods: [],
      validatorUrl: null
    })
  )
  .catch(() => {
    place.append(" could not be read. ")
    const again = document.createElement("a")
    again.href = location.href
    again.textContent = "Try again"
    place.append(again)
  })
