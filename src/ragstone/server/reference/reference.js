// Draws the reference from the server's own description; nothing comes from elsewhere. Requests to try go to the
// folder above this page: a proxy may have added a prefix, which the description does not know.
const dark = matchMedia("(prefers-color-scheme: dark)");
const followScheme = () => document.documentElement.classList.toggle("dark-mode", dark.matches);
dark.addEventListener("change", followScheme);
followScheme();

const place = document.getElementById("reference");
fetch("../v1/openapi.json")
  .then((answer) => (answer.ok ? answer.json() : Promise.reject(new Error(`status ${answer.status}`))))
  .then((description) =>
    window.SwaggerUIBundle({
      spec: { ...description, servers: [{ url: new URL("..", document.baseURI).pathname.replace(/\/$/, "") || "/" }] },
      dom_id: "#reference",
      deepLinking: true,
      docExpansion: "list",
      defaultModelsExpandDepth: 0,
      displayRequestDuration: true,
      validatorUrl: null,
    }),
  )
  .catch((error) => {
    place.textContent = `The description of the API cannot be read (${error.message}). Reload the page.`;
  });
