// Draws the reference from the server's own description; nothing comes from elsewhere.
window.SwaggerUIBundle({
  url: "../v1/openapi.json",
  dom_id: "#reference",
  deepLinking: true,
  docExpansion: "list",
  defaultModelsExpandDepth: 0,
  displayRequestDuration: true,
  validatorUrl: null,
});
