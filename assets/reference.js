/* Shows the OpenAPI document, whose address stands in the page, with Swagger UI. */
/* global document, SwaggerUIBundle */
"use strict"

const place = document.getElementById("reference")
const url = place.querySelector("a").getAttribute("href")
SwaggerUIBundle({
  url,
  domNode: place,
  deepLinking: true,
  docExpansion: "list",
  defaultModelsExpandDepth: 0,
  showExtensions: true,
  filter: false,
  supportedSubmitMethods: [],
  validatorUrl: null
})
